// SPDX-License-Identifier: Apache-2.0
#include "reference/exact/dot.h"

#include <cmath>

#include "reference/exact/accumulator.h"

namespace plumb::exact {
namespace {

template <class T>
T converted(Accumulator& accumulator) {
  if constexpr (std::is_same_v<T, double>) {
    return accumulator.to_double();
  } else {
    return accumulator.to_wide<T>();
  }
}

// Error of a sum of n terms under the contract: gamma_depth times the sum of magnitudes, and what
// underflows in the products.
double summation_error(const Contract& contract, Index n, double magnitudes) {
  const double u = contract.accumulator.unit_roundoff();
  const auto depth = static_cast<double>(contract.sum_depth.value_or(n > 0 ? n - 1 : 0));
  const double roundings = depth + (contract.fused_products ? 0 : 1);
  if (magnitudes == 0) return 0;
  const double gamma = roundings * u < 1 ? roundings * u / (1 - roundings * u) : INFINITY;
  const double floor = contract.flushes_subnormals
                           ? std::ldexp(1.0, contract.accumulator.min_exponent)
                           : contract.accumulator.half_smallest();
  return (gamma * magnitudes + static_cast<double>(n) * floor) * (1 + 0x1p-40);
}

double at(const Line& line, Index i) { return load(line.data, line.dtype, line.first + i * line.stride); }

template <class T>
T wide_at(const Arithmetic& arithmetic, const Line& line, Index i) {
  if (line.dtype != kDtypeOf<T>) return lifted<T>(arithmetic, at(line, i));
  return reinterpret_cast<const T*>(line.data)[line.first + i * line.stride];
}

// Marks a sum whose partial sums may leave the accumulator's range.
void check_range(Tracked& r, double magnitudes) {
  const double limit = r.contract->accumulator.max_finite;
  if (magnitudes + r.error > limit && !r.value.is_nan() && !r.value.is_infinite()) {
    r.error = INFINITY;
    r.flags |= Tracked::kLoose | Tracked::kMayOverflow;
  }
}

template <class T>
T stored_dot(const Arithmetic& arithmetic, const Line& a, const Line* b) {
  Accumulator accumulator;
  double magnitudes = 0;
  for (Index i = 0; i < a.size; ++i) {
    const double x = at(a, i);
    const double y = b != nullptr ? at(*b, i) : 1.0;
    accumulator.add_product(x, y);
    magnitudes += std::fabs(x * y);
  }
  if constexpr (std::is_same_v<T, Tracked>) {
    Tracked r(accumulator.to_wide<Real>(), &arithmetic.contract);
    r.error = summation_error(arithmetic.contract, a.size, magnitudes);
    check_range(r, magnitudes);
    return r;
  } else {
    return converted<T>(accumulator);
  }
}

template <class T>
T wide_sum(const Arithmetic& arithmetic, Index n, auto term) {
  if constexpr (std::is_same_v<T, Tracked>) {
    RealWide total;
    Tracked r;
    double magnitudes = 0;
    for (Index i = 0; i < n; ++i) {
      const Tracked t = term(i);
      total += RealWide(t.value);
      r.error += t.error;
      r.slack += t.slack;
      r.flags |= t.flags;
      magnitudes += std::fabs(t.value.to_double()) + t.error;
    }
    r.value = Real(total);
    r.contract = &arithmetic.contract;
    r.slack += magnitudes * std::ldexp(1.0, 1 - Real::kBits);
    r.error += summation_error(arithmetic.contract, n, magnitudes);
    check_range(r, magnitudes);
    return r;
  } else if constexpr (std::is_same_v<T, double>) {
    Accumulator accumulator;
    for (Index i = 0; i < n; ++i) accumulator.add(term(i));
    return accumulator.to_double();
  } else {
    RealWide total;
    for (Index i = 0; i < n; ++i) total += RealWide(term(i));
    if constexpr (std::is_same_v<T, RealWide>) {
      return total;
    } else {
      return T(total);
    }
  }
}

// The exact product of two tracked values: its rounding belongs to the sum's own bound.
template <class T>
T term_product(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, Tracked>) {
    Tracked x = a;
    Tracked y = b;
    x.contract = y.contract = nullptr;
    return x * y;
  } else {
    return a * b;
  }
}

}  // namespace

template <class T>
T dot(const Arithmetic& arithmetic, const Line& a, const Line& b) {
  PLUMB_REQUIRE(a.size == b.size, a.size, b.size);
  if (!is_wide(a.dtype) && !is_wide(b.dtype)) return stored_dot<T>(arithmetic, a, &b);
  return wide_sum<T>(arithmetic, a.size, [&](Index i) {
    return term_product(wide_at<T>(arithmetic, a, i), wide_at<T>(arithmetic, b, i));
  });
}

template <class T>
T sum(const Arithmetic& arithmetic, const Line& a) {
  if (!is_wide(a.dtype)) return stored_dot<T>(arithmetic, a, nullptr);
  return wide_sum<T>(arithmetic, a.size, [&](Index i) { return wide_at<T>(arithmetic, a, i); });
}

template <class T>
T sum(const Arithmetic& arithmetic, std::span<const T> terms) {
  return wide_sum<T>(arithmetic, static_cast<Index>(terms.size()),
                     [&](Index i) { return terms[static_cast<std::size_t>(i)]; });
}

#define PLUMB_INSTANTIATE(T)                                          \
  template T dot(const Arithmetic&, const Line&, const Line&);        \
  template T sum(const Arithmetic&, const Line&);                     \
  template T sum(const Arithmetic&, std::span<const T>);
PLUMB_INSTANTIATE(double)
PLUMB_INSTANTIATE(Real)
PLUMB_INSTANTIATE(RealWide)
PLUMB_INSTANTIATE(Tracked)

}  // namespace plumb::exact
