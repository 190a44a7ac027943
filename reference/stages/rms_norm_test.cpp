// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/rms_norm.h"

#include <gtest/gtest.h>

#include <string>

#include "reference/registry/readings.h"
#include "reference/registry/schema.h"
#include "reference/stages/stage.h"

namespace plumb {
namespace {

StageCall call_on(const std::vector<float>& x, const std::vector<float>& gain) {
  const auto width = static_cast<Index>(gain.size());
  StageCall call{"rms_norm", {}, {{"eps", 1e-6}}, {}};
  call.set("x", AnyTensor::of(x).reshaped({static_cast<Index>(x.size()) / width, width}));
  call.set("gain", AnyTensor::of(gain));
  return call;
}

template <class T>
const T* run(std::string_view reading, StageCall& call) {
  const Contract contract;
  find_reference("rms_norm")->run<T>({*find_reading(reading), contract}, call);
  return call.tensor("y").data<T>();
}

TEST(RmsNorm, GoldenOfRecord23ToItsLastDigit) {
  StageCall call = call_on({1, 2, 3, 4}, {0.5, 1, 2, -1});
  const Real* y = run<Real>("real", call);
  EXPECT_EQ(y[0].to_string(25), "0.1825741736634441993097355");
  EXPECT_EQ(y[1].to_string(24), "0.730296694653776797238942");
  EXPECT_EQ(y[2].to_string(25), "2.190890083961330391716826");
  EXPECT_EQ(y[3].to_string(25), "-1.460593389307553594477884");
}

TEST(RmsNorm, ReleasedCodeRoundsBeforeTheGain) {
  StageCall call = call_on({1, 3}, {1.125, 1.125});
  const Real* y = run<Real>("hf_bf16", call);
  EXPECT_EQ(y[0].to_double(), 129.0 / 256);
  EXPECT_EQ(y[1].to_double(), 97.0 / 64);  // 193/128 if the gain came first: R1-D18
}

TEST(RmsNorm, NanPoisonsItsOwnRowOnly) {
  StageCall call = call_on({1, NAN, 3, 4}, {1, 1});
  const Real* y = run<Real>("hf_f32", call);
  EXPECT_TRUE(y[0].is_nan());
  EXPECT_TRUE(y[1].is_nan());
  EXPECT_FALSE(y[2].is_nan());
}

TEST(RmsNorm, BudgetIsAFewRoundingsOfTheValue) {
  StageCall call = call_on({1, 2, 3, 4}, {0.5, 1, 2, -1});
  const Tracked* y = run<Tracked>("hf_f32", call);
  for (int i = 0; i < 4; ++i) {
    const double relative = y[i].error / std::abs(y[i].value.to_double());
    EXPECT_GT(relative, 0x1p-24) << i;
    EXPECT_LT(relative, 0x1p-20) << i;
    EXPECT_EQ(y[i].flags, 0) << i;
  }
}

TEST(RmsNorm, SchemaRefusesAGainOfAnotherWidth) {
  StageCall call = call_on({1, 2, 3, 4}, {1, 1});
  call.set("gain", AnyTensor::of(std::vector<float>{1, 1, 1}));
  const Status status = check_call(*find_stage("rms_norm"), call);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "rms_norm: tensor 'gain' has extent 3 on axis D; 2 is needed");
}

}  // namespace
}  // namespace plumb
