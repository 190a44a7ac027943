// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "reference/exact/operand.h"

namespace plumb::reference {

// Bookkeeping of a padded batch whose real tokens are packed one after another.
struct Packing {
  std::vector<std::int64_t> lengths;     // of each row
  std::vector<std::int64_t> cumulative;  // where each row begins, and the total
  std::vector<std::int64_t> indices;     // b*T + t of each packed row
  std::int64_t longest = 0;
};

// Keys and values, from the mask keep[B,T]:
//   s[b] = sum_t keep[b,t]                        [R1-004]
//   longest = max_b s[b]                          [R1-005]
//   cu = (0, s[0], s[0] + s[1], ...)              [R1-006]
//   idx = positions of the nonzeros of vec(keep), ascending
// A mask of other numbers than 0 and 1 leaves lengths and indices at odds (R1-D42).
Packing packing(TensorView<const std::int64_t, 2> keep);

// Queries are the last S of T tokens. S = T: as keys. S = 1 < T: one of each row, real or not:
//   cu[b] = b [R1-099], idx = 0..B-1, longest = 1 [R1-098];
// else as keys, from the last S columns of the mask (R1-D43).
Packing query_packing(TensorView<const std::int64_t, 2> keep, Index queries);

// Packs the rows of real tokens; keys, values and, where S = T, queries alike.
//   packed[p,h,d] = x[floor(idx[p]/T), idx[p] mod T, h, d]      [R1-057] [R1-058] [R1-092]
// Shapes: x[B,T,heads,D], idx[kept] -> packed[kept,heads,D].
// NaN: copied, or dropped with its row.    Budget: none, a copy.
template <class T>
void gather_rows(const Operand<T>& x, const std::vector<std::int64_t>& indices,
                 TensorView<T, 3> packed);

// The way back: padding rows are zero.
//   y[floor(idx[p]/T), idx[p] mod T, h, d] = packed[p,h,d]
// Shapes: packed[kept,heads,D], idx[kept] -> y[B,T,heads,D].
template <class T>
void scatter_rows(const Operand<T>& packed, const std::vector<std::int64_t>& indices,
                  TensorView<T, 4> y);

}  // namespace plumb::reference
