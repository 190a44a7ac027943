// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/unpad.h"

#include <gtest/gtest.h>

#include "reference/stages/stage_testing.h"

namespace plumb {
namespace {

using namespace testing_stages;
using Integers = std::vector<std::int64_t>;

// x[b,t,0,:] = (row, -row), row = b*T + t + 1.
StageCall unpadded(const Integers& keep, std::int64_t rows, std::int64_t queries, std::int64_t kept,
                   std::int64_t kept_queries) {
  const std::int64_t tokens = std::ssize(keep) / rows;
  StageCall call{"unpad",
                 {},
                 {{"S", queries},
                  {"bounds", rows + 1},
                  {"kept", kept},
                  {"kept_queries", kept_queries},
                  {"one", std::int64_t{1}}},
                 {}};
  std::vector<float> x;
  for (std::int64_t row = 1; row <= std::ssize(keep); ++row) {
    x.insert(x.end(), {static_cast<float>(row), -static_cast<float>(row)});
  }
  call.set("keep", i64(keep, {rows, tokens}));
  call.set("x", f32(x, {rows, tokens, 1, 2}));
  return call;
}

TEST(Unpad, CountsAndPacksRowByRow) {
  // Left padding, none, padding on the right, nothing real.
  StageCall call = unpadded({0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0}, 4, 3, 6, 6);
  run("hf_f32", call);
  EXPECT_EQ(integers(call, "lengths"), (Integers{2, 3, 1, 0}));
  EXPECT_EQ(integers(call, "cumulative"), (Integers{0, 2, 5, 6, 6}));
  EXPECT_EQ(integers(call, "indices"), (Integers{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(integers(call, "longest"), Integers{3});
  EXPECT_EQ(doubles(call, "packed"),
            (std::vector<double>{2, -2, 3, -3, 4, -4, 5, -5, 6, -6, 7, -7}));
  EXPECT_EQ(doubles(call, "restored"),
            (std::vector<double>{0, 0,  2, -2, 3, -3, 4, -4, 5, -5, 6, -6,
                                 7, -7, 0, 0,  0, 0,  0, 0,  0, 0,  0, 0}));
}

TEST(Unpad, QueriesOfTheWholeLengthGoWithTheKeys) {
  StageCall call = unpadded({0, 1, 1, 1, 1, 1}, 2, 3, 5, 5);
  run("hf_f32", call);
  EXPECT_EQ(integers(call, "query_cumulative"), integers(call, "cumulative"));
  EXPECT_EQ(integers(call, "query_indices"), integers(call, "indices"));
  EXPECT_EQ(integers(call, "query_longest"), integers(call, "longest"));
}

TEST(Unpad, OneQueryOfEachRowIsTakenRealOrNot) {
  StageCall call = unpadded({0, 1, 1, 1, 1, 0}, 2, 1, 4, 2);
  run("hf_f32", call);
  EXPECT_EQ(integers(call, "query_cumulative"), (Integers{0, 1, 2}));
  EXPECT_EQ(integers(call, "query_indices"), (Integers{0, 1}));
  EXPECT_EQ(integers(call, "query_longest"), Integers{1});
  // With one token in all, the mask decides.
  StageCall single = unpadded({1, 0}, 2, 1, 1, 1);
  run("hf_f32", single);
  EXPECT_EQ(integers(single, "query_cumulative"), (Integers{0, 1, 1}));
}

TEST(Unpad, SomeQueriesTakeTheLastColumns) {
  StageCall call = unpadded({0, 0, 1, 0, 1, 1}, 2, 2, 3, 3);
  run("hf_f32", call);
  EXPECT_EQ(integers(call, "query_indices"), (Integers{1, 2, 3}));
  EXPECT_EQ(integers(call, "query_cumulative"), (Integers{0, 1, 3}));
}

TEST(Unpad, LengthsAreSumsAndIndicesAreNonzeros) {
  StageCall call = unpadded({2, 0, -1, 1}, 2, 2, 3, 3);
  run("hf_f32", call);
  EXPECT_EQ(integers(call, "lengths"), (Integers{2, 0}));
  EXPECT_EQ(integers(call, "indices"), (Integers{0, 2, 3}));
}

TEST(UnpadDeathTest, AnotherNumberOfRealTokensIsABrokenPromise) {
  StageCall keys = unpadded({0, 1}, 1, 2, 2, 1);
  EXPECT_DEATH(run("hf_f32", keys), "kept");
  StageCall queries = unpadded({0, 1}, 1, 2, 1, 2);
  EXPECT_DEATH(run("hf_f32", queries), "kept_queries");
}

}  // namespace
}  // namespace plumb
