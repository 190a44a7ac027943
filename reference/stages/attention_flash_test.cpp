// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/attention_flash.h"

#include <gtest/gtest.h>

#include "reference/stages/stage_testing.h"

namespace plumb {
namespace {

using namespace testing_stages;
using reference::keys_of;
using Integers = std::vector<std::int64_t>;

// Two sequences, two heads; 5 channels of values behind queries of 7.
StageCall flash(Index s, Index t, const Integers& keep = {}) {
  StageCall call{"attention_flash", {}, {}, {}};
  call.set("query", noise_f32(1, {2, 2, s, 7}));
  call.set("key", noise_f32(2, {2, 2, t, 7}));
  call.set("value", noise_f32(3, {2, 2, t, 5}));
  call.set("sigma", AnyTensor::of(std::vector<double>{0.7}));
  if (!keep.empty()) call.set("keep", i64(keep, {2, t}));
  return call;
}

AnyTensor eager(const StageCall& call, Index s, Index t) {
  StageCall mask{"attention_mask", {}, {{"B", Index{2}}, {"S", s}, {"T", t}, {"past", t - s}}, {}};
  if (call.find("keep") != nullptr) mask.set("keep", call.tensor("keep"));
  run("real", mask);
  StageCall attention{"attention", {}, {}, {}};
  for (const char* name : {"query", "key", "value", "sigma"}) {
    attention.set(name, call.tensor(name));
  }
  attention.set("mask", mask.tensor("mask"));
  run("real", attention);
  return attention.tensor("context");
}

// Real query tokens agree with eager attention to 45 digits; the others are zero.
void expect_eager_on_real_tokens(Index s, Index t, const Integers& keep = {}) {
  StageCall call = flash(s, t, keep);
  const AnyTensor want = eager(call, s, t);
  const Real* got = run("real", call, "context");
  ASSERT_EQ(call.tensor("context").shape(), (Shape{2, 2, s, 5}));
  for (Index i = 0; i < want.size(); ++i) {
    const Index b = i / (2 * s * 5), token = t - s + i / 5 % s;
    if (!keep.empty() && keep[static_cast<std::size_t>(b * t + token)] == 0) {
      EXPECT_TRUE(got[i].is_zero()) << i;
    } else {
      EXPECT_LT(abs(got[i] - want.data<Real>()[i]).to_double(), 1e-45) << i;
    }
  }
}

TEST(AttentionFlash, AgreesWithEagerAttentionOnRealTokens) {
  expect_eager_on_real_tokens(4, 4);
  expect_eager_on_real_tokens(3, 5);
  expect_eager_on_real_tokens(1, 5);
  expect_eager_on_real_tokens(4, 4, {0, 0, 1, 1, 1, 1, 1, 1});
  expect_eager_on_real_tokens(4, 4, {1, 0, 1, 1, 1, 1, 1, 0});
  expect_eager_on_real_tokens(3, 5, {0, 0, 0, 1, 1, 0, 1, 1, 1, 1});
  expect_eager_on_real_tokens(1, 5, {0, 0, 0, 1, 1, 0, 1, 1, 1, 1});
  // All of sequence 0 is padding.
  expect_eager_on_real_tokens(3, 3, {0, 0, 0, 1, 1, 1});
}

TEST(AttentionFlash, OneQueryOfManyTokensIsTakenAsItIs) {
  EXPECT_EQ(keys_of(nullptr, 0, 1, 3, 5), (std::vector<Index>{0, 1, 2, 3}));
  const AnyTensor keep = i64({0, 1, 1, 0, 0, 0, 0, 0}, {2, 4});
  EXPECT_EQ(keys_of(&keep, 0, 0, 1, 4), (std::vector<Index>{1, 2}));
  EXPECT_TRUE(keys_of(&keep, 1, 0, 1, 4).empty());
  EXPECT_TRUE(keys_of(&keep, 0, 1, 2, 4).empty());
}

TEST(AttentionFlash, WhatIsMaskedReachesNothing) {
  StageCall call = flash(2, 2, {0, 1, 1, 1});
  call.tensor("key").data<float>()[0] = NAN;
  call.tensor("value").data<float>()[0] = NAN;
  call.tensor("query").data<float>()[0] = NAN;
  const Real* o = run("hf_f32", call, "context");
  for (Index i = 0; i < call.tensor("context").size(); ++i) EXPECT_FALSE(o[i].is_nan()) << i;
}

TEST(AttentionFlash, PadsValuesWithZeros) {
  StageCall call = flash(1, 1);
  const Real* padded = run("hf_f32", call, "padded_value");
  ASSERT_EQ(call.tensor("padded_value").shape(), (Shape{2, 2, 1, 7}));
  const float* value = call.tensor("value").data<float>();
  for (int row = 0; row < 4; ++row) {
    for (int d = 0; d < 7; ++d) {
      EXPECT_EQ(padded[row * 7 + d].to_double(), d < 5 ? double{value[row * 5 + d]} : 0) << d;
    }
  }
}

TEST(AttentionFlash, OnlyTheOutputIsStored) {
  StageCall exact = flash(4, 4), rounded = flash(4, 4);
  // Every reading holds sigma in f32.
  for (StageCall* call : {&exact, &rounded}) {
    call->set("sigma", AnyTensor::of(std::vector<double>{0.7f}));
  }
  const Real* want = run("real", exact, "context");
  const Real* got = run("hf_bf16", rounded, "context");
  for (Index i = 0; i < exact.tensor("context").size(); ++i) {
    EXPECT_TRUE(got[i] == round_to(kBf16, want[i])) << i;
  }
}

TEST(AttentionFlash, HoldsSigmaInF32) {
  // The output is the weight of a score 10 below the other.
  const auto weight = [](std::string_view reading, double sigma) {
    StageCall call{"attention_flash", {}, {}, {}};
    call.set("query", f32({1}, {1, 1, 1, 1}));
    call.set("key", f32({0, -10}, {1, 1, 2, 1}));
    call.set("value", f32({0, 1}, {1, 1, 2, 1}));
    call.set("sigma", AnyTensor::of(std::vector<double>{sigma}));
    return run(reading, call, "context")->to_double();
  };
  const double sigma = 1 + 0x1p-24 + 0x1p-30;
  EXPECT_EQ(weight("hf_f32", sigma), weight("hf_f32", 1 + 0x1p-23));
  EXPECT_NE(weight("hf_f32", 1 + 0x1p-23), static_cast<float>(weight("real", sigma)));
}

TEST(AttentionFlash, TheBudgetHoldsDoubleArithmeticRoundedToF32) {
  StageCall quick = flash(4, 4), tracked = flash(4, 4);
  run<double>("real", quick);
  std::vector<float> got;
  for (Index i = 0; i < quick.tensor("context").size(); ++i) {
    got.push_back(static_cast<float>(quick.tensor("context").data<double>()[i]));
  }
  run<Tracked>("real", tracked);
  const BudgetUse use = budget_use(tracked, "context", got);
  EXPECT_LE(use.beyond, 0);
  EXPECT_LT(use.budgets, static_cast<double>(got.size()) * 50 * 0x1p-24);
  EXPECT_GT(use.budgets, static_cast<double>(got.size()) * 2 * 0x1p-24);
}

TEST(AttentionFlashDeathTest, WideValuesAndTooManyQueriesAreBrokenPromises) {
  StageCall wide = flash(1, 1);
  wide.set("value", noise_f32(3, {2, 2, 1, 8}));
  EXPECT_DEATH(run("real", wide), "extent");
  StageCall many = flash(2, 2);
  many.set("key", noise_f32(2, {2, 2, 1, 7}));
  EXPECT_DEATH(run("real", many), "extent");
}

}  // namespace
}  // namespace plumb
