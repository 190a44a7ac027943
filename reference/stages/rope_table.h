// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/exact/operand.h"

namespace plumb::reference {

// The position as linear scaling sees it; with stretch 1 it is the position.
//   t = p / s                                                                              [R1-027]
template <class T>
T stretched_position(const Arithmetic& arithmetic, std::int64_t position, double stretch);

template <class T>
struct RopeTable {
  TensorView<T, 2> angles;    // [P, half]
  TensorView<T, 2> cos, sin;  // [P, dim]
};

// Cosines and sines of position times frequency.
//   phi[p,i] = t[p] f[i]                                                [R1-026] [R1-028] [R1-036]
//   C[p,i] = C[p,i+half] = cos(phi[p,i]) a, Sn likewise
// Shapes: positions[P], f[half], a[1] -> angles[P,half], C[P,dim], Sn[P,dim]; dim = 2 half.
// Types:  the angle is one f32 product; the table bf16 in hf_bf16, f32 in hf_f32 and in INF's code,
//         rounded once after the factor.
// Needs:  half > 0.    NaN: poisons its own entries.
// Budget: cos and sin within the contract's ulps, and the product with a unless a is 1.
template <class T>
void rope_table(const Arithmetic& arithmetic, TensorView<const std::int64_t, 1> positions,
                const Operand<T>& inv_freq, const T& table_scale, double stretch,
                const RopeTable<T>& out);

}  // namespace plumb::reference
