// SPDX-License-Identifier: Apache-2.0
// How routed rows travel when the experts are spread over ranks: counts and cursors, no numbers.
//   each rank sorts its rows by expert (moe_dispatch) and sends each owner its stretch; the owner
//   sorts what arrived by its own experts, runs them, undoes its sort and sends everything back.
// R: ranks, E: experts, E_r: experts of one rank; R divides E.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "reference/tensor/tensor_view.h"

namespace plumb::reference {

using Counts = std::vector<std::int64_t>;

// Which rank of how many.
struct Placement {
  Index ranks, rank;
};
// Without expert parallelism: R = 1, r = 0                                     [R1-075] [R1-076]
constexpr Placement single_process() { return {1, 0}; }

// E_r = floor(E / R)                                                           [R1-073]
constexpr Index experts_per_rank(Index experts, Index ranks) { return experts / ranks; }

// owned[i] = (r E_r <= i < (r+1) E_r), i < E                                   [R1-074]
inline std::vector<bool> owned_experts(const Placement& at, Index experts) {
  const Index own = experts_per_rank(experts, at.ranks);
  std::vector<bool> owned;
  for (Index i = 0; i < experts; ++i)
    owned.push_back(at.rank * own <= i && i < (at.rank + 1) * own);
  return owned;
}

// The expert of all whose number on its rank is i: i + r E_r                   [R1-085]
constexpr Index global_expert(Index i, Index rank, Index own) { return i + rank * own; }

// Sums of the n stretches of equal length.
inline Counts stretch_sums(const Counts& counts, Index n) {
  const auto length = static_cast<std::ptrdiff_t>(counts.size()) / n;
  Counts sums;
  for (auto at = counts.begin(); n > 0; --n, at += length) {
    sums.push_back(std::accumulate(at, at + length, std::int64_t{0}));
  }
  return sums;
}

// Rows that a rank sends to rank q: u[q] = sum_i c[q E_r + i]                  [R1-079]
inline Counts sent_rows(const Counts& counts, Index ranks) { return stretch_sums(counts, ranks); }

// gc: what every rank counted for the experts of `rank`, source by source: the exchange of counts.
inline Counts gathered_counts(const std::vector<Counts>& counts_of_rank, Index rank) {
  const auto ranks = static_cast<Index>(counts_of_rank.size());
  Counts gathered;
  for (const Counts& c : counts_of_rank) {
    const auto own =
        static_cast<std::ptrdiff_t>(experts_per_rank(static_cast<Index>(c.size()), ranks));
    gathered.insert(gathered.end(), c.begin() + rank * own, c.begin() + (rank + 1) * own);
  }
  return gathered;
}

// Rows that arrive from rank q: v[q] = sum_i gc[q E_r + i]                     [R1-080]
inline Counts received_rows(const Counts& gathered, Index ranks) {
  return stretch_sums(gathered, ranks);
}

// Rows of the receive buffer: sum_m gc[m]                                      [R1-081]
inline std::int64_t buffer_rows(const Counts& gathered) {
  return std::accumulate(gathered.begin(), gathered.end(), std::int64_t{0});
}

// Rows of each of the rank's experts: d[i] = sum_q gc[q E_r + i]               [R1-082]
inline Counts rows_of_own_experts(const Counts& gathered, Index own) {
  Counts rows(static_cast<std::size_t>(own));
  for (std::size_t m = 0; m < gathered.size(); ++m) {
    rows[m % static_cast<std::size_t>(own)] += gathered[m];
  }
  return rows;
}

// The rank's own number of each arrived row's expert, from s_0 = 0 on:
//   L[s_m .. s_m + gc[m] - 1] = m mod E_r, s_{m+1} = s_m + gc[m]               [R1-083] [R1-096]
inline Counts arrival_labels(const Counts& gathered, Index own) {
  Counts labels;
  for (std::size_t m = 0; m < gathered.size(); ++m) {
    labels.insert(labels.end(), static_cast<std::size_t>(gathered[m]),
                  static_cast<std::int64_t>(m % static_cast<std::size_t>(own)));
  }
  return labels;
}

// The order that sorts keys; equal keys stay as they are, though any order of theirs is right.
inline std::vector<std::int64_t> sorting_order(const std::vector<std::int64_t>& keys) {
  std::vector<std::int64_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::ranges::stable_sort(order, {},
                           [&](std::int64_t i) { return keys[static_cast<std::size_t>(i)]; });
  return order;
}

// The rows of one expert among rows sorted by expert.
struct RowRange {
  Index begin, end;
};
// a_0 = 0, b_i = a_i + c[i], a_{i+1} = b_i                                     [R1-043] [R1-084]
inline std::vector<RowRange> row_ranges(const Counts& counts) {
  std::vector<RowRange> ranges;
  Index begin = 0;
  for (const std::int64_t c : counts) {
    ranges.push_back({begin, begin + c});
    begin += c;
  }
  return ranges;
}

}  // namespace plumb::reference
