// SPDX-License-Identifier: Apache-2.0
#include "reference/registry/records.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "reference/registry/readings.h"
#include "reference/registry/schema.h"

namespace plumb {
namespace {

bool contains(const std::vector<std::string>& list, std::string_view item) {
  return std::ranges::find(list, item) != list.end();
}

TEST(Records, AreThe128OfR1InOrder) {
  ASSERT_EQ(all_records().size(), 128u);
  for (std::size_t i = 0; i < 128; ++i) {
    std::string digits = std::to_string(i + 1);
    digits.insert(0, 3 - digits.size(), '0');
    EXPECT_EQ(all_records()[i].id, "R1-" + digits);
    EXPECT_EQ(all_records()[i].page, static_cast<int>(i + 1));
  }
  EXPECT_EQ(find_record("R1-129"), nullptr);
}

TEST(Records, SayWhatAReaderNeeds) {
  for (const Record& r : all_records()) {
    EXPECT_FALSE(r.title.empty() || r.statement.empty() || r.formula.empty()) << r.id;
    EXPECT_FALSE(r.rounding.empty() || r.source.empty() || r.stage.empty()) << r.id;
    EXPECT_FALSE(r.outputs.empty()) << r.id;
    EXPECT_FALSE(r.properties.empty()) << r.id;
    for (const auto& [reading, words] : r.readings) {
      EXPECT_NE(find_reading(reading), nullptr) << r.id << " " << reading;
    }
  }
}

TEST(Records, AndDiscrepanciesNameEachOther) {
  // 52 of the dossier, and what was found beside them.
  ASSERT_EQ(all_discrepancies().size(), 54u);
  for (const Record& r : all_records()) {
    for (const std::string& id : r.discrepancies) {
      const Discrepancy* d = find_discrepancy(id);
      ASSERT_NE(d, nullptr) << r.id << " " << id;
      EXPECT_TRUE(contains(d->records, r.id)) << r.id << " " << id;
    }
  }
  for (const Discrepancy& d : all_discrepancies()) {
    for (const std::string& id : d.records) {
      const Record* r = find_record(id);
      ASSERT_NE(r, nullptr) << d.id << " " << id;
      EXPECT_TRUE(contains(r->discrepancies, d.id)) << d.id << " " << id;
    }
    for (const auto& [source, side] : d.sides) {
      EXPECT_TRUE(side == "a" || side == "b" || side == "neither" || side == "both")
          << d.id << side;
    }
  }
}

// A record's stage and the stage's list of records are two statements of one fact.
TEST(Records, AndSchemasNameEachOther) {
  std::set<std::string_view> claimed;
  for (const StageSchema& stage : all_stages()) {
    for (const std::string_view id : stage.records) {
      EXPECT_NE(find_record(id), nullptr) << stage.name << " " << id;
      claimed.insert(id);
    }
  }
  for (const Record& r : all_records()) {
    EXPECT_NE(find_stage(r.stage), nullptr) << r.id << ": no stage " << r.stage;
    EXPECT_TRUE(claimed.contains(r.id)) << r.id << " is claimed by no stage";
  }
}

TEST(Records, OpenEndedConstantsKeepTheirDigits) {
  const Record* r = find_record("R1-107");
  ASSERT_NE(r, nullptr);
  EXPECT_EQ(r->constants, (NamedTexts{{"K", "8"}, {"eligible", "128"}, {"fill", "-inf"}}));
}

}  // namespace
}  // namespace plumb
