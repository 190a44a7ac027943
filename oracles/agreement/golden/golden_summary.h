// SPDX-License-Identifier: Apache-2.0
// The last word of a run of all golden tests: which records are done, and the three counts.
#pragma once

#include <gtest/gtest.h>

namespace plumb::oracles {

class GoldenSummary : public testing::Environment {
 public:
  // Says nothing when only some of the tests were run.
  void TearDown() override;
};

}  // namespace plumb::oracles
