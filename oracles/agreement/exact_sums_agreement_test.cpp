// SPDX-License-Identifier: Apache-2.0
// reference/exact against FLINT rationals, bit for bit.
#include <gtest/gtest.h>

#include <cmath>

#include "oracles/agreement/agreement.h"
#include "oracles/agreement/inputs.h"
#include "oracles/exact/element.h"
#include "oracles/exact/rounding.h"
#include "reference/exact/dot.h"
#include "reference/registry/readings.h"

namespace plumb::oracles {
namespace {

const Contract kContract;

Arithmetic plain() { return {*find_reading("real"), kContract}; }

Line whole(const AnyTensor& t) { return {t.bytes(), t.dtype(), 0, t.strides()[0], t.extent(0)}; }

Rational from_double(double v) {
  int exponent = 0;
  const auto integer = static_cast<long>(std::ldexp(std::frexp(v, &exponent), 53));
  return Rational::dyadic(integer, exponent - 53);
}

Rational value(const AnyTensor& t, Index i) {
  if (t.dtype() == Dtype::kF64) return from_double(t.data<double>()[t.offset_of(i)]);
  return element(t, i).rational();
}

Rational rational_dot(const AnyTensor& a, const AnyTensor& b) {
  Rational sum;
  for (Index i = 0; i < a.size(); ++i) sum = sum + value(a, i) * value(b, i);
  return sum;
}

template <class T>
Rational rational(const T& v) {
  Rational sum;
  for (const Dyadic& part : parts_of(v)) {
    sum = sum + from_double(part.mantissa).times_power_of_two(part.exponent);
  }
  return sum;
}

// q cut to `bits` bits, the last one set when something was cut off.
Rational odd_rounding(const Rational& q, int bits) {
  if (q.sign() == 0) return q;
  const long last_bit = q.exponent() - bits + 1;
  const Rational scaled = q.magnitude().times_power_of_two(-last_bit);
  Rational cut;
  fmpz_fdiv_q(fmpq_numref(cut.raw()), fmpq_numref(scaled.raw()), fmpq_denref(scaled.raw()));
  if (!(cut == scaled)) fmpz_setbit(fmpq_numref(cut.raw()), 0);
  const Rational r = cut.times_power_of_two(last_bit);
  return q.sign() < 0 ? Rational(0) - r : r;
}

void expect_double(const Rational& want, double got, const std::string& what) {
  if (want.sign() == 0) {
    EXPECT_EQ(got, 0) << what;
    return;
  }
  const long last_bit = std::max(want.exponent(), -1022l) - 52;
  const Rational r =
      want.times_power_of_two(-last_bit).nearest_integer().times_power_of_two(last_bit);
  if (r.magnitude() >= Rational::dyadic(1, 1024)) {
    EXPECT_EQ(got, want.sign() < 0 ? -INFINITY : INFINITY) << what;
  } else {
    ASSERT_TRUE(std::isfinite(got)) << what;
    EXPECT_TRUE(from_double(got) == r) << what << ": " << got;
  }
}

// One later rounding of the sum must be the rounding of the sum.
void expect_roundings(const Rational& want, const Real& got, const std::string& what) {
  const std::pair<Format, Target> kPairs[] = {
      {kF32, Target::kF32}, {kBf16, Target::kBf16}, {kE4m3Saturating, Target::kE4m3}};
  for (const auto& [format, target] : kPairs) {
    const Number direct = rounded(want, target);
    const Real later = round_to(format, got);
    if (direct.kind() == Number::Kind::kRational) {
      ASSERT_FALSE(later.is_nan() || later.is_infinite()) << what;
      EXPECT_TRUE(rational(later) == direct.rational()) << what << " to " << format.name;
    } else {
      EXPECT_TRUE(later.is_infinite() && later.is_negative() == (want.sign() < 0)) << what;
    }
  }
}

void expect_sum(const Rational& want, const std::string& what, double quick, const Real& real,
                const RealWide& wide, const Tracked& tracked) {
  expect_double(want, quick, what);
  EXPECT_TRUE(rational(real) == odd_rounding(want, Real::kBits)) << what;
  EXPECT_TRUE(rational(wide) == odd_rounding(want, RealWide::kBits)) << what;
  EXPECT_TRUE(tracked.value == real) << what;
  expect_roundings(want, real, what);
}

void expect_exact(const AnyTensor& a, const AnyTensor& b, const std::string& what) {
  const Rational want = rational_dot(a, b);
  const Line x = whole(a);
  const Line y = whole(b);
  expect_sum(want, what, exact::dot<double>(plain(), x, y), exact::dot<Real>(plain(), x, y),
             exact::dot<RealWide>(plain(), x, y), exact::dot<Tracked>(plain(), x, y));
  const exact::Prepared p(x), q(y);
  expect_sum(want, what + ", prepared", exact::dot<double>(plain(), p, q),
             exact::dot<Real>(plain(), p, q), exact::dot<RealWide>(plain(), p, q),
             exact::dot<Tracked>(plain(), p, q));
}

AnyTensor f64(const std::vector<double>& values) { return AnyTensor::of(values); }

TEST(ExactDot, AnyBitPatternOfEveryPairOfTypes) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Index n = static_cast<Index>(random_bits(seed, 999) % 130);
    const AnyTensor lines[] = {wild_f32(seed, {n}), wild_bf16(seed + 50, {n}),
                               random_e4m3(seed + 100, {n}), random_f32(seed + 150, {n})};
    for (const AnyTensor& a : lines) {
      for (const AnyTensor& b : lines) {
        expect_exact(a, b,
                     std::string(name_of(a.dtype())) + " x " + std::string(name_of(b.dtype())) +
                         " seed " + std::to_string(seed));
      }
    }
  }
}

TEST(ExactDot, EmptyAndSingle) {
  expect_exact(f32({}, {0}), f32({}, {0}), "n = 0");
  expect_exact(f32({0x1p-149f}, {1}), f32({-0x1p-149f}, {1}), "smallest squared");
  expect_exact(f32({3.4028235e38f}, {1}), f32({3.4028235e38f}, {1}), "largest squared");
  expect_exact(f32({0}, {1}), f32({-1}, {1}), "zero");
}

TEST(ExactDot, MirroredTermsLeaveTheOneThatHasNoPartner) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    std::vector<float> a, b;
    for (std::uint64_t i = 0; i < 40; ++i) {
      a.insert(a.end(), {any_f32(seed, i), any_f32(seed, i)});
      b.insert(b.end(), {any_f32(seed + 99, i), -any_f32(seed + 99, i)});
    }
    expect_exact(f32(a, {80}), f32(b, {80}), "mirrored");
    a.insert(a.begin() + 33, 1e-20f);
    b.insert(b.begin() + 33, -1e-20f);
    expect_exact(f32(a, {81}), f32(b, {81}), "mirrored and 1e-40");
  }
}

TEST(ExactDot, CancellationOf1e38Leaves1eMinus20) {
  expect_exact(f32({1e38f, 1e-20f, -1e38f}, {3}), f32({1, 1, 1}, {3}), "by hand");
  expect_exact(f32({1e38f, 0x1p-149f, -1e38f}, {3}), f32({1e38f, 0x1p-149f, 1e38f}, {3}),
               "extreme");
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    std::vector<float> a, b;
    for (std::uint64_t i = 0; i < 64; ++i) {
      const bool large = i % 3 != 0;
      a.push_back(uniform(seed, i) * (large ? 1e38f : 1e-20f));
      b.push_back(large ? (i % 3 == 1 ? 1.0f : -1.0f) : uniform(seed + 7, i));
      if (i % 3 == 2) a[i] = a[i - 1];
    }
    expect_exact(f32(a, {64}), f32(b, {64}), "seed " + std::to_string(seed));
  }
}

// Longer than a bucket may go without being emptied.
TEST(ExactDot, ManyMaximaDoNotOverflow) {
  const Index n = 70001;
  const AnyTensor largest = f32({3.4028235e38f}, {1}).broadcast(0, n).copied();
  const AnyTensor lowest = f32({-3.4028235e38f}, {1}).broadcast(0, n).copied();
  const Rational term = value(largest, 0) * value(largest, 0);
  for (const AnyTensor* b : {&largest, &lowest}) {
    const Rational want = Rational(b == &largest ? n : -n) * term;
    const Real got = exact::dot<Real>(plain(), whole(largest), whole(*b));
    EXPECT_TRUE(rational(got) == odd_rounding(want, Real::kBits));
  }
  const AnyTensor codes = e4m3({0x7E}, {1}).broadcast(0, n).copied();
  EXPECT_EQ(exact::dot<double>(plain(), whole(codes), whole(codes)), 448.0 * 448 * n);
  const AnyTensor huge = bf16({0x1.fep127f}, {1}).broadcast(0, n).copied();
  EXPECT_EQ(exact::dot<double>(plain(), whole(codes), whole(huge)), 448.0 * n * 0x1.fep127);
}

TEST(ExactDot, WideMantissasAndExponentsOfF64) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    std::vector<double> a, b;
    for (std::uint64_t i = 0; i < 30; ++i) {
      const int power = static_cast<int>(random_bits(seed, i) % 2000) - 1000;
      a.push_back(std::ldexp(1 + uniform(seed, i) * 0x1.23456789p-1, power));
      b.push_back(
          std::ldexp(1 + uniform(seed + 5, i) * 0x1.3p-40, i % 2 == 0 ? -power : power / 2));
    }
    expect_exact(f64(a), f64(b), "f64 seed " + std::to_string(seed));
    expect_exact(f64(a), random_f32(seed, {30}), "f64 x f32");
  }
  expect_exact(f64({0x1p-1074, 1e300}), f64({0x1.8p-1074, 1e-300}), "below and beside 1");
  expect_exact(f64({1e300, 1e300}), f64({1e300, -1e300}), "overflow that cancels");
  expect_exact(f64({1e300, 1}), f64({1e300, 1}), "overflow");
  expect_exact(f64({0x1p-540, 0x1p-540}), f64({0x1p-535, 0x1p-536}), "subnormal tie");
  expect_exact(f64({0x1p-540, 0x1p-700}), f64({0x1p-535, 0x1p-700}), "above the subnormal tie");
  // 28-bit mantissas at the ends of what a term holds.
  // 31 bits fit a term, 32 do not; nor do exponents beyond its range.
  expect_exact(f64({0x1.fffffffcp0, 0x1.fffffffep0}), f64({0x1.fffffffcp0, 0x1.fffffffep0}),
               "31 and 32");
  expect_exact(f64({0x1.fffffffcp0, 0x1.fffffffcp1}), f64({0x1.fffffffcp0, 0x1.fffffffcp1}), "31");
  expect_exact(f64({0x1p200, 1}), f32({0x1p127f, 1}, {2}), "beyond the terms");
  expect_exact(f64({0x1p-200, 1}), f32({0x1p-149f, 1}, {2}), "below the terms");
  expect_exact(f64({0x1p157, 0x1p140, 0x1.8p158}), f64({0x1p157, 1, 1}), "upper end of the terms");
  expect_exact(f64({0x1.8000001p127, 0x1p127, -0x1p-160}), f64({1, 0x1p97, 0x1p-160}), "terms");
}

TEST(ExactDot, OnesWithAFarAwayBitRoundAsTheSumItself) {
  // 1 + 2^-24 is a tie of f32, 1 + 2^-8 of bf16, 1 + 2^-4 of e4m3; one bit far below decides.
  for (float half : {0x1p-24f, 0x1p-8f, 0x1p-4f}) {
    for (float far : {0x1p-100f, -0x1p-100f, 0x1p-149f, 0.0f}) {
      for (float one : {1.0f, -1.0f, 1 + 2 * half}) {
        const AnyTensor a = f32({one, half, far}, {3});
        const AnyTensor b = f32({1, 1, 0x1p-100f}, {3});
        expect_exact(a, b, "tie");
      }
    }
  }
}

TEST(ExactDot, StridedAndReversedLines) {
  const AnyTensor m = wild_f32(3, {7, 11});
  const AnyTensor w = wild_bf16(4, {11});
  const AnyTensor v = random_e4m3(5, {7, 4});
  for (Index i = 0; i < 7; ++i) {
    const Line row{m.bytes(), m.dtype(), i * 11, 1, 11};
    const Rational want = rational_dot(m.sliced(0, i, i + 1).reshaped({11}), w);
    EXPECT_TRUE(rational(exact::dot<Real>(plain(), row, whole(w))) ==
                odd_rounding(want, Real::kBits));
  }
  for (Index j = 0; j < 11; ++j) {
    const Line column{m.bytes(), m.dtype(), j, 11, 7};
    const Line codes{v.bytes(), v.dtype(), j % 4, 4, 7};
    Rational want;
    for (Index i = 0; i < 7; ++i) want = want + value(m, i * 11 + j) * value(v, i * 4 + j % 4);
    EXPECT_TRUE(rational(exact::dot<Real>(plain(), column, codes)) ==
                odd_rounding(want, Real::kBits));
    Rational squares;
    for (Index i = 0; i < 7; ++i)
      squares = squares + value(v, i * 4 + j % 4) * value(v, i * 4 + j % 4);
    expect_double(squares, exact::dot<double>(plain(), codes, codes), "strided codes");
  }
  const Line backwards{m.bytes(), m.dtype(), 10, -1, 11};
  Rational want;
  for (Index i = 0; i < 11; ++i) want = want + value(m, 10 - i) * value(m, i);
  const Line forwards{m.bytes(), m.dtype(), 0, 1, 11};
  expect_double(want, exact::dot<double>(plain(), backwards, forwards), "backwards");
}

TEST(ExactSum, IsTheDotWithOnes) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (const AnyTensor& a :
         {wild_f32(seed, {37}), wild_bf16(seed, {37}), random_e4m3(seed, {37})}) {
      Rational want;
      for (Index i = 0; i < 37; ++i) want = want + value(a, i);
      const Line line = whole(a);
      expect_sum(want, "sum", exact::sum<double>(plain(), line), exact::sum<Real>(plain(), line),
                 exact::sum<RealWide>(plain(), line), exact::sum<Tracked>(plain(), line));
    }
  }
}

TEST(ExactDot, WideNumbersThatAreStoredOnesSumExactly) {
  const AnyTensor a = wild_f32(11, {40});
  const AnyTensor b = wild_bf16(12, {40});
  AnyTensor wide = new_tensor<Real>({40});
  for (Index i = 0; i < 40; ++i) wide.data<Real>()[i] = Real(a.data<float>()[i]);
  const Real got = exact::dot<Real>(plain(), whole(wide), whole(b));
  EXPECT_TRUE(rational(got) == odd_rounding(rational_dot(a, b), Real::kBits));
}

Rational rational_scaled(const AnyTensor& codes, const AnyTensor& scales, Index i, Index block) {
  return value(codes, i) * value(scales, i / block);
}

TEST(ScaledDot, BlocksWithTheirScales) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Index block = seed % 2 == 0 ? 128 : 5;
    const Index n = static_cast<Index>(random_bits(seed, 1) % 400) + 1;
    const Index blocks = (n + block - 1) / block;
    const AnyTensor qa = random_e4m3(seed, {n}), qw = random_e4m3(seed + 31, {n});
    const AnyTensor sa = seed % 3 == 0 ? wild_f32(seed, {blocks}) : random_scales(seed, {blocks});
    const AnyTensor sw =
        seed % 3 == 0 ? wild_f32(seed + 1, {blocks}) : random_scales(seed + 1, {blocks});
    const AnyTensor x = random_bf16(seed + 2, {n});
    Rational both, one;
    for (Index i = 0; i < n; ++i) {
      both = both + rational_scaled(qa, sa, i, block) * rational_scaled(qw, sw, i, block);
      one = one + value(x, i) * rational_scaled(qw, sw, i, block);
    }
    const exact::ScaledLine a{whole(qa), whole(sa), block}, w{whole(qw), whole(sw), block};
    expect_sum(both, "scaled", exact::scaled_dot<double>(plain(), a, w),
               exact::scaled_dot<Real>(plain(), a, w), exact::scaled_dot<RealWide>(plain(), a, w),
               exact::scaled_dot<Tracked>(plain(), a, w));
    // 28 by 28 bits: buckets are emptied every 64 terms.
    const exact::Prepared pa(whole(qa), whole(sa), block);
    const exact::Prepared px(whole(x)), pw(whole(qw), whole(sw), block);
    expect_sum(both, "both dequantised", exact::dot<double>(plain(), pa, pw),
               exact::dot<Real>(plain(), pa, pw), exact::dot<RealWide>(plain(), pa, pw),
               exact::dot<Tracked>(plain(), pa, pw));
    expect_sum(one, "dequantised", exact::dot<double>(plain(), px, pw),
               exact::dot<Real>(plain(), px, pw), exact::dot<RealWide>(plain(), px, pw),
               exact::dot<Tracked>(plain(), px, pw));
  }
}

}  // namespace
}  // namespace plumb::oracles
