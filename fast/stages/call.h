// SPDX-License-Identifier: Apache-2.0
// Reading a plumb_call: tensors and parameters by name, with what is wrong about them in words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "conformance/abi/plumb_kernel.h"
#include "reference/tensor/dtype.h"
#include "reference/tensor/tensor_view.h"

namespace plumb::fast {

// A tensor of rank 2, or of rank 1 as a single row. Elements of a row are neighbours.
struct Matrix {
  std::byte* data = nullptr;  // null: left out
  Dtype dtype = Dtype::kF32;
  Index rows = 0;
  Index columns = 0;
  Index row_stride = 0;  // in elements; any sign

  bool present() const { return data != nullptr; }
  template <class T>
  T* row(Index r) const {
    return reinterpret_cast<T*>(data) + r * row_stride;
  }
};

// Which side of a discrepancy the call asks for.
enum class Side : std::uint8_t { kA, kB };

// Keeps the first trouble met; what is read after that is empty, so a caller asks once, at the end.
class CallReader {
 public:
  CallReader(const plumb_call& call, const char* stage);

  Matrix tensor(const char* name, int rank, std::initializer_list<Dtype> dtypes);
  // Not present when the call lacks it or gives it no data.
  Matrix optional_tensor(const char* name, int rank, std::initializer_list<Dtype> dtypes);
  void expect_shape(const char* name, const Matrix& tensor, Index rows, Index columns);

  std::int64_t positive_integer(const char* name);
  double number(const char* name);
  Side side(const char* name);

  // The call cannot be run by anyone; the call is sound, but this kernel does not do it.
  void malformed(std::string message);
  void unsupported(std::string message);

  bool ok() const { return state_ == State::kOk; }
  bool is_unsupported() const { return state_ == State::kUnsupported; }
  const std::string& message() const { return message_; }

 private:
  enum class State : std::uint8_t { kOk, kUnsupported, kMalformed };

  const plumb_tensor* find_tensor(const char* name) const;
  const plumb_param* find_param(const char* name, plumb_param_kind kind);
  Matrix matrix(const plumb_tensor& tensor, int rank, std::initializer_list<Dtype> dtypes);

  const plumb_call& call_;
  State state_ = State::kOk;
  std::string message_;
};

}  // namespace plumb::fast
