// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/recording.h"

#include <algorithm>

#include "reference/scalar/format.h"

namespace plumb::conformance {
namespace {

bool is_output(const TensorSchema& tensor) {
  return tensor.role == Role::kOut || tensor.role == Role::kTap || tensor.role == Role::kInOut;
}

// What flows on at 50 digits is kept as the nearest number of a type that the schema admits.
AnyTensor storable(const AnyTensor& tensor, const TensorSchema& output) {
  if (tensor.dtype() != Dtype::kReal) return tensor;
  const bool narrow = std::ranges::find(output.dtypes, Dtype::kF32) != output.dtypes.end();
  const AnyTensor source = tensor.contiguous() ? tensor : tensor.copied();
  AnyTensor kept = AnyTensor::zeros(narrow ? Dtype::kF32 : Dtype::kF64, tensor.shape());
  for (Index i = 0; i < kept.size(); ++i) {
    const double v = round_to(narrow ? kF32 : kF64, source.data<Real>()[i]).to_double();
    if (narrow) {
      kept.data<float>()[i] = static_cast<float>(v);
    } else {
      kept.data<double>()[i] = v;
    }
  }
  return kept;
}

}  // namespace

std::vector<std::string> trace_names(const StageSchema& schema, const StageCall& call,
                                     const TensorSchema& output) {
  std::vector<std::string> names;
  for (const auto& [tensor, name] : call.site.names) {
    if (tensor == output.name) names.push_back(name);
  }
  // An output without a suffix bears its call's path, and only the first can.
  const TensorSchema* first = nullptr;
  for (const TensorSchema& tensor : schema.tensors) {
    if (first == nullptr && is_output(tensor)) first = &tensor;
  }
  const bool told_apart = !output.trace_suffix.empty() || (first == &output && names.empty());
  if (told_apart) names.push_back(call.site.path + std::string(output.trace_suffix));
  return names;
}

void RecordingExecutor::run(StageCall& call) {
  inner_.run(call);
  const StageSchema* schema = find_stage(call.stage);
  PLUMB_REQUIRE(schema != nullptr, call.stage);
  for (const TensorSchema& output : schema->tensors) {
    AnyTensor* tensor = is_output(output) ? call.find(output.name) : nullptr;
    if (tensor == nullptr || tensor->empty()) continue;
    *tensor = storable(*tensor, output);
    const std::vector<std::string> names = trace_names(*schema, call, output);
    if (names.empty() || (names.size() == 1 && names.front().empty())) continue;
    keep(prefix_ + names.front(), *tensor);
    for (std::size_t i = 1; i < names.size(); ++i) {
      aliases_[prefix_ + names[i]] = prefix_ + names.front();
    }
  }
}

void RecordingExecutor::keep(const std::string& name, const AnyTensor& tensor) {
  const auto [place, fresh] = places_.try_emplace(name, tensors_.size());
  if (fresh) {
    tensors_.push_back({name, tensor});
  } else {
    tensors_[place->second].tensor = tensor;
  }
}

const AnyTensor* RecordingExecutor::find(std::string_view name) const {
  const auto alias = aliases_.find(name);
  const auto place = places_.find(alias != aliases_.end() ? std::string_view(alias->second) : name);
  return place != places_.end() ? &tensors_[place->second].tensor : nullptr;
}

}  // namespace plumb::conformance
