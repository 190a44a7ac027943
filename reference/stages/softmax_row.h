// SPDX-License-Identifier: Apache-2.0
// One row of attention weights; shared by the stages that contain a softmax.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "reference/exact/dot.h"

namespace plumb::reference {

// weight(t) = exp(score(t) - M) / sum_u exp(score(u) - M), rounded as the reading stores attention
// weights.
template <class T, class Score, class Weight>
void softmax_row(const Arithmetic& arithmetic, Score score, Index keys, Weight weight) {
  using std::exp;
  // M = max_u s
  T largest = score(0);
  for (Index t = 1; t < keys; ++t) {
    const T s = score(t);
    if (less(largest, s, nullptr)) largest = s;
  }
  largest = without_error(largest);
  // exp(s - M) and their sum
  std::vector<T> terms;
  for (Index t = 0; t < keys; ++t) terms.push_back(exp(score(t) - largest));
  const T total = exact::sum<T>(arithmetic, std::span<const T>(terms));
  // a = exp(s - M) / sum
  for (Index t = 0; t < keys; ++t) {
    weight(t) = stored(arithmetic, Slot::kProbability, "R1-052",
                       terms[static_cast<std::size_t>(t)] / total);
  }
}

}  // namespace plumb::reference
