// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "oracles/agreement/agreement.h"
#include "oracles/agreement/inputs.h"

namespace plumb::oracles {
namespace {

constexpr double kSigma = 0.1352337788608801;

void expect_all(const StageCall& call, Index elements) {
  for (std::string_view reading : kReadings) {
    EXPECT_EQ(expect_agreement(call, reading), elements) << reading;
  }
}

void scores_of(const AnyTensor& query, const AnyTensor& key, double sigma = kSigma) {
  StageCall call{"attention_scores", {}, {}, {}};
  call.set("query", query);
  call.set("key", key);
  call.set("sigma", AnyTensor::of(std::vector<double>{sigma}));
  expect_all(call, query.size() / query.extent(3) * key.extent(2));
}

void weights_of(const AnyTensor& scores) {
  StageCall call{"softmax", {}, {}, {}};
  call.set("scores", scores);
  expect_all(call, scores.size());
}
// One row.
void weights_of(const std::vector<float>& scores) {
  weights_of(f32(scores, {1, 1, 1, std::ssize(scores)}));
}

void context_of(const AnyTensor& weights, const AnyTensor& value) {
  StageCall call{"attention_context", {}, {}, {}};
  call.set("weights", weights);
  call.set("value", value);
  expect_all(call, weights.size() / weights.extent(3) * value.extent(3));
}

TEST(AttentionScoresAgreement, RandomHeads) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    scores_of(random_bf16(seed, {2, 2, 2, 13}), random_bf16(seed + 9, {2, 2, 3, 13}));
    scores_of(random_f32(seed, {1, 2, 2, 9}), random_f32(seed + 9, {1, 2, 3, 9}));
  }
}

TEST(AttentionScoresAgreement, AnyBitPattern) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    scores_of(wild_f32(seed, {1, 2, 2, 7}), wild_f32(seed + 9, {1, 2, 3, 7}));
    scores_of(wild_bf16(seed, {1, 2, 2, 7}), wild_bf16(seed + 9, {1, 2, 3, 7}));
  }
}

TEST(AttentionScoresAgreement, CancellationSubnormalsAndOneKey) {
  scores_of(f32({1e38f, 1e-20f, -1e38f}, {1, 1, 1, 3}), f32({1, 1, 1}, {1, 1, 1, 3}));
  scores_of(f32({0x1p-149f, 0x1p-100f, 0}, {1, 1, 3, 1}), f32({0.5f, 3, 0x1p-40f}, {1, 1, 3, 1}));
  scores_of(bf16({0x1p-133f, 0x3p-133f}, {1, 1, 2, 1}), bf16({0.5f, 7}, {1, 1, 2, 1}), 0.75);
}

// 1 + half lies between two numbers; sigma = 1.5 makes ties of the second rounding.
TEST(AttentionScoresAgreement, TiesAtBothRoundingPoints) {
  for (float half : {0x1p-8f, 0x1p-24f}) {
    for (float far : {0x1p-100f, -0x1p-100f, 0.0f}) {
      const AnyTensor query = f32({1, half, far, 1 + 2 * half, half, far}, {1, 1, 2, 3});
      scores_of(query, f32({1, 1, 0x1p-40f}, {1, 1, 1, 3}), 1);
      scores_of(query, f32({1, 2, 0x1p-40f}, {1, 1, 1, 3}), 1.5);
    }
  }
  // Sigma halfway between two numbers of f32, and beyond its range below.
  scores_of(f32({3}, {1, 1, 1, 1}), f32({1}, {1, 1, 1, 1}), 1 + 0x1p-24);
  scores_of(f32({3}, {1, 1, 1, 1}), f32({0x1p100f}, {1, 1, 1, 1}), 0x1.8p-150);
}

TEST(AttentionScoresAgreement, OverflowNanAndInfinity) {
  const float large = 3.4028235e38f;
  scores_of(f32({large, large, large, -large}, {1, 1, 2, 2}), f32({1, 1}, {1, 1, 1, 2}));
  scores_of(f32({1, NAN, 1, INFINITY, 0, 2}, {1, 1, 3, 2}), f32({1, 1, 1, 0}, {1, 1, 2, 2}));
}

TEST(SoftmaxAgreement, RandomRows) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    weights_of(random_bf16(seed, {1, 2, 2, 9}));
    weights_of(random_f32(seed, {2, 1, 2, 7}));
  }
}

TEST(SoftmaxAgreement, EqualScoresAndOneKey) {
  for (std::size_t keys = 1; keys <= 9; ++keys) {
    weights_of(std::vector<float>(keys, 0.7f));
    weights_of(std::vector<float>(keys, -0x1.fp127f));
  }
  weights_of({5, 5, -1, 5});
}

TEST(SoftmaxAgreement, FarScoresVanishAndNearOnesCancel) {
  weights_of({0, -20, -100, -104, -150, -1000});
  weights_of({-0x1.fep127f, 3, -0x1.fep127f});
  weights_of({1e4f, 1e4f + 0x1p-10f, 1e4f - 0x1p-10f});
  weights_of({0x1p-149f, -0x1p-149f, 0});
}

// Weights near the least subnormal numbers of f32 and bf16, and near half of them.
TEST(SoftmaxAgreement, SubnormalWeights) {
  for (float s : {-87.0f, -88.5f, -92.1f, -92.2f, -92.9f, -103.2f, -103.3f, -103.97f, -103.98f}) {
    weights_of({0, s});
    weights_of({0, s, s});
  }
}

TEST(SoftmaxAgreement, NanAndInfiniteRows) {
  weights_of({1, NAN, 2});
  weights_of({NAN, 1, 2});
  weights_of({1, INFINITY, 2});
  weights_of({1, -INFINITY, 2});
  weights_of({-INFINITY, -INFINITY});
}

TEST(AttentionContextAgreement, RandomHeads) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    context_of(random_bf16(seed, {2, 2, 2, 9}), random_bf16(seed + 9, {2, 2, 9, 3}));
    context_of(random_f32(seed, {1, 2, 2, 7}), random_f32(seed + 9, {1, 2, 7, 3}));
  }
}

TEST(AttentionContextAgreement, AnyBitPattern) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    context_of(wild_f32(seed, {1, 2, 2, 7}), wild_f32(seed + 9, {1, 2, 7, 3}));
    context_of(wild_bf16(seed, {1, 2, 2, 7}), wild_bf16(seed + 9, {1, 2, 7, 3}));
  }
}

TEST(AttentionContextAgreement, CancellationTiesSubnormalsAndOneKey) {
  context_of(f32({1, 1, 1}, {1, 1, 1, 3}), f32({1e38f, 1e-20f, -1e38f}, {1, 1, 3, 1}));
  for (float half : {0x1p-8f, 0x1p-24f}) {
    for (float far : {0x1p-100f, -0x1p-100f, 0.0f}) {
      context_of(f32({1, half, far, -1, -half, far}, {1, 1, 2, 3}),
                 f32({1, 1, 0x1p-40f}, {1, 1, 3, 1}));
    }
  }
  context_of(f32({0x1p-149f, 0x1p-140f}, {1, 1, 2, 1}), f32({0.5f, 1.5f}, {1, 1, 1, 2}));
}

TEST(AttentionContextAgreement, NanAndInfinity) {
  context_of(f32({0, 1, NAN, 1}, {1, 1, 2, 2}), f32({1, INFINITY, 2, NAN}, {1, 1, 2, 2}));
  context_of(f32({0, 1, 1, 1}, {1, 1, 2, 2}), f32({INFINITY, 1, 2, 3}, {1, 1, 2, 2}));
}

}  // namespace
}  // namespace plumb::oracles
