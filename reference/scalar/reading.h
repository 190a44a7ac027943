// SPDX-License-Identifier: Apache-2.0
// Reading: which rounding points of a stage act, to which format, and which side of each
// discrepancy it takes. A row of data; reference/registry/readings.cpp holds the rows.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/scalar/format.h"

namespace plumb {

// What is rounded at a rounding point. One name for one place in the specifications' rounding
// registers.
enum class Slot {
  kActivation,   // a tensor handed from module to module
  kNormalised,   // RMSNorm's unit-scale value before the gain
  kWeight,       // a block-scaled weight once dequantised
  kQuantised,    // an activation in front of an FP8 linear
  kConstant,     // a scalar of the configuration as the code holds it (eps, softmax scale)
  kScalar,       // a configuration scalar that the code computes in Python (YaRN magnitude, softmax
                 // scale)
  kFrequency,    // rotary frequencies, at each operation that the code writes
  kAngle,        // position times frequency
  kRopeTable,    // cosines and sines
  kRotation,     // each product and sum of a rotation
  kScores,       // attention scores, before and after scaling and masking
  kProbability,  // attention weights
  kSilu,         // silu(gate) before the product
  kRouterInput,  // the router's logits
  kRouter,       // affinities
  kRouterBiased,  // affinity plus bias, group scores
  kRouterBias,    // the correction bias as loaded
  kRouterWeight,  // the routing weights
  kCombine,       // the running sum of expert outputs
  kLogits,
  kCount
};

std::string_view name_of(Slot slot);

// Which of a discrepancy's two statements holds.
enum class Side : char { kA = 'a', kB = 'b' };

struct Reading {
  std::string_view name;
  std::string_view sentence;
  // Absent: the value flows on unrounded.
  std::array<std::optional<Format>, static_cast<std::size_t>(Slot::kCount)> formats;
  std::vector<std::pair<std::string_view, Side>> sides;

  const std::optional<Format>& format(Slot slot) const {
    return formats[static_cast<std::size_t>(slot)];
  }
  // The side taken; asking for a discrepancy that the reading does not decide is a broken promise.
  Side side(std::string_view discrepancy) const;
};

}  // namespace plumb
