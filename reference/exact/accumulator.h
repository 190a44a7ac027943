// SPDX-License-Identifier: Apache-2.0
// Exact sums as fixed-point numbers: digits of 32 bits in 64-bit words, so that carries can wait.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "reference/base/require.h"
#include "reference/scalar/real.h"

namespace plumb::exact {

// A nonnegative integer times 2^exponent and a sign: 64-bit limbs, most significant first, the
// first one not zero. No limbs: zero.
struct Magnitude {
  bool negative;
  std::span<const unsigned long long> limbs;
  long exponent;
};
// Nearest double, ties to even, subnormals and overflow included.
double nearest_double(const Magnitude& m);
// At the width of T, rounded to odd when it does not fit: one later rounding to a format of at most
// T::kBits - 2 bits then gives what rounding the sum itself would give.
template <class T>
T odd_rounded(const Magnitude& m);

// Digit i weighs 2^(32 i + kLowest). Each addition adds less than 2^32 to a digit, so that
// kAdditions of them without a carry leave 2^62 unreached.
template <int kLowest, int kDigits, int kAdditions = 1 << 29>
class FixedPoint {
 public:
  // Adds mantissa * 2^exponent. What is added must lie within the digits, three of headroom
  // included.
  void add(std::int64_t mantissa, int exponent) {
    const std::int64_t sign = mantissa < 0 ? -1 : 1;
    add_magnitude(sign, static_cast<std::uint64_t>(sign) * static_cast<std::uint64_t>(mantissa),
                  exponent);
  }
  void add_wide(__int128 mantissa, int exponent) {
    const std::int64_t sign = mantissa < 0 ? -1 : 1;
    const auto magnitude =
        static_cast<unsigned __int128>(sign) * static_cast<unsigned __int128>(mantissa);
    add_magnitude(sign, static_cast<std::uint64_t>(magnitude), exponent);
    const auto high = static_cast<std::uint64_t>(magnitude >> 64);
    if (high != 0) add_magnitude(sign, high, exponent + 64);
  }

  double to_double() const {
    Limbs limbs;
    return nearest_double(magnitude(limbs));
  }
  template <class T>
  T to_wide() const {
    Limbs limbs;
    return odd_rounded<T>(magnitude(limbs));
  }

 private:
  static_assert(kDigits % 2 == 0, "digits are read in pairs");
  static_assert(kAdditions > 0 && kAdditions <= 1 << 29);
  using Limbs = std::array<unsigned long long, kDigits / 2>;
  using Digits = std::array<std::int64_t, kDigits>;

  void add_magnitude(std::int64_t sign, std::uint64_t magnitude, int exponent) {
    const int position = exponent - kLowest;
    PLUMB_REQUIRE(position >= 0 && position < 32 * (kDigits - 3), exponent);
    if (additions_left_-- == 0) {
      carry(digits_);
      additions_left_ = kAdditions - 1;
    }
    const auto digit = static_cast<std::size_t>(position / 32);
    const auto shifted = static_cast<unsigned __int128>(magnitude) << (position % 32);
    const auto word = [&](int shift) {
      return sign * static_cast<std::int64_t>(static_cast<std::uint32_t>(shifted >> shift));
    };
    digits_[digit] += word(0);
    digits_[digit + 1] += word(32);
    digits_[digit + 2] += word(64);
  }

  // All digits but the last, which keeps the sign, into 0 .. 2^32 - 1.
  static void carry(Digits& digits) {
    std::int64_t carried = 0;
    for (std::size_t i = 0; i + 1 < kDigits; ++i) {
      const std::int64_t t = digits[i] + carried;
      carried = t >> 32;  // arithmetic shift: floor
      digits[i] = t & 0xFFFFFFFFll;
    }
    digits[kDigits - 1] += carried;
  }

  Magnitude magnitude(Limbs& limbs) const {
    Digits digits = digits_;
    carry(digits);
    const bool negative = digits[kDigits - 1] < 0;
    if (negative) {
      for (auto& digit : digits) digit = -digit;
      carry(digits);
    }
    std::size_t first = limbs.size();
    for (std::size_t i = 0; i < limbs.size(); ++i) {
      const auto high = static_cast<unsigned long long>(digits[kDigits - 1 - 2 * i]);
      limbs[i] = (high << 32) | static_cast<unsigned long long>(digits[kDigits - 2 - 2 * i]);
      if (limbs[i] != 0 && first == limbs.size()) first = i;
    }
    return {negative, std::span(limbs).subspan(first), kLowest};
  }

  Digits digits_{};
  int additions_left_ = kAdditions;
};

// For operands of up to 31 bits whose last bits weigh 2^-160 .. 2^127, and for block sums with two
// f32 scales.
using NarrowSum = FixedPoint<-320, 24>;

// For any doubles: products reach from 2^-2148 to 2^2048.
class Accumulator {
 public:
  // Adds v exactly. NaN and infinities are remembered aside.
  void add(double v) { add_product(v, 1); }
  // Adds a * b exactly.
  void add_product(double a, double b);

  // The sum, rounded once to the nearest double, ties to even.
  double to_double() const { return special_ != 0 ? special_ : sum_.to_double(); }
  // The sum at the type's width, rounded to odd when it does not fit.
  template <class T>
  T to_wide() const {
    return special_ != 0 ? T(special_) : sum_.to_wide<T>();
  }

 private:
  FixedPoint<-2176, 140> sum_;
  double special_ = 0;  // sum of the infinities and NaNs met
};

}  // namespace plumb::exact
