// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/moe_dispatch.h"

#include <gtest/gtest.h>

#include "reference/stages/stage_test.h"

namespace plumb {
namespace {

using Doubles = std::vector<double>;
using Integers = std::vector<std::int64_t>;

// Three tokens of width 1, numbered, with two experts of four each.
StageCall dispatched() {
  return stage_call("moe_dispatch",
                    {{"x", f32({10, 11, 12}, {3, 1})}, {"ids", i64({2, 0, 0, 1, 3, 2}, {3, 2})}},
                    {{"experts", std::int64_t{4}}, {"slots", std::int64_t{6}}});
}

TEST(MoeDispatch, CountsSortsAndGathersByExpert) {
  const StageCall call = computed(dispatched(), "real");
  EXPECT_EQ(integers(call, "counts"), (Integers{2, 1, 2, 1}));
  EXPECT_EQ(integers(call, "order"), (Integers{1, 2, 3, 0, 5, 4}));
  EXPECT_EQ(numbers(call, "rows"), (Doubles{10, 11, 11, 10, 12, 12}));
}

TEST(MoeDispatch, AnOrderMadeElsewhereIsFollowed) {
  StageCall call = dispatched();
  call.set("order", i64({2, 1, 3, 5, 0, 4}, {6}));
  call = computed(call, "real");
  EXPECT_EQ(integers(call, "order"), (Integers{2, 1, 3, 5, 0, 4}));
  EXPECT_EQ(numbers(call, "rows"), (Doubles{11, 10, 11, 12, 10, 12}));
}

TEST(MoeDispatch, CombiningInvertsTheOrder) {
  const StageCall call = computed(dispatched(), "real");
  const StageCall back = stage_call("moe_combine", {{"outputs", call.tensor("rows")},
                                                    {"order", call.tensor("order")},
                                                    {"ids", call.tensor("ids")},
                                                    {"weights", f32({1, 2, 1, 2, 1, 2}, {3, 2})}});
  EXPECT_EQ(numbers(computed(back, "real"), "y"), (Doubles{30, 33, 36}));
}

}  // namespace
}  // namespace plumb
