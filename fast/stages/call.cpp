// SPDX-License-Identifier: Apache-2.0
#include "fast/stages/call.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

namespace plumb::fast {
namespace {

std::optional<Dtype> dtype_of(const DLDataType& type) {
  if (type.lanes != 1) return std::nullopt;
  const int code = type.code;
  const int bits = type.bits;
  if (code == PLUMB_DL_FLOAT && bits == 32) return Dtype::kF32;
  if (code == PLUMB_DL_BFLOAT && bits == 16) return Dtype::kBf16;
  if (code == PLUMB_DL_FLOAT8_E4M3FN && bits == 8) return Dtype::kFp8E4m3fn;
  if (code == PLUMB_DL_INT && bits == 64) return Dtype::kI64;
  return std::nullopt;
}

std::string words(const DLDataType& type) {
  return "DLPack type (code " + std::to_string(int{type.code}) + ", bits " +
         std::to_string(int{type.bits}) + ", lanes " + std::to_string(int{type.lanes}) + ")";
}

std::string shape_words(Index rows, Index columns) {
  return "[" + std::to_string(rows) + ", " + std::to_string(columns) + "]";
}

std::string names_of(std::initializer_list<Dtype> dtypes) {
  std::string names;
  for (Dtype d : dtypes) {
    if (!names.empty()) names += ", ";
    names += name_of(d);
  }
  return names;
}

}  // namespace

CallReader::CallReader(const plumb_call& call, const char* stage) : call_(call) {
  if (call.abi != PLUMB_ABI) {
    malformed("the call has ABI " + std::to_string(call.abi) + "; this library was built for " +
              std::to_string(PLUMB_ABI));
  } else if (call.stage == nullptr || std::strcmp(call.stage, stage) != 0) {
    malformed(std::string("the call is for stage ") +
              (call.stage == nullptr ? "(none)" : call.stage) + "; this kernel computes " + stage);
  }
}

void CallReader::malformed(std::string message) {
  if (!ok()) return;
  state_ = State::kMalformed;
  message_ = std::move(message);
}

void CallReader::unsupported(std::string message) {
  if (!ok()) return;
  state_ = State::kUnsupported;
  message_ = std::move(message);
}

const plumb_tensor* CallReader::find_tensor(const char* name) const {
  for (std::size_t i = 0; i < call_.tensor_count; ++i) {
    if (std::strcmp(call_.tensors[i].name, name) == 0) return &call_.tensors[i];
  }
  return nullptr;
}

Matrix CallReader::tensor(const char* name, int rank, std::initializer_list<Dtype> dtypes) {
  if (!ok()) return {};
  const plumb_tensor* found = find_tensor(name);
  if (found == nullptr) {
    malformed(std::string("tensor ") + name + " is missing");
    return {};
  }
  const Matrix m = matrix(*found, rank, dtypes);
  if (ok() && !m.present() && m.rows > 0 && m.columns > 0) {
    malformed(std::string("tensor ") + name + " of shape " + shape_words(m.rows, m.columns) +
              " has no data");
  }
  return m;
}

Matrix CallReader::optional_tensor(const char* name, int rank,
                                   std::initializer_list<Dtype> dtypes) {
  const plumb_tensor* found = ok() ? find_tensor(name) : nullptr;
  if (found == nullptr || found->tensor.data == nullptr) return {};
  return matrix(*found, rank, dtypes);
}

Matrix CallReader::matrix(const plumb_tensor& named, int rank,
                          std::initializer_list<Dtype> dtypes) {
  const DLTensor& t = named.tensor;
  const std::string name = std::string("tensor ") + named.name;
  if (t.ndim != rank || t.shape == nullptr || t.strides == nullptr) {
    malformed(name + " has rank " + std::to_string(t.ndim) + "; rank " + std::to_string(rank) +
              " with shape and strides is wanted");
    return {};
  }
  const std::optional<Dtype> dtype = dtype_of(t.dtype);
  if (!dtype || std::find(dtypes.begin(), dtypes.end(), *dtype) == dtypes.end()) {
    unsupported(name + " is of " + (dtype ? std::string(name_of(*dtype)) : words(t.dtype)) +
                "; this kernel takes " + names_of(dtypes));
    return {};
  }
  const Index columns = t.shape[rank - 1];
  const Index rows = rank == 1 ? 1 : t.shape[0];
  if (rows < 0 || columns < 0) {
    malformed(name + " has the shape " + shape_words(rows, columns));
    return {};
  }
  if (columns > 1 && t.strides[rank - 1] != 1) {
    unsupported(name + " has innermost stride " + std::to_string(t.strides[rank - 1]) +
                "; this kernel takes rows whose elements are neighbours (stride 1)");
    return {};
  }
  auto* data = static_cast<std::byte*>(t.data);
  if (data != nullptr) data += t.byte_offset;
  return {data, *dtype, rows, columns, rank == 1 ? 0 : t.strides[0]};
}

void CallReader::expect_shape(const char* name, const Matrix& tensor, Index rows, Index columns) {
  if (!ok() || (tensor.rows == rows && tensor.columns == columns)) return;
  malformed(std::string("tensor ") + name + " has the shape " +
            shape_words(tensor.rows, tensor.columns) + "; the other tensors ask for " +
            shape_words(rows, columns));
}

const plumb_param* CallReader::find_param(const char* name, plumb_param_kind kind) {
  if (!ok()) return nullptr;
  for (std::size_t i = 0; i < call_.param_count; ++i) {
    const plumb_param& param = call_.params[i];
    if (std::strcmp(param.name, name) != 0) continue;
    if (param.kind == kind) return &param;
    malformed(std::string("parameter ") + name + " is of kind " + std::to_string(int{param.kind}) +
              "; kind " + std::to_string(int{kind}) + " is wanted");
    return nullptr;
  }
  malformed(std::string("parameter ") + name + " is missing");
  return nullptr;
}

std::int64_t CallReader::positive_integer(const char* name) {
  const plumb_param* param = find_param(name, PLUMB_INTEGER);
  if (param == nullptr) return 1;
  if (param->value.integer < 1) {
    malformed(std::string("parameter ") + name + " is " + std::to_string(param->value.integer) +
              "; at least 1 is wanted");
    return 1;
  }
  return param->value.integer;
}

double CallReader::number(const char* name) {
  const plumb_param* param = find_param(name, PLUMB_NUMBER);
  if (param == nullptr) return 0;
  if (!std::isfinite(param->value.number)) {
    malformed(std::string("parameter ") + name + " is not finite");
  }
  return param->value.number;
}

Side CallReader::side(const char* name) {
  const plumb_param* param = find_param(name, PLUMB_WORD);
  if (param == nullptr) return Side::kA;
  const char* word = param->value.word;
  if (word != nullptr && std::strcmp(word, "a") == 0) return Side::kA;
  if (word != nullptr && std::strcmp(word, "b") == 0) return Side::kB;
  malformed(std::string("parameter ") + name + " is \"" + (word == nullptr ? "" : word) +
            "\"; \"a\" or \"b\" is wanted");
  return Side::kA;
}

}  // namespace plumb::fast
