// SPDX-License-Identifier: Apache-2.0
#include "reports/report.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "reports/escape.h"
#include "reports/sample_test_data.h"
#include "reports/tally.h"
#include "reports/well_formed_test_data.h"

namespace plumb::reports {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

// A file in which everything passed.
VerdictFile green() {
  VerdictFile file = trace_sample();
  std::erase_if(file.verdicts, [](const Verdict& v) { return v.outcome != Outcome::kPass; });
  file.summary = conformance::RunSummary{};
  file.summary->counts[static_cast<std::size_t>(Outcome::kPass)] =
      static_cast<std::int64_t>(file.verdicts.size());
  return file;
}

TEST(Escape, Html) {
  EXPECT_EQ(html("<a href=\"x\" b='y'>&amp;"),
            "&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;amp;");
  EXPECT_EQ(html("a\x1b[0m\n\u202eb"), "a[U+001B][0m[U+000A][U+202E]b");
  EXPECT_EQ(html("\u00e9\u03c0\U0001F600"), "\u00e9\u03c0\U0001F600");
}

TEST(Escape, Xml) {
  EXPECT_EQ(xml("a<b>&\"'\n\t\r"), "a&lt;b&gt;&amp;&quot;&#39;&#10;&#9;&#13;");
  EXPECT_EQ(xml(std::string("\0\x01\x1f\x7f", 4)), "[U+0000][U+0001][U+001F][U+007F]");
  EXPECT_EQ(xml("\uffff\ufffe"), "[U+FFFF][U+FFFE]");
}

TEST(Escape, Terminal) {
  EXPECT_EQ(terminal("a\x1b[31mb\r\nc\u009b31m"), "a[U+001B][31mb[U+000D][U+000A]c[U+009B]31m");
  EXPECT_EQ(terminal("\u202e\u2066\u200b\u2028\u061c"), "[U+202E][U+2066][U+200B][U+2028][U+061C]");
}

TEST(Escape, InvalidUtf8IsReplacedByteByByte) {
  const std::string bad = "\ufffd";
  EXPECT_EQ(terminal("\xff"), bad);
  EXPECT_EQ(terminal("\xc3"), bad) << "cut off";
  EXPECT_EQ(terminal("\xc3("), bad + "(");
  EXPECT_EQ(terminal("\xc0\x80"), bad + bad) << "overlong zero";
  EXPECT_EQ(terminal("\xe0\x80\xbc"), bad + bad + bad) << "overlong <";
  EXPECT_EQ(terminal("\xed\xa0\x80"), bad + bad + bad) << "surrogate";
  EXPECT_EQ(terminal("\xf4\x90\x80\x80"), bad + bad + bad + bad) << "beyond Unicode";
  EXPECT_EQ(html("\xc0\xbcscript"), bad + bad + "script");
}

TEST(Escape, Shortened) {
  EXPECT_EQ(shortened("abc", 3), "abc");
  EXPECT_EQ(shortened("abcd", 3), "ab\u2026");
  EXPECT_EQ(shortened("\u03c0\u03c0\u03c0", 2), "\u03c0\u2026");
}

TEST(Hostile, HtmlHoldsNoMarkupOfStrangers) {
  const std::string page = html_page(hostile_sample());
  EXPECT_FALSE(has(page, "<script"));
  EXPECT_TRUE(has(page, "&lt;script&gt;"));
  EXPECT_EQ(well_formed_violation(page), "");
  EXPECT_TRUE(std::none_of(page.begin(), page.end(),
                           [](char c) { return (c >= 0 && c < 0x20 && c != '\n') || c == 0x7f; }));
  EXPECT_FALSE(has(page, "\u202e"));
}

TEST(Hostile, JunitIsXml) {
  VerdictFile file = hostile_sample();
  VerdictFile cut_short = file;
  cut_short.verdicts.clear();
  cut_short.summary.reset();
  for (const std::string& text : {junit_xml(file), junit_xml(cut_short)}) {
    EXPECT_EQ(well_formed_violation(text), "");
    EXPECT_TRUE(has(text, "&lt;script&gt;"));
    EXPECT_FALSE(has(text, "<script"));
    EXPECT_FALSE(has(text, "\uffff"));
    EXPECT_TRUE(std::none_of(text.begin(), text.end(), [](char c) {
      return (c >= 0 && c < 0x20 && c != '\n') || c == 0x7f;
    }));
  }
}

TEST(Hostile, TerminalGetsNoEscapesButOurs) {
  const std::string text = terminal_summary(hostile_sample(), false);
  EXPECT_TRUE(std::none_of(text.begin(), text.end(),
                           [](char c) { return (c >= 0 && c < 0x20 && c != '\n') || c == 0x7f; }));
  EXPECT_FALSE(has(text, "\u009b"));
  // The attack's own line end begins no line of its own.
  EXPECT_FALSE(has(text, "\n]]>"));
}

TEST(Html, IsSelfContainedAndWellFormed) {
  for (const auto& file : {crowded_sample(), trace_sample(), empty_sample(), green()}) {
    const std::string page = html_page(file);
    EXPECT_EQ(well_formed_violation(page), "");
    for (const char* loads : {"src=", "url(", "@import", "<link", "<script", "http:", "https:"}) {
      EXPECT_FALSE(has(page, loads)) << loads;
    }
    EXPECT_TRUE(has(page, "default-src 'none'"));
    EXPECT_TRUE(has(page, "prefers-color-scheme:dark"));
  }
}

TEST(Html, SaysWhatFailedFirstAndHowToRunItAgain) {
  const std::string page = html_page(trace_sample());
  const auto culprit = page.find("First culprit");
  ASSERT_NE(culprit, std::string::npos);
  EXPECT_LT(culprit, page.find("Stages by layer"));
  EXPECT_TRUE(has(page, "layer 2, softmax, token 14, element 9"));
  EXPECT_TRUE(has(page, "plumb run --stage softmax --kernel trace --case layers.2.softmax"));
  EXPECT_TRUE(has(page, "1 of 74 cases failed"));
  EXPECT_TRUE(has(page, "the trace stores no output of this stage"));
  EXPECT_FALSE(has(html_page(green()), "First culprit"));
  EXPECT_TRUE(has(html_page(green()), "cases that ran passed"));
}

TEST(Html, AnEmptyOrUnfinishedRunDoesNotLookGreen) {
  EXPECT_TRUE(has(html_page(empty_sample()), "<h1 class='c-fail'>Nothing passed"));
  VerdictFile file = green();
  EXPECT_TRUE(has(html_page(file), "<h1 class='c-pass'>"));
  file.summary.reset();
  EXPECT_TRUE(has(html_page(file), "<h1 class='c-fail'>The run did not come to its end"));
}

TEST(Html, DrawsEachTensorOnceInEachPictureAndThinsCrowds) {
  VerdictFile file = green();
  const Verdict model = file.verdicts[0];
  file.verdicts.assign(3, model);
  EXPECT_EQ(occurrences(html_page(file), "<circle"), 3U);
  file.verdicts.assign(5000, model);
  file.verdicts[1].tensors[0].failed = 1;
  file.verdicts[1].tensors[0].worst_error_over_budget = 8;
  const std::string page = html_page(file);
  EXPECT_EQ(occurrences(page, "<circle"), 200U);
  EXPECT_EQ(occurrences(page, "<circle class='bad'"), 1U) << "the failure is never thinned out";
}

TEST(Junit, CountsAndRerunLines) {
  const VerdictFile file = crowded_sample();
  const std::string text = junit_xml(file);
  EXPECT_EQ(well_formed_violation(text), "");
  EXPECT_EQ(occurrences(text, "<testcase "), file.verdicts.size() + 2);
  EXPECT_EQ(occurrences(text, "<failure "), 3U);
  EXPECT_EQ(occurrences(text, "<error "), 2U);
  EXPECT_EQ(occurrences(text, "<skipped "), 289U);
  EXPECT_TRUE(has(
      text,
      "<testsuites name=\"plumbline\" tests=\"1058\" failures=\"3\" errors=\"2\" skipped=\"289\""));
  EXPECT_TRUE(
      has(text,
          "message=\"signal 11 (segmentation fault) in run; run again: plumb run --stage swiglu"));
  EXPECT_TRUE(has(text, "message=\"no GPU on this machine\""));
}

TEST(Junit, AnEmptyOrUnfinishedRunFails) {
  EXPECT_TRUE(
      has(junit_xml(empty_sample()), "<failure message=\"no case passed; run again: plumb run"));
  VerdictFile file = green();
  EXPECT_FALSE(has(junit_xml(file), "<failure"));
  file.summary.reset();
  EXPECT_TRUE(has(junit_xml(file), "the verdict file has no summary"));
}

TEST(Terminal, RowsFailuresAndTotals) {
  const std::string text = terminal_summary(crowded_sample(), false);
  EXPECT_TRUE(has(text,
                  "762 passed, 2 failed, 1 crashed, 1 timed out, 1 vacuous, 1 unsupported, 288 "
                  "skipped in 74.2 s"));
  EXPECT_TRUE(has(text, "crashed swiglu.mine outliers-3: signal 11"));
  EXPECT_TRUE(
      has(text, "  run again: plumb run --stage swiglu --kernel swiglu.mine --case outliers-3\n"));
  EXPECT_TRUE(has(text, "skipped linear.cuda_sm90: 12 cases: no GPU on this machine"));
  EXPECT_TRUE(has(text, "weaker contract"));
  EXPECT_FALSE(has(text, "\x1b"));
  const std::string trace = terminal_summary(trace_sample(), false);
  EXPECT_TRUE(has(trace, "first culprit: layer 2, softmax, token 14, element 9\n"));
  EXPECT_TRUE(has(trace, "  y[14, 9]: got "));
}

TEST(Terminal, ColourOnlyWhenAsked) {
  const std::string red = "\x1b[31m";
  EXPECT_TRUE(has(terminal_summary(crowded_sample(), true), red));
  EXPECT_FALSE(has(terminal_summary(green(), true), red));
  EXPECT_TRUE(has(terminal_summary(empty_sample(), true), red + "0 passed"));
  VerdictFile file = green();
  file.summary.reset();
  EXPECT_TRUE(has(terminal_summary(file, false), "the run did not come to its end"));
}

TEST(Tally, CountsThatOverflowStayLarge) {
  VerdictFile file = green();
  for (Verdict& v : file.verdicts) {
    for (TensorFinding& f : v.tensors) f.judged = f.loose = f.unbounded = f.unusable = INT64_MAX;
  }
  EXPECT_EQ(tabulate(file).all.judged, INT64_MAX);
  EXPECT_FALSE(has(html_page(file), ">-"));
}

}  // namespace
}  // namespace plumb::reports
