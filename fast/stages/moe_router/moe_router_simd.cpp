// SPDX-License-Identifier: Apache-2.0
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fast/stages/moe_router/moe_router_simd.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "fast/simd/exp-inl.h"
#include "fast/stages/moe_router/moe_router.h"
#include "fast/stages/moe_router/order.h"
#include "fast/stages/row.h"

#if PLUMB_HAS_VECTORS
HWY_BEFORE_NAMESPACE();
namespace plumb::fast::HWY_NAMESPACE {

void linear(const Linear& problem);  // of this target

namespace {

using I32 = hn::RebindToSigned<F32>;
using VecI32 = hn::Vec<I32>;

void score(const float* logits, const float* bias, Index count, float* scores, float* biased) {
  for (Index e = 0; e < count; e += lanes()) {
    const bool whole = e + lanes() <= count;
    const VecF32 s = sigmoid(load(logits + e));
    store(s, scores + e);
    store(hn::Add(s, whole ? load(bias + e) : load_part(bias + e, count - e)), biased + e);
  }
}

// key_of of each lane; kNoKey in lanes from `count` on.
VecI32 keys_of(const float* values, Index count) {
  const I32 i32;
  const VecF32 x = load(values);
  const VecI32 bits = hn::BitCast(i32, x);
  const VecI32 flip = hn::And(hn::ShiftRight<31>(bits), hn::Set(i32, 0x7fffffff));
  const VecI32 keys =
      hn::IfThenElse(hn::RebindMask(i32, hn::IsNaN(x)), hn::Set(i32, kNanKey), hn::Xor(bits, flip));
  if (count >= lanes()) return keys;
  return hn::IfThenElse(hn::FirstN(i32, static_cast<std::size_t>(count)), keys,
                        hn::Set(i32, kNoKey));
}

float top_two(const float* values, Index count) {
  const I32 i32;
  // The two largest of each lane.
  VecI32 first = hn::Set(i32, kNoKey), second = first;
  for (Index i = 0; i < count; i += lanes()) {
    const VecI32 keys = keys_of(values + i, count - i);
    second = hn::Max(second, hn::Min(first, keys));
    first = hn::Max(first, keys);
  }
  // The largest of all, then the largest without it: its lane steps back to its second.
  const std::int32_t largest = max_of_lanes(i32, first);
  const auto lane = hn::FindFirstTrue(i32, hn::Eq(first, hn::Set(i32, largest)));
  const auto found = hn::Eq(hn::Iota(i32, 0), hn::Set(i32, static_cast<std::int32_t>(lane)));
  return float_of(largest) + float_of(max_of_lanes(i32, hn::IfThenElse(found, second, first)));
}

void select(const float* values, Index count, Index k, std::int32_t* keys, Index* chosen) {
  const I32 i32;
  for (Index i = 0; i < count; i += lanes())
    hn::StoreU(keys_of(values + i, count - i), i32, keys + i);
  for (Index rank = 0; rank < k; ++rank) {
    VecI32 most = hn::Set(i32, kNoKey);
    for (Index i = 0; i < count; i += lanes()) most = hn::Max(most, hn::LoadU(i32, keys + i));
    const VecI32 largest = hn::Set(i32, max_of_lanes(i32, most));
    for (Index i = 0; i < count; i += lanes()) {
      const auto lane = hn::FindFirstTrue(i32, hn::Eq(hn::LoadU(i32, keys + i), largest));
      if (lane < 0) continue;
      chosen[rank] = i + static_cast<Index>(lane);
      break;
    }
    keys[chosen[rank]] = kNoKey;
  }
}

}  // namespace

void moe_router(const MoeRouter& p) {
  route(p, {linear, score, top_two, select});
  set_last_target(hwy::TargetName(HWY_TARGET));
}

}  // namespace plumb::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
