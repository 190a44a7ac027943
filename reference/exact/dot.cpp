// SPDX-License-Identifier: Apache-2.0
#include "reference/exact/dot.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "reference/exact/buckets.h"
#include "reference/exact/codes.h"
#include "reference/exact/summation.h"

namespace plumb::exact {
namespace {

template <class T>
T finished(const Arithmetic& arithmetic, const auto& sum, const SumShape& shape,
           double magnitudes) {
  if constexpr (std::is_same_v<T, Tracked>) {
    return tracked_sum(arithmetic, sum.template to_wide<Real>(), shape, magnitudes);
  } else if constexpr (std::is_same_v<T, double>) {
    return sum.to_double();
  } else {
    return sum.template to_wide<T>();
  }
}

double at(const Line& line, Index i) {
  return load(line.data, line.dtype, line.first + i * line.stride);
}

// Sums of any doubles: wide mantissas, NaN, infinities.
template <class T>
T double_dot(const Arithmetic& arithmetic, const Line& a, const Line* b) {
  Accumulator accumulator;
  double magnitudes = 0;
  for (Index i = 0; i < a.size; ++i) {
    const double x = at(a, i);
    const double y = b != nullptr ? at(*b, i) : 1.0;
    accumulator.add_product(x, y);
    magnitudes += std::fabs(x * y);
  }
  const int extra = (a.dtype == Dtype::kF64) + (b != nullptr && b->dtype == Dtype::kF64);
  return finished<T>(arithmetic, accumulator, {a.size, b != nullptr, extra}, magnitudes);
}

template <class T>
T wide_at(const Arithmetic& arithmetic, const Line& line, Index i) {
  if (line.dtype != kDtypeOf<T>) return lifted<T>(arithmetic, at(line, i));
  return reinterpret_cast<const T*>(line.data)[line.first + i * line.stride];
}

// Sums the reference's values: exactly while they are doubles of a moderate size, as whatever a
// reading stores is, else at 100 digits.
class ValueSum {
 public:
  void add(const Real& x, const Real& y) {
    const double dx = x.to_double();
    const double dy = y.to_double();
    if (fits(x, dx) && fits(y, dy)) {
      exact_.add_product(dx, dy);
    } else {
      rest_ += RealWide(x) * RealWide(y);
      inexact_ = true;
    }
  }
  // The sum; `own` is the bound of its own error.
  Real value(double* own) {
    const RealWide total = exact_.to_wide<RealWide>() + rest_;
    const Real sum = inexact_ ? Real(total) : exact_.to_wide<Real>();
    const bool rounded = inexact_ || !(RealWide(sum) == total);
    *own = rounded ? std::fabs(sum.to_double()) * std::ldexp(1.0, 1 - Real::kBits) : 0;
    return sum;
  }

 private:
  static bool fits(const Real& v, double d) {
    const double m = std::fabs(d);
    return Real(d) == v && (m == 0 || std::isinf(m) || (m > 0x1p-400 && m < 0x1p400));
  }
  Accumulator exact_;
  RealWide rest_;
  bool inexact_ = false;
};

struct Factors {
  Tracked a, b;
};

// sum of products whose own rounding belongs to the sum's bound.
Tracked tracked_terms(const Arithmetic& arithmetic, const SumShape& shape, auto factors) {
  ValueSum sum;
  Tracked r(Real(), &arithmetic.contract);
  double magnitudes = 0;  // the most that a candidate adds
  for (Index i = 0; i < shape.terms; ++i) {
    const Factors f = factors(i);
    sum.add(f.a.value, f.b.value);
    const double ma = std::fabs(f.a.value.to_double());
    const double mb = std::fabs(f.b.value.to_double());
    const auto passed_on = [&](double ea, double eb) {
      return ea == 0 && eb == 0 ? 0 : ma * eb + mb * ea + ea * eb;
    };
    const double error = passed_on(f.a.error, f.b.error);
    r.error += error;
    r.slack += passed_on(f.a.slack, f.b.slack);
    r.flags |= f.a.flags | f.b.flags;
    magnitudes += ma * mb + error;
  }
  double own = 0;
  r.value = sum.value(&own);
  if (r.value.is_nan() || r.value.is_infinite()) {
    r.error = r.slack = 0;
    return r;
  }
  // The factor covers the rounding of these sums themselves.
  const double inflate = 1 + 0x1p-40 + static_cast<double>(shape.terms) * 0x1p-52;
  r.slack = (r.slack + own) * inflate;
  r.error = r.error * inflate + summation_error(arithmetic.contract, shape, magnitudes);
  check_range(r, magnitudes);
  return r;
}

template <class T>
T wide_sum(const Arithmetic& arithmetic, const SumShape& shape, auto term) {
  if constexpr (std::is_same_v<T, Tracked>) {
    return tracked_terms(arithmetic, shape, [&](Index i) { return Factors{term(i), Tracked(1)}; });
  } else if constexpr (std::is_same_v<T, double>) {
    Accumulator accumulator;
    for (Index i = 0; i < shape.terms; ++i) accumulator.add(term(i));
    return accumulator.to_double();
  } else {
    RealWide total;
    for (Index i = 0; i < shape.terms; ++i) total += RealWide(term(i));
    return T(total);
  }
}

// What no term can hold.
template <class T>
T general_dot(const Arithmetic& arithmetic, const Line& a, const Line& b) {
  if (!is_wide(a.dtype) && !is_wide(b.dtype)) return double_dot<T>(arithmetic, a, &b);
  const auto factor = [&](const Line& line, Index i) { return wide_at<T>(arithmetic, line, i); };
  if constexpr (std::is_same_v<T, Tracked>) {
    return tracked_terms(arithmetic, {a.size, true}, [&](Index i) {
      return Factors{factor(a, i), factor(b, i)};
    });
  } else {
    return wide_sum<T>(arithmetic, {a.size, true},
                       [&](Index i) { return factor(a, i) * factor(b, i); });
  }
}

// A reader of the line, which is decoded into `room` where it cannot be read as it lies. None: no
// terms.
std::optional<Reader> reader_of(const Line& line, Terms& room) {
  if (const auto direct = Reader::of(line)) return direct;
  room = terms_of(line);
  if (!room.valid) return {};
  return Reader::of(room);
}

// None: a NaN or an infinity was met.
template <class T>
std::optional<T> reader_dot(const Arithmetic& arithmetic, const Reader& a, const Reader& b,
                            SumShape shape) {
  const int precision = arithmetic.contract.accumulator.precision;
  shape.extra = (a.bits() > precision) + (b.bits() > precision);
  Buckets<std::is_same_v<T, Tracked>> buckets;
  if (!buckets.add_dot(a, b, shape.terms)) return {};
  return finished<T>(arithmetic, buckets.sum(), shape, buckets.magnitudes());
}

const std::uint8_t* codes_of(const Line& line) {
  const bool readable = line.dtype == Dtype::kFp8E4m3fn && line.stride == 1;
  return readable ? reinterpret_cast<const std::uint8_t*>(line.data) + line.first : nullptr;
}

template <class T>
std::optional<T> codes_dot(const Arithmetic& arithmetic, const std::uint8_t* a,
                           const std::uint8_t* b, Index n) {
  CodeSums<std::is_same_v<T, Tracked>> sums;
  NarrowSum sum;
  double magnitudes = 0;
  for (Index i = 0; i < n; i += kCodeRun) {
    sums.run(a + i, b + i, std::min(kCodeRun, n - i));
    sum.add(sums.total, kCodeProductExponent);
    magnitudes += std::ldexp(static_cast<double>(sums.magnitudes), kCodeProductExponent);
  }
  if (sums.special) return {};
  return finished<T>(arithmetic, sum, {n, true}, magnitudes);
}

template <class T>
std::optional<T> scaled_codes_dot(const Arithmetic& arithmetic, const ScaledLine& a,
                                  const ScaledLine& b) {
  const std::uint8_t* const x = codes_of(a.codes);
  const std::uint8_t* const y = codes_of(b.codes);
  const Terms sx = terms_of(a.scales);
  const Terms sy = terms_of(b.scales);
  if (x == nullptr || y == nullptr || !sx.valid || !sy.valid || a.block > kCodeRun) return {};
  CodeSums<std::is_same_v<T, Tracked>> sums;
  NarrowSum sum;
  double magnitudes = 0;
  std::size_t k = 0;
  for (Index begin = 0; begin < a.codes.size; begin += a.block, ++k) {
    sums.run(x + begin, y + begin, std::min(a.block, a.codes.size - begin));
    const __int128 scale = static_cast<__int128>(sx.mantissa[k]) * sy.mantissa[k];
    const int exponent = sx.exponent[k] + sy.exponent[k] - 2 * kTermBias + kCodeProductExponent;
    sum.add_wide(scale * sums.total, exponent);
    magnitudes += std::ldexp(
        std::fabs(static_cast<double>(scale)) * static_cast<double>(sums.magnitudes), exponent);
  }
  if (sums.special) return {};
  return finished<T>(arithmetic, sum, {a.codes.size, true, 2}, magnitudes);
}

}  // namespace

Prepared::Prepared(const Line& line) : terms_(terms_of(line)), line_(line) {}
Prepared::Prepared(const Line& codes, const Line& scales, Index block)
    : terms_(scaled_terms(codes, scales, block)), line_(codes), scales_(scales), block_(block) {}

Line Prepared::line(std::vector<double>& room) const {
  if (block_ == 0) return line_;
  room.resize(static_cast<std::size_t>(line_.size));
  for (Index i = 0; i < line_.size; ++i) {
    room[static_cast<std::size_t>(i)] = at(line_, i) * at(scales_, i / block_);
  }
  return {reinterpret_cast<const std::byte*>(room.data()), Dtype::kF64, 0, 1, line_.size};
}

template <class T>
T dot(const Arithmetic& arithmetic, const Line& a, const Line& b) {
  PLUMB_REQUIRE(a.size == b.size, a.size, b.size);
  const std::uint8_t* const x = codes_of(a);
  const std::uint8_t* const y = codes_of(b);
  std::optional<T> r;
  if (x != nullptr && y != nullptr) {
    r = codes_dot<T>(arithmetic, x, y, a.size);
  } else {
    Terms room_a, room_b;
    const auto reader_a = reader_of(a, room_a);
    const auto reader_b = reader_a ? reader_of(b, room_b) : std::nullopt;
    if (reader_b) r = reader_dot<T>(arithmetic, *reader_a, *reader_b, {a.size, true});
  }
  return r ? *r : general_dot<T>(arithmetic, a, b);
}

template <class T>
T dot(const Arithmetic& arithmetic, const Prepared& a, const Prepared& b) {
  PLUMB_REQUIRE(a.size() == b.size(), a.size(), b.size());
  if (a.terms().valid && b.terms().valid) {
    return *reader_dot<T>(arithmetic, Reader::of(a.terms()), Reader::of(b.terms()),
                          {a.size(), true});
  }
  std::vector<double> room_a, room_b;
  return general_dot<T>(arithmetic, a.line(room_a), b.line(room_b));
}

template <class T>
T scaled_dot(const Arithmetic& arithmetic, const ScaledLine& a, const ScaledLine& b) {
  PLUMB_REQUIRE(a.codes.size == b.codes.size && a.block == b.block && a.block > 0, a.codes.size,
                b.codes.size, a.block, b.block);
  PLUMB_REQUIRE(a.scales.size * a.block >= a.codes.size && b.scales.size * b.block >= b.codes.size,
                a.scales.size, b.scales.size, a.codes.size);
  if (const auto r = scaled_codes_dot<T>(arithmetic, a, b)) return *r;
  return dot<T>(arithmetic, Prepared(a.codes, a.scales, a.block),
                Prepared(b.codes, b.scales, b.block));
}

template <class T>
T sum(const Arithmetic& arithmetic, const Line& a) {
  Terms room;
  if (const auto reader = reader_of(a, room)) {
    const auto r = reader_dot<T>(arithmetic, *reader, Reader::ones(), {a.size, false});
    if (r) return *r;
  }
  if (!is_wide(a.dtype)) return double_dot<T>(arithmetic, a, nullptr);
  return wide_sum<T>(arithmetic, {a.size, false},
                     [&](Index i) { return wide_at<T>(arithmetic, a, i); });
}

template <class T>
T sum(const Arithmetic& arithmetic, std::span<const T> terms) {
  return wide_sum<T>(arithmetic, {static_cast<Index>(terms.size()), false},
                     [&](Index i) { return terms[static_cast<std::size_t>(i)]; });
}

#define PLUMB_INSTANTIATE(T)                                                      \
  template T dot(const Arithmetic&, const Line&, const Line&);                    \
  template T dot(const Arithmetic&, const Prepared&, const Prepared&);            \
  template T scaled_dot(const Arithmetic&, const ScaledLine&, const ScaledLine&); \
  template T sum(const Arithmetic&, const Line&);                                 \
  template T sum(const Arithmetic&, std::span<const T>);
PLUMB_INSTANTIATE(double)
PLUMB_INSTANTIATE(Real)
PLUMB_INSTANTIATE(RealWide)
PLUMB_INSTANTIATE(Tracked)

}  // namespace plumb::exact
