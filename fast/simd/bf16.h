// SPDX-License-Identifier: Apache-2.0
// BF16 and F32 for plain code: widening is exact, narrowing rounds to nearest, ties to even.
#pragma once

#include <bit>
#include <cstdint>

#include "reference/tensor/dtype.h"

namespace plumb::fast {

inline float widen(float x) { return x; }
inline float widen(Bf16 x) { return std::bit_cast<float>(std::uint32_t{x.bits} << 16); }

// NaN stays NaN (quiet, sign kept); beyond the largest BF16 value comes infinity.
inline Bf16 to_bf16(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  if ((bits & 0x7fffffffu) > 0x7f800000u) {
    return {static_cast<std::uint16_t>((bits >> 16) | 0x40u)};
  }
  const std::uint32_t half_less_one = 0x7fffu + ((bits >> 16) & 1u);
  return {static_cast<std::uint16_t>((bits + half_less_one) >> 16)};
}

template <class T>
T narrow(float x);
template <>
inline float narrow<float>(float x) {
  return x;
}
template <>
inline Bf16 narrow<Bf16>(float x) {
  return to_bf16(x);
}

// The float nearest to a value of format T.
template <class T>
float rounded_to(float x) {
  return widen(narrow<T>(x));
}

}  // namespace plumb::fast
