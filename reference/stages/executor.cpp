// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/executor.h"

namespace plumb {
namespace {

bool is_output(Role role) {
  return role == Role::kOut || role == Role::kTap || role == Role::kInOut;
}

bool is_side(std::string_view param) {
  return param.starts_with("R1-D") || param.starts_with("V41-D");
}

}  // namespace

void complete(const StageSchema& schema, const Reading& reading, StageCall& call) {
  for (const ParamSchema& p : schema.params) {
    if (call.find_param(p.name) == nullptr) {
      call.params.push_back({std::string(p.name), p.default_value});
    }
  }
  std::erase_if(call.params, [](const NamedParam& p) { return is_side(p.name); });
  for (std::string_view side : schema.sides) {
    const char letter = static_cast<char>(reading.side(side));
    call.params.push_back({std::string(side), std::string(1, letter)});
  }
}

AnyTensor packed(const AnyTensor& wide, Dtype dtype) {
  const AnyTensor source = wide.contiguous() ? wide : wide.copied();
  AnyTensor target = AnyTensor::zeros(dtype, wide.shape());
  const Real* values = source.data<Real>();
  for (Index i = 0; i < target.size(); ++i) {
    store_exact(target.bytes(), dtype, i, values[i].to_double());
  }
  return target;
}

std::optional<Dtype> storage_of(const Reading& reading, const TensorSchema& tensor) {
  if (!tensor.slot) return std::nullopt;
  const auto& format = reading.format(*tensor.slot);
  return format ? std::optional(format->dtype) : std::nullopt;
}

void PlainExecutor::run(StageCall& call) {
  const StageSchema* schema = find_stage(call.stage);
  const StageReference* reference = find_reference(call.stage);
  PLUMB_REQUIRE(schema != nullptr && reference != nullptr, call.stage);
  complete(*schema, reading_, call);
  const Status status = check_call(*schema, call);
  PLUMB_REQUIRE(status.ok(), status.ok() ? "" : status.error().message);
  reference->run<Real>({reading_, schema->standard_contract}, call);
  for (const TensorSchema& tensor : schema->tensors) {
    AnyTensor* output = is_output(tensor.role) ? call.find(tensor.name) : nullptr;
    if (output == nullptr || output->dtype() != Dtype::kReal) continue;
    if (const auto dtype = storage_of(reading_, tensor)) *output = packed(*output, *dtype);
  }
}

}  // namespace plumb
