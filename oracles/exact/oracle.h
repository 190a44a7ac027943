// SPDX-License-Identifier: Apache-2.0
// The exact oracles: stages computed a second time from their formulas, in rationals and ball
// arithmetic, at small shapes, by code that shares nothing with the reference but tensors and
// calls.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/tensor/stage_call.h"

namespace plumb::oracles {

// What is known of one output element.
struct Enclosure {
  enum class Kind {
    kNumber,
    kPlusInfinity,
    kMinusInfinity,
    kNan,
    kUndecided,  // a ball straddles a rounding point or a choice
  };
  Kind kind = Kind::kUndecided;
  // Rationals as text, "-3/8", between which the value lies. Equal: the value is known exactly.
  std::string low = {};
  std::string high = {};
};

struct ExactTensor {
  std::string name;
  Shape shape;
  std::vector<Enclosure> elements;  // row-major
};

// A choice of the `count` largest among scored candidates. `ranking` holds all candidates, best
// first; candidates with equal scores stand together, in ascending order.
struct ExactSelection {
  std::string name;
  Index row = 0;
  std::size_t count = 0;
  std::vector<std::vector<Index>> ranking;
  bool undecided = false;  // a score is NaN or two balls overlap

  // May `chosen`, in any order, be the choice? Among equal scores any will do.
  bool admits(std::span<const Index> chosen) const;
};

struct ExactOutput {
  std::vector<ExactTensor> tensors;
  std::vector<ExactSelection> selections;

  const ExactTensor& tensor(std::string_view name) const;
};

struct Oracle {
  std::string_view stage;
  // `reading`: "real", "hf_bf16", "hf_f32", "inf_bf16" or "inf_fp8".
  ExactOutput (*compute)(const StageCall& call, std::string_view reading);
};
const std::vector<Oracle>& all_oracles();
const Oracle* find_oracle(std::string_view stage);

// mantissa * 2^exponent
struct Dyadic {
  double mantissa;
  long exponent;
};
// True when sum(value) is at most 2^-bits of the interval's larger end away from the interval.
bool within(const Enclosure& enclosure, std::span<const Dyadic> value, int bits);
// True when sum(value) lies in the closed interval itself: for a rational, when it equals it.
bool holds(const Enclosure& enclosure, std::span<const Dyadic> value);

}  // namespace plumb::oracles
