// SPDX-License-Identifier: Apache-2.0
#include "reference/tensor/any_tensor.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace plumb {
namespace {

constexpr std::size_t kAlignment = 64;  // a cache line and an AVX-512 register

Shape row_major(const Shape& shape) {
  Shape strides(shape.size());
  Index step = 1;
  for (std::size_t axis = shape.size(); axis-- > 0; step *= shape[axis]) strides[axis] = step;
  return strides;
}

}  // namespace

Index count(const Shape& shape) {
  Index n = 1;
  for (Index extent : shape) n *= extent;
  return n;
}

std::string to_string(const Shape& shape) {
  std::string text = "[";
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    text += (axis > 0 ? ", " : "") + std::to_string(shape[axis]);
  }
  return text + "]";
}

AnyTensor AnyTensor::zeros(Dtype dtype, Shape shape) {
  const std::size_t bits = static_cast<std::size_t>(count(shape)) * bits_of(dtype);
  const std::size_t bytes = ((bits + 7) / 8 + kAlignment) / kAlignment * kAlignment;
  std::shared_ptr<void> owner(::operator new (bytes, std::align_val_t{kAlignment}),
                              [](void* p) { ::operator delete (p, std::align_val_t{kAlignment}); });
  std::memset(owner.get(), 0, bytes);
  auto* data = static_cast<std::byte*>(owner.get());
  return over(std::move(owner), data, dtype, std::move(shape), true);
}

AnyTensor AnyTensor::over(std::shared_ptr<void> owner, std::byte* data, Dtype dtype, Shape shape,
                          bool writable) {
  AnyTensor t;
  t.owner_ = std::move(owner);
  t.data_ = data;
  t.dtype_ = dtype;
  t.strides_ = row_major(shape);
  t.shape_ = std::move(shape);
  t.writable_ = writable;
  return t;
}

bool AnyTensor::contiguous() const {
  Index step = 1;
  for (std::size_t axis = rank(); axis-- > 0; step *= shape_[axis]) {
    if (shape_[axis] != 1 && strides_[axis] != step) return false;
  }
  return true;
}

std::size_t AnyTensor::byte_size() const {
  return (static_cast<std::size_t>(size()) * bits_of(dtype_) + 7) / 8;
}

AnyTensor AnyTensor::reshaped(Shape shape) const {
  PLUMB_REQUIRE(count(shape) == size(), to_string(shape_), to_string(shape));
  AnyTensor t = contiguous() ? *this : copied();
  t.strides_ = row_major(shape);
  t.shape_ = std::move(shape);
  return t;
}

AnyTensor AnyTensor::sliced(std::size_t axis, Index begin, Index end) const {
  PLUMB_REQUIRE(axis < rank() && 0 <= begin && begin <= end && end <= shape_[axis], axis, begin,
                end, to_string(shape_));
  AnyTensor t = *this;
  const std::size_t bits = static_cast<std::size_t>(begin * strides_[axis]) * bits_of(dtype_);
  PLUMB_REQUIRE(bits % 8 == 0, "a slice must begin on a byte", bits);
  t.data_ += bits / 8;
  t.shape_[axis] = end - begin;
  return t;
}

AnyTensor AnyTensor::transposed(std::size_t axis_a, std::size_t axis_b) const {
  PLUMB_REQUIRE(axis_a < rank() && axis_b < rank(), axis_a, axis_b, rank());
  AnyTensor t = *this;
  std::swap(t.shape_[axis_a], t.shape_[axis_b]);
  std::swap(t.strides_[axis_a], t.strides_[axis_b]);
  return t;
}

AnyTensor AnyTensor::broadcast(std::size_t axis, Index extent) const {
  PLUMB_REQUIRE(axis < rank() && shape_[axis] == 1, axis, to_string(shape_));
  AnyTensor t = *this;
  t.shape_[axis] = extent;
  t.strides_[axis] = 0;
  return t;
}

Index AnyTensor::offset_of(Index i) const {
  Index offset = 0;
  for (std::size_t axis = rank(); axis-- > 0; i /= shape_[axis]) {
    offset += i % shape_[axis] * strides_[axis];
  }
  return offset;
}

AnyTensor AnyTensor::copied() const {
  AnyTensor t = zeros(dtype_, shape_);
  if (contiguous()) {
    std::memcpy(t.data_, data_, byte_size());
    return t;
  }
  PLUMB_REQUIRE(bits_of(dtype_) >= 8, "sub-byte tensors are contiguous", name_of(dtype_));
  const std::size_t bytes = bits_of(dtype_) / 8;
  const Index n = size();
  for (Index i = 0; i < n; ++i) {
    std::memcpy(t.data_ + static_cast<std::size_t>(i) * bytes,
                data_ + static_cast<std::size_t>(offset_of(i)) * bytes, bytes);
  }
  return t;
}

}  // namespace plumb
