// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/linear.h"

#include <gtest/gtest.h>

#include "reference/formats/storage.h"
#include "reference/registry/readings.h"
#include "reference/scalar/format.h"
#include "reference/stages/stage.h"

namespace plumb {
namespace {

AnyTensor f32(const std::vector<float>& values, Shape shape) {
  return AnyTensor::of(values).reshaped(std::move(shape));
}

AnyTensor codes(Index rows, Index columns, std::uint8_t code) {
  AnyTensor t = AnyTensor::zeros(Dtype::kFp8E4m3fn, {rows, columns});
  for (Index i = 0; i < rows * columns; ++i) t.data<Fp8E4m3fn>()[i].bits = code;
  return t;
}

template <class T = Real>
const T* run(std::string_view reading, StageCall& call) {
  call.stage = "linear";
  call.params = {{"block", std::int64_t{128}}};
  const Contract contract;
  find_reference("linear")->run<T>({*find_reading(reading), contract}, call);
  return call.tensor("y").data<T>();
}

TEST(Linear, SumsOverTheInputAxis) {
  StageCall call;
  call.set("x", f32({1, 2, 3, 4}, {2, 2}));
  call.set("weight", f32({1, 10, 100, 1000, 5, 6}, {3, 2}));
  const Real* y = run("real", call);
  const double want[] = {21, 2100, 17, 43, 4300, 39};
  for (int i = 0; i < 6; ++i) EXPECT_EQ(y[i].to_double(), want[i]) << i;
}

TEST(Linear, EachBlockHasItsOwnScaleAndTheEdgeBlockIsPartial) {
  // 130 x 129: four blocks, three of them partial; one column nonzero at a time tells them apart.
  StageCall call;
  call.set("weight", codes(130, 129, 0x38));  // 1.0
  call.set("weight_scale", f32({2, 4, 8, 16}, {2, 2}));
  std::vector<float> x(2 * 129, 0.0f);
  x[0] = 1;          // token 0: first block of columns
  x[129 + 128] = 1;  // token 1: the partial one
  call.set("x", f32(x, {2, 129}));
  const Real* y = run("hf_f32", call);
  EXPECT_EQ(y[0].to_double(), 2);
  EXPECT_EQ(y[127].to_double(), 2);
  EXPECT_EQ(y[128].to_double(), 8);
  EXPECT_EQ(y[130].to_double(), 4);
  EXPECT_EQ(y[130 + 129].to_double(), 16);
}

TEST(Linear, ScalesOutliveTheCallsGrowth) {
  // A call that has room for its inputs alone moves them when the output joins.
  StageCall call{
      "linear",
      {{"x", f32({1}, {1, 1})}, {"weight", codes(1, 1, 0x38)}, {"weight_scale", f32({3}, {1, 1})}},
      {},
      {}};
  ASSERT_EQ(call.tensors.capacity(), 3u);
  EXPECT_EQ(run("real", call)[0].to_double(), 3);
}

TEST(Linear, TheLoadedWeightIsRoundedAsTheReadingSays) {
  StageCall call;
  call.set("weight", codes(1, 1, 0x39));                    // 1.125
  call.set("weight_scale", f32({1.0f + 0x1p-7f}, {1, 1}));  // 1.125 * 1.0078125 = 1.1337890625
  call.set("x", f32({1}, {1, 1}));
  EXPECT_EQ(run("real", call)[0].to_double(), 1.1337890625);
  EXPECT_EQ(run("hf_f32", call)[0].to_double(), 1.1337890625);
  EXPECT_EQ(run("hf_bf16", call)[0].to_double(), 1.1328125);
}

// Weights loaded beforehand, element by element.
AnyTensor loaded(const AnyTensor& weight, const AnyTensor& scale, const Format* format) {
  AnyTensor t = AnyTensor::zeros(Dtype::kF32, weight.shape());
  for (Index i = 0; i < t.size(); ++i) {
    const Index row = i / weight.extent(1) / 128;
    const Index column = i % weight.extent(1) / 128;
    const double w = load(weight.bytes(), weight.dtype(), i) *
                     double{scale.data<float>()[row * scale.extent(1) + column]};
    store_exact(t.bytes(), Dtype::kF32, i, format != nullptr ? round_to(*format, w) : w);
  }
  return t;
}

// 600 by 2000: enough products for several threads, partial blocks at both edges, and every code.
TEST(Linear, ManyRowsAreThoseOfWeightsLoadedBeforehand) {
  AnyTensor weight = codes(600, 2000, 0);
  for (Index i = 0; i < weight.size(); ++i) {
    const auto code = static_cast<std::uint8_t>(i * 37 + i / 2000);
    weight.data<Fp8E4m3fn>()[i].bits = (code & 0x7F) == 0x7F ? std::uint8_t{0} : code;
  }
  std::vector<float> scales;
  for (int k = 0; k < 5 * 16; ++k) scales.push_back(0x1p-9f * static_cast<float>(513 + 7 * k));
  std::vector<float> x;
  for (int i = 0; i < 2 * 2000; ++i) x.push_back(static_cast<float>(i % 23 - 11));
  for (const auto& [reading, format] :
       {std::pair<std::string_view, const Format*>{"hf_bf16", &kBf16},
        {"hf_f32", &kF32},
        {"real", nullptr}}) {
    StageCall scaled;
    scaled.set("x", f32(x, {2, 2000}));
    scaled.set("weight", weight);
    scaled.set("weight_scale", f32(scales, {5, 16}));
    const Real* got = run(reading, scaled);
    const AnyTensor plain = loaded(weight, scaled.tensor("weight_scale"), format);
    // A hundred rows at a time, which one thread does.
    for (int begin = 0; begin < 600; begin += 100) {
      StageCall part;
      part.set("x", f32(x, {2, 2000}));
      part.set("weight", plain.sliced(0, begin, begin + 100));
      const Real* want = run(reading, part);
      for (int i = 0; i < 200; ++i) {
        const int row = begin + i % 100;
        ASSERT_TRUE(got[i / 100 * 600 + row] == want[i]) << reading << " row " << row;
      }
    }
  }
}

TEST(Linear, QuantisedInputsMeetTheirScalesInTheSum) {
  StageCall call;
  call.set("x", codes(1, 130, 0x40));  // 2.0
  call.set("x_scale", f32({0.5f, 3.0f}, {1, 2}));
  call.set("weight", codes(1, 130, 0x38));
  call.set("weight_scale", f32({0.25f, 8.0f}, {1, 2}));
  // 128 * 2 * 0.5 * 0.25 + 2 * 2 * 3 * 8 = 32 + 96
  EXPECT_EQ(run("inf_fp8", call)[0].to_double(), 128);
}

TEST(Linear, BudgetGrowsWithTheSumOfMagnitudesNotWithTheSum) {
  StageCall call;
  call.set("x", f32({1, 1, 1}, {1, 3}));
  call.set("weight", f32({1024, -1024, 1}, {1, 3}));
  const Tracked* y = run<Tracked>("hf_f32", call);
  EXPECT_EQ(y[0].value.to_double(), 1);
  EXPECT_GT(y[0].error, 3 * 2049 * 0x1p-24);
  EXPECT_LT(y[0].error, 3 * 2049 * 0x1p-24 * 1.01 + 0x1p-23);
}

}  // namespace
}  // namespace plumb
