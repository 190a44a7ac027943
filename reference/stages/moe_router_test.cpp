// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/moe_router.h"

#include <gtest/gtest.h>

#include <limits>

#include "reference/registry/readings.h"
#include "reference/stages/stage.h"

namespace plumb {
namespace {

// One token whose logits are `logits`: h = 1, weight[e] = logits[e].
StageCall routed(const std::vector<float>& logits, const std::vector<float>& bias,
                 std::int64_t groups, std::int64_t top_groups, std::int64_t top_k) {
  const auto experts = static_cast<Index>(logits.size());
  StageCall call{"moe_router",
                 {},
                 {{"groups", groups}, {"top_groups", top_groups}, {"top_k", top_k}, {"scale", 2.5}},
                 {}};
  call.set("h", AnyTensor::of(std::vector<float>{1}).reshaped({1, 1}));
  call.set("weight", AnyTensor::of(logits).reshaped({experts, 1}));
  call.set("bias", AnyTensor::of(bias));
  return call;
}

void run(std::string_view reading, StageCall& call) {
  const Contract contract;
  find_reference("moe_router")->run<Real>({*find_reading(reading), contract}, call);
}

std::vector<std::int64_t> integers(const StageCall& call, std::string_view name) {
  const AnyTensor& t = call.tensor(name);
  return {t.data<std::int64_t>(), t.data<std::int64_t>() + t.size()};
}

// The full-size token of records 67 to 72 and 105 to 110.
StageCall full_size_token() {
  std::vector<float> logits(256);
  std::vector<float> bias(256);
  for (std::size_t e = 0; e < 256; ++e) {
    logits[e] = static_cast<float>(static_cast<int>((37 * e + 11) % 256) - 128) / 32;
    bias[e] = static_cast<float>((91 * e + 5) % 256) / 1024;
  }
  return routed(logits, bias, 8, 4, 8);
}

TEST(MoeRouter, FullSizeGoldenTokenToItsLastDigit) {
  StageCall call = full_size_token();
  run("real", call);
  EXPECT_EQ(integers(call, "ids"),
            (std::vector<std::int64_t>{13, 103, 179, 193, 27, 117, 207, 165}));
  EXPECT_EQ(call.tensor("group_scores").data<Real>()[0].to_string(25),
            "2.253781864384505878247111");
  EXPECT_EQ(call.tensor("group_scores").data<Real>()[7].to_string(25),
            "2.250825912721463199073055");
  const Real total = call.tensor("weights").data<Real>()[0] / Real::from_decimal("2.5");
  EXPECT_EQ(total.to_string(25), "0.1247428243223304193458613");
}

TEST(MoeRouter, TheFillDecidesWhenTooFewAreAboveZero) {
  // E=4, 2 groups, 1 kept, K=2; c = (0.5, -0.1, 0.1, 0.1): R1-D06's witness.
  StageCall call = routed({0, 0, 0, 0}, {0, -0.6f, -0.4f, -0.4f}, 2, 1, 2);
  run("inf_bf16", call);
  EXPECT_EQ(integers(call, "ids"), (std::vector<std::int64_t>{0, 1}));
  StageCall zero = routed({0, 0, 0, 0}, {0, -0.6f, -0.4f, -0.4f}, 2, 1, 2);
  run("hf_f32", zero);
  EXPECT_EQ(integers(zero, "ids"), (std::vector<std::int64_t>{0, 2}));
}

TEST(MoeRouter, TheSmallTermCountsWhenAllAffinitiesVanish) {
  StageCall call = routed({-60, -60, -60, -60, -60, -60, -60, -60}, std::vector<float>(8), 4, 4, 8);
  run("real", call);
  EXPECT_EQ(call.tensor("weights").data<Real>()[0].to_string(20), "2.1891123554854088367e-06");
}

TEST(MoeRouter, AGroupThatHoldsNanHasNoScore) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  StageCall call = routed({1, 0.5f, nan, 2, 1, 0}, std::vector<float>(6), 2, 1, 2);
  run("real", call);
  EXPECT_TRUE(call.tensor("group_scores").data<Real>()[0].is_nan());
  EXPECT_FALSE(call.tensor("group_scores").data<Real>()[1].is_nan());
}

TEST(MoeRouter, ForcedChoicesAreFollowed) {
  StageCall call = full_size_token();
  call.set("ids",
           AnyTensor::of(std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7}).reshaped({1, 8}));
  run("real", call);
  EXPECT_EQ(integers(call, "ids"), (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  const Real& raw = call.tensor("gathered").data<Real>()[3];
  EXPECT_TRUE(raw == call.tensor("scores").data<Real>()[3]);
}

}  // namespace
}  // namespace plumb
