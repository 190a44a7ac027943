// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "oracles/agreement/agreement.h"
#include "oracles/agreement/inputs.h"

namespace plumb::oracles {
namespace {

void expect_all(const AnyTensor& x, const AnyTensor& gain, double eps = 1e-6) {
  StageCall call{"rms_norm", {}, {{"eps", eps}}, {}};
  call.set("x", x);
  call.set("gain", gain);
  for (std::string_view reading : kReadings) {
    EXPECT_EQ(expect_agreement(call, reading), x.size());
  }
}

TEST(RmsNormAgreement, RandomRows) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    expect_all(random_bf16(seed, {3, 17}), random_bf16(seed + 100, {17}));
    expect_all(random_f32(seed, {2, 13}), random_f32(seed + 100, {13}), 1e-5);
    expect_all(random_bf16(seed, {2, 5}), random_f32(seed + 100, {5}), 0.1);
  }
}

TEST(RmsNormAgreement, AnyBitPattern) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    expect_all(wild_f32(seed, {2, 9}), wild_f32(seed + 100, {9}));
    expect_all(wild_bf16(seed, {2, 9}), wild_bf16(seed + 100, {9}));
  }
}

TEST(RmsNormAgreement, RowsOfOneElement) {
  expect_all(f32({1, -3, 0x1p-149f, 3.4028235e38f, 1e-3f}, {5, 1}), f32({0.7f}, {1}));
}

TEST(RmsNormAgreement, ZerosAndSubnormals) {
  expect_all(f32({0, 0, 0, -0.0f}, {1, 4}), f32({1, 2, 3, 4}, {4}));
  expect_all(f32({0x1p-149f, -0x3p-149f, 0x1p-127f, 0}, {1, 4}), f32({1, 1, 0x1p-149f, 1}, {4}));
  expect_all(f32({0x1p-149f, -0x3p-149f}, {1, 2}), f32({1, 0x1p-140f}, {2}), 0.0);
  expect_all(f32({0, 0}, {1, 2}), f32({1, 1}, {2}), 0.0);
}

TEST(RmsNormAgreement, LargeBesideSmall) {
  expect_all(f32({1e38f, 1e-20f, -1e38f, 1}, {1, 4}), f32({1, 3e38f, 1e-30f, 1}, {4}));
  expect_all(f32({1, 1e-3f}, {1, 2}), f32({3.4028235e38f, 3.4028235e38f}, {2}));
}

// With eps = 0 the roots below are rational and the values halfway between two numbers of the
// format.
TEST(RmsNormAgreement, TiesAtBothRoundingPoints) {
  // 257^2 + 511^2 + 22^2 + 5^2 + 1 = 5 * 256^2: 257/256 lies between 1 and 129/128 in bf16.
  expect_all(f32({257, 511, -22, 5, 1}, {1, 5}), f32({1, 1, 1, 1, 1}, {5}), 0.0);
  // The same with the roots 768, 1280 and 1792, whose reciprocals no binary format holds.
  for (float k : {3.f, 5.f, 7.f}) {
    expect_all(f32({257 * k, 511 * k, -22 * k, 5 * k, k}, {1, 5}), f32({1, 1, 1, 1, 1}, {5}), 0.0);
  }
  // Roots 2: 3/2 * (1 + 2^-23) lies between two numbers of f32; 3/2 * 129/128 between two of bf16.
  expect_all(f32({3, 3, 1, 1, 0}, {1, 5}), f32({0x1.000002p0f, -0x1.000006p0f, 1, 1, 1}, {5}), 0.0);
  expect_all(bf16({3, 3, 1, 1, 0}, {1, 5}), bf16({129.f / 128, -131.f / 128, 1, 1, 1}, {5}), 0.0);
}

TEST(RmsNormAgreement, NanAndInfiniteRows) {
  expect_all(f32({1, NAN, 3, 4, 5, INFINITY, -INFINITY, 2}, {4, 2}), f32({1, 1}, {2}));
  expect_all(f32({1, 2, 3, 4}, {2, 2}), f32({NAN, INFINITY}, {2}));
}

}  // namespace
}  // namespace plumb::oracles
