// SPDX-License-Identifier: Apache-2.0
// Contract: the arithmetic that a kernel declares for a stage. Plain data; the error budget follows
// from it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "reference/scalar/format.h"

namespace plumb {

// How a selection among exactly equal scores is judged.
enum class TieRule { kAny, kLowestIndex };

// Elementary functions: the largest error, in units in the last place of the accumulator format.
struct FunctionUlps {
  double exp = 2;
  double rsqrt = 2;
  double sin = 2;
  double cos = 2;
  double division = 2;
  double sqrt = 2;
};

struct Contract {
  std::string name = "standard";
  // Format of every intermediate value and of every partial sum.
  Format accumulator = kF32;
  // Longest chain of additions that an operand of a sum passes through; absent: any order, n - 1.
  std::optional<std::int64_t> sum_depth = {};
  // Products inside sums are not rounded before they are added (FMA, or a wider product).
  bool fused_products = false;
  // Results below the normal range may be replaced by zero.
  bool flushes_subnormals = false;
  FunctionUlps ulps = {};
  TieRule ties = TieRule::kAny;
  // Two runs on the same inputs give the same bits.
  bool deterministic = true;
  // The sign of a zero result counts.
  bool signed_zero = false;
};

}  // namespace plumb
