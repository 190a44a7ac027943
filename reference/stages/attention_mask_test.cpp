// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/attention_mask.h"

#include <gtest/gtest.h>

#include "reference/stages/stage_testing.h"

namespace plumb {
namespace {

using namespace testing_stages;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// keep empty: no mask of the tokens.
std::vector<double> mask(std::string_view reading, std::int64_t s, std::int64_t past,
                         const std::vector<std::int64_t>& keep = {}, std::int64_t b = 1) {
  const std::int64_t t = past + s;
  StageCall call{"attention_mask", {}, {{"B", b}, {"S", s}, {"T", t}, {"past", past}}, {}};
  if (!keep.empty()) call.set("keep", i64(keep, {b, t}));
  run(reading, call);
  EXPECT_EQ(call.tensor("mask").shape(), (Shape{b, 1, s, t}));
  return doubles(call, "mask");
}

// A picture of a mask: "." open, "x" closed by `lowest`, "?" neither.
std::string picture(const std::vector<double>& mask, double lowest) {
  std::string s;
  for (double v : mask) s += v == 0 ? '.' : v == lowest ? 'x' : '?';
  return s;
}

TEST(AttentionMask, ClosesTheFutureBehindTheCache) {
  EXPECT_EQ(picture(mask("inf_bf16", 3, 0), -kInfinity), ".xx..x...");
  EXPECT_EQ(picture(mask("inf_bf16", 3, 1), -kInfinity), "..xx...x....");
  EXPECT_EQ(picture(mask("inf_bf16", 1, 3), -kInfinity), "....");
}

TEST(AttentionMask, HoldsTheLowestValueOfTheScoresFormatOrInfinity) {
  EXPECT_EQ(picture(mask("hf_bf16", 2, 0), -0x1.fep127), ".x..");
  EXPECT_EQ(picture(mask("hf_f32", 2, 0), -0x1.fffffep127), ".x..");
  EXPECT_EQ(picture(mask("inf_fp8", 2, 0), -kInfinity), ".x..");
}

TEST(AttentionMask, LeftPaddingClosesItsColumnsAndWhatIsClosedTwiceStaysFinite) {
  // Sequence 0 has one padding token on the left, sequence 1 none.
  EXPECT_EQ(picture(mask("hf_bf16", 3, 0, {0, 1, 1, 1, 1, 1}, 2), -0x1.fep127),
            "xxxx.xx.."
            ".xx..x...");
  // Key 2 is both padding and in the future of query 0.
  EXPECT_EQ(picture(mask("hf_f32", 2, 1, {1, 1, 0}), -0x1.fffffep127), "..x..x");
}

}  // namespace
}  // namespace plumb
