// SPDX-License-Identifier: Apache-2.0
// What does not need a second opinion: special values, and the bound that a Tracked sum carries.
#include "reference/exact/dot.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "reference/exact/summation.h"

namespace plumb::exact {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
const float kNan = std::nanf("");

const Reading kNothing{"nothing", "nothing is rounded", {}, {}};

std::uint64_t bits(std::uint64_t seed, std::uint64_t counter) {
  std::uint64_t z = seed * 0xD1342543DE82EF95ull + (counter + 1) * 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

Line whole(const AnyTensor& t) { return {t.bytes(), t.dtype(), 0, 1, t.size()}; }

Tracked tracked_dot(const Contract& contract, const std::vector<float>& a,
                    const std::vector<float>& b) {
  const AnyTensor x = AnyTensor::of(a), y = AnyTensor::of(b);
  return dot<Tracked>({kNothing, contract}, whole(x), whole(y));
}

double double_dot(const std::vector<float>& a, const std::vector<float>& b) {
  const Contract contract;
  const AnyTensor x = AnyTensor::of(a), y = AnyTensor::of(b);
  return dot<double>({kNothing, contract}, whole(x), whole(y));
}

TEST(Dot, SpecialsFollowIeee) {
  EXPECT_EQ(double_dot({1, kInfinity}, {5, 2}), kInfinity);
  EXPECT_EQ(double_dot({1, kInfinity}, {5, -2}), -kInfinity);
  EXPECT_TRUE(std::isnan(double_dot({0, kInfinity}, {kInfinity, 1})));
  EXPECT_TRUE(std::isnan(double_dot({1, 1}, {kInfinity, -kInfinity})));
  EXPECT_TRUE(std::isnan(double_dot({kNan, 1}, {0, 1})));
  EXPECT_EQ(double_dot({}, {}), 0);
}

TEST(Dot, ANanCodePoisonsEveryPath) {
  const Contract contract;
  const Arithmetic arithmetic{kNothing, contract};
  for (Index n : {1, 2, 255, 256, 257, 600}) {
    for (Index at : {Index{0}, n / 2, n - 1}) {
      AnyTensor codes = AnyTensor::zeros(Dtype::kFp8E4m3fn, {n});
      const AnyTensor fine = AnyTensor::zeros(Dtype::kFp8E4m3fn, {n});
      const AnyTensor other = AnyTensor::zeros(Dtype::kBf16, {n});
      const AnyTensor scales = AnyTensor::of(std::vector<float>(static_cast<std::size_t>(n), 1));
      codes.data<Fp8E4m3fn>()[at].bits = at % 2 == 0 ? 0x7F : 0xFF;
      EXPECT_TRUE(std::isnan(dot<double>(arithmetic, whole(codes), whole(other)))) << n;
      EXPECT_TRUE(std::isnan(dot<double>(arithmetic, whole(codes), whole(codes)))) << n;
      EXPECT_TRUE(std::isnan(sum<double>(arithmetic, whole(codes)))) << n;
      const ScaledLine a{whole(codes), whole(scales), 1}, b{whole(fine), whole(scales), 1};
      EXPECT_TRUE(std::isnan(scaled_dot<double>(arithmetic, a, b))) << n;
      const Prepared p(whole(codes), whole(scales), 1), q(whole(other));
      EXPECT_TRUE(dot<Real>(arithmetic, p, q).is_nan()) << n;
      const Tracked t = dot<Tracked>(arithmetic, whole(codes), whole(other));
      EXPECT_TRUE(t.value.is_nan());
      EXPECT_EQ(t.error, 0);
    }
  }
}

TEST(Dot, AnInfiniteScaleIsAnInfinity) {
  const Contract contract;
  const Arithmetic arithmetic{kNothing, contract};
  AnyTensor codes = AnyTensor::zeros(Dtype::kFp8E4m3fn, {2});
  codes.data<Fp8E4m3fn>()[0].bits = codes.data<Fp8E4m3fn>()[1].bits = 0x38;  // 1
  const AnyTensor scales = AnyTensor::of(std::vector<float>{kInfinity});
  const AnyTensor ones = AnyTensor::of(std::vector<float>{1});
  EXPECT_EQ(scaled_dot<double>(arithmetic, {whole(codes), whole(scales), 2},
                               {whole(codes), whole(ones), 2}),
            kInfinity);
}

// A float kernel in some order: left to right, or a random tree.
float float_sum(std::vector<float> terms, std::uint64_t seed, bool tree) {
  for (std::size_t i = terms.size(); i > 1; --i) std::swap(terms[i - 1], terms[bits(seed, i) % i]);
  if (!tree) return std::accumulate(terms.begin(), terms.end(), 0.0f);
  for (std::uint64_t step = 0; terms.size() > 1; ++step) {
    const std::size_t at = bits(seed + 1, step) % terms.size();
    const float v = terms[at];
    terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(at));
    terms[bits(seed + 2, step) % terms.size()] += v;
  }
  return terms.empty() ? 0 : terms[0];
}

float value(std::uint64_t seed, std::uint64_t i, int spread) {
  const auto mantissa = static_cast<float>(static_cast<int>(bits(seed, 2 * i) >> 40) - (1 << 23));
  const int power =
      spread == 0 ? 0 : static_cast<int>(bits(seed, 2 * i + 1) % static_cast<unsigned>(spread));
  return std::ldexp(mantissa, -23 - power);
}

TEST(TrackedDot, HoldsWhatAFloatKernelComputesInAnyOrder) {
  const Contract contract;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const std::size_t n = 1 + bits(seed, 0) % 60;
    const int spread = std::array{0, 4, 30, 100, 6}[seed % 5];
    // Products around the smallest subnormal number, where what underflows is all the error there
    // is.
    const int lowered = seed % 5 == 4 ? 72 : 0;
    std::vector<float> a, b, products;
    for (std::size_t i = 0; i < n; ++i) {
      a.push_back(std::ldexp(value(seed, i, spread), -lowered));
      b.push_back(std::ldexp(value(seed + 1000, i, spread), -lowered));
      products.push_back(a[i] * b[i]);
    }
    const Tracked bound = tracked_dot(contract, a, b);
    const float got = float_sum(products, seed, seed % 2 == 0);
    EXPECT_LE(abs(Real(got) - bound.value).to_double(), bound.error) << "seed " << seed;
  }
}

TEST(TrackedDot, HoldsAFusedChain) {
  Contract contract;
  contract.fused_products = true;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const std::size_t n = 1 + bits(seed, 0) % (seed % 3 == 0 ? 2 : 50);
    std::vector<float> a, b;
    float got = 0;
    for (std::size_t i = 0; i < n; ++i) {
      a.push_back(value(seed, i, 6));
      b.push_back(value(seed + 1000, i, 6));
      got = std::fmaf(a[i], b[i], got);
    }
    const Tracked bound = tracked_dot(contract, a, b);
    EXPECT_LE(abs(Real(got) - bound.value).to_double(), bound.error) << "seed " << seed;
  }
}

// The bound is met up to 2 % by a sum in which every addition loses half a unit, so it is not
// loose.
TEST(TrackedDot, IsAttained) {
  for (std::size_t n : {10u, 1000u, 20000u}) {
    std::vector<float> terms(n, 0x1p-24f);
    terms[0] = 1;
    const std::vector<float> ones(n, 1);
    float got = 0;
    for (float t : terms) got += t;
    EXPECT_EQ(got, 1);
    const Tracked bound = tracked_dot({}, terms, ones);
    const double error = abs(Real(got) - bound.value).to_double();
    EXPECT_LE(error, bound.error);
    EXPECT_LE(bound.error, 1.02 * error * static_cast<double>(n) / static_cast<double>(n - 1));
  }
}

TEST(TrackedDot, FollowsTheDeclaredDepth) {
  const std::vector<float> a(1024, 1);
  Contract contract;
  const double free = tracked_dot(contract, a, a).error;
  contract.sum_depth = 10;
  const double shallow = tracked_dot(contract, a, a).error;
  EXPECT_NEAR(free / shallow, 1024.0 / 11, 0.1);
  contract.accumulator = kF64;
  EXPECT_NEAR(shallow / tracked_dot(contract, a, a).error, 0x1p29, 0x1p16);
}

// A code times its scale has 28 bits: a float kernel rounds it, though the sum has a single term.
TEST(TrackedDot, CountsTheRoundingOfADequantisedOperand) {
  const Contract contract;
  AnyTensor code = AnyTensor::zeros(Dtype::kFp8E4m3fn, {1});
  code.data<Fp8E4m3fn>()[0].bits = 0x3F;  // 1.875
  const AnyTensor scale = AnyTensor::of(std::vector<float>{0x1.fffffep0f});
  const AnyTensor x = AnyTensor::of(std::vector<float>{0x1.fffffcp0f});
  const float got = (1.875f * 0x1.fffffep0f) * 0x1.fffffcp0f;
  const Tracked bound = dot<Tracked>({kNothing, contract}, Prepared(whole(code), whole(scale), 1),
                                     Prepared(whole(x)));
  const double error = abs(Real(got) - bound.value).to_double();
  EXPECT_LE(error, bound.error);
  EXPECT_GT(bound.error, 1.9 * 0x1p-24 * bound.value.to_double());
}

TEST(TrackedDot, SaysWhenPartialSumsMayOverflow) {
  const float large = std::numeric_limits<float>::max();
  const Tracked r = tracked_dot({}, {large, large, -large}, {1, 1, 1});
  EXPECT_EQ(r.value.to_double(), large);
  EXPECT_TRUE(r.loose());
  EXPECT_NE(r.flags & Tracked::kMayOverflow, 0);
  EXPECT_EQ(tracked_dot({}, {large / 4, large / 4}, {1, 1}).flags, 0);
}

TEST(TrackedDot, AllowsForFlushedSubnormals) {
  Contract contract;
  contract.flushes_subnormals = true;
  // Two normal products whose sum is subnormal, and one subnormal product: all may become zero.
  const std::vector<float> a{0x1p-126f, -0x1.8p-126f, 0x1p-63f}, b{1, 1, 0x1p-65f};
  const Tracked bound = tracked_dot(contract, a, b);
  EXPECT_EQ(bound.value.to_double(), -0x1p-128);
  EXPECT_LE(std::fabs(bound.value.to_double()), bound.error);
  EXPECT_GT(tracked_dot({}, a, b).error, 0);
  EXPECT_LT(tracked_dot({}, a, b).error, 0x1p-140);
}

TEST(TrackedDot, ASumThatCancelsKeepsItsBound) {
  const Tracked r = tracked_dot({}, {1, -1}, {1, 1});
  EXPECT_TRUE(r.value.is_zero());
  EXPECT_GE(r.error, 2 * 0x1p-24);
}

// A kernel rounds after each of the two scales.
TEST(TrackedScaledDot, HoldsAFloatKernelOfOneTerm) {
  const Contract contract;
  AnyTensor code = AnyTensor::zeros(Dtype::kFp8E4m3fn, {1});
  code.data<Fp8E4m3fn>()[0].bits = 0x3F;  // 1.875
  double worst = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const float p = 1 + std::fabs(value(seed, 0, 0)), q = 1 + std::fabs(value(seed, 1, 0));
    const AnyTensor sp = AnyTensor::of(std::vector<float>{p}),
                    sq = AnyTensor::of(std::vector<float>{q});
    const Tracked bound = scaled_dot<Tracked>({kNothing, contract}, {whole(code), whole(sp), 1},
                                              {whole(code), whole(sq), 1});
    const float got = (1.875f * 1.875f * p) * q;
    const double error = abs(Real(got) - bound.value).to_double();
    EXPECT_LE(error, bound.error) << seed;
    worst = std::max(worst, error / bound.error);
  }
  EXPECT_GT(worst, 0.3);
}

TEST(TrackedDot, ExactZerosHaveNoError) {
  const Tracked r = tracked_dot({}, {0, 0}, {1, 3});
  EXPECT_EQ(r.error, 0);
  EXPECT_TRUE(r.value.is_zero());
}

TEST(TrackedSum, AddsItsOperandsErrors) {
  const Contract contract;
  std::vector<Tracked> terms(3, Tracked(Real(1), &contract));
  for (Tracked& t : terms) t.error = 0.25;
  const Tracked r = sum<Tracked>({kNothing, contract}, std::span<const Tracked>(terms));
  EXPECT_EQ(r.value.to_double(), 3);
  EXPECT_GE(r.error, 0.75);
  EXPECT_LE(r.error, 0.75 + 3 * 0x1p-24 * 3.75);
}

TEST(Dot, WideOperandsWithErrorsKeepThem) {
  const Contract contract;
  const Arithmetic arithmetic{kNothing, contract};
  AnyTensor a = new_tensor<Tracked>({2});
  a.data<Tracked>()[0] = Tracked(Real(3), &contract);
  a.data<Tracked>()[1] = Tracked(Real(4), &contract);
  const AnyTensor b = AnyTensor::of(std::vector<float>{2, 10});
  // Without an error of its own the line is a stored one; with the least, no rounding is counted
  // twice.
  const double stored = dot<Tracked>(arithmetic, whole(a), whole(b)).error;
  EXPECT_LT(stored, 1e-4);
  a.data<Tracked>()[0].error = 1e-30;
  EXPECT_LE(dot<Tracked>(arithmetic, whole(a), whole(b)).error, 1.001 * stored);
  a.data<Tracked>()[1].error = 0.5;
  const Tracked r = dot<Tracked>(arithmetic, whole(a), whole(b));
  EXPECT_EQ(r.value.to_double(), 46);
  EXPECT_GE(r.error, 5);
  EXPECT_LT(r.error, 5.001);
}

}  // namespace
}  // namespace plumb::exact
