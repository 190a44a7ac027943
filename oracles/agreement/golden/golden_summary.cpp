// SPDX-License-Identifier: Apache-2.0
#include "oracles/agreement/golden/golden_summary.h"

#include <algorithm>
#include <cstdio>
#include <iterator>

#include "oracles/agreement/golden/golden_record.h"

namespace plumb::oracles {
namespace {

std::string joined(const std::vector<std::string>& ids) {
  std::string text;
  for (const std::string& id : ids) text += " " + id;
  return text.empty() ? " none" : text;
}

}  // namespace

void GoldenSummary::TearDown() {
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  if (all.test_to_run_count() != all.total_test_count()) return;
  GoldenTally sum;
  std::vector<std::string> done;
  for (const auto& [id, tally] : finished_goldens()) {
    done.push_back(id);
    std::printf("%s %3d fed %3d compared %d structures\n", id.c_str(), tally.inputs, tally.outputs,
                tally.structures);
    sum.inputs += tally.inputs;
    sum.outputs += tally.outputs;
    sum.structures += tally.structures;
  }
  std::printf(
      "%zu of %zu records: %d numbers fed, %d compared, %d in all; %d structures compared\n",
      done.size(), golden_ids().size(), sum.inputs, sum.outputs, sum.inputs + sum.outputs,
      sum.structures);
  std::vector<std::string> missing;
  std::ranges::set_difference(golden_ids(), done, std::back_inserter(missing));
  if (!missing.empty()) ADD_FAILURE() << "no test finished" << joined(missing);
  if (sum.inputs + sum.outputs != 1678) {
    ADD_FAILURE() << "1678 numbers are to be fed or compared, not " << sum.inputs + sum.outputs;
  }
}

}  // namespace plumb::oracles
