// SPDX-License-Identifier: Apache-2.0
#include "reference/exact/accumulator.h"

#include <bit>
#include <cmath>
#include <vector>

#include "reference/base/require.h"
#include "reference/scalar/format.h"

namespace plumb::exact {

void Accumulator::add(double v) {
  if (v == 0) return;
  if (!std::isfinite(v)) {
    special_ += v;
    return;
  }
  if (additions_left_-- == 0) carry();
  const auto bits = std::bit_cast<std::uint64_t>(v);
  const int biased = static_cast<int>((bits >> 52) & 0x7FF);
  std::uint64_t mantissa = bits & 0xFFFFFFFFFFFFFull;
  if (biased != 0) mantissa |= 1ull << 52;
  // Weight of the mantissa's last bit is 2^(max(biased, 1) - 1075).
  const int position = (biased == 0 ? 1 : biased) - 1075 - kLowest;
  const int digit = position / 32;
  const int shift = position % 32;
  const auto low = static_cast<std::int64_t>((mantissa << shift) & 0xFFFFFFFFull);
  const auto high = static_cast<std::int64_t>(mantissa >> (32 - shift));
  const std::int64_t sign = (bits >> 63) != 0 ? -1 : 1;
  digits_[static_cast<std::size_t>(digit)] += sign * low;
  digits_[static_cast<std::size_t>(digit) + 1] += sign * (high & 0x1FFFFFFFFFFFFFll);
}

void Accumulator::add_product(double a, double b) {
  const double p = a * b;
  if (!std::isfinite(p)) {
    PLUMB_REQUIRE(!std::isfinite(a) || !std::isfinite(b), "product overflows double", a, b);
    special_ += p;
    return;
  }
  add(p);
  const double rest = std::fma(a, b, -p);
  if (rest != 0) add(rest);
}

void Accumulator::carry() {
  std::int64_t carried = 0;
  for (std::size_t i = 0; i + 1 < kDigits; ++i) {
    const std::int64_t t = digits_[i] + carried;
    carried = t >> 32;  // arithmetic shift: floor
    digits_[i] = t & 0xFFFFFFFFll;
  }
  digits_[kDigits - 1] += carried;
  additions_left_ = 1 << 10;
}

double Accumulator::to_double() {
  if (special_ != 0) return special_;
  return round_to(kF64, to_wide<Real>()).to_double();
}

template <class T>
T Accumulator::to_wide() {
  if (special_ != 0) return T(special_);
  carry();
  const bool negative = digits_[kDigits - 1] < 0;
  if (negative) {
    for (auto& digit : digits_) digit = -digit;
    carry();
  }
  // 32-bit digits, most significant first, in pairs.
  std::array<unsigned long long, kDigits / 2> limbs{};
  for (std::size_t i = 0; i < limbs.size(); ++i) {
    const auto high = static_cast<std::uint64_t>(digits_[kDigits - 1 - 2 * i]);
    const auto low = static_cast<std::uint64_t>(digits_[kDigits - 2 - 2 * i]);
    limbs[i] = (high << 32) | low;
  }
  const T v = T::from_limbs(negative, limbs.data(), static_cast<int>(limbs.size()), kLowest, false);
  if (negative) {
    for (auto& digit : digits_) digit = -digit;
  }
  return v;
}

template Real Accumulator::to_wide();
template RealWide Accumulator::to_wide();

}  // namespace plumb::exact
