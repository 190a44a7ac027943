// SPDX-License-Identifier: Apache-2.0
// The one value that makes up more than half of a sequence, found in two passes without memory
// (Boyer and Moore): vote over all, then count over all. All NaNs are one value, and both zeros
// are.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "conformance/compare/compare.h"

namespace plumb::conformance {

class Majority {
 public:
  void vote(double v) {
    if (lead_ == 0) value_ = v;
    lead_ += same(v) ? 1 : -1;
  }
  void count(double v) {
    ++total_;
    if (same(v)) ++matching_;
  }

  // 0 when no value has a majority.
  double share() const {
    const bool has_one = 2 * matching_ > total_;
    return has_one ? static_cast<double>(matching_) / static_cast<double>(total_) : 0;
  }
  double value() const { return share() > 0 ? value_ : 0; }

 private:
  bool same(double v) const { return v == value_ || (std::isnan(v) && std::isnan(value_)); }

  double value_ = 0;
  std::int64_t lead_ = 0;
  std::int64_t total_ = 0;
  std::int64_t matching_ = 0;
};

// A candidate of another length: fails as a whole.
Comparison wrong_length(std::size_t got, std::size_t want);

}  // namespace plumb::conformance
