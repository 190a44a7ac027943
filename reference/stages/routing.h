// SPDX-License-Identifier: Apache-2.0
// The formulas behind the router, one function each; moe_router puts them together.
#pragma once

#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "reference/exact/dot.h"
#include "reference/stages/selection.h"

namespace plumb::reference {

// z = sum_j W[e,j] h[j]                                                        [R1-039] [R1-102]
template <class T>
T router_logit(const Arithmetic& arithmetic, const Line& h, const Line& weight) {
  return stored(arithmetic, Slot::kRouterInput, "R1-039", exact::dot<T>(arithmetic, h, weight));
}

// s = 1 / (1 + exp(-z))                                                        [R1-065] [R1-103]
template <class T>
T affinity(const Arithmetic& arithmetic, const T& z) {
  using std::exp;
  const T one = lifted<T>(arithmetic, 1);
  return stored(arithmetic, Slot::kRouter, "R1-065", one / (one + exp(-z)));
}

// c = s + bias, for the ranking alone; f32 in both codes                       [R1-066] [R1-104]
template <class T>
T biased_affinity(const Arithmetic& arithmetic, const T& s, const T& bias) {
  const T loaded = stored(arithmetic, Slot::kRouterBias, "R1-066", bias);
  return stored(arithmetic, Slot::kRouterBiased, "R1-066", s + loaded);
}

// G = the two largest c of the group, added                                    [R1-067] [R1-105]
// NaN has no rank, so a group that holds one has a score of NaN.
template <class T>
T group_score(const Arithmetic& arithmetic, const std::vector<T>& group) {
  for (const T& c : group) {
    if (is_nan(c)) return c;
  }
  const std::vector<std::int64_t> two = largest(group, 2);
  return stored(arithmetic, Slot::kRouterBiased, "R1-067",
                group[static_cast<std::size_t>(two[0])] + group[static_cast<std::size_t>(two[1])]);
}

// The groups with the largest scores, best first                               [R1-068] [R1-106]
template <class T>
std::vector<std::int64_t> kept_groups(const std::vector<T>& scores, std::int64_t top_groups) {
  return largest(scores, top_groups);
}

// Whether an expert stands in one of the kept groups of `size` experts         [R1-069]
inline bool eligible(std::span<const std::int64_t> kept, std::int64_t size, std::int64_t expert) {
  for (const std::int64_t group : kept) {
    if (group == expert / size) return true;
  }
  return false;
}

// The K experts with the largest masked scores, best first                     [R1-070] [R1-107]
template <class T>
std::vector<std::int64_t> chosen_experts(const std::vector<T>& masked, std::int64_t top_k) {
  return largest(masked, top_k);
}

// a[k] = s[ids[k]], without the bias                                           [R1-108]
template <class T>
std::vector<T> gathered(const std::vector<T>& s, std::span<const std::int64_t> ids) {
  std::vector<T> a;
  for (const std::int64_t e : ids) a.push_back(s[static_cast<std::size_t>(e)]);
  return a;
}

// D = sum_k a[k] + 1e-20 (R1-D16 a)                                            [R1-071]
template <class T>
T denominator(const Arithmetic& arithmetic, std::span<const T> a) {
  T sum = exact::sum<T>(arithmetic, a);
  if (arithmetic.takes("R1-D16", Side::kA)) sum += constant<T>(arithmetic, 1e-20);
  return stored(arithmetic, Slot::kRouterWeight, "R1-071", sum);
}

// w' = a / D                                                                   [R1-072] [R1-109]
template <class T>
T share(const Arithmetic& arithmetic, const T& a, const T& d) {
  return stored(arithmetic, Slot::kRouterWeight, "R1-072", a / d);
}

// w'' = w' lambda                                                              [R1-040] [R1-110]
template <class T>
T scaled_share(const Arithmetic& arithmetic, const T& w, const T& lambda) {
  return stored(arithmetic, Slot::kRouterWeight, "R1-040", w * lambda);
}

}  // namespace plumb::reference
