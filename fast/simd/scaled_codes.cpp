// SPDX-License-Identifier: Apache-2.0
#include "fast/simd/scaled_codes.h"

#include <bit>
#include <cmath>
#include <limits>

#include "fast/simd/bf16.h"

namespace plumb::fast {
namespace {

// The nearest BF16 value to a double, rounded once: the float between is rounded to odd, which a
// later rounding to fewer digits cannot mistake for a tie.
float bf16_of(double x) {
  const auto nearest = static_cast<float>(x);
  if (std::isnan(x) || static_cast<double>(nearest) == x) return rounded_to<Bf16>(nearest);
  auto bits = std::bit_cast<std::uint32_t>(nearest);
  if (std::fabs(static_cast<double>(nearest)) > std::fabs(x)) --bits;
  return rounded_to<Bf16>(std::bit_cast<float>(bits | 1u));
}

// A code has 4 significant bits and the scale 24: their product is a double.
float product(double value, float scale, WeightRounding rounding) {
  const double exact = value * static_cast<double>(scale);
  return rounding == WeightRounding::kBf16 ? bf16_of(exact) : static_cast<float>(exact);
}

}  // namespace

float e4m3_value(std::uint8_t code) {
  const int exponent = (code >> 3) & 15;
  const int mantissa = code & 7;
  const float sign = (code & 0x80) != 0 ? -1.0f : 1.0f;
  if ((code & 0x7f) == 0x7f) return std::numeric_limits<float>::quiet_NaN();
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(mantissa), -9);
  return sign * std::ldexp(static_cast<float>(8 + mantissa), exponent - 10);
}

void ScaledCodes::fill_sixteen(float scale, WeightRounding rounding) {
  const float magnitude = std::fabs(scale);
  factor = rounding == WeightRounding::kBf16 ? 1.0f : scale;
  regular = magnitude >= 0x1p-100f && magnitude <= 0x1p100f;  // false for NaN
  for (std::uint32_t i = 0; i < 16; ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(product(i * 0x1p-9, scale, rounding));
    sixteen[i] = i < 8 ? bits : bits - (1u << 23);
  }
}

void ScaledCodes::fill_all(float scale, WeightRounding rounding) {
  static const std::array<double, 128> kValues = [] {
    std::array<double, 128> values{};
    for (std::uint8_t c = 0; c < 128; ++c) values[c] = static_cast<double>(e4m3_value(c));
    return values;
  }();
  for (std::size_t code = 0; code < 128; ++code) {
    all[code] = product(kValues[code], scale, rounding);
    all[code + 128] = -all[code];
  }
}

const ScaledCodes& unscaled_codes() {
  static const ScaledCodes kCodes = [] {
    ScaledCodes codes{};
    codes.fill_sixteen(1.0f, WeightRounding::kF32);
    codes.fill_all(1.0f, WeightRounding::kF32);
    return codes;
  }();
  return kCodes;
}

}  // namespace plumb::fast
