// SPDX-License-Identifier: Apache-2.0
// TensorView<T, Rank>: where the elements of a typed tensor lie. Tensor<T, Rank> owns them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "reference/base/require.h"

namespace plumb {

using Index = std::int64_t;

template <std::size_t Rank>
using Extents = std::array<Index, Rank>;

template <std::size_t Rank>
constexpr Index product(const Extents<Rank>& extents) {
  Index n = 1;
  for (Index e : extents) n *= e;
  return n;
}

template <std::size_t Rank>
constexpr Extents<Rank> row_major_strides(const Extents<Rank>& extents) {
  Extents<Rank> strides{};
  Index step = 1;
  for (std::size_t axis = Rank; axis-- > 0; step *= extents[axis]) strides[axis] = step;
  return strides;
}

// Strides count elements. Passed by value; v(i, j) is checked in builds without NDEBUG.
template <class T, std::size_t Rank>
class TensorView {
 public:
  TensorView(T* data, const Extents<Rank>& extents)
      : TensorView(data, extents, row_major_strides(extents)) {}
  TensorView(T* data, const Extents<Rank>& extents, const Extents<Rank>& strides)
      : data_(data), extents_(extents), strides_(strides) {}
  operator TensorView<const T, Rank>() const  // NOLINT(google-explicit-constructor)
      requires(!std::is_const_v<T>) {
    return {data_, extents_, strides_};
  }

  T* data() const { return data_; }
  Index extent(std::size_t axis) const { return extents_[axis]; }
  Index stride(std::size_t axis) const { return strides_[axis]; }
  const Extents<Rank>& extents() const { return extents_; }

  template <class... Indices>
  requires(sizeof...(Indices) == Rank) T& operator()(Indices... indices) const {
    const Extents<Rank> at{static_cast<Index>(indices)...};
    Index offset = 0;
    for (std::size_t axis = 0; axis < Rank; ++axis) {
#ifndef NDEBUG
      PLUMB_REQUIRE(at[axis] >= 0 && at[axis] < extents_[axis], axis, at[axis], extents_[axis]);
#endif
      offset += at[axis] * strides_[axis];
    }
    return data_[offset];
  }

 private:
  T* data_;
  Extents<Rank> extents_;
  Extents<Rank> strides_;
};

template <class T, std::size_t Rank>
class Tensor {
 public:
  explicit Tensor(const Extents<Rank>& extents)
      : extents_(extents), elements_(static_cast<std::size_t>(product(extents))) {}

  TensorView<T, Rank> view() { return {elements_.data(), extents_}; }
  TensorView<const T, Rank> view() const { return {elements_.data(), extents_}; }

 private:
  Extents<Rank> extents_;
  std::vector<T> elements_;
};

}  // namespace plumb
