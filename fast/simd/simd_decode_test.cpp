// SPDX-License-Identifier: Apache-2.0
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fast/simd/simd_decode_test.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "fast/simd/decode-inl.h"
#include "fast/simd/targets.h"

#if PLUMB_HAS_VECTORS
HWY_BEFORE_NAMESPACE();
namespace plumb::fast::HWY_NAMESPACE {

void decode_codes(const ScaledCodes& codes, const std::uint8_t* from, Index count, float* to) {
  ScaledCodes prepared = codes;
  prepare(prepared);
  decode_row(prepared, from, count, to);
}
bool in_registers() { return kDecodesInRegisters; }

}  // namespace plumb::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace plumb::fast {
namespace {

struct Target {
  const char* name;
  std::int64_t bit;
  void (*decode)(const ScaledCodes&, const std::uint8_t*, Index, float*);
  bool (*in_registers)();
};
#define PLUMB_TARGET(target, variant) \
  {variant, HWY_##target, N_##target::decode_codes, N_##target::in_registers},
constexpr Target kTargets[] = {PLUMB_FAST_TARGETS(PLUMB_TARGET)};

// E4M3 by counting up from the smallest: each step adds the unit of its binade.
double value_of(int code) {
  double value = 0;
  for (int c = 0; c < (code & 127); ++c) value += std::ldexp(1.0, std::max(c / 8, 1) - 10);
  return code < 128 ? value : -value;
}

// Rounded once, by the unit of x's binade; `digits` of the mantissa after the point.
double nearest(double x, int digits) {
  if (x == 0 || !std::isfinite(x)) return x;
  const double unit = std::ldexp(1.0, std::max(std::ilogb(x), -126) - digits);
  const double rounded = std::nearbyint(x / unit) * unit;
  return std::fabs(rounded) >= 0x1p128 ? std::copysign(INFINITY, x) : rounded;
}

// Scales at which double rounding would show, at both ends of the range, and beyond what registers
// do.
const float kScales[] = {1.0f,        0.0123f,         -3.7f,          0x1.028p-5f, 0x1.02aaacp-9f,
                         0x1.5554p0f, 0x1p-100f,       0x1.7f0002p99f, 0x1p-126f,   0x1.8p-130f,
                         0x1.3p-140f, 0x1.fffffep127f, 0x1.01p120f,    0.0f};

void check_all_codes(const Target& target, float scale, WeightRounding rounding) {
  std::vector<std::uint8_t> codes(256);
  for (int c = 0; c < 256; ++c) codes[static_cast<std::size_t>(c)] = static_cast<std::uint8_t>(c);
  ScaledCodes table;
  table.fill_sixteen(scale, rounding);
  if (!table.regular || !target.in_registers()) table.fill_all(scale, rounding);
  std::vector<float> got(256);
  target.decode(table, codes.data(), 256, got.data());
  for (int c = 0; c < 256; ++c) {
    const float y = got[static_cast<std::size_t>(c)];
    if ((c & 127) == 127) {
      ASSERT_TRUE(std::isnan(y)) << target.name << " code " << c;
      continue;
    }
    const int digits = rounding == WeightRounding::kBf16 ? 7 : 23;
    const double want = nearest(value_of(c) * static_cast<double>(scale), digits);
    ASSERT_EQ(static_cast<double>(y), want) << target.name << " code " << c << " scale " << scale;
  }
}

TEST(SimdDecode, AllCodesAtAllScales) {
  for (const Target& target : kTargets) {
    if ((hwy::SupportedTargets() & target.bit) == 0) continue;
    for (WeightRounding rounding : {WeightRounding::kF32, WeightRounding::kBf16}) {
      for (float scale : kScales) check_all_codes(target, scale, rounding);
    }
  }
}

// Scales that put a product so near to the middle of two BF16 values that F32 would take it for a
// tie.
TEST(SimdDecode, Bf16IsReachedInOneRounding) {
  for (const Target& target : kTargets) {
    if ((hwy::SupportedTargets() & target.bit) == 0) continue;
    int traps = 0;
    for (int upper = 0; upper < 128; ++upper) {
      const double midpoint = 1 + (upper + 0.5) / 128;
      for (int mantissa : {9, 11, 13, 15}) {
        const auto scale = static_cast<float>(midpoint / mantissa);
        const double product = static_cast<double>(scale) * mantissa;
        const auto once = static_cast<double>(static_cast<float>(product));
        if (nearest(once, 7) != nearest(product, 7)) ++traps;
        check_all_codes(target, scale, WeightRounding::kBf16);
      }
    }
    EXPECT_GT(traps, 100);
  }
}

TEST(SimdDecode, ShortRowsAreFilledUpWithZeros) {
  const std::vector<std::uint8_t> codes(16, 0x38);  // 1.0
  for (const Target& target : kTargets) {
    if ((hwy::SupportedTargets() & target.bit) == 0) continue;
    ScaledCodes table;
    table.fill_sixteen(1.0f, WeightRounding::kF32);
    table.fill_all(1.0f, WeightRounding::kF32);
    for (Index count = 0; count <= 16; ++count) {
      std::vector<float> got(16, 7.0f);
      target.decode(table, codes.data(), count, got.data());
      float sum = 0;
      for (Index i = 0; i < (count + 3) / 4 * 4; ++i) sum += got[static_cast<std::size_t>(i)];
      EXPECT_EQ(sum, static_cast<float>(count)) << target.name;
    }
  }
}

TEST(SimdDecode, ScalarTableAgreesWithCountingUp) {
  for (int c = 0; c < 256; ++c) {
    const float y = e4m3_value(static_cast<std::uint8_t>(c));
    if ((c & 127) == 127)
      EXPECT_TRUE(std::isnan(y));
    else
      EXPECT_EQ(static_cast<double>(y), value_of(c)) << c;
  }
}

}  // namespace
}  // namespace plumb::fast
#endif
