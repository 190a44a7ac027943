// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "oracles/agreement/agreement.h"
#include "oracles/agreement/inputs.h"

namespace plumb::oracles {
namespace {

struct Operands {
  AnyTensor x, weight;
  AnyTensor x_scale = {}, weight_scale = {};
  std::int64_t block = 128;
};

void expect_all(const Operands& in, std::initializer_list<std::string_view> readings = {}) {
  StageCall call{"linear", {}, {{"block", in.block}}, {}};
  call.set("x", in.x);
  call.set("weight", in.weight);
  if (!in.x_scale.empty()) call.set("x_scale", in.x_scale);
  if (!in.weight_scale.empty()) call.set("weight_scale", in.weight_scale);
  const std::vector<std::string_view> all(std::begin(kReadings), std::end(kReadings));
  for (std::string_view reading : readings.size() == 0 ? all : std::vector(readings)) {
    EXPECT_EQ(expect_agreement(call, reading), in.x.extent(0) * in.weight.extent(0));
  }
}

TEST(LinearAgreement, PlainWeights) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    expect_all({random_bf16(seed, {3, 37}), random_bf16(seed + 9, {4, 37})});
    expect_all({random_f32(seed, {2, 19}), random_f32(seed + 9, {3, 19})});
    expect_all({random_bf16(seed, {2, 19}), random_f32(seed + 9, {3, 19})});
  }
}

TEST(LinearAgreement, AnyBitPattern) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    expect_all({wild_f32(seed, {2, 23}), wild_f32(seed + 9, {3, 23})});
    expect_all({wild_bf16(seed, {2, 23}), wild_bf16(seed + 9, {3, 23})});
  }
}

TEST(LinearAgreement, ScaledWeightsWithRaggedBlocks) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    for (std::int64_t block : {4, 5, 128}) {
      const Index rows = (11 + block - 1) / block, columns = (13 + block - 1) / block;
      expect_all({random_bf16(seed, {2, 13}),
                  random_e4m3(seed + 9, {11, 13}),
                  {},
                  random_scales(seed, {rows, columns}),
                  block});
      expect_all({random_f32(seed, {2, 13}),
                  random_e4m3(seed + 9, {11, 13}),
                  {},
                  random_scales(seed, {rows, columns}),
                  block});
    }
  }
  expect_all({random_bf16(1, {1, 150}), random_e4m3(2, {131, 150}), {}, random_scales(3, {2, 2})});
}

TEST(LinearAgreement, QuantisedActivations) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    for (std::int64_t block : {4, 128}) {
      const Index rows = (11 + block - 1) / block, columns = (12 + block - 1) / block;
      expect_all(
          {random_e4m3(seed, {3, 12}), random_e4m3(seed + 9, {11, 12}),
           random_scales(seed, {3, columns}), random_scales(seed + 1, {rows, columns}), block},
          {"real", "inf_fp8"});
    }
  }
}

// Scales and codes whose product lies halfway between two numbers of bf16 and of f32.
TEST(LinearAgreement, TiesWhereTheWeightIsDequantised) {
  // 1.125 * (1 + 2^-4 ...) has more than 8 bits: 9/8 * 257/256 and its neighbours, 9 * odd / 2^24.
  const std::vector<int> codes{0x39, 0x3B, 0x3F, 0xB9};
  for (float scale : {129.f / 128, 1.5f, 0x1.000002p0f, 0x1.020202p0f, 0x1.8p-130f, 0x1p-133f}) {
    expect_all({bf16({1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, {4, 4}),
                e4m3(codes, {1, 4}),
                {},
                f32({scale}, {1, 1})});
  }
}

TEST(LinearAgreement, CancellationAndTiesOfTheSum) {
  expect_all({f32({1e38f, 1e-20f, -1e38f}, {1, 3}), f32({1, 1, 1, 1, 0, 1}, {2, 3})});
  // 1 + 2^-8 + far: the last bit decides where a tie of bf16 goes; 2^-24 the same for f32.
  for (float half : {0x1p-8f, 0x1p-24f}) {
    for (float far : {0x1p-100f, -0x1p-100f, 0.0f}) {
      expect_all({f32({1, half, far, -1, -half, far, 1 + 2 * half, half, far}, {3, 3}),
                  f32({1, 1, 0x1p-100f}, {1, 3})});
    }
  }
}

TEST(LinearAgreement, ZerosSubnormalsAndOneInput) {
  expect_all({f32({0, 0, -0.0f, 0}, {2, 2}), f32({1, 2, 0, 0}, {2, 2})});
  expect_all({f32({0x1p-149f, 0x1p-140f}, {2, 1}), f32({0x1p-149f, 1, 0.5f, 1.5f}, {4, 1})});
  expect_all({bf16({0x1p-133f, 0x3p-133f}, {2, 1}), bf16({0.5f, 1.5f, 0x1p-133f}, {3, 1})});
}

TEST(LinearAgreement, OverflowNanAndInfinity) {
  const float large = 3.4028235e38f;
  expect_all({f32({large, large, large, -large}, {2, 2}), f32({1, 1, 2, 1}, {2, 2})});
  // A tie beyond the largest bf16, and just below it.
  expect_all(
      {f32({0x1.fep127f, 0x1p119f, 0x1.fep127f, 0x1.fffffep118f}, {2, 2}), f32({1, 1}, {1, 2})});
  expect_all({f32({1, NAN, 1, INFINITY, 0, 2}, {3, 2}), f32({1, 1, 1, 0, 1, -1}, {3, 2})});
  expect_all({bf16({1, 1}, {1, 2}),
              e4m3({0x7F, 0x38, 0x38, 0x38, 0xFF, 0xFF}, {3, 2}),
              {},
              f32({1}, {1, 1})});
  expect_all(
      {bf16({1, 0}, {1, 2}), e4m3({0x38, 0x38, 0xB8, 0x00}, {2, 2}), {}, f32({INFINITY}, {1, 1})});
}

}  // namespace
}  // namespace plumb::oracles
