// SPDX-License-Identifier: Apache-2.0
// Multiplies each token by a weight matrix, which may be FP8 with one scale a block.
//   y[n,o] = sum_i W[o,i] x[n,i],  W[o,i] = val(weight[o,i]) * weight_scale[o/b, i/b]
// Shapes: x[N,I], weight[O,I], weight_scale[O/b,I/b], x_scale[N,I/b] -> y[N,O]; edge blocks are
// partial. Types:  sums in f32.
//         weight bf16 or f32: x bf16 or f32.
//         weight e4m3, x bf16 or f32: W is rounded once, to y's type; a kernel that multiplies
//         partial sums
//           by the scale instead computes something else.
//         weight e4m3, x e4m3: neither is rounded; each block's sum of products of codes is
//         multiplied by
//           x_scale * weight_scale and then added.
// Needs:  rows contiguous; block > 0.    NaN: a code 0x7F or 0xFF is one; spoils the outputs it
// feeds.
#pragma once

#include <memory>

#include "fast/simd/scaled_codes.h"
#include "fast/stages/call.h"

namespace plumb::fast {

struct Linear {
  static constexpr const char* kStage = "linear";
  static Linear read(CallReader& call);

  Matrix x, x_scale, weight, weight_scale, y;
  Index block = 1;

  bool has_codes() const { return weight.dtype == Dtype::kFp8E4m3fn; }
  // Both operands are codes.
  bool scales_sums() const { return x.dtype == Dtype::kFp8E4m3fn; }
  // What a block's sum is multiplied by when both operands are codes.
  float factor(Index token, Index output, Index block_column) const {
    return x_scale.row<const float>(token)[block_column] *
           weight_scale.row<const float>(output / block)[block_column];
  }
  // Rows of the weight in a block, at most all of them; also where nothing is scaled.
  Index rows_of_block() const;
};

// The meaning of the codes in the blocks that one row of the weight crosses.
class BlockTables {
 public:
  // `prepare` is what a decoder that uses `sixteen` does to each table first; it needs `all` only
  // where that is irregular. Null: the decoder uses `all` alone.
  BlockTables(const Linear& problem, void (*prepare)(ScaledCodes&));
  // Moves to the blocks of weight rows block_row * block ...
  void enter(Index block_row);
  const ScaledCodes& at(Index block_column) const {
    return tables_[problem_.scales_sums() ? 0 : static_cast<std::size_t>(block_column)];
  }

 private:
  void fill(ScaledCodes& table, float scale) const;

  const Linear& problem_;
  void (*prepare_)(ScaledCodes&);
  WeightRounding rounding_;
  Index count_ = 0;
  std::unique_ptr<ScaledCodes[]> tables_;
};

namespace scalar {
void linear(const Linear& problem);
}

}  // namespace plumb::fast
