// SPDX-License-Identifier: Apache-2.0
// Rounding of an exact number to a storage format, nearest, ties to even.
#pragma once

#include <optional>

#include "oracles/exact/number.h"

namespace plumb::oracles {

enum class Target {
  kBf16,
  kF32,
  kF64,
  kE4m3,  // saturates at 448: the GPU's conversion
};

// kUndecided when the ball straddles a point at which the rounded value changes.
Number rounded(const Number& n, Target target);
inline Number rounded(const Number& n, const std::optional<Target>& target) {
  return target ? rounded(n, *target) : n;
}

}  // namespace plumb::oracles
