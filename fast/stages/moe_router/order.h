// SPDX-License-Identifier: Apache-2.0
// Floats as integers of the same order, so that a selection has no case apart: NaN ranks above
// infinity, and both zeros are equal.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace plumb::fast {

// Below every float's key: chosen already, or no element.
inline constexpr std::int32_t kNoKey = std::numeric_limits<std::int32_t>::min();
inline constexpr std::int32_t kNanKey = std::numeric_limits<std::int32_t>::max();

inline std::int32_t key_of(float x) {
  if (x != x) return kNanKey;
  const auto bits = std::bit_cast<std::int32_t>(x);
  return bits < 0 ? bits ^ 0x7fffffff : bits;
}
inline float float_of(std::int32_t key) {
  return std::bit_cast<float>(key < 0 ? key ^ 0x7fffffff : key);
}

}  // namespace plumb::fast
