// SPDX-License-Identifier: Apache-2.0
// Selections of the largest scores, as the stages make them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "reference/scalar/arithmetic.h"

namespace plumb::reference {

template <class T>
bool ranks_before(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, Tracked>) {
    return a.value > b.value;
  } else {
    return a > b;
  }
}

template <class T>
bool is_nan(const T& v) {
  if constexpr (std::is_same_v<T, Tracked>) {
    return v.value.is_nan();
  } else if constexpr (std::is_same_v<T, double>) {
    return std::isnan(v);
  } else {
    return v.is_nan();
  }
}

// Indices of the k largest scores, largest first, equal scores by ascending index. NaN ranks last.
template <class T>
std::vector<std::int64_t> largest(const std::vector<T>& scores, std::int64_t k) {
  std::vector<std::int64_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return ranks_before(scores[static_cast<std::size_t>(a)], scores[static_cast<std::size_t>(b)]);
  });
  order.resize(static_cast<std::size_t>(k));
  return order;
}

}  // namespace plumb::reference
