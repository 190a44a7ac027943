// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/exact/dot.h"

namespace plumb::reference {

// v = mean_d x[d]^2                                                                     [R1-021]
template <class T>
T mean_square(const Arithmetic& arithmetic, const Line& x) {
  return exact::dot<T>(arithmetic, x, x) / T(static_cast<double>(x.size));
}

// Scales each token to unit root mean square, then applies a gain per channel.
//   y[t,d] = x[t,d] / sqrt(mean_d x[t,d]^2 + eps) * g[d]        [R1-022] [R1-023] [R1-061]
// Shapes: x[T,D], g[D] -> y[T,D].
// Types:  x, g stored numbers, widened exactly. hf_bf16: the scaled value is rounded before the
// gain and the
//         product after it (R1-D18 a); `real` rounds nowhere.
// Needs:  D > 0, eps > 0.    NaN: poisons its own row only.
// Budget: the mean square's sum (depth of the contract), rsqrt, two products.
template <class T>
void rms_norm(const Arithmetic& arithmetic, const Operand<T>& x, const Operand<T>& gain, double eps,
              TensorView<T, 2> y);

}  // namespace plumb::reference
