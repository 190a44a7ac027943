// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/attention_absorbed.h"

#include <gtest/gtest.h>

#include "reference/stages/stage_testing.h"

namespace plumb {
namespace {

using namespace testing_stages;

struct Sizes {
  Index b = 2, heads = 3, s = 2, t = 5, nope = 4, rope = 6, rank = 9, value = 5;
  Index rows() const { return heads * (nope + value); }
};

StageCall absorbed(const Sizes& n, double sigma = 0.25) {
  StageCall call{"attention_absorbed", {}, {{"value_dim", n.value}, {"block", Index{4}}}, {}};
  call.set("q_nope", noise_f32(1, {n.b, n.heads, n.s, n.nope}));
  call.set("q_rope", noise_f32(2, {n.b, n.heads, n.s, n.rope}));
  call.set("latent", noise_f32(3, {n.b, n.t, n.rank}));
  call.set("k_rope", noise_f32(4, {n.b, n.t, n.rope}));
  call.set("kv_b", noise_f32(5, {n.rows(), n.rank}));
  call.set("sigma", AnyTensor::of(std::vector<double>{sigma}));
  return call;
}

StageCall part(const char* stage, std::vector<NamedTensor> tensors,
               std::vector<NamedParam> params = {}) {
  StageCall call{stage, std::move(tensors), std::move(params), {}};
  run("real", call);
  return call;
}

// The same attention with every latent expanded first.
AnyTensor expanded(const Sizes& n, const StageCall& call) {
  const AnyTensor x = call.tensor("latent").reshaped({n.b * n.t, n.rank});
  std::vector<NamedTensor> tensors{{"x", x}, {"weight", call.tensor("kv_b")}};
  if (call.find("kv_b_scale") != nullptr) {
    tensors.push_back({"weight_scale", call.tensor("kv_b_scale")});
  }
  const AnyTensor kv = part("linear", tensors, {{"block", Index{4}}}).tensor("y");
  const StageCall heads =
      part("split_heads", {{"x", kv}},
           {{"B", n.b}, {"S", n.t}, {"heads", n.heads}, {"n", n.nope}, {"m", n.value}});
  const AnyTensor query =
      part("join_heads", {{"nope", call.tensor("q_nope")}, {"rope", call.tensor("q_rope")}})
          .tensor("y");
  const AnyTensor shared = call.tensor("k_rope").reshaped({n.b, 1, n.t, n.rope});
  // A stored tensor and a wide one do not mix in one call: both are read element by element.
  const AnyTensor key =
      part("join_heads", {{"nope", heads.tensor("first")}, {"rope", shared}}).tensor("y");
  std::vector<NamedTensor> all{{"query", query},
                               {"key", key},
                               {"value", heads.tensor("second")},
                               {"sigma", call.tensor("sigma")}};
  if (call.find("mask") != nullptr) all.push_back({"mask", call.tensor("mask")});
  return part("attention", all).tensor("context");
}

void expect_same(const Sizes& n, StageCall call) {
  const AnyTensor want = expanded(n, call);
  const Real* got = run("real", call, "context");
  ASSERT_EQ(call.tensor("context").shape(), want.shape());
  for (Index i = 0; i < want.size(); ++i) {
    const Real& w = want.data<Real>()[i];
    EXPECT_LT(abs(got[i] - w).to_double(), 1e-45 * (abs(w).to_double() + 1e-3)) << i;
  }
}

TEST(AttentionAbsorbed, EqualsAttentionOnExpandedLatentsTo45Digits) {
  const Sizes n;
  expect_same(n, absorbed(n));
  StageCall masked = absorbed(n);
  masked.set("mask", f32({0,         0, 0, 0, -INFINITY, 0,         0, 0, 0, 0,
                          -INFINITY, 0, 0, 0, -INFINITY, -INFINITY, 0, 0, 0, 0},
                         {2, 1, 2, 5}));
  expect_same(n, masked);
}

TEST(AttentionAbsorbed, AndOnScaledCodes) {
  const Sizes n;
  StageCall call = absorbed(n);
  AnyTensor codes = AnyTensor::zeros(Dtype::kFp8E4m3fn, {n.rows(), n.rank});
  for (Index i = 0; i < codes.size(); ++i) {
    codes.data<Fp8E4m3fn>()[i].bits = static_cast<std::uint8_t>((37 * i + 5) % 120);
  }
  std::vector<float> scale = noise(7, 7 * 3);
  for (float& v : scale) v = std::fabs(v) * 0.01f;
  call.set("kv_b", codes);
  call.set("kv_b_scale", f32(scale, {7, 3}));
  expect_same(n, call);
}

// One head, one query: q_nope . UK = qa, each latent c, and the rotary parts.
StageCall tiny(const std::vector<float>& q_nope, const std::vector<float>& q_rope,
               const std::vector<float>& latents, const std::vector<float>& k_rope,
               const std::vector<float>& kv_b, double sigma = 1) {
  const Index nope = std::ssize(q_nope), rope = std::ssize(q_rope);
  const Index rank = std::ssize(kv_b) / (nope + 1), tokens = std::ssize(latents) / rank;
  StageCall call{"attention_absorbed", {}, {{"value_dim", Index{1}}, {"block", Index{128}}}, {}};
  call.set("q_nope", bf16(q_nope, {1, 1, 1, nope}));
  call.set("q_rope", bf16(q_rope, {1, 1, 1, rope}));
  call.set("latent", bf16(latents, {1, tokens, rank}));
  call.set("k_rope", bf16(k_rope, {1, tokens, rope}));
  call.set("kv_b", bf16(kv_b, {nope + 1, rank}));
  call.set("sigma", AnyTensor::of(std::vector<double>{sigma}));
  run("inf_bf16", call);
  return call;
}

double first(const StageCall& call, const char* name) {
  return call.tensor(name).data<Real>()->to_double();
}

// 1 + 2^-8 + 2^-9 is stored as 1 + 2^-7.
TEST(AttentionAbsorbed, RoundsTheAbsorbedQuery) {
  EXPECT_EQ(first(tiny({1, 0x1p-8f, 0x1p-9f}, {0}, {1}, {0}, {1, 1, 1, 1}), "absorbed_query"),
            1 + 0x1p-7);
}

TEST(AttentionAbsorbed, RoundsBothSumsTheirSumAndTheScore) {
  // 1 + 2^-7 and 2^-8 add up to a tie, which goes to 1 + 2^-6; unrounded they stay below it.
  EXPECT_EQ(first(tiny({1}, {0x1p-8f}, {1, 0x1.8p-8f}, {1}, {1, 1, 1, 1}), "scores"), 1 + 0x1p-6);
  EXPECT_EQ(first(tiny({1}, {1, 0x1.8p-8f}, {0x1p-8f}, {1, 1}, {1, 1}), "scores"), 1 + 0x1p-6);
  // Here the sum is 1 + 2^-7 when stored, and sigma's product with the unrounded one would be 1.
  const double sigma = 1 - 0x1p-9 - 0x1p-11;
  EXPECT_EQ(first(tiny({1}, {0x1.8p-8f}, {1}, {1}, {1, 1}, sigma), "scores"), 1 + 0x1p-7);
}

TEST(AttentionAbsorbed, HoldsSigmaInF32) {
  StageCall call = tiny({3}, {0}, {1}, {0}, {1, 1}, 1 + 0x1p-24 + 0x1p-30);
  run("hf_f32", call);
  EXPECT_EQ(first(call, "scores"), 3 + 0x1p-21);
}

TEST(AttentionAbsorbed, RoundsTheMeanOfLatentsAndTheContext) {
  // Two keys of one score: the mean of 1 and 1 + 2^-7 is a tie.
  const StageCall mean = tiny({0}, {0}, {1, 1 + 0x1p-7f}, {0, 0}, {1, 1});
  EXPECT_EQ(first(mean, "weights"), 0.5);
  EXPECT_EQ(first(mean, "latent_context"), 1);
  EXPECT_EQ(first(tiny({0}, {0}, {1, 1}, {0}, {0, 0, 1, 0x1.8p-8f}), "context"), 1 + 0x1p-7);
}

TEST(AttentionAbsorbed, RoundsScaledWeightsAsTheReadingLoadsThem) {
  // The context is the difference of 1.125 + 1.125 * 2^-8, which is stored as 1.125 + 2^-7, and
  // 1 + 2^-8, which is stored as 1.
  StageCall call = tiny({1}, {0}, {1, -1}, {0}, {1, 1, 1, 1});
  AnyTensor codes = AnyTensor::zeros(Dtype::kFp8E4m3fn, {2, 2});
  for (int i : {0, 1, 2, 3}) codes.data<Fp8E4m3fn>()[i].bits = i % 2 == 0 ? 0x39 : 0x38;
  call.set("kv_b", codes);
  call.set("kv_b_scale", f32({1 + 0x1p-8f}, {1, 1}));
  StageCall exact = call;
  run("inf_fp8", call);
  EXPECT_EQ(first(call, "context"), 0.125 + 0x1p-7);
  run("real", exact);
  EXPECT_EQ(first(exact, "context"), 0.125 * (1 + 0x1p-8));
}

TEST(AttentionAbsorbed, NanInALatentPoisonsItsSequenceAndInTheWeightItsHead) {
  const Sizes n;
  StageCall call = absorbed(n);
  call.tensor("latent").data<float>()[n.t * n.rank] = NAN;
  const Real* o = run("inf_bf16", call, "context");
  const Index half = call.tensor("context").size() / 2;
  for (Index i = 0; i < 2 * half; ++i) EXPECT_EQ(o[i].is_nan(), i >= half) << i;
  StageCall weight = absorbed(n);
  weight.tensor("kv_b").data<float>()[0] = NAN;
  o = run("inf_bf16", weight, "context");
  const Index head = n.s * n.value;
  for (Index i = 0; i < half; ++i) EXPECT_EQ(o[i].is_nan(), i < head) << i;
}

TEST(AttentionAbsorbed, TheBudgetHoldsDoubleArithmeticRoundedToF32) {
  const Sizes n;
  StageCall quick = absorbed(n);
  run<double>("real", quick);
  std::vector<float> got;
  for (Index i = 0; i < quick.tensor("context").size(); ++i) {
    got.push_back(static_cast<float>(quick.tensor("context").data<double>()[i]));
  }
  StageCall tracked = absorbed(n);
  run<Tracked>("real", tracked);
  const BudgetUse use = budget_use(tracked, "context", got);
  EXPECT_LE(use.beyond, 0);
  // About thirty roundings of values near 1, seen in the context.
  EXPECT_LT(use.budgets, static_cast<double>(got.size()) * 200 * 0x1p-24);
  EXPECT_GT(use.budgets, static_cast<double>(got.size()) * 2 * 0x1p-24);
}

TEST(AttentionAbsorbedDeathTest, AWeightOfAnotherHeightIsABrokenPromise) {
  StageCall call = absorbed({});
  call.params[0].value = Index{4};
  EXPECT_DEATH(run("real", call), "expansion");
}

}  // namespace
}  // namespace plumb
