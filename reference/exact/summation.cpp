// SPDX-License-Identifier: Apache-2.0
#include "reference/exact/summation.h"

#include <algorithm>
#include <cmath>

namespace plumb::exact {

double summation_error(const Contract& contract, const SumShape& shape, double magnitudes) {
  if (magnitudes == 0) return 0;
  const auto n = static_cast<double>(shape.terms);
  const bool rounds_products = shape.products && !contract.fused_products;
  // A chain of fused operations of unknown order starts by rounding the first product.
  const Index longest = shape.terms - 1 + (shape.products && !rounds_products ? 1 : 0);
  const Index depth = std::min<Index>(contract.sum_depth.value_or(longest), longest);
  const double roundings = static_cast<double>(depth) + (rounds_products ? 1 : 0) + shape.extra;
  const double u = contract.accumulator.unit_roundoff();
  const double gamma = roundings * u < 1 ? roundings * u / (1 - roundings * u) : INFINITY;
  // What underflows: each product and scaling; additions only where subnormals are flushed.
  const double smallest =
      contract.flushes_subnormals ? n * std::ldexp(1.0, contract.accumulator.min_exponent) : 0;
  const double steps = (shape.products ? 1 : 0) + shape.extra;
  const double underflow =
      n * steps * contract.accumulator.half_smallest() + (1 + steps) * smallest;
  // The last factor covers the rounding of this and of the magnitudes' own sum.
  return (gamma * magnitudes + underflow * (1 + gamma)) * (1 + 0x1p-40 + n * 0x1p-52);
}

void check_range(Tracked& r, double magnitudes) {
  const double limit = r.contract->accumulator.max_finite;
  if (!(magnitudes + r.error <= limit)) {
    r.error = INFINITY;
    r.flags |= Tracked::kLoose | Tracked::kMayOverflow;
  }
}

Tracked tracked_sum(const Arithmetic& arithmetic, const Real& value, const SumShape& shape,
                    double magnitudes) {
  Tracked r(value, &arithmetic.contract);
  // A NaN or an infinity among the operands decides the class; there is no distance to it.
  if (value.is_nan() || value.is_infinite()) return r;
  r.error = summation_error(arithmetic.contract, shape, magnitudes);
  check_range(r, magnitudes);
  return r;
}

}  // namespace plumb::exact
