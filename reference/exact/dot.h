// SPDX-License-Identifier: Apache-2.0
// Sums that are exact. Where both operands are stored numbers, every product is added without
// rounding and the sum is converted once: to double by nearest-even, to a wide type by rounding to
// odd, so that a single later rounding to any narrower format is right. So it is with wide operands
// that happen to be stored numbers, as a rounding point leaves them (for Tracked: without error).
// With any other wide operand the sum runs at 100 digits. A Tracked sum carries, besides its
// operands' errors, the contract's bound on the whole sum,
//   gamma_k sum |a_i b_i|,  gamma_k = k u / (1 - k u),
// k: the contract's depth, one for the products unless they are fused, and one for each operand
// that the accumulator's format cannot hold (a code times its scale). NaN and infinities propagate
// as in IEEE arithmetic (inf - inf and 0 * inf are NaN), without error.
//
// Cost, ns a term at 7168 terms: prepared lines and E4M3 by E4M3 0.7, scaled E4M3 blocks 0.8, BF16
// and E4M3 1.0, F32 1.4, F64 with full mantissas 12; each sum costs about 0.4 us besides. A line
// that takes part in many sums is best prepared (1.0 a term, once).
#pragma once

#include <span>

#include "reference/exact/operand.h"
#include "reference/exact/terms.h"

namespace plumb::exact {

// A line decoded once for many sums: a token's activations against every row of a weight, a row of
// a weight against every token. Refers to the line's elements, which must outlive it.
class Prepared {
 public:
  explicit Prepared(const Line& line);
  // codes[i] * scales[i / block], unrounded: 28 bits for E4M3 and F32.
  Prepared(const Line& codes, const Line& scales, Index block);

  Index size() const { return line_.size; }
  const Terms& terms() const { return terms_; }
  // The same elements as a line; those of scaled codes are written to `room`.
  Line line(std::vector<double>& room) const;

 private:
  Terms terms_;
  Line line_;
  Line scales_{};
  Index block_ = 0;  // 0: no scales
};

// sum_i a[i] * b[i]
template <class T>
T dot(const Arithmetic& arithmetic, const Line& a, const Line& b);
template <class T>
T dot(const Arithmetic& arithmetic, const Prepared& a, const Prepared& b);

// Codes with a scale for each `block` of them.
struct ScaledLine {
  Line codes;
  Line scales;
  Index block;
};
// sum_k scale_a[k] * scale_b[k] * (sum of block k of a[i] * b[i]), exact inside; equal blocks. The
// bound has two roundings more, for the scales.
template <class T>
T scaled_dot(const Arithmetic& arithmetic, const ScaledLine& a, const ScaledLine& b);

// sum_i a[i]
template <class T>
T sum(const Arithmetic& arithmetic, const Line& a);

// sum_i terms[i] of values already in T (at 100 digits when wide).
template <class T>
T sum(const Arithmetic& arithmetic, std::span<const T> terms);

}  // namespace plumb::exact
