// SPDX-License-Identifier: Apache-2.0
// AnyTensor: a tensor whose element type and rank are known only at run time.
// A handle: copies share the elements. Shape operations make other views of the same elements.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "reference/tensor/dtype.h"
#include "reference/tensor/tensor_view.h"

namespace plumb {

using Shape = std::vector<Index>;

// Number of elements; the product of the extents.
Index count(const Shape& shape);
// "[2, 3]"
std::string to_string(const Shape& shape);

class AnyTensor {
 public:
  AnyTensor() = default;

  // Zeroed elements of its own, row-major.
  static AnyTensor zeros(Dtype dtype, Shape shape);
  // Elements that lie elsewhere, row-major, kept alive by `owner`. They are not written through it
  // when `writable` is false (a mapped file).
  static AnyTensor over(std::shared_ptr<void> owner, std::byte* data, Dtype dtype, Shape shape,
                        bool writable);

  // A one-dimensional tensor with these values.
  template <class T>
  static AnyTensor of(const std::vector<T>& values) {
    AnyTensor t = zeros(kDtypeOf<T>, {static_cast<Index>(values.size())});
    for (std::size_t i = 0; i < values.size(); ++i) t.data<T>()[i] = values[i];
    return t;
  }

  bool empty() const { return data_ == nullptr; }
  Dtype dtype() const { return dtype_; }
  std::size_t rank() const { return shape_.size(); }
  const Shape& shape() const { return shape_; }
  const Shape& strides() const { return strides_; }  // in elements
  Index extent(std::size_t axis) const { return shape_[axis]; }
  Index size() const { return count(shape_); }
  bool contiguous() const;
  bool writable() const { return writable_; }

  // Same elements, other shape. Copies when the strides do not allow it.
  AnyTensor reshaped(Shape shape) const;
  // Elements begin..end-1 along an axis.
  AnyTensor sliced(std::size_t axis, Index begin, Index end) const;
  AnyTensor transposed(std::size_t axis_a, std::size_t axis_b) const;
  // An axis of extent 1 repeated without copying (stride 0).
  AnyTensor broadcast(std::size_t axis, Index extent) const;
  // A row-major copy with elements of its own.
  AnyTensor copied() const;

  // First element; element types must match.
  template <class T>
  T* data() const {
    PLUMB_REQUIRE(dtype_ == kDtypeOf<T>, name_of(dtype_), name_of(kDtypeOf<T>));
    return reinterpret_cast<T*>(data_);
  }
  std::byte* bytes() const { return data_; }
  // Bytes of a contiguous tensor.
  std::size_t byte_size() const;

  template <class T, std::size_t Rank>
  TensorView<T, Rank> view() const {
    PLUMB_REQUIRE(rank() == Rank, rank(), Rank);
    PLUMB_REQUIRE(std::is_const_v<T> || writable_);
    Extents<Rank> extents{};
    Extents<Rank> strides{};
    for (std::size_t axis = 0; axis < Rank; ++axis) {
      extents[axis] = shape_[axis];
      strides[axis] = strides_[axis];
    }
    return {data<std::remove_const_t<T>>(), extents, strides};
  }

  // Element offset of the i-th element in row-major order.
  Index offset_of(Index i) const;

 private:
  std::shared_ptr<void> owner_;
  std::byte* data_ = nullptr;
  Dtype dtype_ = Dtype::kF32;
  Shape shape_;
  Shape strides_;
  bool writable_ = true;
};

}  // namespace plumb
