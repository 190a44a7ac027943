// SPDX-License-Identifier: Apache-2.0
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fast/simd/simd_exp_test.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "fast/simd/exp-inl.h"
#include "fast/simd/targets.h"

#if PLUMB_HAS_VECTORS
HWY_BEFORE_NAMESPACE();
namespace plumb::fast::HWY_NAMESPACE {

void exp_of_four(const float* x, float* y) {
  for (Index i = 0; i < 16; i += lanes()) store(exp(load(x + i)), y + i);
}
void sigmoid_of_four(const float* x, float* y) {
  for (Index i = 0; i < 16; i += lanes()) store(sigmoid(load(x + i)), y + i);
}

}  // namespace plumb::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace plumb::fast {
namespace {

using Sixteen = void (*)(const float*, float*);
struct Target {
  const char* name;
  std::int64_t bit;
  Sixteen exp, sigmoid;
};
#define PLUMB_TARGET(target, variant) \
  {variant, HWY_##target, N_##target::exp_of_four, N_##target::sigmoid_of_four},
constexpr Target kTargets[] = {PLUMB_FAST_TARGETS(PLUMB_TARGET)};

// Distance in units in the last place that a float of the size of `want` has.
double ulps(float got, double want) {
  const int exponent = std::max(std::ilogb(want), -126);
  return std::fabs(static_cast<double>(got) - want) / std::ldexp(1.0, exponent - 23);
}

// Visits every exponent, both signs, and 2^-9 of all mantissas from a start that moves along.
template <class Visit>
void sweep(Sixteen function, Visit visit) {
  float x[16], y[16];
  std::uint32_t bits = 0;
  for (std::uint32_t i = 0; i < (1u << 19); ++i) {
    for (float& v : x) v = std::bit_cast<float>(bits += 509);
    function(x, y);
    for (int k = 0; k < 16; ++k) visit(x[k], y[k]);
  }
}

TEST(SimdExp, StaysWithinOneUlp) {
  for (const Target& target : kTargets) {
    if ((hwy::SupportedTargets() & target.bit) == 0) continue;
    double worst = 0;
    float worst_at = 0;
    sweep(target.exp, [&](float x, float y) {
      if (std::isnan(x)) {
        ASSERT_TRUE(std::isnan(y));
        return;
      }
      const double want = std::exp(static_cast<double>(x));
      if (want > static_cast<double>(std::numeric_limits<float>::max())) {
        ASSERT_GT(y, std::numeric_limits<float>::max()) << x;
      } else if (const double error = ulps(y, want); error > worst) {
        worst = error;
        worst_at = x;
      }
    });
    EXPECT_LE(worst, 1.0) << target.name << " at " << worst_at;
    ::testing::Test::RecordProperty(std::string("ulp_") + target.name, std::to_string(worst));
    std::printf("exp.%s: largest error %.4f ulp at %a\n", target.name, worst,
                static_cast<double>(worst_at));
  }
}

TEST(SimdExp, SigmoidKeepsItsEnds) {
  const float inf = std::numeric_limits<float>::infinity();
  for (const Target& target : kTargets) {
    if ((hwy::SupportedTargets() & target.bit) == 0) continue;
    const float x[16] = {0, -inf, inf, -1000, 1000, -88.0f, 88.0f, std::nanf("")};
    float y[16];
    target.sigmoid(x, y);
    EXPECT_EQ(y[0], 0.5f);
    EXPECT_EQ(y[1], 0.0f);
    EXPECT_EQ(y[2], 1.0f);
    EXPECT_EQ(y[3], 0.0f);
    EXPECT_EQ(y[4], 1.0f);
    EXPECT_NEAR(static_cast<double>(y[5]), std::exp(-88.0), 1e-44);
    EXPECT_EQ(y[6], 1.0f);
    EXPECT_TRUE(std::isnan(y[7]));
  }
}

}  // namespace
}  // namespace plumb::fast
#endif
