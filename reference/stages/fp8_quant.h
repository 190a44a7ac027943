// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/exact/operand.h"

namespace plumb::reference {

// Quantises activations to E4M3, one scale to each run of channels of a token.
//   amax  = max |x| over the run
//   scale = f32(amax / 448)                 R1-D37 a
//           f32(max(amax, 1e-4) / 448)      R1-D37 b
//   code  = e4m3(f32(x / scale)); beyond 464 NaN (R1-D38 a) or 448 (b)
// Shapes: x[N,C] -> codes[N,C], scale[N, ceil(C/block)]; the last run may be shorter.
// Types:  x as stored, widened exactly; scale and quotient f32; a reading without FP8 rounds none.
// NaN: its own code only, the scale passes over it. An infinity makes its run's other codes 0 and
//      its own NaN. Side a of R1-D37 makes a run of zeros NaN.
// Budget: two divisions; a code whose quotient may round either way admits both.
template <class T>
void fp8_quant(const Arithmetic& arithmetic, const Operand<T>& x, Index block,
               TensorView<T, 2> codes, TensorView<T, 2> scale);

}  // namespace plumb::reference
