// SPDX-License-Identifier: Apache-2.0
// Laws of Tracked: whatever a kernel computes within its contract lies in the interval.
#include "reference/scalar/tracked.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "reference/scalar/arithmetic.h"

namespace plumb {
namespace {

std::uint64_t bits(std::uint64_t seed, std::uint64_t counter) {
  std::uint64_t z = seed * 0xD1342543DE82EF95ull + (counter + 1) * 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

float number(std::uint64_t seed, std::uint64_t counter, int spread) {
  const std::uint64_t z = bits(seed, counter);
  const auto mantissa = 1 + static_cast<float>(z >> 41) * 0x1p-23f;
  const int power = static_cast<int>(z % static_cast<unsigned>(2 * spread + 1)) - spread;
  return std::ldexp((z >> 30) % 2 == 0 ? mantissa : -mantissa, power);
}

// A value as a float kernel holds it beside what the reference knows of it.
struct Pair {
  float kernel;
  Tracked known;
};

bool holds(const Pair& p) {
  if (std::isnan(p.kernel) || p.known.value.is_nan()) return true;
  if (std::isinf(p.kernel)) {
    return p.known.value.is_infinite() || (p.known.flags & Tracked::kMayOverflow) != 0 ||
           p.known.error == std::numeric_limits<double>::infinity();
  }
  return abs(Real(p.kernel) - p.known.value).to_double() <= p.known.error;
}

Pair combined(std::uint64_t choice, const Pair& a, const Pair& b) {
  switch (choice % 9) {
    case 0:
      return {a.kernel + b.kernel, a.known + b.known};
    case 1:
      return {a.kernel - b.kernel, a.known - b.known};
    case 2:
      return {a.kernel * b.kernel, a.known * b.known};
    case 3:
      return {a.kernel / b.kernel, a.known / b.known};
    case 4:
      return {std::sqrt(std::fabs(a.kernel)),
              sqrt(a.known.value.is_negative() ? -a.known : a.known)};
    case 5:
      return {std::exp(std::fmod(a.kernel, 8.0f)), {}};
    case 6:
      return {std::sin(a.kernel), sin(a.known)};
    case 7:
      return {std::cos(a.kernel), cos(a.known)};
    default:
      return {-a.kernel, -a.known};
  }
}

// Random expressions of up to 12 operations, on shared subexpressions too. glibc's float functions
// stay within 2 ulp, which is what the contract grants.
TEST(TrackedLaw, HoldsWhatAFloatKernelComputes) {
  const Contract contract;
  int judged = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::vector<Pair> values;
    const int spread = seed % 4 == 0 ? 60 : 3;
    for (std::uint64_t i = 0; i < 4; ++i) {
      const float v = number(seed, i, spread);
      values.push_back({v, Tracked(Real(v), &contract)});
    }
    for (std::uint64_t step = 0; step < 12; ++step) {
      const std::uint64_t z = bits(seed, 100 + step);
      const Pair& a = values[(z >> 8) % values.size()];
      const Pair& b = values[(z >> 24) % values.size()];
      // |x| flips the sign where kernel and reference may not agree about it: only if it is
      // certain.
      const bool certain = abs(a.known.value).to_double() > a.known.error;
      if (z % 9 == 4 && !certain) continue;
      Pair r = combined(z, a, b);
      if (z % 9 == 5) {
        if (std::fabs(a.kernel) >= 8) continue;
        r = {std::exp(a.kernel), exp(a.known)};
      }
      ASSERT_TRUE(holds(r)) << "step " << step << " operation " << z % 9 << ": kernel " << r.kernel
                            << ", reference " << r.known.value.to_string(20) << " +- "
                            << r.known.error;
      judged += r.known.error < 1e-3 * abs(r.known.value).to_double();
      values.push_back(r);
    }
  }
  // Most intervals are narrow; a bound of infinity everywhere would hold anything.
  EXPECT_GT(judged, 15000);
}

TEST(TrackedLaw, OneOperationIsOneRounding) {
  const Contract contract;
  const Tracked a(Real(3), &contract), b(Real(7), &contract);
  for (const Tracked& r : {a + b, a - b, a * b}) {
    EXPECT_GT(r.error, 0.99 * 0x1p-24 * abs(r.value).to_double());
    EXPECT_LT(r.error, 1.01 * 0x1p-24 * abs(r.value).to_double());
  }
  EXPECT_LT((a / b).error, 1.01 * 0x1p-22 * 3.0 / 7);
  EXPECT_EQ((a + b).contract, &contract);
  // Constants operate exactly.
  EXPECT_EQ((Tracked(3) * Tracked(7)).error, 0);
}

TEST(TrackedLaw, ErrorsPropagateAtTheirSlopes) {
  Tracked a(Real(3), nullptr), b(Real(5), nullptr);
  a.error = 0x1p-10;
  b.error = 0x1p-12;
  const auto near = [](double got, double want) {
    EXPECT_GE(got, want);
    EXPECT_LE(got, want * 1.001);
  };
  near((a + b).error, 0x1p-10 + 0x1p-12);
  near((a - b).error, 0x1p-10 + 0x1p-12);
  near((a * b).error, 5 * 0x1p-10 + 3 * 0x1p-12 + 0x1p-22);
  near((a / b).error, (0x1p-10 + 0.6 * 0x1p-12) / (5 - 0x1p-12));
  near(exp(a).error, std::exp(3) * std::expm1(0x1p-10));
  near(log(a).error, -std::log1p(-0x1p-10 / 3));
  EXPECT_GE(sqrt(a).error, std::sqrt(3) - std::sqrt(3 - 0x1p-10));
  EXPECT_GE(rsqrt(a).error, 1 / std::sqrt(3 - 0x1p-10) - 1 / std::sqrt(3));
  EXPECT_LE(rsqrt(a).error, 1.01 * (1 / std::sqrt(3 - 0x1p-10) - 1 / std::sqrt(3)));
}

TEST(TrackedLaw, DivisionByAnIntervalOverZeroIsUnbounded) {
  const Contract contract;
  Tracked b(Real(1), &contract);
  b.error = 2;
  const Tracked r = Tracked(Real(1), &contract) / b;
  EXPECT_EQ(r.error, std::numeric_limits<double>::infinity());
  EXPECT_TRUE(r.loose());
}

TEST(TrackedRounding, AnErrorThatCannotMoveTheResultVanishes) {
  Tracked v(Real(1 + 0x1p-10), nullptr);
  v.error = 0x1p-11;
  const Tracked r = round_to(kBf16, v);
  EXPECT_EQ(r.value.to_double(), 1);
  EXPECT_EQ(r.error, 0);
}

TEST(TrackedRounding, ElseTheFartherEndCounts) {
  Tracked v(Real(1 + 0x1p-9), nullptr);
  v.error = 0x1p-8;  // 1 - 2^-9 .. 1 + 3 2^-9: rounds to 1 - 2^-8 (tie to even: 1) .. 1 + 2^-7
  const Tracked r = round_to(kBf16, v);
  EXPECT_EQ(r.value.to_double(), 1);
  EXPECT_EQ(r.error, 0x1p-7);
  v.error = 0x1p-6;
  EXPECT_EQ(round_to(kBf16, v).error, 0x1p-6 + 0x1p-9 < 0x1.4p-6 ? 0x1p-6 : 0);
}

// Every value of the interval rounds to within the rounded interval.
TEST(TrackedRounding, HoldsTheRoundingOfEveryPoint) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    Tracked v(Real(number(seed, 0, 4)), nullptr);
    v.error =
        std::fabs(number(seed, 1, 4)) * std::ldexp(1.0, -static_cast<int>(bits(seed, 2) % 20));
    for (const Format& format : {kE4m3Saturating, kBf16, kF32}) {
      const Tracked r = round_to(format, v);
      for (int k = -8; k <= 8; ++k) {
        const Real point = v.value + Real(v.error) * Real(k) / Real(8);
        const Real rounded = round_to(format, point);
        EXPECT_TRUE(abs(rounded - r.value).to_double() <= r.error)
            << "seed " << seed << " " << format.name;
      }
    }
  }
}

TEST(TrackedRounding, AnIntervalOverTheThresholdAdmitsInfinity) {
  Tracked v(Real(0x1.fep127), nullptr);
  v.error = 0x1p118;
  EXPECT_EQ(round_to(kBf16, v).flags & Tracked::kMayOverflow, 0);
  v.error = 0x1p120;
  EXPECT_NE(round_to(kBf16, v).flags & Tracked::kMayOverflow, 0);
  const Tracked beyond = round_to(kBf16, Tracked(Real(1e39), nullptr));
  EXPECT_TRUE(beyond.value.is_infinite());
}

TEST(TrackedBranch, OpenWhenIntervalsTouch) {
  Tracked a(Real(1), nullptr), b(Real(2), nullptr);
  bool open = false;
  EXPECT_TRUE(less(a, b, &open));
  EXPECT_FALSE(open);
  a.error = b.error = 0.5;
  EXPECT_TRUE(less(a, b, &open));
  EXPECT_TRUE(open);
  open = false;
  EXPECT_FALSE(less(b, b, &open));
  EXPECT_TRUE(open);
}

// The reference's own error really bounds it: 50 digits against 100.
TEST(TrackedSlack, BoundsTheReferencesOwnError) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    const double x = std::fabs(number(seed, 0, 5)), y = number(seed, 1, 5);
    const Tracked a = Tracked(x), b = Tracked(y);
    const RealWide u = x, w = y;
    const std::pair<Tracked, RealWide> results[] = {
        {a + b, u + w},         {a * b, u * w},
        {a / b, u / w},         {sqrt(a), sqrt(u)},
        {exp(b), exp(w)},       {log(a), log(u)},
        {sin(b), sin(w)},       {cos(b), cos(w)},
        {a / b + b, u / w + w}, {(a / b) * b, u / w * w},
        {rsqrt(a), rsqrt(u)},   {pow(a, b / Tracked(8)), pow(u, w / RealWide(8))}};
    int at = 0;
    for (const auto& [tracked, wide] : results) {
      EXPECT_LE(abs(RealWide(tracked.value) - wide).to_double(), tracked.slack)
          << "seed " << seed << " operation " << at;
      EXPECT_LE(tracked.slack, 0x1p-140 * (1 + abs(wide).to_double()) * 64) << at;
      ++at;
    }
  }
}

TEST(TrackedSlack, InfinitiesAreExact) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const Tracked& r : {exp(Tracked(-infinity)), exp(Tracked(infinity)), log(Tracked(0.0)),
                           Tracked(1) / Tracked(infinity), Tracked(infinity) + Tracked(1)}) {
    EXPECT_EQ(r.slack, 0);
    EXPECT_EQ(r.error, 0);
  }
}

}  // namespace
}  // namespace plumb
