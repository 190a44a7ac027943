// SPDX-License-Identifier: Apache-2.0
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fast/stages/linear/linear_simd.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>

#include "fast/simd/bf16.h"
#include "fast/simd/decode-inl.h"
#include "fast/simd/dots-inl.h"
#include "fast/simd/scratch.h"
#include "fast/stages/linear/linear.h"
#include "fast/stages/row.h"

#if PLUMB_HAS_VECTORS
HWY_BEFORE_NAMESPACE();
namespace plumb::fast::HWY_NAMESPACE {
namespace {

constexpr Index kRows = 4;             // weight rows decoded together
constexpr Index kMostTokens = 64;      // tokens that share a decoded row
constexpr Index kInputsAtOnce = 1024;  // four decoded rows of this many stay in the nearest cache

HWY_MAYBE_UNUSED void prepare_table(ScaledCodes& table) { prepare(table); }

// Inputs are worked on in chunks, each padded with zeros to whole vectors, so that no sum reads a
// neighbour. Where the sums are scaled a chunk is a block; else whole blocks, or any number.
class Chunks {
 public:
  explicit Chunks(const Linear& p) : inputs_(p.x.columns) {
    length_ = kInputsAtOnce;
    if (p.has_codes())
      length_ = std::max<Index>(1, kInputsAtOnce / p.block) * std::min(p.block, inputs_);
    if (p.scales_sums()) length_ = p.block;
    length_ = std::max<Index>(1, std::min(length_, inputs_));
  }
  Index count() const { return (inputs_ + length_ - 1) / length_; }
  Index first(Index chunk) const { return chunk * length_; }
  Index inputs(Index chunk) const { return std::min(length_, inputs_ - first(chunk)); }
  Index stride() const { return padded(length_); }

 private:
  Index inputs_;
  Index length_;
};

// Tokens first_token.. of x as f32, chunk by chunk.
void read_tokens(const Linear& p, const Chunks& chunks, const BlockTables& tables,
                 Index first_token, Index tokens, float* to) {
  for (Index t = 0; t < tokens; ++t) {
    for (Index c = 0; c < chunks.count(); ++c, to += chunks.stride()) {
      const Index first = chunks.first(c), count = chunks.inputs(c), token = first_token + t;
      if (p.x.dtype == Dtype::kF32) {
        widen_row(p.x.row<const float>(token) + first, count, to);
      } else if (p.x.dtype == Dtype::kBf16) {
        widen_row(p.x.row<const Bf16>(token) + first, count, to);
      } else {
        decode_row(tables.at(c), p.x.row<const std::uint8_t>(token) + first, count, to);
      }
    }
  }
}

// Inputs first..first+count-1 of one weight row as f32. `to` has room for a vector more.
void read_weights(const Linear& p, const BlockTables& tables, Index output, Index first,
                  Index count, float* to) {
  if (p.weight.dtype == Dtype::kF32)
    return widen_row(p.weight.row<const float>(output) + first, count, to);
  if (p.weight.dtype == Dtype::kBf16)
    return widen_row(p.weight.row<const Bf16>(output) + first, count, to);
  const auto* codes = p.weight.row<const std::uint8_t>(output) + first;
  for (Index done = 0; done < count;) {
    const Index block_column = (first + done) / p.block;
    const Index rest_of_block = p.block - (first + done) % p.block;
    const Index part = std::min(rest_of_block, count - done);
    decode_row(tables.at(block_column), codes + done, part, to + done);
    done += part;
  }
  std::fill(to + count, to + padded(count), 0.0f);
}

// The outputs of a few weight rows for all tokens of a tile.
class RowGroup {
 public:
  RowGroup(const Linear& p, const Chunks& chunks, Index most_tokens)
      : p_(p),
        chunks_(chunks),
        weight_stride_(chunks.stride() + lanes()),
        weights_(kRows * weight_stride_),
        in_lanes_(most_tokens * kRows * lanes()),
        sums_(most_tokens * kRows) {}

  void compute(const BlockTables& tables, Index first_output, Index rows, const float* x,
               Index first_token, Index tokens) {
    sums_.clear();
    for (Index c = 0; c < chunks_.count(); ++c) {
      for (Index r = 0; r < rows; ++r) {
        read_weights(p_, tables, first_output + r, chunks_.first(c), chunks_.inputs(c),
                     weights_.data() + r * weight_stride_);
      }
      add_chunk(c, x + c * chunks_.stride(), tokens);
      if (p_.scales_sums()) {
        collect(tokens, rows,
                [&](Index t, Index r) { return p_.factor(first_token + t, first_output + r, c); });
      }
    }
    if (!p_.scales_sums()) collect(tokens, rows, [](Index, Index) { return 1.0f; });
    write(first_output, rows, first_token, tokens);
  }

 private:
  void add_chunk(Index chunk, const float* x, Index tokens) {
    const Index x_stride = chunks_.count() * chunks_.stride();
    const Index length = padded(chunks_.inputs(chunk));
    Index t = 0;
    for (; t + 2 <= tokens; t += 2) {
      add_dots_of_two(weights_.data(), weight_stride_, x + t * x_stride, x_stride, length,
                      lanes_of(t));
    }
    if (t < tokens)
      add_dots(weights_.data(), weight_stride_, x + t * x_stride, length, lanes_of(t));
  }

  // Moves what the lanes hold to the sums, times a factor; leaves zeros for rows of no use, too.
  template <class Factor>
  void collect(Index tokens, Index rows, Factor factor) {
    for (Index t = 0; t < tokens; ++t) {
      float* in_lanes = lanes_of(t);
      for (Index r = 0; r < rows; ++r) {
        const float sum = sum_of_lanes(F32(), load(in_lanes + r * lanes()));
        sums_.data()[t * kRows + r] += sum * factor(t, r);
      }
      std::fill_n(in_lanes, kRows * lanes(), 0.0f);
    }
  }

  void write(Index first_output, Index rows, Index first_token, Index tokens) const {
    for (Index t = 0; t < tokens; ++t) {
      for (Index r = 0; r < rows; ++r) {
        const float sum = sums_.data()[t * kRows + r];
        if (p_.y.dtype == Dtype::kBf16) {
          p_.y.row<Bf16>(first_token + t)[first_output + r] = to_bf16(sum);
        } else {
          p_.y.row<float>(first_token + t)[first_output + r] = sum;
        }
      }
    }
  }

  float* lanes_of(Index token) { return in_lanes_.data() + token * kRows * lanes(); }

  const Linear& p_;
  const Chunks& chunks_;
  Index weight_stride_;
  Scratch weights_, in_lanes_, sums_;
};

}  // namespace

void linear(const Linear& p) {
  set_last_target(hwy::TargetName(HWY_TARGET));
  const Chunks chunks(p);
  BlockTables tables(p, kDecodesInRegisters ? prepare_table : nullptr);
  const Index most = std::min(kMostTokens, p.x.rows);
  RowGroup group(p, chunks, most);
  const Scratch x(most * chunks.count() * chunks.stride());
  for (Index first = 0; first < p.x.rows; first += most) {
    const Index tokens = std::min(most, p.x.rows - first);
    read_tokens(p, chunks, tables, first, tokens, x.data());
    for (Index o = 0; o < p.weight.rows; o += p.rows_of_block()) {
      tables.enter(o / p.rows_of_block());
      const Index end = o + std::min(p.rows_of_block(), p.weight.rows - o);
      for (Index r = o; r < end; r += kRows) {
        group.compute(tables, r, std::min(kRows, end - r), x.data(), first, tokens);
      }
    }
  }
}

}  // namespace plumb::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
