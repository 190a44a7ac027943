// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/exact/operand.h"

namespace plumb::reference {

// Positions 0 to n - 1, the rows of a rotary table.                                 [R1-025]
// [R1-035]
AnyTensor table_positions(Index n);

// Positions of the new tokens.
//   with a mask:  P[b,t] = sum_{s<=t} keep[b,s] - 1, then 1 where keep is 0 (R1-D13 b), then the
//   last S
//                 columns                                                       [R1-002]
//   without:      P[t] = past + t, past = 0 without a cache                     [R1-093] [R1-060]
// Shapes: keep[B,T] or absent -> P[B,S].
// Budget: none.
void position_ids(const AnyTensor* keep, bool fills, Index past,
                  TensorView<std::int64_t, 2> positions);

}  // namespace plumb::reference
