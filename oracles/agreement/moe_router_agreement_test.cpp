// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "oracles/agreement/agreement.h"
#include "oracles/agreement/inputs.h"

namespace plumb::oracles {
namespace {

struct Routing {
  AnyTensor h, weight, bias;
  std::int64_t top_k, groups, top_groups;
  double scale = 2.5;
};

// `real` false: leaves out the reading in which nothing is rounded, where equal irrational scores
// overlap and are never known to be equal.
void expect_all(const Routing& in, bool real = true) {
  StageCall call{"moe_router",
                 {},
                 {{"top_k", in.top_k},
                  {"groups", in.groups},
                  {"top_groups", in.top_groups},
                  {"scale", in.scale}},
                 {}};
  call.set("h", in.h);
  call.set("weight", in.weight);
  call.set("bias", in.bias);
  for (std::string_view reading : kReadings) {
    if (reading == "real" && !real) continue;
    EXPECT_GT(expect_agreement(call, reading), 0);
  }
}

TEST(MoeRouterAgreement, RandomTokens) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    expect_all({random_f32(seed, {3, 9}), random_f32(seed + 9, {16, 9}),
                random_f32(seed + 20, {16}), 4, 4, 2});
    expect_all({random_bf16(seed, {3, 9}), random_bf16(seed + 9, {12, 9}),
                random_f32(seed + 20, {12}), 3, 3, 2, 1.7});
  }
}

// Negative biases: with the fill 0 an expert of a dropped group beats all kept ones.
TEST(MoeRouterAgreement, NegativeBiasesTellTheFillsApart) {
  std::vector<float> bias;
  for (int e = 0; e < 8; ++e) bias.push_back(-2.0f - static_cast<float>(e) / 16);
  expect_all({random_f32(3, {2, 5}), random_f32(4, {8, 5}), f32(bias, {8}), 3, 4, 2});
}

TEST(MoeRouterAgreement, OneGroupAndAllGroups) {
  expect_all({random_f32(5, {2, 5}), random_f32(6, {6, 5}), random_f32(7, {6}), 2, 1, 1});
  expect_all({random_f32(5, {2, 5}), random_f32(6, {6, 5}), random_f32(7, {6}), 6, 3, 3});
  expect_all({random_f32(5, {2, 5}), random_f32(6, {6, 5}), random_f32(7, {6}), 2, 3, 1});
}

// Affinities near 0 and 1: the 1e-20, subnormal affinities, exp that overflows f32.
TEST(MoeRouterAgreement, ExtremeLogits) {
  const AnyTensor weight = f32({1, 0.99f, 0.98f, 0.97f, 0.96f, 0.95f, 0.94f, 0.93f}, {8, 1});
  const AnyTensor bias = f32({0, 0, 0, 0, 0, 0, 0, 0}, {8});
  expect_all({f32({-60, 60, -88, -100, 20, 1e-30f}, {6, 1}), weight, bias, 4, 4, 2});
}

TEST(MoeRouterAgreement, TiesGoToTheLowerIndexOfEqualScores) {
  const AnyTensor h = f32({1, -1}, {2, 1});
  expect_all(
      {h, f32({1, 1, 1, 1, 1, 1, 1, 1}, {8, 1}), f32({0, 0, 0, 0, 0, 0, 0, 0}, {8}), 3, 4, 2},
      false);
  expect_all(
      {h, f32({1, 2, 1, 2, 2, 1, 2, 1}, {8, 1}), f32({0, 0, 0, 0, 0, 0, 0, 0}, {8}), 3, 4, 2},
      false);
}

// The prose example of the two precisions: logits 1 and 257/256, which bf16 cannot tell apart.
TEST(MoeRouterAgreement, LogitsThatBf16CannotTellApart) {
  expect_all({bf16({1, 0x1p-8f}, {1, 2}), bf16({1, 0, 1, 1, 0.5f, 0, 0.25f, 0}, {4, 2}),
              f32({0, 0, 0, 0}, {4}), 2, 2, 1});
}

// Biases that bf16 does not hold, and sums that lie between two numbers of f32.
TEST(MoeRouterAgreement, BiasAsLoaded) {
  expect_all({f32({0}, {1, 1}), f32({1, 1, 1, 1}, {4, 1}),
              f32({4.5f, 4.51f, 0x1.000002p2f, -0x1.000002p-3f}, {4}), 2, 2, 1});
}

}  // namespace
}  // namespace plumb::oracles
