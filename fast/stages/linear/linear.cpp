// SPDX-License-Identifier: Apache-2.0
#include "fast/stages/linear/linear.h"

#include <algorithm>

namespace plumb::fast {
namespace {

Index blocks_in(Index extent, Index block) {
  return extent / block + (extent % block != 0 ? 1 : 0);
}

}  // namespace

Linear Linear::read(CallReader& call) {
  Linear p;
  p.x = call.tensor("x", 2, {Dtype::kBf16, Dtype::kF32, Dtype::kFp8E4m3fn});
  p.weight = call.tensor("weight", 2, {Dtype::kBf16, Dtype::kF32, Dtype::kFp8E4m3fn});
  p.y = call.tensor("y", 2, {Dtype::kBf16, Dtype::kF32});
  p.block = call.positive_integer("block");
  call.expect_shape("weight", p.weight, p.weight.rows, p.x.columns);
  call.expect_shape("y", p.y, p.x.rows, p.weight.rows);
  const Index columns = blocks_in(p.x.columns, p.block);
  if (p.has_codes()) {
    p.weight_scale = call.tensor("weight_scale", 2, {Dtype::kF32});
    call.expect_shape("weight_scale", p.weight_scale, blocks_in(p.weight.rows, p.block), columns);
  } else if (call.optional_tensor("weight_scale", 2, {Dtype::kF32}).present()) {
    call.unsupported("tensor weight_scale is given, but the weight is not FP8: leave it out");
  }
  if (!p.scales_sums()) {
    if (call.optional_tensor("x_scale", 2, {Dtype::kF32}).present()) {
      call.unsupported("tensor x_scale is given, but x is not FP8: leave it out");
    }
  } else if (p.has_codes()) {
    p.x_scale = call.tensor("x_scale", 2, {Dtype::kF32});
    call.expect_shape("x_scale", p.x_scale, p.x.rows, columns);
  } else {
    call.unsupported(
        "x is FP8 and the weight is not; this kernel takes FP8 tokens with FP8 weights only");
  }
  // A larger block than the matrix is all of it; so no index below can overflow.
  p.block = std::min(p.block, std::max<Index>({1, p.weight.rows, p.weight.columns}));
  return p;
}

Index Linear::rows_of_block() const {
  return has_codes() ? std::min(block, weight.rows) : weight.rows;
}

BlockTables::BlockTables(const Linear& problem, void (*prepare)(ScaledCodes&))
    : problem_(problem),
      prepare_(prepare),
      rounding_(problem.y.dtype == Dtype::kBf16 ? WeightRounding::kBf16 : WeightRounding::kF32) {
  if (!problem.has_codes()) return;
  count_ = problem.scales_sums() ? 1 : problem.weight_scale.columns;
  tables_ = std::make_unique_for_overwrite<ScaledCodes[]>(static_cast<std::size_t>(count_));
  // Codes as they are: every one is a bf16 value, so the rounding does nothing.
  if (problem.scales_sums()) fill(tables_[0], 1.0f);
}

void BlockTables::enter(Index block_row) {
  if (!problem_.has_codes() || problem_.scales_sums()) return;
  const float* scales = problem_.weight_scale.row<const float>(block_row);
  for (Index b = 0; b < count_; ++b) fill(tables_[static_cast<std::size_t>(b)], scales[b]);
}

void BlockTables::fill(ScaledCodes& table, float scale) const {
  if (prepare_ != nullptr) {
    table.fill_sixteen(scale, rounding_);
    prepare_(table);
  }
  if (prepare_ == nullptr || !table.regular) table.fill_all(scale, rounding_);
}

}  // namespace plumb::fast
