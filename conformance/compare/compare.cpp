// SPDX-License-Identifier: Apache-2.0
#include "conformance/compare/compare.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "conformance/compare/majority.h"
#include "reference/base/require.h"

namespace plumb::conformance {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Why an element is wrong; null when it is right.
struct Judged {
  const char* fault = nullptr;
  double error = 0;
};

// got - want exactly as rounded + rest (two-sum), so that the budget's edge is decided exactly.
Judged judge_difference(double got, double want, double budget) {
  const double rounded = got - want;
  const double shift = rounded - got;
  const double rest = (got - (rounded - shift)) + (-want - shift);
  const double error = std::fabs(rounded);
  const bool beyond = error == budget && rest != 0 && std::signbit(rest) == std::signbit(rounded);
  return {!(error <= budget) || beyond ? "outside budget" : nullptr, error};
}

Judged judge_number(double got, const Wanted& want, bool signed_zero) {
  if (std::isnan(want.value)) {
    return std::isnan(got) ? Judged{} : Judged{"a number where NaN is wanted", kInfinity};
  }
  if (std::isnan(got)) return {"NaN where a number is wanted", kInfinity};
  if (std::isinf(want.value)) {
    if (got == want.value) return {};
    return {std::isinf(got) ? "infinity of the wrong sign" : "finite where infinity is wanted",
            kInfinity};
  }
  if (std::isinf(got)) {
    const bool admitted = want.may_overflow && std::signbit(got) == std::signbit(want.value);
    return admitted ? Judged{} : Judged{"infinity where a finite number is wanted", kInfinity};
  }
  const bool signs_count = signed_zero && want.value == 0 && want.budget == 0 && got == 0;
  if (signs_count && std::signbit(got) != std::signbit(want.value)) {
    return {"zero of the wrong sign", 0};
  }
  return judge_difference(got, want.value, want.budget);
}

// The arithmetic allows anything: any finite value, or a class that is itself open.
bool is_unbounded(const Wanted& want) {
  return std::isinf(want.budget) && !std::isnan(want.value) &&
         (!std::isinf(want.value) || want.may_overflow);
}

double ratio_of(const Judged& judged, double budget) {
  if (judged.fault == nullptr) return judged.error == 0 ? 0 : judged.error / budget;
  if (judged.error == 0 || budget == 0 || std::isinf(judged.error)) return kInfinity;
  // The quotient of a failure just outside may round to 1.
  return std::max(judged.error / budget, std::nextafter(1.0, 2.0));
}

void note_worst(Comparison& c, Index at, const Judged& judged, double budget) {
  const double ratio = ratio_of(judged, budget);
  if (!(ratio > c.worst_ratio)) return;
  c.worst_ratio = ratio;
  c.worst_error = judged.error;
  c.worst_budget = budget;
  c.worst = at;
}

void note_failure(Comparison& c, Index at, double got, const Wanted& want, std::string reason) {
  if (c.failed++ > 0) return;
  c.first_failed = at;
  c.got = got;
  c.want = want.value;
  c.budget = want.budget;
  c.reason = std::move(reason);
}

double lower_median(std::vector<double>& values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

template <class Want>
void note_majority(Comparison& c, std::span<const Want> wanted, auto value_if_judged) {
  Majority majority;
  for (const Want& want : wanted) value_if_judged(want, [&](double v) { majority.vote(v); });
  for (const Want& want : wanted) value_if_judged(want, [&](double v) { majority.count(v); });
  c.majority_share = majority.share();
  c.majority_value = majority.value();
}

}  // namespace

Comparison wrong_length(std::size_t got, std::size_t want) {
  Comparison c;
  c.failed = static_cast<Index>(std::max(got, want) - std::min(got, want));
  c.worst_ratio = kInfinity;
  c.reason = std::to_string(got) + " elements where " + std::to_string(want) + " are wanted";
  return c;
}

Comparison compare_numbers(std::span<const double> got, std::span<const Wanted> wanted,
                           bool signed_zero) {
  if (got.size() != wanted.size()) return wrong_length(got.size(), wanted.size());
  Comparison c;
  std::vector<double> budgets;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const Wanted& want = wanted[i];
    if (!want.usable) {
      ++c.unusable;
      continue;
    }
    PLUMB_REQUIRE(want.budget >= 0, i, want.value, want.budget);
    if (is_unbounded(want)) {
      ++c.unbounded;
      continue;
    }
    ++c.judged;
    if (want.loose) ++c.loose;
    if (std::isfinite(want.value)) {
      budgets.push_back(want.budget);
      c.largest_want = std::max(c.largest_want, std::fabs(want.value));
    }
    const Judged judged = judge_number(got[i], want, signed_zero);
    note_worst(c, static_cast<Index>(i), judged, want.budget);
    if (judged.fault != nullptr) note_failure(c, static_cast<Index>(i), got[i], want, judged.fault);
  }
  c.median_budget = lower_median(budgets);
  note_majority(c, wanted, [](const Wanted& want, auto use) {
    if (want.usable && !is_unbounded(want)) use(want.value);
  });
  return c;
}

Comparison compare_integers(std::span<const std::int64_t> got, std::span<const std::int64_t> want) {
  if (got.size() != want.size()) return wrong_length(got.size(), want.size());
  Comparison c;
  c.judged = static_cast<Index>(want.size());
  for (std::size_t i = 0; i < want.size(); ++i) {
    c.largest_want = std::max(c.largest_want, std::fabs(static_cast<double>(want[i])));
    if (got[i] == want[i]) continue;
    note_worst(c, static_cast<Index>(i), {"differs", kInfinity}, 0);
    note_failure(c, static_cast<Index>(i), static_cast<double>(got[i]),
                 {static_cast<double>(want[i]), 0},
                 std::to_string(got[i]) + " where " + std::to_string(want[i]) + " is wanted");
  }
  note_majority(c, want, [](std::int64_t v, auto use) { use(static_cast<double>(v)); });
  return c;
}

Decision decide(const Comparison& c, bool may_be_one_value) {
  if (c.failed > 0) return {Ruling::kFail, c.reason};
  if (c.judged == 0 && c.unusable > 0) {
    return {Ruling::kUntested, "the reference cannot vouch for any element"};
  }
  if (c.judged == 0) return {Ruling::kVacuous, "no element was judged"};
  // In tenths of integers: no rounding decides.
  if (c.judged < (c.judged + c.unbounded + c.unusable + 9) / 10) {
    return {Ruling::kVacuous, "fewer than a tenth of the elements could be judged"};
  }
  const bool repeats = c.judged > 1 || c.majority_value == 0;
  if (!may_be_one_value && repeats && c.majority_share >= 0.9) {
    return {Ruling::kVacuous, "one value makes up nine tenths of what is wanted"};
  }
  return {Ruling::kPass, ""};
}

Comparison compare_orders(std::span<const std::int64_t> got, std::span<const std::int64_t> keys) {
  if (got.size() != keys.size()) return wrong_length(got.size(), keys.size());
  std::vector<std::int64_t> sorted(keys.begin(), keys.end());
  std::ranges::sort(sorted);
  // Along the order the keys must be the sorted keys; a position outside or met before has no key.
  constexpr std::int64_t kNoKey = std::numeric_limits<std::int64_t>::min();
  std::vector<std::int64_t> along(got.size(), kNoKey);
  std::vector<char> met(keys.size());
  for (std::size_t p = 0; p < got.size(); ++p) {
    if (got[p] < 0 || got[p] >= static_cast<std::int64_t>(keys.size())) continue;
    const auto position = static_cast<std::size_t>(got[p]);
    if (met[position] == 0) along[p] = keys[position];
    met[position] = 1;
  }
  Comparison c = compare_integers(along, sorted);
  if (c.failed > 0) c.reason = "not an order that sorts the keys";
  return c;
}

}  // namespace plumb::conformance
