// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "fast/stages/moe_router/moe_router.h"
#include "fast/stages/moe_router/order.h"
#include "fast/stages/row.h"

namespace plumb::fast::scalar {
namespace {

void score(const float* logits, const float* bias, Index count, float* scores, float* biased) {
  for (Index e = 0; e < count; ++e) {
    scores[e] = 1.0f / (1.0f + std::exp(-logits[e]));
    biased[e] = scores[e] + bias[e];
  }
}

float top_two(const float* values, Index count) {
  std::int32_t first = kNoKey, second = kNoKey;
  for (Index i = 0; i < count; ++i) {
    const std::int32_t key = key_of(values[i]);
    second = std::max(second, std::min(first, key));
    first = std::max(first, key);
  }
  return float_of(first) + float_of(second);
}

void select(const float* values, Index count, Index k, std::int32_t* keys, Index* chosen) {
  for (Index i = 0; i < count; ++i) keys[i] = key_of(values[i]);
  for (Index rank = 0; rank < k; ++rank) {
    const std::int32_t* largest = std::max_element(keys, keys + count);  // the first of equals
    chosen[rank] = largest - keys;
    keys[chosen[rank]] = kNoKey;
  }
}

}  // namespace

void moe_router(const MoeRouter& p) {
  route(p, {linear, score, top_two, select});
  set_last_target("scalar");
}

}  // namespace plumb::fast::scalar
