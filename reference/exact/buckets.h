// SPDX-License-Identifier: Apache-2.0
// One 64-bit integer for each power of two: an exact dot product costs an integer product and one
// addition a term.
#pragma once

#include <array>
#include <cstdint>

#include "reference/exact/accumulator.h"
#include "reference/exact/terms.h"

namespace plumb::exact {

// kMagnitudes: sum |a b| is wanted too.
template <bool kMagnitudes>
class Buckets {
 public:
  // Adds sum_i a[i] b[i]. False when a NaN or an infinity was among them.
  bool add_dot(const Reader& a, const Reader& b, Index n);

  const NarrowSum& sum() const { return sum_; }
  // sum |a[i] b[i]| so far, good to 2^-40.
  double magnitudes() const { return magnitudes_; }

 private:
  static constexpr std::size_t kCount = 2 * kTermExponents;
  using Row = std::array<std::int64_t, kCount>;

  void add_run(const Reader::Run& a, const Reader::Run& b, std::size_t n);
  void empty();

  // Neighbours often share an exponent; two rows keep their additions from waiting for each other.
  Row even_{};
  Row odd_{};
  std::conditional_t<kMagnitudes, Row, std::array<std::int64_t, 0>> absolute_{};
  NarrowSum sum_;
  double magnitudes_ = 0;
};

}  // namespace plumb::exact
