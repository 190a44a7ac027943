// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/rope.h"

#include <gtest/gtest.h>

#include "reference/registry/readings.h"
#include "reference/stages/stage.h"

namespace plumb {
namespace {

AnyTensor f32(const std::vector<float>& values, Shape shape) {
  return AnyTensor::of(values).reshaped(std::move(shape));
}

// One vector at a position whose cosines and sines are all c and s.
StageCall rotated(const std::vector<float>& x, float c, float s) {
  const auto d = static_cast<Index>(x.size());
  StageCall call{"rope", {}, {}, {}};
  call.set("x", f32(x, {1, 1, 1, d}));
  call.set("cos", f32(std::vector<float>(x.size(), c), {1, d}));
  call.set("sin", f32(std::vector<float>(x.size(), s), {1, d}));
  call.set("positions", AnyTensor::zeros(Dtype::kI64, {1, 1}));
  return call;
}

template <class T = Real>
const T* run(std::string_view reading, StageCall& call, const Contract& contract = {}) {
  find_reference("rope")->run<T>({*find_reading(reading), contract}, call);
  return call.tensor("y").data<T>();
}

TEST(Rope, ThePairsStayInHalvesOrGoBack) {
  std::vector<float> x(64, 0.0f);
  x[7] = 1;  // the odd member of pair 3
  StageCall halves = rotated(x, 0.5f, 0.25f);
  StageCall pairs = halves;
  const Real* h = run("hf_f32", halves);
  const Real* p = run("inf_bf16", pairs);
  for (int j = 0; j < 64; ++j) {
    EXPECT_EQ(h[j].to_double(), j == 3 ? -0.25 : j == 35 ? 0.5 : 0) << j;
    EXPECT_EQ(p[j].to_double(), j == 6 ? -0.25 : j == 7 ? 0.5 : 0) << j;
  }
}

TEST(Rope, EachProductIsRoundedOrTheSumAlone) {
  // 1.0078125 * 1.0078125 = 1 + 2^-6 + 2^-14, times 1 and minus 1: bf16 loses the last bit first.
  StageCall steps = rotated({1.0078125f, 1.015625f}, 1.0078125f, 1.0f);
  StageCall once = steps;
  EXPECT_EQ(run("hf_bf16", steps)[0].to_double(), 0);
  EXPECT_EQ(run("inf_bf16", once)[0].to_double(), 0x1p-14);
}

TEST(Rope, EachTokenTakesTheRowOfItsPosition) {
  StageCall call{"rope", {}, {}, {}};
  call.set("x", f32({1, 0, 1, 0, 1, 0, 1, 0}, {2, 1, 2, 2}));
  call.set("cos", f32({1, 1, 2, 2, 3, 3}, {3, 2}));
  call.set("sin", f32({10, 10, 20, 20, 30, 30}, {3, 2}));
  call.set("positions", AnyTensor::of(std::vector<std::int64_t>{2, 0, 1, 2}).reshaped({2, 2}));
  const Real* y = run("real", call);
  const double want[] = {3, 30, 1, 10, 2, 20, 3, 30};
  for (int j = 0; j < 8; ++j) EXPECT_EQ(y[j].to_double(), want[j]) << j;
}

// In bf16 the roundings are the code's own; in float32 a kernel may fuse the products.
TEST(Rope, RoundingStepByStepLeavesNoBudgetUnlessProductsMayBeFused) {
  StageCall call = rotated({1.1f, 2.3f, -0.7f, 3.1f}, 0.8f, 0.6f);
  StageCall fused = call;
  StageCall pairs = call;
  const Tracked* y = run<Tracked>("hf_bf16", call);
  const Tracked* z = run<Tracked>("hf_f32", fused);
  const Tracked* w = run<Tracked>("real", pairs);
  for (int j = 0; j < 4; ++j) {
    EXPECT_EQ(y[j].error, 0) << j;
    EXPECT_EQ(y[j].flags, 0) << j;
    EXPECT_GT(z[j].error, 0) << j;
    EXPECT_LT(z[j].error, 0x1p-20) << j;
    EXPECT_GT(w[j].error, 0) << j;
  }
}

TEST(Rope, NanPoisonsItsPairOnly) {
  StageCall call = rotated({1, NAN, 3, 4}, 0.5f, 0.5f);
  const Real* y = run("hf_f32", call);
  EXPECT_TRUE(y[0].is_nan());
  EXPECT_TRUE(y[2].is_nan());
  EXPECT_FALSE(y[1].is_nan());
  EXPECT_FALSE(y[3].is_nan());
}

}  // namespace
}  // namespace plumb
