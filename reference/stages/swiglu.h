// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "reference/exact/operand.h"

namespace plumb::reference {

// Width of the shared expert: n_shared_experts experts side by side, moe_intermediate_size each.
// [R1-077]
constexpr Index shared_width(Index expert_width, Index shared_experts) {
  return expert_width * shared_experts;
}

// silu(z) = z / (1 + exp(-z))
template <class T>
T silu(const Arithmetic& arithmetic, const T& z) {
  using std::exp;
  return stored(arithmetic, Slot::kSilu, "R1-038", z / (lifted<T>(arithmetic, 1) + exp(-z)));
}

// Gates one half of a feed-forward layer by the other; the product with W_down follows as a linear.
//   y[n,f] = silu(gate[n,f]) * up[n,f],  silu(z) = z / (1 + exp(-z))      [R1-038]
//   F = intermediate_size, moe_intermediate_size, or that times n_shared_experts
// Shapes: gate[N,F], up[N,F] -> y[N,F].
// Types:  silu in f32, rounded to the activation format, then the product rounded again (HF and
// INF). NaN: its own element only. Budget: exp, one division, two products.
template <class T>
void swiglu(const Arithmetic& arithmetic, const Operand<T>& gate, const Operand<T>& up,
            TensorView<T, 2> y);

}  // namespace plumb::reference
