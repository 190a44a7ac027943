// SPDX-License-Identifier: Apache-2.0
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fast/simd/simd_numbers_test.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "fast/simd/numbers-inl.h"
#include "fast/simd/targets.h"

#if PLUMB_HAS_VECTORS
HWY_BEFORE_NAMESPACE();
namespace plumb::fast::HWY_NAMESPACE {

void sixteen_to_bf16(const float* x, Bf16* y) {
  for (Index i = 0; i < 16; i += lanes()) store(load(x + i), y + i);
}
float sum_of_part(const float* x, Index count) {
  VecF32 sum = hn::Zero(F32());
  for (Index i = 0; i < count; i += lanes()) {
    sum = hn::Add(sum, load_part(x + i, HWY_MIN(lanes(), count - i)));
  }
  return sum_of_lanes(F32(), sum);
}

}  // namespace plumb::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "fast/simd/bf16.h"

namespace plumb::fast {
namespace {

struct Target {
  const char* name;
  std::int64_t bit;
  void (*to_bf16)(const float*, Bf16*);
  float (*sum)(const float*, Index);
};
#define PLUMB_TARGET(target, variant) \
  {variant, HWY_##target, N_##target::sixteen_to_bf16, N_##target::sum_of_part},
constexpr Target kTargets[] = {PLUMB_FAST_TARGETS(PLUMB_TARGET)};

TEST(SimdNumbers, EveryBf16AndEveryMidpointRoundsToNearestEven) {
  for (std::uint32_t upper = 0; upper < 0x10000; ++upper) {
    const Bf16 code{static_cast<std::uint16_t>(upper)};
    const float value = widen(code);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(widen(to_bf16(value))));
      continue;
    }
    EXPECT_EQ(to_bf16(value).bits, code.bits);
    if (std::isinf(value)) continue;
    const std::uint32_t midpoint = (upper << 16) + 0x8000;
    EXPECT_EQ(to_bf16(std::bit_cast<float>(midpoint - 1)).bits, upper);
    EXPECT_EQ(to_bf16(std::bit_cast<float>(midpoint)).bits, upper + (upper & 1));
    EXPECT_EQ(to_bf16(std::bit_cast<float>(midpoint + 1)).bits, upper + 1);
  }
}

TEST(SimdNumbers, VectorsRoundAsPlainCodeDoes) {
  for (const Target& target : kTargets) {
    if ((hwy::SupportedTargets() & target.bit) == 0) continue;
    float x[16];
    Bf16 y[16];
    for (std::uint64_t bits = 0; bits < (1ull << 32);) {
      for (float& v : x) v = std::bit_cast<float>(static_cast<std::uint32_t>(bits += 16381));
      target.to_bf16(x, y);
      for (int k = 0; k < 16; ++k) ASSERT_EQ(y[k].bits, to_bf16(x[k]).bits) << target.name << x[k];
    }
    for (std::uint32_t upper = 0; upper < 0xffff; ++upper) {  // ties and their neighbours
      for (std::uint32_t k = 0; k < 16; ++k)
        x[k] = std::bit_cast<float>((upper << 16) + 0x7ffa + k);
      target.to_bf16(x, y);
      for (int k = 0; k < 16; ++k) ASSERT_EQ(y[k].bits, to_bf16(x[k]).bits) << target.name << x[k];
    }
  }
}

TEST(SimdNumbers, SumsEveryLaneOnce) {
  for (const Target& target : kTargets) {
    if ((hwy::SupportedTargets() & target.bit) == 0) continue;
    float x[20];
    for (int k = 0; k < 20; ++k) x[k] = static_cast<float>(1 << k);
    for (Index count = 0; count <= 20; ++count) {
      EXPECT_EQ(target.sum(x, count), static_cast<float>((1 << count) - 1)) << target.name << count;
    }
  }
}

}  // namespace
}  // namespace plumb::fast
#endif
