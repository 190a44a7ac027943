// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/rope_table.h"

#include <gtest/gtest.h>

#include "reference/registry/readings.h"
#include "reference/stages/stage.h"

namespace plumb {
namespace {

template <class T = Real>
StageCall run(std::string_view reading, std::int64_t position, float frequency, double scale = 1,
              double stretch = 1) {
  StageCall call{"rope_table", {}, {{"dim", std::int64_t{2}}, {"stretch", stretch}}, {}};
  call.set("positions", AnyTensor::of(std::vector<std::int64_t>{position}));
  call.set("inv_freq", AnyTensor::of(std::vector<float>{frequency}));
  call.set("table_scale", AnyTensor::of(std::vector<double>{scale}));
  const Contract contract;
  find_reference(call.stage)->run<T>({*find_reading(reading), contract}, call);
  return call;
}

template <class T = Real>
T first(const StageCall& call, std::string_view name) {
  return call.tensor(name).data<T>()[0];
}

TEST(RopeTable, PrecisionIsTheReadings) {
  EXPECT_EQ(first(run("hf_bf16", 1, 1), "cos").to_double(), 0.5390625);
  EXPECT_EQ(first(run("hf_bf16", 1, 1), "sin").to_double(), 0.83984375);
  const double single = 0x1.14a280p-1;  // cos 1 in f32
  EXPECT_EQ(first(run("hf_f32", 1, 1), "cos").to_double(), single);
  EXPECT_EQ(first(run("inf_bf16", 1, 1), "cos").to_double(), single);
  EXPECT_EQ(first(run("real", 1, 1), "cos").to_string(25), "0.5403023058681397174009366");
}

TEST(RopeTable, TheTwoHalvesAreCopies) {
  const StageCall call = run("hf_f32", 7, 0.3f);
  EXPECT_EQ(call.tensor("cos").extent(1), 2);
  EXPECT_TRUE(call.tensor("cos").data<Real>()[0] == call.tensor("cos").data<Real>()[1]);
  EXPECT_TRUE(call.tensor("sin").data<Real>()[0] == call.tensor("sin").data<Real>()[1]);
}

// The largest error that one f32 product makes within R1's context.
TEST(RopeTable, TheAngleIsRoundedBeforeTheWave) {
  const float f = 0.42169651389122009f;
  const Real exact = Real(163550) / pow(Real(10000), Real(0.09375));
  const Real angle = first(run("hf_f32", 163550, f), "angles");
  EXPECT_EQ(abs(angle - exact).to_string(20), "0.0056142553732465378651");
  const StageCall call = run("hf_f32", 163550, f);
  EXPECT_EQ(first(call, "cos").to_double(), round_to(kF32, cos(first(call, "angles"))).to_double());
}

TEST(RopeTable, PositionsAreStretchedBeforeTheProduct) {
  EXPECT_EQ(first(run("hf_f32", 80, 0.01f, 1, 40), "angles").to_double(), 2 * 0.01f);
  // 1/3 is rounded to f32 and so is its triple.
  EXPECT_EQ(first(run("hf_f32", 1, 3, 1, 3), "angles").to_double(), 1);
  EXPECT_EQ(first(run("hf_f32", 1, 5, 1, 3), "angles").to_double(),
            static_cast<double>(5.0f * (1.0f / 3.0f)));
}

TEST(RopeTable, TheFactorScalesBothWavesAndIsRoundedOnce) {
  const double a = 1.3688879454113936;
  const StageCall call = run("hf_bf16", 3, 0.5f, a);
  EXPECT_TRUE(first(call, "cos") == round_to(kBf16, cos(Real(1.5)) * Real(a)));
  EXPECT_TRUE(first(call, "sin") == round_to(kBf16, sin(Real(1.5)) * Real(a)));
}

TEST(RopeTable, BudgetIsTwoUlpsAndTheLastRounding) {
  const Tracked cos = first<Tracked>(run<Tracked>("hf_f32", 5, 0.3f), "cos");  // cos 1.5 = 0.0707
  EXPECT_GE(cos.error, 2 * 0x1p-27);
  EXPECT_LE(cos.error, 3 * 0x1p-27);
  EXPECT_EQ(first<Tracked>(run<Tracked>("hf_f32", 5, 0.3f), "angles").error, 0);
  // Far from a tie an error in f32 leaves the bf16 value alone.
  EXPECT_EQ(first<Tracked>(run<Tracked>("hf_bf16", 1, 1), "cos").error, 0);
  // A factor that f32 does not hold costs its rounding and the product's.
  const double plain = first<Tracked>(run<Tracked>("real", 5, 0.3f), "cos").error;
  const double scaled = first<Tracked>(run<Tracked>("real", 5, 0.3f, 1.1), "cos").error;
  EXPECT_GT(scaled, 1.1 * plain + 0.07 * 1.1 * 0x1p-24);
  EXPECT_LT(scaled, 1.1 * plain + 0.07 * 1.1 * 0x1p-22);
}

}  // namespace
}  // namespace plumb
