// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "oracles/agreement/golden/golden_summary.h"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  testing::AddGlobalTestEnvironment(new plumb::oracles::GoldenSummary);  // gtest deletes it
  return RUN_ALL_TESTS();
}
