// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/exact/operand.h"

namespace plumb::reference {

// A matrix as a checkpoint stores it: its own numbers, or FP8 codes with one scale a block.
template <class T>
struct Weight {
  Operand<T> codes;        // [O, I]
  const AnyTensor* scale;  // [ceil(O/block), ceil(I/block)] f32; null: the codes are the values
  Index block;
};

// Multiplies each token by a weight matrix; no bias.
//   y[n,o] = sum_i W[o,i] x[n,i]      [R1-050] [R1-055] [R1-088] [R1-089] [R1-116]
//   with W [KR+RO, H] [R1-046], [NH (NO+VD), KR] [R1-047], [H, NH VD] [R1-048], [NH QH, H] [R1-086]
//   or [NH QH, QR] [R1-087] W[o,i] = val(codes[o,i]) * scale[o/b, i/b], rounded as the reading
//   loads it (R1-D08, R1-D14); not rounded when x is FP8 too: then x[n,i] = val(x[n,i]) *
//   x_scale[n, i/b] and the products meet in the sum.
// Shapes: x[N,I], codes[O,I] -> y[N,O].
// Types:  x bf16, f32 or e4m3 with scales; weights bf16, f32 or e4m3 with scales.
// Needs:  I > 0.    NaN: a NaN in x poisons its row of y, one in the weights its column.
// Budget: the sum of I products (depth of the contract).
template <class T>
void linear(const Arithmetic& arithmetic, const Operand<T>& x, const AnyTensor* x_scale,
            const Weight<T>& weight, TensorView<T, 2> y);

}  // namespace plumb::reference
