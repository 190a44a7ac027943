// SPDX-License-Identifier: Apache-2.0
// Elements of stored tensors as exact numbers, decoded bit by bit.
#pragma once

#include "oracles/exact/number.h"
#include "reference/tensor/any_tensor.h"

namespace plumb::oracles {

// The element at row-major position `i` of a tensor of bf16, f32, f64 or e4m3.
Number element(const AnyTensor& tensor, Index i);

}  // namespace plumb::oracles
