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

// The extents of a weight, and what follows from them.
struct MatrixShape {
  Index rows, columns;

  Index parameters() const { return rows * columns; }
  // Scales of one FP8 weight: edge blocks are partial.
  MatrixShape scales(Index block) const {
    return {(rows + block - 1) / block, (columns + block - 1) / block};
  }
};

// Extents of the attention's heads: NH, NO, RO, VD.
struct HeadShape {
  Index heads, nope, rope, value;

  Index query() const { return nope + rope; }  // QH
};

// Hidden state to latent and rotary key: [KR+RO, H]                                      [R1-046]
inline MatrixShape latent_weight(const HeadShape& heads, Index latent, Index hidden) {
  return {latent + heads.rope, hidden};
}
// Latent to keys and values: [NH (NO+VD), KR]                                            [R1-047]
inline MatrixShape expansion_weight(const HeadShape& heads, Index latent) {
  return {heads.heads * (heads.nope + heads.value), latent};
}
// Values to hidden state: [H, NH VD]                                                     [R1-048]
inline MatrixShape output_weight(const HeadShape& heads, Index hidden) {
  return {hidden, heads.heads * heads.value};
}
// Hidden state to queries at once: [NH QH, H]                                            [R1-086]
inline MatrixShape direct_query_weight(const HeadShape& heads, Index hidden) {
  return {heads.heads * heads.query(), hidden};
}
// Low rank to queries: [NH QH, QR]                                                       [R1-087]
inline MatrixShape query_weight(const HeadShape& heads, Index query_rank) {
  return {heads.heads * heads.query(), query_rank};
}

// Multiplies each token by a weight matrix; no bias.
//   y[n,o] = sum_i W[o,i] x[n,i]      [R1-050] [R1-055] [R1-088] [R1-089] [R1-116]
//   W[o,i] = val(codes[o,i]) * scale[o/b, i/b], rounded as the reading loads it (fp8_dequant;
//   R1-D08, R1-D14); not rounded when x is FP8 too: then x[n,i] = val(x[n,i]) * x_scale[n, i/b] and
//   the products meet in the sum.
// Shapes: x[N,I], codes[O,I] -> y[N,O].
// Types:  x bf16, f32 or e4m3 with scales; weights bf16, f32 or e4m3 with scales.
// Needs:  I > 0.    NaN: a NaN in x poisons its row of y, one in the weights its column.
// Budget: the sum of I products (depth of the contract).
template <class T>
void linear(const Arithmetic& arithmetic, const Operand<T>& x, const AnyTensor* x_scale,
            const Weight<T>& weight, TensorView<T, 2> y);

}  // namespace plumb::reference
