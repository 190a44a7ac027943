// SPDX-License-Identifier: Apache-2.0
#include "reference/exact/buckets.h"

#include <algorithm>
#include <cmath>

namespace plumb::exact {

template <bool kMagnitudes>
bool Buckets<kMagnitudes>::add_dot(const Reader& a, const Reader& b, Index n) {
  // Products are below 2^bits: so many fit into a bucket, and into the sum of two, before it must
  // be emptied.
  const int bits = a.bits() + b.bits();
  PLUMB_REQUIRE(bits <= 62, a.bits(), b.bits());
  const Index period = Index{1} << std::min(62 - bits, 40);
  Reader::Room room_a;
  Reader::Room room_b;
  bool special = false;
  Index left = period;
  for (Index begin = 0; begin < n;) {
    const Index length = std::min({Reader::kRun, n - begin, left});
    add_run(a.run(begin, length, room_a, special), b.run(begin, length, room_b, special),
            static_cast<std::size_t>(length));
    begin += length;
    left -= length;
    if (left == 0) empty(), left = period;
  }
  empty();
  return !special;
}

template <bool kMagnitudes>
void Buckets<kMagnitudes>::add_run(const Reader::Run& a, const Reader::Run& b, std::size_t n) {
  const auto add = [&](Row& row, std::size_t i) {
    const std::int64_t product = static_cast<std::int64_t>(a.mantissa[i]) * b.mantissa[i];
    const auto at = static_cast<std::size_t>(a.exponent[i] + b.exponent[i]);
    row[at] += product;
    if constexpr (kMagnitudes) absolute_[at] += product < 0 ? -product : product;
  };
  std::size_t i = 0;
  for (; i + 1 < n; i += 2) {
    add(even_, i);
    add(odd_, i + 1);
  }
  if (i < n) add(even_, i);
}

template <bool kMagnitudes>
void Buckets<kMagnitudes>::empty() {
  for (std::size_t i = 0; i < kCount; ++i) {
    // Two rows may cancel each other and still be full.
    if ((even_[i] | odd_[i]) == 0) continue;
    const int exponent = static_cast<int>(i) - 2 * kTermBias;
    sum_.add(even_[i] + odd_[i], exponent);
    even_[i] = odd_[i] = 0;
    if constexpr (kMagnitudes) {
      magnitudes_ += std::ldexp(static_cast<double>(absolute_[i]), exponent);
      absolute_[i] = 0;
    }
  }
}

template class Buckets<false>;
template class Buckets<true>;

}  // namespace plumb::exact
