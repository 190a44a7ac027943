// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "reference/exact/operand.h"

namespace plumb::reference {

// The first and the second half of a vector, x1 and x2.
//   x1[i] = x[i], i < floor(d/2);  x2[i] = x[floor(d/2) + i]                      [R1-014] [R1-015]
template <class T>
std::span<const T> first_half(std::span<const T> x);
template <class T>
std::span<const T> second_half(std::span<const T> x);
// (-x2, x1): each pair turned by a quarter.
template <class T>
std::vector<T> rotate_half(std::span<const T> x);

// Moves interleaved pairs into halves, of queries and keys alike.
//   x'[c d/2 + i] = x[2i + c], c in {0, 1}                                        [R1-016] [R1-017]
template <class T>
std::vector<T> deinterleaved(std::span<const T> x);

// Rotates the rotary part of queries or keys by its position, pair by pair.
//   y[i]     = x'[i] C[p,i]       - x'[i+d/2] Sn[p,i]                    [R1-018] [R1-019] [R1-125]
//   y[i+d/2] = x'[i+d/2] C[p,i+d/2] + x'[i] Sn[p,i+d/2]      p = positions[b,t]
// The result stays in halves, or goes back to the places of the pairs (R1-D17 b).
// Shapes: x[B,NH,S,d], C[P,d], Sn[P,d], positions[B,S] -> y[B,NH,S,d].
// Types:  hf: both products and the sum rounded, each (R1-D23 a); INF: one rounding in the end (b).
// Needs:  d even, positions < P.    NaN: poisons its own pair.
// Budget: in hf the reading's own roundings alone, unless the contract fuses products into sums;
//         in INF two products and a sum.
template <class T>
void rope(const Arithmetic& arithmetic, const Operand<T>& x, const Operand<T>& cos,
          const Operand<T>& sin, TensorView<const std::int64_t, 2> positions, TensorView<T, 4> y);

}  // namespace plumb::reference
