// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/layer_kind.h"

#include <gtest/gtest.h>

#include "reference/stages/stage_test.h"

namespace plumb {
namespace {

using Integers = std::vector<std::int64_t>;

Integers kinds(std::int64_t layers, std::int64_t first_dense, std::int64_t frequency,
               std::int64_t experts) {
  return integers(computed(stage_call("layer_kind", {},
                                      {{"layers", layers},
                                       {"first_dense", first_dense},
                                       {"frequency", frequency},
                                       {"experts", experts}}),
                           "real"),
                  "kind");
}

TEST(LayerKind, ExpertsFromTheFirstSparseLayerOn) {
  EXPECT_EQ(kinds(5, 3, 1, 256), (Integers{0, 0, 0, 1, 1}));
  EXPECT_EQ(kinds(3, 0, 1, 8), (Integers{1, 1, 1}));
}

TEST(LayerKind, TheFrequencyCountsFromLayerZero) {
  EXPECT_EQ(kinds(8, 3, 2, 8), (Integers{0, 0, 0, 0, 1, 0, 1, 0}));
}

TEST(LayerKind, WithoutExpertsEveryLayerIsDense) {
  EXPECT_EQ(kinds(4, 0, 1, 0), (Integers{0, 0, 0, 0}));
}

}  // namespace
}  // namespace plumb
