// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/moe_dispatch.h"

#include <gtest/gtest.h>

#include "reference/stages/expert_parallel.h"
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

// --- experts spread over ranks

using reference::Counts;

constexpr Index kExperts = 8, kTopK = 3;

// A row of width 1 through expert e: a different line for each.
double expert(Index e, double x) {
  return static_cast<double>(e + 1) * x + static_cast<double>(e * e);
}

// What the experts make of the tokens x in one process, in slot order: outputs[n K + k].
Doubles single_process(const Doubles& x, const Integers& ids) {
  Doubles outputs;
  for (std::size_t slot = 0; slot < ids.size(); ++slot) {
    outputs.push_back(expert(ids[slot], x[slot / kTopK]));
  }
  return outputs;
}

// One rank's tokens, dispatched.
struct Sender {
  Counts counts, order;
  Doubles rows;
};
Sender sender(const Doubles& x, const Integers& ids) {
  const auto tokens = static_cast<Index>(x.size());
  const StageCall call = computed(stage_call("moe_dispatch",
                                             {{"x", f32({x.begin(), x.end()}, {tokens, 1})},
                                              {"ids", i64(ids, {tokens, kTopK})}},
                                             {{"experts", kExperts}, {"slots", tokens * kTopK}}),
                                  "real");
  return {integers(call, "counts"), integers(call, "order"), numbers(call, "rows")};
}

// What rank r sends back: its experts applied to all that arrived, in the order of arrival.
Doubles answered(const std::vector<Sender>& senders, Index r, const Doubles& arrived) {
  std::vector<Counts> counts;
  for (const Sender& s : senders) counts.push_back(s.counts);
  const auto ranks = static_cast<Index>(senders.size());
  const Index own = reference::experts_per_rank(kExperts, ranks);
  const Counts gathered = reference::gathered_counts(counts, r);
  EXPECT_EQ(reference::buffer_rows(gathered), static_cast<std::int64_t>(arrived.size()));
  const Integers order = reference::sorting_order(reference::arrival_labels(gathered, own));
  const auto ranges = reference::row_ranges(reference::rows_of_own_experts(gathered, own));
  Doubles back(arrived.size());
  for (Index i = 0; i < own; ++i) {
    const reference::RowRange& range = ranges[static_cast<std::size_t>(i)];
    for (Index p = range.begin; p < range.end; ++p) {
      const auto row = static_cast<std::size_t>(order[static_cast<std::size_t>(p)]);
      back[row] = expert(reference::global_expert(i, r, own), arrived[row]);
    }
  }
  return back;
}

// The stretches that rank r receives, one source after another.
Doubles arrivals(const std::vector<Sender>& senders, Index r) {
  Doubles arrived;
  for (const Sender& s : senders) {
    const Counts sent = reference::sent_rows(s.counts, static_cast<Index>(senders.size()));
    const auto range = reference::row_ranges(sent)[static_cast<std::size_t>(r)];
    arrived.insert(arrived.end(), s.rows.begin() + range.begin, s.rows.begin() + range.end);
  }
  return arrived;
}

// Every rank's outputs in slot order, after both exchanges.
std::vector<Doubles> over_ranks(const std::vector<Sender>& senders) {
  const auto ranks = static_cast<Index>(senders.size());
  std::vector<Doubles> returned(senders.size());  // per source, by expert
  for (Index r = 0; r < ranks; ++r) {
    const Doubles back = answered(senders, r, arrivals(senders, r));
    std::vector<Counts> counts;
    for (const Sender& s : senders) counts.push_back(s.counts);
    const auto parts = reference::row_ranges(
        reference::received_rows(reference::gathered_counts(counts, r), ranks));
    for (std::size_t q = 0; q < senders.size(); ++q) {
      returned[q].insert(returned[q].end(), back.begin() + parts[q].begin,
                         back.begin() + parts[q].end);
    }
  }
  for (std::size_t q = 0; q < senders.size(); ++q) {
    Doubles slots(returned[q].size());
    for (std::size_t p = 0; p < slots.size(); ++p) {
      slots[static_cast<std::size_t>(senders[q].order[p])] = returned[q][p];
    }
    returned[q] = slots;
  }
  return returned;
}

class OverRanks : public testing::TestWithParam<Index> {};

TEST_P(OverRanks, EveryRankGetsWhatOneProcessComputes) {
  std::vector<Sender> senders;
  std::vector<Doubles> want;
  for (Index q = 0; q < GetParam(); ++q) {
    Doubles x;
    Integers ids;
    for (Index n = 0; n < 4 + q; ++n) {
      x.push_back(static_cast<double>(10 * q + n + 1));
      // Three different experts; some experts stay without a row.
      for (const Index k : {1, 3, 4}) ids.push_back((n * n + q + k) % kExperts);
    }
    senders.push_back(sender(x, ids));
    want.push_back(single_process(x, ids));
  }
  EXPECT_EQ(over_ranks(senders), want);
}
INSTANTIATE_TEST_SUITE_P(MoeDispatch, OverRanks, testing::Values(1, 2, 4));

TEST(MoeDispatch, RanksOwnEveryExpertOnce) {
  std::vector<int> owners(kExperts);
  for (Index r = 0; r < 4; ++r) {
    const std::vector<bool> owned = reference::owned_experts({4, r}, kExperts);
    for (std::size_t e = 0; e < owned.size(); ++e) owners[e] += owned[e] ? 1 : 0;
  }
  EXPECT_EQ(owners, std::vector<int>(kExperts, 1));
  EXPECT_EQ(reference::owned_experts(reference::single_process(), 3), std::vector<bool>(3, true));
}

}  // namespace
}  // namespace plumb
