// SPDX-License-Identifier: Apache-2.0
#include "conformance/abi/kernel.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace plumb::conformance {
namespace {

struct TypeRow {
  Dtype dtype;
  std::uint8_t code;
  std::uint8_t bits;
};

constexpr std::array<TypeRow, 11> kTypes{{{Dtype::kBool, PLUMB_DL_BOOL, 8},
                                          {Dtype::kU8, PLUMB_DL_UINT, 8},
                                          {Dtype::kI32, PLUMB_DL_INT, 32},
                                          {Dtype::kI64, PLUMB_DL_INT, 64},
                                          {Dtype::kFp4E2m1, PLUMB_DL_FLOAT4_E2M1FN, 4},
                                          {Dtype::kFp8E4m3fn, PLUMB_DL_FLOAT8_E4M3FN, 8},
                                          {Dtype::kUe8m0, PLUMB_DL_FLOAT8_E8M0FNU, 8},
                                          {Dtype::kBf16, PLUMB_DL_BFLOAT, 16},
                                          {Dtype::kFp16, PLUMB_DL_FLOAT, 16},
                                          {Dtype::kF32, PLUMB_DL_FLOAT, 32},
                                          {Dtype::kF64, PLUMB_DL_FLOAT, 64}}};

constexpr std::int32_t kMaxRank = 16;

DLTensor dl_tensor(KernelTensor& tensor, DLDataType type) {
  DLTensor t{};
  t.data = tensor.data;
  t.device.device_type = kDLCPU;
  t.ndim = static_cast<std::int32_t>(tensor.shape.size());
  t.dtype = type;
  t.shape = tensor.shape.data();
  t.strides = tensor.strides.data();
  return t;
}

plumb_param abi_param(const NamedParam& param) {
  plumb_param p{};
  p.name = param.name.c_str();
  if (const auto* integer = std::get_if<std::int64_t>(&param.value)) {
    p.kind = PLUMB_INTEGER;
    p.value.integer = *integer;
  } else if (const auto* number = std::get_if<double>(&param.value)) {
    p.kind = PLUMB_NUMBER;
    p.value.number = *number;
  } else {
    p.kind = PLUMB_WORD;
    p.value.word = std::get<std::string>(param.value).c_str();
  }
  return p;
}

Result<ParamValue> param_value(const plumb_param& param) {
  switch (param.kind) {
    case PLUMB_INTEGER:
      return ParamValue(param.value.integer);
    case PLUMB_NUMBER:
      return ParamValue(param.value.number);
    case PLUMB_WORD:
      return ParamValue(std::string(param.value.word));
  }
  return Error{"parameter '" + std::string(param.name) + "' is of kind " +
               std::to_string(static_cast<int>(param.kind)) + "; 0, 1 and 2 are known"};
}

// A packed tensor of the extents that the strides span, sliced to the shape.
Result<AnyTensor> any_tensor(const plumb_tensor& tensor) {
  const DLTensor& t = tensor.tensor;
  const std::string name = tensor.name;
  const Result<Dtype> dtype = dtype_of(t.dtype);
  if (!dtype) return Error{"tensor '" + name + "': " + dtype.error().message};
  if (t.ndim < 0 || t.ndim > kMaxRank) {
    return Error{"tensor '" + name + "' has rank " + std::to_string(t.ndim)};
  }
  const Shape shape(t.shape, t.shape + t.ndim);
  Shape spanned = shape;
  for (std::size_t axis = shape.size(); axis-- > 1;) {
    const Index inner = t.strides[axis];
    const Index outer = t.strides[axis - 1];
    if (shape[axis - 1] <= 1) continue;  // its stride is never used
    if (inner < 1 || outer % inner != 0 || outer / inner < shape[axis]) {
      return Error{"tensor '" + name + "' has strides " +
                   to_string(Shape(t.strides, t.strides + t.ndim)) +
                   ", which are not those of a slice of a packed tensor"};
    }
    spanned[axis] = outer / inner;
  }
  auto* data = static_cast<std::byte*>(t.data);
  if (data != nullptr) data += t.byte_offset;
  AnyTensor whole = AnyTensor::over(nullptr, data, *dtype, spanned, is_writable(tensor.role));
  for (std::size_t axis = 1; axis < shape.size(); ++axis) {
    whole = whole.sliced(axis, 0, shape[axis]);
  }
  return whole;
}

}  // namespace

Result<DLDataType> dl_type_of(Dtype dtype) {
  for (const TypeRow& row : kTypes) {
    if (row.dtype == dtype) return DLDataType{row.code, row.bits, 1};
  }
  return Error{"a kernel cannot be given elements of type " + std::string(name_of(dtype))};
}

Result<Dtype> dtype_of(DLDataType type) {
  for (const TypeRow& row : kTypes) {
    if (row.code == type.code && row.bits == type.bits && type.lanes == 1) return row.dtype;
  }
  return Error{"element type of code " + std::to_string(type.code) + ", " +
               std::to_string(type.bits) + " bits and " + std::to_string(type.lanes) +
               " lanes is not one that a stage passes"};
}

std::string_view name_of(plumb_role role) {
  switch (role) {
    case PLUMB_IN:
      return "in";
    case PLUMB_OUT:
      return "out";
    case PLUMB_INOUT:
      return "inout";
    case PLUMB_TAP:
      return "tap";
    case PLUMB_SCRATCH:
      return "scratch";
  }
  return "unknown role";
}

struct KernelCall::Storage {
  std::string stage;
  std::vector<KernelTensor> tensors;
  std::vector<NamedParam> params;
  std::vector<plumb_tensor> abi_tensors;
  std::vector<plumb_param> abi_params;
  plumb_call call{};
};

KernelCall::KernelCall(std::unique_ptr<Storage> storage) : storage_(std::move(storage)) {}
KernelCall::KernelCall(KernelCall&&) noexcept = default;
KernelCall& KernelCall::operator=(KernelCall&&) noexcept = default;
KernelCall::~KernelCall() = default;

const plumb_call& KernelCall::get() const { return storage_->call; }

Result<KernelCall> KernelCall::make(std::string stage, std::vector<KernelTensor> tensors,
                                    std::vector<NamedParam> params, int threads) {
  auto s = std::make_unique<Storage>();
  s->stage = std::move(stage);
  s->tensors = std::move(tensors);
  s->params = std::move(params);
  for (KernelTensor& tensor : s->tensors) {
    PLUMB_REQUIRE(tensor.shape.size() == tensor.strides.size(), tensor.name, tensor.shape.size());
    const Result<DLDataType> type = dl_type_of(tensor.dtype);
    if (!type) return Error{s->stage + ": tensor '" + tensor.name + "': " + type.error().message};
    s->abi_tensors.push_back({tensor.name.c_str(), tensor.role, dl_tensor(tensor, *type)});
  }
  std::transform(s->params.begin(), s->params.end(), std::back_inserter(s->abi_params), abi_param);
  s->call = {PLUMB_ABI,
             s->stage.c_str(),
             s->abi_tensors.data(),
             s->abi_tensors.size(),
             s->abi_params.data(),
             s->abi_params.size(),
             threads};
  return KernelCall(std::move(s));
}

Result<KernelCall> KernelCall::of(const StageCall& call, std::span<const plumb_role> roles,
                                  int threads) {
  PLUMB_REQUIRE(roles.size() == call.tensors.size(), call.stage, roles.size(), call.tensors.size());
  std::vector<KernelTensor> tensors;
  for (std::size_t i = 0; i < roles.size(); ++i) {
    const auto& [name, tensor] = call.tensors[i];
    if (tensor.empty()) continue;
    tensors.push_back(
        {name, roles[i], tensor.dtype(), tensor.shape(), tensor.strides(), tensor.bytes()});
  }
  return make(call.stage, std::move(tensors), call.params, threads);
}

Result<StageCall> stage_call_of(const plumb_call& call) {
  StageCall result{call.stage, {}, {}, {}};
  for (std::size_t i = 0; i < call.tensor_count; ++i) {
    Result<AnyTensor> tensor = any_tensor(call.tensors[i]);
    if (!tensor) return Error{result.stage + ": " + tensor.error().message};
    result.tensors.push_back({call.tensors[i].name, std::move(tensor).value()});
  }
  for (std::size_t i = 0; i < call.param_count; ++i) {
    Result<ParamValue> value = param_value(call.params[i]);
    if (!value) return Error{result.stage + ": " + value.error().message};
    result.params.push_back({call.params[i].name, std::move(value).value()});
  }
  return result;
}

const plumb_tensor* find_tensor(const plumb_call& call, std::string_view name) {
  const std::span tensors(call.tensors, call.tensor_count);
  const auto at = std::find_if(tensors.begin(), tensors.end(),
                               [&](const plumb_tensor& t) { return t.name == name; });
  return at == tensors.end() ? nullptr : &*at;
}

const plumb_param* find_param(const plumb_call& call, std::string_view name) {
  const std::span params(call.params, call.param_count);
  const auto at = std::find_if(params.begin(), params.end(),
                               [&](const plumb_param& p) { return p.name == name; });
  return at == params.end() ? nullptr : &*at;
}

const char* mismatch(const plumb_tensor& tensor, Dtype dtype, std::size_t rank) {
  const Result<Dtype> found = dtype_of(tensor.tensor.dtype);
  if (!found || *found != dtype) return "is of another element type than asked";
  if (tensor.tensor.ndim != static_cast<std::int32_t>(rank)) return "is of another rank than asked";
  return tensor.tensor.data == nullptr ? "has no memory" : nullptr;
}

}  // namespace plumb::conformance
