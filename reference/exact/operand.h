// SPDX-License-Identifier: Apache-2.0
// Operand<T>: an input of a stage, read as T whatever its element type. Storage types are decoded
// exactly; a wide tensor must be of T itself.
#pragma once

#include <memory>

#include "reference/formats/storage.h"
#include "reference/scalar/arithmetic.h"
#include "reference/tensor/stage_call.h"

namespace plumb {

// A line of elements of any type: what an exact sum runs over.
struct Line {
  const std::byte* data;
  Dtype dtype;
  Index first;   // in elements
  Index stride;  // in elements
  Index size;
};

template <class T>
class Operand {
 public:
  Operand(const Arithmetic& arithmetic, const AnyTensor& tensor)
      : arithmetic_(&arithmetic), tensor_(tensor) {
    PLUMB_REQUIRE(!is_wide(tensor.dtype()) || tensor.dtype() == kDtypeOf<T>,
                  name_of(tensor.dtype()), name_of(kDtypeOf<T>));
  }

  Index extent(std::size_t axis) const { return tensor_.extent(axis); }
  std::size_t rank() const { return tensor_.rank(); }
  Dtype dtype() const { return tensor_.dtype(); }

  template <class... Indices>
  T operator()(Indices... indices) const {
    return at(offset({static_cast<Index>(indices)...}));
  }

  // The elements along the last axis at these leading indices.
  template <class... Indices>
  Line row(Indices... indices) const {
    const std::size_t last = tensor_.rank() - 1;
    return along(last, static_cast<Index>(indices)..., Index{0});
  }
  // The elements along `axis` through this point (whose own index on the axis is 0).
  template <class... Indices>
  Line along(std::size_t axis, Indices... indices) const {
    return {tensor_.bytes(), tensor_.dtype(), offset({static_cast<Index>(indices)...}),
            tensor_.strides()[axis], tensor_.extent(axis)};
  }

 private:
  Index offset(std::initializer_list<Index> at) const {
    PLUMB_REQUIRE(at.size() == tensor_.rank(), at.size(), tensor_.rank());
    Index sum = 0;
    std::size_t axis = 0;
    for (Index i : at) {
      PLUMB_REQUIRE(i >= 0 && i < tensor_.extent(axis), axis, i, to_string(tensor_.shape()));
      sum += i * tensor_.strides()[axis++];
    }
    return sum;
  }

  T at(Index offset) const {
    if (tensor_.dtype() != kDtypeOf<T> || std::is_same_v<T, double>) {
      return lifted<T>(*arithmetic_, load(tensor_.bytes(), tensor_.dtype(), offset));
    }
    T v = tensor_.data<T>()[offset];
    if constexpr (std::is_same_v<T, Tracked>) v.contract = &arithmetic_->contract;
    return v;
  }

  const Arithmetic* arithmetic_;
  AnyTensor tensor_;
};

// A row-major tensor of T{} with elements of its own.
template <class T>
AnyTensor new_tensor(const Shape& shape) {
  AnyTensor t = AnyTensor::zeros(kDtypeOf<T>, shape);
  std::uninitialized_fill_n(reinterpret_cast<T*>(t.bytes()), t.size(), T{});
  return t;
}

// Creates the output `name` of the call and returns where its elements go.
template <class T, std::size_t Rank>
TensorView<T, Rank> output(StageCall& call, std::string_view name, const Extents<Rank>& extents) {
  AnyTensor t = new_tensor<T>(Shape(extents.begin(), extents.end()));
  call.set(name, t);
  return t.view<T, Rank>();
}

}  // namespace plumb
