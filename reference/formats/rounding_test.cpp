// SPDX-License-Identifier: Apache-2.0
// round_to: all midpoints of the small formats and their neighbours, and the three number types
// against each other.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "reference/formats/storage.h"
#include "reference/scalar/format.h"

namespace plumb {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double code_value(Dtype dtype, unsigned code) {
  const std::array<std::byte, 2> bytes{static_cast<std::byte>(code),
                                       static_cast<std::byte>(code >> 8)};
  return load(bytes.data(), dtype, 0);
}

void expect_rounded(const Format& format, double v, double want) {
  const auto same = [&](double got) {
    return got == want || (std::isnan(got) && std::isnan(want));
  };
  EXPECT_TRUE(same(round_to(format, v))) << format.name << " " << v;
  EXPECT_TRUE(same(round_to(format, Real(v)).to_double())) << format.name << " " << v;
  EXPECT_TRUE(same(round_to(format, -v) * -1)) << format.name << " -" << v;
}

// Codes 0 .. last are the format's nonnegative finite values in ascending order; `beyond` is what
// lies above the midpoint between the largest and what would follow it.
void expect_midpoints(const Format& format, unsigned last, double beyond) {
  for (unsigned code = 0; code <= last; ++code) {
    const double low = code_value(format.dtype, code);
    const double below = code == 0 ? 0 : code_value(format.dtype, code - 1);
    const bool top = code == last;
    const double high = top ? low + (low - below) : code_value(format.dtype, code + 1);
    const double middle = low + (high - low) / 2;
    const double up = top ? beyond : high;
    expect_rounded(format, low, low);
    expect_rounded(format, std::nextafter(middle, 0), low);
    expect_rounded(format, middle, code % 2 == 0 ? low : up);
    expect_rounded(format, std::nextafter(middle, kInfinity), up);
    if (code % 7 != 0 && code < last - 3 && code > 10) continue;
    // Nearer to the midpoint than any double can be.
    const Real hair = Real(low == 0 ? 1.0 : low).scaled_by_power_of_two(-160);
    EXPECT_TRUE(round_to(format, Real(middle) - hair).to_double() == low) << code;
    const double over = round_to(format, Real(middle) + hair).to_double();
    EXPECT_TRUE(over == up || (std::isnan(over) && std::isnan(up))) << code;
  }
}

TEST(Midpoints, E4m3Saturating) { expect_midpoints(kE4m3Saturating, 0x7E, 448); }
TEST(Midpoints, E4m3Host) { expect_midpoints(kE4m3Host, 0x7E, std::nan("")); }
TEST(Midpoints, Bf16) { expect_midpoints(kBf16, 0x7F7F, kInfinity); }
TEST(Midpoints, Fp16) { expect_midpoints(kFp16, 0x7BFF, kInfinity); }

TEST(Overflow, ConventionsOfE4m3) {
  for (double v : {464.5, 465.0, 480.0, 1e300, kInfinity}) {
    expect_rounded(kE4m3Saturating, v, 448);
    expect_rounded(kE4m3Host, v, std::nan(""));
  }
  for (const Format& format : {kE4m3Saturating, kE4m3Host}) {
    expect_rounded(format, 464, 448);
    EXPECT_TRUE(std::isnan(round_to(format, std::nan(""))));
    EXPECT_TRUE(round_to(format, Real::nan()).is_nan());
  }
}

TEST(Rounding, ZerosKeepTheirSign) {
  for (const Format& format : {kE4m3Saturating, kBf16, kF32, kF64}) {
    EXPECT_TRUE(std::signbit(round_to(format, -0.0)));
    EXPECT_FALSE(std::signbit(round_to(format, 0.0)));
    if (format.precision < 53) {
      EXPECT_TRUE(std::signbit(round_to(format, -0x1p-1074))) << format.name;
    }
    EXPECT_TRUE(round_to(format, Real(-0x1p-1074).scaled_by_power_of_two(-9)).is_negative());
  }
}

TEST(Rounding, ToF32IsWhatTheMachineDoes) {
  for (std::uint64_t i = 0; i < 2'000'000; ++i) {
    std::uint64_t z = (i + 1) * 0x9E3779B97F4A7C15ull;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z ^= z >> 27;
    // Exponents around the range of f32, bits near a tie every other time.
    const int power = static_cast<int>(z % 300) - 160;
    double v = std::ldexp(static_cast<double>((z >> 11) | (1ull << 52)), power - 52);
    if (i % 2 == 0)
      v = std::bit_cast<double>((std::bit_cast<std::uint64_t>(v) & ~0x1FFFFFFFull) | 0x10000000u);
    if (z % 3 == 0) v = -v;
    ASSERT_EQ(round_to(kF32, v), static_cast<double>(static_cast<float>(v))) << v;
  }
}

TEST(Rounding, ThreeNumberTypesAgree) {
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    std::uint64_t z = (i + 77) * 0x9E3779B97F4A7C15ull;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z ^= z >> 27;
    const double v = std::ldexp(static_cast<double>(static_cast<std::int64_t>(z)),
                                static_cast<int>(z % 310) - 220);
    for (const Format& format : {kE4m3Saturating, kE4m3Host, kBf16, kFp16, kF32, kF64}) {
      const double quick = round_to(format, v);
      const Real real = round_to(format, Real(v));
      const RealWide wide = round_to(format, RealWide(v));
      ASSERT_TRUE((std::isnan(quick) && real.is_nan() && wide.is_nan()) ||
                  (Real(quick) == real && RealWide(quick) == wide))
          << format.name << " " << v;
    }
  }
}

}  // namespace
}  // namespace plumb
