// SPDX-License-Identifier: Apache-2.0
#include "tools/plumb/terminal.h"

#include <gtest/gtest.h>

namespace plumb::tools {
namespace {

TEST(Terminal, ShowsControlCharactersOfForeignText) {
  EXPECT_EQ(escaped("a\x1b[2Jb\r\x07\x7f\tc"), "a\\x1b[2Jb\\x0d\\x07\\x7f\\x09c");
  EXPECT_EQ(escaped(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(escaped("two\nlines"), "two\nlines");
}

TEST(Terminal, ShowsWhatTurnsOrHidesText) {
  EXPECT_EQ(escaped("\u202Egpj.exe"), "\\u{202e}gpj.exe");
  EXPECT_EQ(escaped("a\u200Bb\u0085"), "a\\u{200b}b\\u{0085}");
}

TEST(Terminal, KeepsUtf8AndShowsWhatIsNone) {
  EXPECT_EQ(escaped("größer \u2264 \U0001F600"), "größer \u2264 \U0001F600");
  EXPECT_EQ(escaped("\xff\x80z"), "\\xff\\x80z");
  EXPECT_EQ(escaped("\xc0\xaf"), "\\xc0\\xaf");           // overlong
  EXPECT_EQ(escaped("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // surrogate
  EXPECT_EQ(escaped("\xe2\x89"), "\\xe2\\x89");           // cut short
  EXPECT_EQ(escaped("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
}

TEST(Terminal, ColoursOnlyWhenAsked) {
  EXPECT_EQ(coloured(Colour::kRed, "fail", true), "\x1b[31mfail\x1b[0m");
  EXPECT_EQ(coloured(Colour::kRed, "fail", false), "fail");
}

}  // namespace
}  // namespace plumb::tools
