// SPDX-License-Identifier: Apache-2.0
// The cursor refuses what it is there to refuse.
#include "oracles/agreement/golden/golden_record.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

namespace plumb::oracles {
namespace {

constexpr std::string_view kText = R"({"base": 10000, "f": ["1", "1/3", "3/8"], "wide": 0.25,
  "m": "1.368887945411393630285246", "float64": "1.3688879454113936", "six": "0.135234",
  "note": "as printed", "flags": [true, "0x3C"]})";

// Consumes all but what is named.
void consume(GoldenRecord& golden, std::string_view but) {
  for (const char* pointer : {"/base", "/f/0", "/f/1", "/f/2", "/wide", "/m", "/float64", "/six"}) {
    if (pointer != but) golden.input(pointer);
  }
}

// The value with which `pointer` is compared while everything else is fed.
void compare(const std::string& pointer, const Real& got) {
  GoldenRecord golden("made-up", kText);
  consume(golden, pointer);
  golden.expect(pointer, got);
}

Real decimal(const char* text) { return Real::from_decimal(text); }

TEST(GoldenRecord, ANumberLeftOverFails) {
  for (const char* pointer : {"/base", "/f/0", "/f/1", "/f/2", "/wide", "/m", "/float64", "/six"}) {
    EXPECT_NONFATAL_FAILURE(
        {
          GoldenRecord golden("made-up", kText);
          consume(golden, pointer);
        },
        std::string("neither fed nor compared: ") + pointer);
  }
  GoldenRecord golden("made-up", kText);
  consume(golden, "");
}

TEST(GoldenRecord, AWrongLastDigitFails) {
  compare("/m", decimal("1.36888794541139363028524608"));
  compare("/m", decimal("1.36888794541139363028524551"));
  EXPECT_NONFATAL_FAILURE(compare("/m", decimal("1.36888794541139363028524651")), "/m: printed");
  EXPECT_NONFATAL_FAILURE(compare("/m", decimal("1.368887945411393630285245")), "/m: printed");
  EXPECT_NONFATAL_FAILURE(compare("/m", -decimal("1.368887945411393630285246")), "/m: printed");
  EXPECT_NONFATAL_FAILURE(compare("/m", decimal("13.68887945411393630285246")), "/m: printed");
  EXPECT_NONFATAL_FAILURE(compare("/m", Real::nan()), "/m: printed");
}

TEST(GoldenRecord, AShortDecimalIsExactToTwentyFiveDigits) {
  compare("/wide", Real(0.25));
  EXPECT_NONFATAL_FAILURE(compare("/wide", decimal("0.2500000000000000000000001")), "/wide");
  EXPECT_NONFATAL_FAILURE(compare("/six", decimal("0.1352337788608800880984225")), "/six");
}

TEST(GoldenRecord, FractionsAndIntegersAreExact) {
  compare("/f/2", Real(0.375));
  compare("/f/1", Real(1) / Real(3));
  compare("/base", Real(10000));
  EXPECT_NONFATAL_FAILURE(compare("/f/2", Real(0.375) + Real(0x1p-140)), "/f/2");
  EXPECT_NONFATAL_FAILURE(compare("/f/1", Real(1.0 / 3)), "/f/1");
  EXPECT_NONFATAL_FAILURE(compare("/f/1", decimal("0.33333333333333333333333333")), "/f/1");
  EXPECT_NONFATAL_FAILURE(compare("/base", Real(1000)), "/base");
  EXPECT_NONFATAL_FAILURE(compare("/base", Real::infinity()), "/base");
}

TEST(GoldenRecord, ShortestDecimalsOfDoubles) {
  const auto compare64 = [](const Real& got) {
    GoldenRecord golden("made-up", kText);
    consume(golden, "/float64");
    golden.expect_float64("/float64", got);
  };
  compare64(Real(1.3688879454113936));
  EXPECT_NONFATAL_FAILURE(compare64(Real(1.3688879454113934)), "/float64");
  EXPECT_NONFATAL_FAILURE(compare64(decimal("1.3688879454113936")), "/float64");
}

TEST(GoldenRecord, DigitsLeftOutOnPurpose) {
  const auto compare6 = [](const Real& got) {
    GoldenRecord golden("made-up", kText);
    consume(golden, "/six");
    golden.expect_rounded("/six", got, 6);
  };
  compare6(decimal("0.1352337788608800880984225"));
  EXPECT_NONFATAL_FAILURE(compare6(decimal("0.1352347")), "/six");
}

TEST(GoldenRecord, SubtreesAreTakenInTheOrderOfTheFile) {
  GoldenRecord golden("made-up", kText);
  const std::vector<GoldenNumber> all = golden.inputs("");
  ASSERT_EQ(all.size(), 8u);
  EXPECT_EQ(all[0].integer(), 10000);
  EXPECT_EQ(all[3].nearest_double(), 0.375);
  EXPECT_EQ(all[4].text(), "0.25");
  golden.expect_all("/f", {Real(1), Real(1) / Real(3), Real(0.375)});
  EXPECT_NONFATAL_FAILURE(golden.expect_all("/f", {Real(1), Real(0.375)}), "3 numbers");
}

TEST(GoldenRecord, ARecordWithoutNumbersNeedsAStructure) {
  EXPECT_NONFATAL_FAILURE({ GoldenRecord golden("made-up", R"({"out": ["a"]})"); }, "no structure");
  GoldenRecord golden("made-up", R"({"out": ["a", "b"]})");
  EXPECT_EQ(golden.structure("/out"), R"(["a","b"])");
}

TEST(GoldenRecord, HoldsAllRecordsAndTheirNumbers) {
  EXPECT_EQ(golden_ids().size(), 128u);
  EXPECT_EQ(golden_ids().front(), "R1-001");
  EXPECT_EQ(golden_ids().back(), "R1-128");
}

}  // namespace
}  // namespace plumb::oracles
