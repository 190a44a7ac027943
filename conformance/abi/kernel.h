// SPDX-License-Identifier: Apache-2.0
// The C++ view of plumb_kernel.h: a StageCall as a plumb_call and back, element types in both
// directions, and typed views of a call's tensors for kernels written in C++.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/abi/plumb_kernel.h"
#include "reference/base/result.h"
#include "reference/tensor/stage_call.h"

namespace plumb::conformance {

// The wide types (real, real_wide, tracked) exist in one process only and are refused.
Result<DLDataType> dl_type_of(Dtype dtype);
// Types that no stage passes (complex, int16, more than one lane) are refused.
Result<Dtype> dtype_of(DLDataType type);

std::string_view name_of(plumb_role role);
// A kernel may write to tensors of this role.
inline bool is_writable(plumb_role role) { return role != PLUMB_IN; }

// Where one tensor of a call lies.
struct KernelTensor {
  std::string name;
  plumb_role role = PLUMB_IN;
  Dtype dtype = Dtype::kF32;
  Shape shape;
  Shape strides;  // in elements
  std::byte* data = nullptr;
};

// A plumb_call together with everything that it points to, except the elements.
class KernelCall {
 public:
  static Result<KernelCall> make(std::string stage, std::vector<KernelTensor> tensors,
                                 std::vector<NamedParam> params, int threads);
  // Over the elements of `call`, which must outlive it; one role a tensor. Empty tensors are left
  // out.
  static Result<KernelCall> of(const StageCall& call, std::span<const plumb_role> roles,
                               int threads);

  KernelCall(KernelCall&&) noexcept;
  KernelCall& operator=(KernelCall&&) noexcept;
  ~KernelCall();

  const plumb_call& get() const;

 private:
  struct Storage;
  explicit KernelCall(std::unique_ptr<Storage> storage);
  std::unique_ptr<Storage> storage_;
};

// The way back: tensors over the call's memory, which must outlive them; only those of a writable
// role are writable. Strides must be those of a packed tensor, or of a slice of one.
Result<StageCall> stage_call_of(const plumb_call& call);

// The tensor or parameter of that name, or null.
const plumb_tensor* find_tensor(const plumb_call& call, std::string_view name);
const plumb_param* find_param(const plumb_call& call, std::string_view name);

// Null when element type and rank are as asked, else what is wrong with the tensor.
const char* mismatch(const plumb_tensor& tensor, Dtype dtype, std::size_t rank);

// A tensor's elements as a typed view. Fails when it is absent or of another type or rank. E2M1
// comes as pairs: the innermost extent and the outer strides are halved.
template <class T, std::size_t Rank>
Result<TensorView<T, Rank>> view_of(const plumb_call& call, std::string_view name) {
  using Element = std::remove_const_t<T>;
  const plumb_tensor* tensor = find_tensor(call, name);
  if (tensor == nullptr) return Error{"tensor '" + std::string(name) + "' is missing"};
  if (const char* wrong = mismatch(*tensor, kDtypeOf<Element>, Rank)) {
    return Error{"tensor '" + std::string(name) + "' " + wrong};
  }
  if (!std::is_const_v<T> && !is_writable(tensor->role)) {
    return Error{"tensor '" + std::string(name) + "' is an input and must not be written"};
  }
  Extents<Rank> extents{};
  Extents<Rank> strides{};
  constexpr Index kPerElement = std::is_same_v<Element, Fp4E2m1Pair> ? 2 : 1;
  for (std::size_t axis = 0; axis < Rank; ++axis) {
    const bool innermost = axis + 1 == Rank;
    extents[axis] = tensor->tensor.shape[axis] / (innermost ? kPerElement : 1);
    strides[axis] =
        innermost ? tensor->tensor.strides[axis] : tensor->tensor.strides[axis] / kPerElement;
  }
  auto* data = static_cast<std::byte*>(tensor->tensor.data) + tensor->tensor.byte_offset;
  return TensorView<T, Rank>(reinterpret_cast<T*>(data), extents, strides);
}

}  // namespace plumb::conformance
