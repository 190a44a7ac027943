// SPDX-License-Identifier: Apache-2.0
// Goldens of the experts spread over ranks.
#include <gtest/gtest.h>

#include "oracles/agreement/golden/golden_call.h"
#include "reference/stages/expert_parallel.h"

namespace plumb::oracles {
namespace {

using namespace plumb::reference;
using Integers = std::vector<std::int64_t>;

const std::string kRanks[] = {"rank0", "rank1"};

// The two ranks of records 79 to 82 and 96: their counts, compared on the way.
struct TwoRanks {
  Index ranks, own;
  std::vector<Counts> counts;
};
TwoRanks two_ranks(GoldenRecord& golden) {
  const Index ranks = golden.input("/R").integer();
  const Index experts = golden.input("/E").integer();
  const Index top_k = golden.input("/K").integer();
  TwoRanks two{ranks, experts_per_rank(experts, ranks), {}};
  for (const std::string& rank : kRanks) {
    const Integers ids = integers(golden.inputs("/ids/" + rank));
    const auto slots = static_cast<Index>(ids.size());
    const Index tokens = slots / top_k;
    const StageCall call =
        called("moe_dispatch",
               {{"x", tensor(std::vector<Real>(static_cast<std::size_t>(tokens)), {tokens, 1})},
                {"ids", tensor(ids, {tokens, top_k})}},
               {{"experts", experts}, {"slots", slots}});
    golden.expect_all("/counts/" + rank, outputs(call, "counts"));
    const std::int64_t* counts = call.tensor("counts").data<std::int64_t>();
    two.counts.emplace_back(counts, counts + experts);
  }
  return two;
}

TEST(RanksGolden, Record043) {
  GoldenRecord golden("R1-043");
  golden.expect("/value", row_ranges({5, 2})[0].begin);
}

TEST(RanksGolden, Record073) {
  GoldenRecord golden("R1-073");
  Integers own;
  for (const GoldenNumber& ranks : golden.inputs("/R")) {
    own.push_back(experts_per_rank(256, ranks.integer()));
  }
  golden.expect_all("/E_r", reals(own));
}

TEST(RanksGolden, Record074) {
  GoldenRecord golden("R1-074");
  const std::vector<bool> owned =
      owned_experts({golden.input("/R").integer(), golden.input("/r").integer()}, 256);
  Integers numbers;
  for (std::size_t i = 0; i < owned.size(); ++i) {
    if (owned[i]) numbers.push_back(static_cast<std::int64_t>(i));
  }
  golden.expect("/first", numbers.front());
  golden.expect("/last", numbers.back());
}

TEST(RanksGolden, Record075) {
  GoldenRecord golden("R1-075");
  golden.expect("/value", single_process().ranks);
}
TEST(RanksGolden, Record076) {
  GoldenRecord golden("R1-076");
  golden.expect("/value", single_process().rank);
}

TEST(RanksGolden, Record079) {
  GoldenRecord golden("R1-079");
  const TwoRanks two = two_ranks(golden);
  for (std::size_t r = 0; r < 2; ++r) {
    golden.expect_all("/u/" + kRanks[r], reals(sent_rows(two.counts[r], two.ranks)));
  }
}

TEST(RanksGolden, Record080) {
  GoldenRecord golden("R1-080");
  const TwoRanks two = two_ranks(golden);
  for (std::size_t r = 0; r < 2; ++r) {
    const Counts gathered = gathered_counts(two.counts, static_cast<Index>(r));
    golden.expect_all("/group_counts/" + kRanks[r], reals(gathered));
    golden.expect_all("/v/" + kRanks[r], reals(received_rows(gathered, two.ranks)));
  }
}

TEST(RanksGolden, Record081) {
  GoldenRecord golden("R1-081");
  const TwoRanks two = two_ranks(golden);
  for (std::size_t r = 0; r < 2; ++r) {
    golden.expect("/rows/" + kRanks[r],
                  buffer_rows(gathered_counts(two.counts, static_cast<Index>(r))));
  }
}

TEST(RanksGolden, Record082) {
  GoldenRecord golden("R1-082");
  const TwoRanks two = two_ranks(golden);
  for (std::size_t r = 0; r < 2; ++r) {
    const Counts gathered = gathered_counts(two.counts, static_cast<Index>(r));
    golden.expect_all("/d/" + kRanks[r], reals(rows_of_own_experts(gathered, two.own)));
  }
}

TEST(RanksGolden, Record083) {
  GoldenRecord golden("R1-083");
  // The label of expert 1, the first with a row, stands at the cursor's start.
  const Counts labels = arrival_labels({0, 2}, 2);
  golden.expect("/value", std::ranges::find(labels, 1) - labels.begin());
}

TEST(RanksGolden, Record084) {
  GoldenRecord golden("R1-084");
  Integers ends;
  for (const RowRange& range : row_ranges(integers(golden.inputs("/c")))) {
    ends.push_back(range.begin);
    ends.push_back(range.end);
  }
  golden.expect_all("/slices", reals(ends));
}

TEST(RanksGolden, Record085) {
  GoldenRecord golden("R1-085");
  const Index own = experts_per_rank(256, golden.input("/R").integer());
  golden.expect("/E_r", own);
  golden.expect("/index",
                global_expert(golden.input("/i").integer(), golden.input("/r").integer(), own));
}

TEST(RanksGolden, Record096) {
  GoldenRecord golden("R1-096");
  const TwoRanks two = two_ranks(golden);
  for (std::size_t r = 0; r < 2; ++r) {
    const Counts labels =
        arrival_labels(gathered_counts(two.counts, static_cast<Index>(r)), two.own);
    golden.expect_all("/L/" + kRanks[r], reals(labels));
    golden.expect_all("/argsort_stable/" + kRanks[r], reals(sorting_order(labels)));
  }
}

}  // namespace
}  // namespace plumb::oracles
