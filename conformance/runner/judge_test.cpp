// SPDX-License-Identifier: Apache-2.0
// The judge on correct and on wrong outputs of rms_norm and moe_router, without workers.
#include "conformance/runner/judge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "fixtures/shapes/shapes.h"
#include "reference/registry/readings.h"
#include "reference/stages/executor.h"

namespace plumb::conformance {
namespace {

StageCall inputs_of(std::string_view stage, std::string_view case_name) {
  const StageSchema& schema = *find_stage(stage);
  return fixtures::generate(schema, fixtures::find_case(schema, case_name).value()).value();
}

// A plain kernel in float: what the contract allows. `wrong` changes one thing.
struct RmsNorm {
  float eps = 1e-6f;
  int first = 0;  // where the sum begins
  bool mean_removed = false;
  bool forgets_gain = false;
};

std::vector<NamedTensor> run_rms_norm(const StageCall& call, const RmsNorm& kernel) {
  const AnyTensor& x = call.tensor("x");
  const AnyTensor& gain = call.tensor("gain");
  const Index width = x.extent(1);
  AnyTensor y = AnyTensor::zeros(Dtype::kF32, x.shape());
  const auto at = [](const AnyTensor& t, Index i) {
    return static_cast<float>(load(t.bytes(), t.dtype(), i));
  };
  for (Index t = 0; t < x.extent(0); ++t) {
    float sum = 0;
    float mean = 0;
    for (Index d = 0; d < width; ++d) mean += at(x, t * width + d) / static_cast<float>(width);
    for (Index d = kernel.first; d < width; ++d) {
      const float v = at(x, t * width + d) - (kernel.mean_removed ? mean : 0);
      sum += v * v;
    }
    const float scale = 1 / std::sqrt(sum / static_cast<float>(width) + kernel.eps);
    for (Index d = 0; d < width; ++d) {
      const float g = kernel.forgets_gain ? 1.0f : at(gain, d);
      y.data<float>()[t * width + d] = at(x, t * width + d) * scale * g;
    }
  }
  return {{"y", y}};
}

Ruling ruling_of(const StageCall& call, const std::vector<NamedTensor>& got) {
  const StageSchema& schema = *find_stage(call.stage);
  const Judgement j = judge(schema, call, got, *find_reading("hf_f32"), schema.standard_contract);
  return j.tensors.front().decision.ruling;
}

TEST(Judge, PassesAFloatKernelAndRejectsWrongOnes) {
  const StageCall call = inputs_of("rms_norm", "ragged.normal.0.hf_f32.plain");
  EXPECT_EQ(ruling_of(call, run_rms_norm(call, {})), Ruling::kPass);
  EXPECT_EQ(ruling_of(call, run_rms_norm(call, {.first = 1})), Ruling::kFail);
  EXPECT_EQ(ruling_of(call, run_rms_norm(call, {.mean_removed = true})), Ruling::kFail);
  EXPECT_EQ(ruling_of(call, run_rms_norm(call, {.forgets_gain = true})), Ruling::kFail);
  EXPECT_EQ(ruling_of(call, run_rms_norm(call, {.eps = 1e-3f})), Ruling::kFail);
}

TEST(Judge, AnswersForTypeShapeAndAZeroedRow) {
  const StageCall call = inputs_of("rms_norm", "ragged.normal.0.hf_f32.plain");
  std::vector<NamedTensor> got = run_rms_norm(call, {});
  AnyTensor zeroed = got.front().tensor.copied();
  std::fill_n(zeroed.data<float>(), zeroed.extent(1), 0.0f);
  EXPECT_EQ(ruling_of(call, {{"y", zeroed}}), Ruling::kFail);
  EXPECT_EQ(ruling_of(call, {{"y", got.front().tensor.sliced(0, 1, 2)}}), Ruling::kFail);
  const AnyTensor& y = got.front().tensor;
  EXPECT_EQ(ruling_of(call, {{"y", y.reshaped({1, y.extent(0), y.extent(1)})}}), Ruling::kPass);
  EXPECT_EQ(ruling_of(call, {{"y", y.reshaped({y.extent(1), y.extent(0)})}}), Ruling::kFail);
  EXPECT_EQ(ruling_of(call, {{"y", AnyTensor::zeros(Dtype::kI64, zeroed.shape())}}), Ruling::kFail);
}

TEST(Judge, LeavesOutTokensAndCountsThem) {
  const StageCall call = inputs_of("moe_router", "ragged.normal.0.hf_f32.plain");
  StageCall computed = call;
  PlainExecutor(*find_reading("hf_f32")).run(computed);
  AnyTensor weights = computed.tensor("weights").copied();
  weights.data<float>()[0] += 1;  // token 0 is wrong
  const std::vector<NamedTensor> got{{"ids", computed.tensor("ids")}, {"weights", weights}};
  const StageSchema& schema = *find_stage("moe_router");
  LeftOut left_out(static_cast<std::size_t>(weights.extent(0)), false);
  const auto ruled = [&] {
    return judge(schema, call, got, *find_reading("hf_f32"), schema.standard_contract, left_out)
        .tensors;
  };
  EXPECT_EQ(ruled().back().decision.ruling, Ruling::kFail);
  left_out[0] = true;
  EXPECT_EQ(ruled().back().decision.ruling, Ruling::kPass);
  EXPECT_EQ(ruled().back().left_out, weights.extent(1));
}

// The weights belong to the candidate's own experts, in its own order.
TEST(Judge, FollowsAnOrderOfExpertsAndRejectsAnotherSet) {
  const StageCall call = inputs_of("moe_router", "ragged.normal.0.hf_f32.plain");
  StageCall computed = call;
  PlainExecutor(*find_reading("hf_f32")).run(computed);
  AnyTensor ids = computed.tensor("ids").copied();
  AnyTensor weights = computed.tensor("weights").copied();
  const Index k = ids.extent(1);
  for (Index n = 0; n < ids.extent(0); ++n) {
    std::reverse(ids.data<std::int64_t>() + n * k, ids.data<std::int64_t>() + (n + 1) * k);
    std::reverse(weights.data<float>() + n * k, weights.data<float>() + (n + 1) * k);
  }
  const StageSchema& schema = *find_stage("moe_router");
  const auto judged = [&](const AnyTensor& chosen) {
    return judge(schema, call, {{"ids", chosen}, {"weights", weights}}, *find_reading("hf_f32"),
                 schema.standard_contract)
        .tensors;
  };
  for (const TensorJudgement& t : judged(ids))
    EXPECT_EQ(t.decision.ruling, Ruling::kPass) << t.tensor;
  // Weights in the reference's order beside ids in another are wrong.
  EXPECT_EQ(judged(computed.tensor("ids")).back().decision.ruling, Ruling::kFail);
  // An expert that was not among the best.
  AnyTensor other = ids.copied();
  const AnyTensor& scores = computed.tensor("masked");
  Index worst = 0;
  for (Index e = 0; e < scores.extent(1); ++e) {
    if (scores.data<float>()[e] < scores.data<float>()[worst]) worst = e;
  }
  other.data<std::int64_t>()[0] = worst;
  EXPECT_EQ(judged(other).front().decision.ruling, Ruling::kFail);
  // The same expert twice, and one out of range, are no choice at all.
  other.data<std::int64_t>()[0] = other.data<std::int64_t>()[1];
  EXPECT_EQ(judged(other).front().decision.ruling, Ruling::kFail);
  for (const std::int64_t id : {scores.extent(1), std::int64_t{-1}, (std::int64_t{1} << 53) + 1}) {
    other.data<std::int64_t>()[0] = id;
    EXPECT_EQ(judged(other).front().decision.ruling, Ruling::kFail) << id;
  }
}

}  // namespace
}  // namespace plumb::conformance
