// SPDX-License-Identifier: Apache-2.0
// The only code that decides. Element by element: classes first (NaN, infinities), then
// !(|got - want| <= budget) fails. No average, norm or ratio of matches ever decides.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "reference/scalar/contract.h"
#include "reference/tensor/tensor_view.h"

namespace plumb::conformance {

// What one element must be.
//   NaN:       a NaN, of any sign and payload; the budget says nothing.
//   infinity:  that infinity. With may_overflow and an infinite budget, large finite values are
//   admissible
//              as well and nothing can be judged.
//   a number:  a number within the budget, or, with may_overflow, the infinity of its sign. An
//   infinite
//              budget means that the arithmetic allows anything: not judged, counted as unbounded.
struct Wanted {
  double value = 0;
  double budget = 0;  // admissible |got - value|; a NaN or a negative one is a broken promise
  bool may_overflow = false;  // infinity of value's sign is admissible too
  bool loose = false;         // a data-dependent branch was open: judged, but counted apart
  bool usable = true;  // false: the reference cannot vouch for the value (its own rounding is open)
};

// What was found in one tensor. judged + unbounded + unusable is the number of elements wanted, and
// worst_ratio > 1 exactly when something failed.
struct Comparison {
  Index judged = 0;
  Index loose = 0;      // of the judged: a branch was open
  Index unbounded = 0;  // not judged: infinite budget
  Index unusable = 0;   // not judged: the reference cannot vouch for it
  Index failed = 0;
  Index first_failed = -1;  // row-major element; -1: none, or the tensor has the wrong length
  double got = 0;           // these four at first_failed
  double want = 0;
  double budget = 0;
  std::string reason;
  double worst_ratio =
      0;  // largest error / budget; infinite for a wrong class and over a budget of 0
  double worst_error = 0;  // error and budget where the ratio is largest
  double worst_budget = 0;
  Index worst = -1;
  double largest_want = 0;   // largest finite |want| judged
  double median_budget = 0;  // lower median over judged numbers
  double majority_share =
      0;  // share of the value that most of the judged want; 0: no value has a majority
  double majority_value = 0;
  // Selections only.
  Index ties = 0;             // rows whose cut falls inside exactly equal scores
  Index open_selections = 0;  // rows whose score intervals leave the choice open
  Index flips = 0;            // members other than the reference's, admissible all the same
  double smallest_margin = 0;
};

// Judges got against wanted. `signed_zero` makes the sign of a zero count where the budget is 0.
Comparison compare_numbers(std::span<const double> got, std::span<const Wanted> wanted,
                           bool signed_zero);

// Integers: equal or not.
Comparison compare_integers(std::span<const std::int64_t> got, std::span<const std::int64_t> want);

// An order that sorts `keys`: got must name each position once, and the keys must not descend along
// it. Equal keys may stand in any order.
Comparison compare_orders(std::span<const std::int64_t> got, std::span<const std::int64_t> keys);

// The score of one index of a selection: a candidate's own lies in [value - error, value + error].
// An infinite value (a masked index) is exact, whatever its error.
struct ScoreInterval {
  double value;
  double error;
};

// One row of a selection of k = chosen.size() among n = scores.size().
struct SelectionRow {
  bool admissible = false;
  bool untested = false;  // a score is NaN: no order is defined. Never admissible.
  bool tie_met = false;   // the cut falls inside exactly equal scores
  bool open = false;      // the intervals alone leave the choice open
  double margin =
      0;  // smallest score chosen minus largest left out, by the reference; infinite for k = n
  Index flips =
      0;  // members that the reference (largest scores, lowest index in a tie) did not choose
  Index failed = 0;         // members to blame
  Index first_failed = -1;  // position in `chosen`
  std::string reason;
};

// Judges a set; its order is free. Members must be distinct indices into scores. The set is
// admissible when some scores within the intervals make it the k largest, exact ties by the rule:
// that is when each member, at its upper end, holds its own against each index left out at its
// lower end.
SelectionRow judge_selection(std::span<const std::int64_t> chosen,
                             std::span<const ScoreInterval> scores, TieRule ties);

// All rows of a selection [rows, k] among [rows, n]. A row without a choice (k = n) is judged as a
// set, but a tensor of such rows shows nothing: majority_share is then 1.
Comparison compare_selections(std::span<const std::int64_t> chosen, Index k,
                              std::span<const ScoreInterval> scores, Index n, TieRule ties);

enum class Ruling : std::uint8_t { kUntested, kPass, kFail, kVacuous };
struct Decision {
  Ruling ruling = Ruling::kUntested;
  std::string reason;  // empty for a pass
};

// The verdict on one tensor. One wrong element fails it. Nothing wrong is a pass only when at least
// a tenth of the elements was judged and no one value makes up nine tenths of what was wanted,
// unless the schema says that this is the tensor's nature.
Decision decide(const Comparison& comparison, bool may_be_one_value);

}  // namespace plumb::conformance
