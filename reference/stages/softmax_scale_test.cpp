// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/softmax_scale.h"

#include <gtest/gtest.h>

#include "reference/registry/readings.h"
#include "reference/registry/schema.h"
#include "reference/stages/stage.h"

namespace plumb {
namespace {

template <class T = Real>
T sigma(std::string_view reading, const std::vector<NamedParam>& params = {}) {
  StageCall call{"softmax_scale", {}, params, {}};
  for (const ParamSchema& p : find_stage(call.stage)->params) {
    if (call.find_param(p.name) == nullptr) {
      call.params.push_back({std::string(p.name), p.default_value});
    }
  }
  find_reference(call.stage)
      ->run<T>({*find_reading(reading), find_stage(call.stage)->standard_contract}, call);
  return call.tensor("sigma").data<T>()[0];
}

TEST(SoftmaxScale, IsTheDoubleOfTheReleasedCode) {
  for (std::string_view reading : {"hf_bf16", "hf_f32", "inf_bf16", "inf_fp8"}) {
    EXPECT_EQ(sigma(reading).to_double(), 0.1352337788608801) << reading;
  }
  EXPECT_EQ(sigma("real").to_string(25), "0.1352337788608800880984225");
  EXPECT_EQ(sigma<double>("hf_f32"), 0.1352337788608801);
}

// Squaring the magnitude first would give 0.09356516759751216 and 0.11472138679292611 here.
TEST(SoftmaxScale, TheMagnitudeMultipliesTwice) {
  EXPECT_EQ(sigma("hf_f32", {{"factor", 4.0}}).to_double(), 0.09356516759751214);
  EXPECT_EQ(sigma("hf_f32", {{"mscale_all_dim", 0.707}}).to_double(), 0.1147213867929261);
}

TEST(SoftmaxScale, InferenceCodeSquaresTheMagnitudeOnlyForLongContexts) {
  const std::vector<NamedParam> trained{{"max_length", std::int64_t{4096}}};
  EXPECT_EQ(sigma("inf_bf16", trained).to_double(), 0.07216878364870322);
  EXPECT_EQ(sigma("hf_bf16", trained).to_double(), 0.1352337788608801);
}

TEST(SoftmaxScale, NoStrengthOrNoScalingLeavesThePlainFactor) {
  EXPECT_EQ(sigma("hf_f32", {{"mscale_all_dim", 0.0}}).to_double(), 0.07216878364870322);
  EXPECT_EQ(sigma("hf_f32", {{"factor", 1.0}}).to_double(), 0.07216878364870322);
  EXPECT_EQ(sigma("hf_f32", {{"yarn", std::int64_t{0}}}).to_double(), 0.07216878364870322);
  EXPECT_EQ(sigma("real", {{"yarn", std::int64_t{0}}, {"nope_dim", std::int64_t{0}}}).to_double(),
            0.125);
}

TEST(SoftmaxScale, BudgetIsAFewUlpsOfADouble) {
  const Tracked s = sigma<Tracked>("hf_f32");
  EXPECT_GE(s.error, 0x1p-54);
  EXPECT_LE(s.error, 0x1p-50);
  EXPECT_EQ(s.flags, 0);
}

}  // namespace
}  // namespace plumb
