// SPDX-License-Identifier: Apache-2.0
#include "reference/exact/accumulator.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace plumb::exact {
namespace {

struct Split {
  std::int64_t mantissa;  // below 2^53
  int exponent;
};

Split split(double v) {
  const auto bits = std::bit_cast<std::uint64_t>(v);
  const int biased = static_cast<int>((bits >> 52) & 0x7FF);
  auto mantissa = static_cast<std::int64_t>(bits & 0xFFFFFFFFFFFFFull);
  if (biased != 0) mantissa |= 1ll << 52;
  return {(bits >> 63) != 0 ? -mantissa : mantissa, std::max(biased, 1) - 1075};
}

// Bits below position `end`, counted from the last bit of the last limb, are not all zero.
bool any_below(std::span<const unsigned long long> limbs, long end) {
  for (std::size_t i = limbs.size(); i-- > 0 && end > 0; end -= 64) {
    const unsigned long long mask = end >= 64 ? ~0ull : (1ull << end) - 1;
    if ((limbs[i] & mask) != 0) return true;
  }
  return false;
}

// The 64 bits from position `begin` upwards.
unsigned long long bits_from(std::span<const unsigned long long> limbs, long begin) {
  const auto limb = [&](long i) {
    const long n = static_cast<long>(limbs.size());
    return i >= 0 && i < n ? limbs[static_cast<std::size_t>(n - 1 - i)] : 0;
  };
  const long index = begin / 64;
  const long shift = begin % 64;
  return shift == 0 ? limb(index) : (limb(index) >> shift) | (limb(index + 1) << (64 - shift));
}

}  // namespace

double nearest_double(const Magnitude& m) {
  if (m.limbs.empty()) return 0;
  const long bits = 64 * static_cast<long>(m.limbs.size()) - std::countl_zero(m.limbs.front());
  // Position of the result's last bit: 53 bits, fewer in the subnormal range.
  const long last = std::max(bits - 53, -1074 - m.exponent);
  double v = 0;
  if (last <= 0) {
    v = std::ldexp(static_cast<double>(m.limbs.back()), static_cast<int>(m.exponent));
    PLUMB_REQUIRE(m.limbs.size() == 1, m.limbs.size());
  } else if (last <= bits) {
    unsigned long long mantissa = bits_from(m.limbs, last);
    const bool half = (bits_from(m.limbs, last - 1) & 1) != 0;
    if (half && ((mantissa & 1) != 0 || any_below(m.limbs, last - 1))) ++mantissa;
    const long exponent = m.exponent + last;
    v = exponent > 1100 ? INFINITY
                        : std::ldexp(static_cast<double>(mantissa), static_cast<int>(exponent));
  }
  return m.negative ? -v : v;
}

template <class T>
T odd_rounded(const Magnitude& m) {
  // One limb more than the width needs: the first may hold a single bit.
  const std::size_t kept = std::min(m.limbs.size(), static_cast<std::size_t>(T::kBits) / 64 + 2);
  const auto rest = m.limbs.subspan(kept);
  const bool inexact = std::any_of(rest.begin(), rest.end(), [](auto limb) { return limb != 0; });
  return T::from_limbs(m.negative, m.limbs.data(), static_cast<int>(kept),
                       m.exponent + 64 * static_cast<long>(rest.size()), inexact);
}

template Real odd_rounded(const Magnitude&);
template RealWide odd_rounded(const Magnitude&);

void Accumulator::add_product(double a, double b) {
  if (!std::isfinite(a) || !std::isfinite(b)) {
    special_ += a * b;
    return;
  }
  if (a == 0 || b == 0) return;
  const Split x = split(a);
  const Split y = split(b);
  sum_.add_wide(static_cast<__int128>(x.mantissa) * y.mantissa, x.exponent + y.exponent);
}

}  // namespace plumb::exact
