// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "fast/simd/bf16.h"
#include "fast/stages/linear/linear.h"
#include "fast/stages/row.h"

namespace plumb::fast::scalar {
namespace {

template <class T>
void widen_all(const T* from, Index count, float* to) {
  for (Index i = 0; i < count; ++i) to[i] = widen(from[i]);
}

// Row `output` of W as f32; of the codes alone where the sums are scaled.
void read_weights(const Linear& p, const BlockTables& tables, Index output, float* to) {
  const Index count = p.weight.columns;
  if (p.weight.dtype == Dtype::kF32) return widen_all(p.weight.row<const float>(output), count, to);
  if (p.weight.dtype == Dtype::kBf16) return widen_all(p.weight.row<const Bf16>(output), count, to);
  const auto* codes = p.weight.row<const std::uint8_t>(output);
  for (Index first = 0, b = 0; first < count; first += p.block, ++b) {
    const ScaledCodes& table = tables.at(b);
    const Index end = first + std::min(p.block, count - first);
    for (Index i = first; i < end; ++i) to[i] = table.all[codes[i]];
    if (end == count) return;
  }
}

// sum_i w[i] x[i]
template <class X>
float dot(const float* w, const X* x, Index count) {
  float sum = 0;
  for (Index i = 0; i < count; ++i) sum += w[i] * widen(x[i]);
  return sum;
}

// sum over blocks of (sum of products of codes) * factor
float dot_of_codes(const Linear& p, const BlockTables& tables, const float* w, Index token,
                   Index output) {
  const auto* codes = p.x.row<const std::uint8_t>(token);
  const Index count = p.x.columns;
  float sum = 0;
  for (Index first = 0, b = 0; b < p.x_scale.columns; first += p.block, ++b) {
    const Index end = first + std::min(p.block, count - first);
    float of_block = 0;
    for (Index i = first; i < end; ++i) of_block += w[i] * tables.at(b).all[codes[i]];
    sum += of_block * p.factor(token, output, b);
  }
  return sum;
}

float output_of(const Linear& p, const BlockTables& tables, const float* w, Index token,
                Index output) {
  if (p.scales_sums()) return dot_of_codes(p, tables, w, token, output);
  if (p.x.dtype == Dtype::kBf16) return dot(w, p.x.row<const Bf16>(token), p.x.columns);
  return dot(w, p.x.row<const float>(token), p.x.columns);
}

}  // namespace

void linear(const Linear& p) {
  set_last_target("scalar");
  BlockTables tables(p, nullptr);
  std::vector<float> w(static_cast<std::size_t>(p.weight.columns));
  for (Index o = 0; o < p.weight.rows; ++o) {
    if (o % p.rows_of_block() == 0) tables.enter(o / p.rows_of_block());
    read_weights(p, tables, o, w.data());
    for (Index n = 0; n < p.x.rows; ++n) {
      const float sum = output_of(p, tables, w.data(), n, o);
      if (p.y.dtype == Dtype::kBf16) {
        p.y.row<Bf16>(n)[o] = to_bf16(sum);
      } else {
        p.y.row<float>(n)[o] = sum;
      }
    }
  }
}

}  // namespace plumb::fast::scalar
