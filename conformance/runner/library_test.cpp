// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/library.h"

#include <gtest/gtest.h>

#include <array>

namespace plumb::conformance {
namespace {

int run_nothing(const plumb_call*, char*, std::size_t) { return 0; }

plumb_kernel good() {
  return {sizeof(plumb_kernel), "rms_norm", "mine", nullptr, 64, nullptr, run_nothing};
}

std::string refused(const plumb_kernel& row) {
  const auto rows = copy_rows(&row, 1, "mine.so");
  return rows.ok() ? "accepted" : rows.error().message;
}

TEST(Library, CopiesARow) {
  plumb_kernel row = good();
  row.contract_json = "{}";
  const auto rows = copy_rows(&row, 1, "mine.so");
  ASSERT_TRUE(rows.ok()) << rows.error().message;
  EXPECT_EQ((*rows)[0].row, (KernelRow{"rms_norm", "mine", "{}", 64}));
  EXPECT_EQ((*rows)[0].run, run_nothing);
  EXPECT_EQ(refused(good()), "accepted");
}

TEST(Library, RowsOfALaterAbiAreReadAsFarAsWeKnow) {
  struct Later {
    plumb_kernel known;
    void* more;
  };
  std::array<Later, 2> later{{{good(), nullptr}, {good(), nullptr}}};
  for (Later& row : later) row.known.struct_size = sizeof(Later);
  later[1].known.variant = "second";
  const auto rows = copy_rows(&later[0].known, 2, "mine.so");
  ASSERT_TRUE(rows.ok()) << rows.error().message;
  EXPECT_EQ((*rows)[1].row.variant, "second");
}

TEST(Library, StructSizesThatCannotBeAreRefused) {
  for (std::size_t size : {0UL, 8UL, 48UL, sizeof(plumb_kernel) + 1, 1UL << 40}) {
    plumb_kernel row = good();
    row.struct_size = size;
    EXPECT_NE(refused(row).find("mine.so: row 0 has struct_size " + std::to_string(size)),
              std::string::npos)
        << refused(row);
  }
  std::array<plumb_kernel, 2> rows{good(), good()};
  rows[1].struct_size = 64;
  EXPECT_FALSE(copy_rows(rows.data(), 2, "mine.so").ok());
}

TEST(Library, CountsThatCannotBeAreRefused) {
  const plumb_kernel row = good();
  EXPECT_FALSE(copy_rows(nullptr, 1, "mine.so").ok());
  EXPECT_FALSE(copy_rows(&row, 0, "mine.so").ok());
  const auto absurd = copy_rows(&row, std::size_t{1} << 60, "mine.so");
  ASSERT_FALSE(absurd.ok());
  EXPECT_NE(absurd.error().message.find("1152921504606846976"), std::string::npos);
}

TEST(Library, NamesThatAreNoneAreRefused) {
  const std::string endless(100000, 'a');
  for (const char* name : {static_cast<const char*>(nullptr), "", "a\xff", "a\nb", "\xed\xa0\x80",
                           "\xc0\x80", "\xf4\x90\x80\x80", "\xe2\x82", endless.c_str()}) {
    plumb_kernel row = good();
    row.variant = name;
    EXPECT_EQ(refused(row).find("mine.so: "), 0U) << refused(row);
    row = good();
    row.stage = name;
    EXPECT_EQ(refused(row).find("mine.so: "), 0U) << refused(row);
  }
  plumb_kernel row = good();
  row.variant =
      "gr\xc3\xb6\xc3\x9f"
      "e";
  EXPECT_EQ(refused(row), "accepted");
}

TEST(Library, OtherBadMembersAreRefused) {
  for (std::size_t alignment : {3UL, 48UL, 8192UL, ~0UL}) {
    plumb_kernel row = good();
    row.alignment = alignment;
    EXPECT_NE(refused(row).find("alignment of rms_norm.mine is"), std::string::npos);
  }
  plumb_kernel row = good();
  row.run = nullptr;
  EXPECT_NE(refused(row).find("row 0 has no run"), std::string::npos);
  row = good();
  row.contract_json = "\xfe";
  EXPECT_NE(refused(row).find("contract of rms_norm.mine"), std::string::npos);
  const std::array<plumb_kernel, 2> twins{good(), good()};
  const auto rows = copy_rows(twins.data(), 2, "mine.so");
  ASSERT_FALSE(rows.ok());
  EXPECT_NE(rows.error().message.find("two rows are called rms_norm.mine"), std::string::npos);
}

}  // namespace
}  // namespace plumb::conformance
