// SPDX-License-Identifier: Apache-2.0
// The only code that decides. Element by element: classes first (NaN, infinities), then
// !(|got - want| <= budget) fails. No average, norm or ratio of matches ever decides.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "reference/scalar/contract.h"
#include "reference/tensor/tensor_view.h"

namespace plumb::conformance {

// What one element must be.
struct Wanted {
  double value;           // the reference; NaN and infinities mean their class
  double budget;          // admissible |got - value|; never NaN
  bool may_overflow;      // infinity of value's sign is admissible too
  bool loose;             // a data-dependent branch was open: judged, but counted apart
  bool usable;            // false: the reference cannot vouch for the value (its own rounding is open)
};

struct Comparison {
  Index judged = 0;
  Index loose = 0;
  Index unusable = 0;
  Index failed = 0;
  Index first_failed = -1;   // row-major element
  double got = 0;            // at first_failed
  double want = 0;
  double budget = 0;
  std::string reason;        // at first_failed: "outside budget", "NaN where a number is wanted", ...
  double worst_ratio = 0;    // largest error / budget over the judged with budget > 0
  Index worst = -1;
  double largest_want = 0;   // largest |want| among finite ones
  double median_budget = 0;
  double most_frequent_share = 0;  // of one value in want; for the vacuity rule
};

// Judges got against wanted. `signed_zero` makes the sign of a zero count.
Comparison compare_numbers(std::span<const double> got, std::span<const Wanted> wanted, bool signed_zero);

// Integers: equal or not.
Comparison compare_integers(std::span<const std::int64_t> got, std::span<const std::int64_t> want);

// One row of a selection: `chosen` must be distinct indices into scores, and each member swapped against
// the reference must lie within the score intervals; exact ties by the rule.
struct ScoreInterval {
  double value;
  double error;
};
struct SelectionVerdict {
  bool admissible;
  bool tie_met;     // the cut falls inside exactly equal scores
  bool open;        // the intervals alone leave the choice open
  double margin;    // smallest score chosen minus largest left out, by the reference
  std::string reason;
};
SelectionVerdict judge_selection(std::span<const std::int64_t> chosen, std::span<const ScoreInterval> scores,
                                 TieRule ties);

}  // namespace plumb::conformance
