// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "conformance/compare/compare.h"
#include "conformance/compare/majority.h"
#include "reference/base/require.h"

namespace plumb::conformance {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// One end of an interval, exactly: the rounded sum and what rounding left over (two-sum). Compared
// in that order, pairs order as the exact sums do.
using End = std::pair<double, double>;

End exact_sum(double a, double b) {
  const double sum = a + b;
  if (std::isinf(a) || std::isinf(sum)) return {std::isinf(a) ? a : sum, 0};
  const double shift = sum - a;
  return {sum, (a - (sum - shift)) + (b - shift)};
}
End upper(const ScoreInterval& s) { return exact_sum(s.value, s.error); }
End lower(const ScoreInterval& s) { return exact_sum(s.value, -s.error); }

void fail(SelectionRow& row, std::size_t position, std::string reason) {
  if (row.failed++ > 0) return;
  row.first_failed = static_cast<Index>(position);
  row.reason = std::move(reason);
}

// Marks the members; false when one is out of range or repeated.
bool mark_members(std::span<const std::int64_t> chosen, std::vector<char>& member,
                  SelectionRow& row) {
  const auto n = static_cast<std::int64_t>(member.size());
  for (std::size_t p = 0; p < chosen.size(); ++p) {
    if (chosen[p] < 0 || chosen[p] >= n) {
      fail(row, p, fmt::format("index {} is out of range 0..{}", chosen[p], n - 1));
    } else if (member[static_cast<std::size_t>(chosen[p])] != 0) {
      fail(row, p, fmt::format("index {} is chosen twice", chosen[p]));
    } else {
      member[static_cast<std::size_t>(chosen[p])] = 1;
    }
  }
  return row.failed == 0;
}

// All indices, the reference's own k first: largest score, then lowest index.
std::vector<std::size_t> reference_order(std::span<const ScoreInterval> scores, std::size_t k) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto before = [&](std::size_t a, std::size_t b) {
    return scores[a].value > scores[b].value || (scores[a].value == scores[b].value && a < b);
  };
  std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k), order.end(),
                   before);
  return order;
}

// 0 < k < n.
void describe_choice(std::span<const ScoreInterval> scores, std::size_t k,
                     const std::vector<std::size_t>& order, const std::vector<char>& member,
                     SelectionRow& row) {
  double least = kInfinity, most = -kInfinity;
  End least_lower{kInfinity, 0}, most_upper{-kInfinity, 0};
  for (std::size_t p = 0; p < order.size(); ++p) {
    const ScoreInterval& s = scores[order[p]];
    if (p < k) {
      least = std::min(least, s.value);
      least_lower = std::min(least_lower, lower(s));
      row.flips += member[order[p]] == 0 ? 1 : 0;
    } else {
      most = std::max(most, s.value);
      most_upper = std::max(most_upper, upper(s));
    }
  }
  row.tie_met = least == most;
  row.margin = row.tie_met ? 0 : least - most;  // equal infinities have no difference
  row.open = least_lower < most_upper || (least_lower == most_upper && !row.tie_met);
}

// The index left out that claims most: the largest lower end, of the lowest index among equals.
std::size_t strongest_left_out(std::span<const ScoreInterval> scores,
                               const std::vector<char>& member) {
  std::size_t strongest = scores.size();
  for (std::size_t j = 0; j < scores.size(); ++j) {
    if (member[j] != 0) continue;
    if (strongest == scores.size() || lower(scores[j]) > lower(scores[strongest])) strongest = j;
  }
  return strongest;
}

// At its upper end, a member holds its own against the rival at its lower end.
bool holds(std::size_t member, std::size_t rival, std::span<const ScoreInterval> scores,
           TieRule ties) {
  const End reach = upper(scores[member]);
  const End bar = lower(scores[rival]);
  return reach > bar || (reach == bar && (ties == TieRule::kAny || member < rival));
}

std::string describe_loss(std::size_t member, std::size_t rival,
                          std::span<const ScoreInterval> scores) {
  const bool tie = upper(scores[member]) == lower(scores[rival]);
  return fmt::format("{} ({} +- {}) chosen and {} ({} +- {}) left out{}", member,
                     scores[member].value, scores[member].error, rival, scores[rival].value,
                     scores[rival].error, tie ? "; in a tie the lowest index is to be taken" : "");
}

// One wrong member keeps a right one out, to which the members in between lose too. Blame goes to
// those the reference did not choose, and to the others only if all of these hold their own.
void judge_members(std::span<const std::int64_t> chosen, std::span<const ScoreInterval> scores,
                   const std::vector<std::size_t>& order, std::size_t rival, TieRule ties,
                   SelectionRow& row) {
  std::vector<bool> expected(scores.size());
  for (std::size_t p = 0; p < chosen.size(); ++p) expected[order[p]] = true;
  for (const bool excused : {true, false}) {
    for (std::size_t p = 0; p < chosen.size(); ++p) {
      const auto i = static_cast<std::size_t>(chosen[p]);
      if (expected[i] == excused || holds(i, rival, scores, ties)) continue;
      fail(row, p, describe_loss(i, rival, scores));
    }
    if (row.failed > 0) return;
  }
}

void add_row(Comparison& c, const SelectionRow& row, Index r, Index k,
             std::span<const std::int64_t> ids) {
  (row.untested ? c.unusable : c.judged) += k;
  c.ties += row.tie_met ? 1 : 0;
  c.open_selections += row.open ? 1 : 0;
  if (row.failed > 0 && c.failed == 0) {
    c.first_failed = c.worst = r * k + row.first_failed;
    c.got = static_cast<double>(ids[static_cast<std::size_t>(row.first_failed)]);
    c.reason = row.reason;
    c.worst_ratio = kInfinity;
  }
  c.failed += row.failed;
  if (row.failed == 0) c.flips += row.flips;
  if (!row.untested) c.smallest_margin = std::min(c.smallest_margin, row.margin);
}

}  // namespace

SelectionRow judge_selection(std::span<const std::int64_t> chosen,
                             std::span<const ScoreInterval> scores, TieRule ties) {
  SelectionRow row;
  row.margin = kInfinity;
  std::vector<char> member(scores.size());
  // What is no set of indices is wrong under any scores.
  if (!mark_members(chosen, member, row)) return row;
  for (const ScoreInterval& s : scores) {
    PLUMB_REQUIRE(s.error >= 0 || std::isnan(s.value), s.value, s.error);
    row.untested = row.untested || std::isnan(s.value);
  }
  if (row.untested) {
    row.reason = "a score is NaN";
    return row;
  }
  if (!chosen.empty() && chosen.size() < scores.size()) {
    const auto order = reference_order(scores, chosen.size());
    describe_choice(scores, chosen.size(), order, member, row);
    judge_members(chosen, scores, order, strongest_left_out(scores, member), ties, row);
  }
  row.admissible = row.failed == 0;
  return row;
}

Comparison compare_selections(std::span<const std::int64_t> chosen, Index k,
                              std::span<const ScoreInterval> scores, Index n, TieRule ties) {
  PLUMB_REQUIRE(k >= 0 && n > 0 && scores.size() % static_cast<std::size_t>(n) == 0, k, n,
                scores.size());
  const auto members = static_cast<std::size_t>(k);
  const auto extent = static_cast<std::size_t>(n);
  const std::size_t rows = scores.size() / extent;
  if (chosen.size() != rows * members) return wrong_length(chosen.size(), rows * members);
  Comparison c;
  c.smallest_margin = kInfinity;
  c.majority_share = k == n ? 1 : 0;
  for (std::size_t r = 0; r < rows; ++r) {
    const auto ids = chosen.subspan(r * members, members);
    add_row(c, judge_selection(ids, scores.subspan(r * extent, extent), ties),
            static_cast<Index>(r), k, ids);
  }
  return c;
}

}  // namespace plumb::conformance
