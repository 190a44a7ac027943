// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/rope_frequencies.h"

#include <gtest/gtest.h>

#include <bit>

#include "reference/registry/readings.h"
#include "reference/registry/schema.h"
#include "reference/stages/stage.h"

namespace plumb {
namespace {

template <class T = Real>
StageCall run(const Reading& reading, const std::vector<NamedParam>& params = {}) {
  StageCall call{"rope_frequencies", {}, params, {}};
  for (const ParamSchema& p : find_stage(call.stage)->params) {
    if (call.find_param(p.name) == nullptr) {
      call.params.push_back({std::string(p.name), p.default_value});
    }
  }
  const Contract contract;
  find_reference(call.stage)->run<T>({reading, contract}, call);
  return call;
}
template <class T = Real>
StageCall run(std::string_view reading, const std::vector<NamedParam>& params = {}) {
  return run<T>(*find_reading(reading), params);
}

std::vector<std::uint32_t> bits(const StageCall& call, std::string_view name) {
  const AnyTensor& t = call.tensor(name);
  std::vector<std::uint32_t> r;
  for (Index i = 0; i < t.size(); ++i) {
    const double v = t.data<Real>()[i].to_double();
    EXPECT_EQ(v, static_cast<float>(v)) << i;
    r.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(v)));
  }
  return r;
}

Reading with_side(std::string_view reading, std::string_view discrepancy, Side side) {
  Reading r = *find_reading(reading);
  for (auto& [id, taken] : r.sides) {
    if (id == discrepancy) taken = side;
  }
  return r;
}

// What the released code computes for R1's configuration; recorded from a run of it.
const std::vector<std::uint32_t> kReleased{
    0x3F800000, 0x3F3FF911, 0x3F0FF59A, 0x3ED7E89B, 0x3EA1E89B, 0x3E72D423, 0x3E361887, 0x3E088D77,
    0x3DCCCCCD, 0x3D99940D, 0x3D6655C2, 0x3D1FC5BA, 0x3CDC321B, 0x3C968DC3, 0x3C4BF283, 0x3C088D77,
    0x3BB43959, 0x3B697066, 0x3B136A16, 0x3AB3A2CD, 0x3A4F3E37, 0x39D99312, 0x393A7753, 0x380BD471,
    0x37D1B717, 0x379D43A3, 0x376BDCF0, 0x3730DF51, 0x3704A2B3, 0x36C6ECDD, 0x36952C42, 0x365FBA4F};

TEST(RopeFrequencies, ReleasedTableBitForBit) {
  EXPECT_EQ(bits(run("hf_f32"), "inv_freq"), kReleased);
  EXPECT_EQ(bits(run("hf_bf16"), "inv_freq"), kReleased);
}

TEST(RopeFrequencies, DividingByTheFactorLastMovesFourEntries) {
  const std::vector<std::uint32_t> divided = bits(run("inf_bf16"), "inv_freq");
  std::vector<std::size_t> moved;
  for (std::size_t i = 0; i < 32; ++i) {
    if (divided[i] != kReleased[i]) moved.push_back(i);
  }
  EXPECT_EQ(moved, (std::vector<std::size_t>{23, 24, 29, 31}));
  EXPECT_EQ(kReleased[24], 0x37D1B717u);
  EXPECT_EQ(divided[24], 0x37D1B718u);
}

TEST(RopeFrequencies, TheRangeIsClampedAtTheLastChannelOrTheLastPair) {
  const std::vector<NamedParam> params{{"original_length", std::int64_t{131072}}};
  const StageCall channel = run("real", params);
  EXPECT_EQ(channel.tensor("bounds").data<std::int64_t>()[0], 22);
  EXPECT_EQ(channel.tensor("bounds").data<std::int64_t>()[1], 35);
  EXPECT_EQ(channel.tensor("ramp").data<Real>()[31].to_string(20), "0.69230769230769230769");
  const StageCall pair = run(with_side("real", "R1-D09", Side::kB), params);
  EXPECT_EQ(pair.tensor("bounds").data<std::int64_t>()[1], 31);
  EXPECT_EQ(pair.tensor("ramp").data<Real>()[31].to_double(), 1);
}

TEST(RopeFrequencies, ARangeWithoutExtentIsAStep) {
  // Both ends of the ramp fall on pair 0: i(2) < 0 and i(1) <= 0.
  const StageCall call = run("hf_f32", {{"original_length", std::int64_t{6}}, {"beta_fast", 2.0}});
  EXPECT_EQ(call.tensor("bounds").data<std::int64_t>()[0], 0);
  EXPECT_EQ(call.tensor("bounds").data<std::int64_t>()[1], 0);
  const Real* rho = call.tensor("ramp").data<Real>();
  EXPECT_EQ(rho[0].to_double(), 0);
  EXPECT_EQ(rho[1].to_double(), 1);
}

TEST(RopeFrequencies, InferenceCodeStretchesOnlyWhereTheContextIsLonger) {
  const std::vector<NamedParam> params{{"max_length", std::int64_t{4096}}};
  const StageCall plain = run("hf_f32", {{"kind", std::string("plain")}});
  EXPECT_EQ(bits(run("inf_bf16", params), "inv_freq"), bits(plain, "inv_freq"));
  EXPECT_EQ(bits(run("hf_bf16", params), "inv_freq"), kReleased);
  EXPECT_EQ(plain.find("ramp"), nullptr);
}

TEST(RopeFrequencies, DynamicScalingBeginsBeyondTheTrainedContext) {
  const NamedParam dynamic{"kind", std::string("dynamic")};
  const std::vector<std::uint32_t> plain =
      bits(run("hf_f32", {{"kind", std::string("plain")}}), "inv_freq");
  EXPECT_EQ(bits(run("hf_f32", {dynamic, {"length", std::int64_t{4096}}}), "inv_freq"), plain);
  const std::vector<std::uint32_t> longer =
      bits(run("hf_f32", {dynamic, {"length", std::int64_t{4097}}}), "inv_freq");
  EXPECT_EQ(longer[0], plain[0]);
  EXPECT_LT(longer[31], plain[31]);
}

TEST(RopeFrequencies, OneMagnitudeForTheTableInOneCodeOnly) {
  const std::vector<NamedParam> params{{"mscale_all_dim", 0.0}};
  const auto scale = [&](std::string_view reading) {
    return run(reading, params).tensor("table_scale").data<Real>()[0].to_double();
  };
  EXPECT_EQ(scale("hf_f32"), 1.3688879454113936);
  EXPECT_EQ(scale("inf_bf16"), 1);
}

TEST(RopeFrequencies, BudgetIsThePowersUlpsAndNoMore) {
  const StageCall call = run<Tracked>("hf_f32");
  const Tracked* f = call.tensor("inv_freq").data<Tracked>();
  for (int i = 0; i < 32; ++i) {
    const double ulp = std::ldexp(1.0, static_cast<int>(f[i].value.exponent()) - 23);
    EXPECT_GE(f[i].error, 2 * ulp) << i;
    EXPECT_LE(f[i].error, 6 * ulp) << i;
    EXPECT_EQ(f[i].flags, 0) << i;
    EXPECT_EQ(call.tensor("ramp").data<Tracked>()[i].error, 0) << i;
  }
  EXPECT_EQ(call.tensor("table_scale").data<Tracked>()[0].error, 0);
}

TEST(RopeFrequencies, WhereNothingIsRoundedTheContractsOperationsCount) {
  const StageCall call = run<Tracked>("real");
  const Tracked* f = call.tensor("inv_freq").data<Tracked>();
  for (int i = 0; i < 32; ++i) {
    EXPECT_GE(f[i].error, f[i].value.to_double() * 0x1p-22) << i;
    // Where the ramp ends, mu is a small difference and its error that of 1, times fe.
    EXPECT_LE(f[i].error, call.tensor("freq_extra").data<Tracked>()[i].value.to_double() * 0x1p-19)
        << i;
    EXPECT_EQ(f[i].flags, 0) << i;
  }
  EXPECT_GT(call.tensor("ramp").data<Tracked>()[12].error, 0);
  EXPECT_EQ(call.tensor("ramp").data<Tracked>()[3].error, 0);
}

}  // namespace
}  // namespace plumb
