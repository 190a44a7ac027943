// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/exact/operand.h"

namespace plumb::reference {

// Weights from FP8 codes and their block scales.
//   W[r,c] = val(code[r,c]) * scale[r/block, c/block]                                    [R1-101]
//   val of E4M3: (-1)^s m 2^-9 for e = 0, (-1)^s (8 + m) 2^(e - 10) else; 0x7F and 0xFF are NaN.
// Shapes: codes[R,C], scale[ceil(R/block), ceil(C/block)] -> W[R,C]; edge blocks are partial.
// Types:  the product of a code (4 bits) and an f32 scale (24 bits) is exact in every T; rounded as
//         the reading loads weights (R1-D08, R1-D14).
// NaN: a NaN code its own element, a NaN scale its block.
// Budget: one product.
template <class T>
T dequantised(const Arithmetic& arithmetic, const T& code, const T& scale) {
  return stored(arithmetic, Slot::kWeight, "R1-101", code * scale);
}

template <class T>
void fp8_dequant(const Arithmetic& arithmetic, const Operand<T>& codes, const Operand<T>& scale,
                 Index block, TensorView<T, 2> y);

}  // namespace plumb::reference
