// SPDX-License-Identifier: Apache-2.0
// E4M3 by E4M3: every value is an integer times 2^-9, so that a dot product is one integer sum.
#pragma once

#include <array>
#include <cstdint>

#include "reference/exact/terms.h"

namespace plumb::exact {

inline constexpr int kCodeProductExponent = -18;
// Products are below 2^36.
inline constexpr Index kCodeRun = Index{1} << 26;

inline constexpr auto kCodeIntegers = [] {
  std::array<std::int32_t, 256> integers{};
  for (int code = 0; code < 256; ++code) {
    const int biased = (code >> 3) & 15;
    const int magnitude = ((code & 7) | (biased != 0 ? 8 : 0)) << (biased != 0 ? biased - 1 : 0);
    integers[static_cast<std::size_t>(code)] = code >= 128 ? -magnitude : magnitude;
  }
  return integers;
}();

// Sums over at most kCodeRun pairs of codes at a time.
template <bool kMagnitudes>
struct CodeSums {
  std::int64_t total = 0;       // sum a[i] b[i] * 2^18 of the last run
  std::int64_t magnitudes = 0;  // sum |a[i] b[i]| * 2^18 of the last run, if wanted
  bool special = false;         // a NaN was met in any run

  void run(const std::uint8_t* a, const std::uint8_t* b, Index n) {
    std::int64_t even = 0;
    std::int64_t odd = 0;
    unsigned nan = 0;
    magnitudes = 0;
    const auto product = [&](Index i) {
      // Only 0x7F and 0xFF carry into the eighth bit.
      nan |= ((a[i] & 127u) + 1) | ((b[i] & 127u) + 1);
      const auto p = static_cast<std::int64_t>(kCodeIntegers[a[i]]) * kCodeIntegers[b[i]];
      if constexpr (kMagnitudes) magnitudes += p < 0 ? -p : p;
      return p;
    };
    Index i = 0;
    for (; i + 1 < n; i += 2) {
      even += product(i);
      odd += product(i + 1);
    }
    if (i < n) even += product(i);
    total = even + odd;
    special |= (nan & 128u) != 0;
  }
};

}  // namespace plumb::exact
