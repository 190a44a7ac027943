// SPDX-License-Identifier: Apache-2.0
#include "conformance/verdict/verdict.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>

namespace plumb::conformance {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

RunHeader sample_header() {
  RunHeader header;
  header.build = {"0.1.0", "abc123", "g++ 12.2", "1", "sha256:00", true, {"AVX2", "AVX3"}, {"90"}};
  header.command = "plumb run --quick";
  header.machine = "2 cores";
  header.stages = {{"rms_norm", "Scales.", "y = x < 1", {"R1-021", "R1-022"}}};
  return header;
}

// Every member differs from its default, so that one that is not written or not read shows.
Verdict sample_verdict() {
  TensorFinding finding;
  finding.tensor = "y";
  finding.outcome = Outcome::kFail;
  finding.reason = "outside budget";
  finding.judged = 10;
  finding.loose = 1;
  finding.unbounded = 2;
  finding.unusable = 3;
  finding.left_out = 4;
  finding.failed = 5;
  finding.median_budget = 0x1p-14;
  finding.largest_want = 3.5;
  finding.worst_error_over_budget = kInf;
  finding.worst_error = 0.1;
  finding.worst_budget = 1e-300;
  finding.worst_index = {3, 4};
  finding.failure = ElementFailure{{3, 4}, std::nan(""), -kInf, -0.0};
  finding.selection = SelectionFinding{6, 7, 8, kInf};
  Verdict verdict;
  verdict.stage = "rms_norm";
  verdict.kernel = "rms_norm.mine";
  verdict.model = "r1";
  verdict.reading = "hf_bf16";
  verdict.contract = "standard";
  verdict.case_name = "layers.1.input_layernorm";
  verdict.layer = 1;
  verdict.step = 2;
  verdict.outcome = Outcome::kFail;
  verdict.skip = SkipReason::kNoSpace;
  verdict.reason = "y[3, 4]: outside budget";
  verdict.rerun = "plumb run --case 7";
  verdict.tensors = {finding, TensorFinding{}};
  verdict.seconds = 0.25;
  verdict.weaker_contract = true;
  return verdict;
}

RunSummary sample_summary() {
  RunSummary summary;
  summary.counts[2] = 1;
  summary.seconds = 1.5;
  summary.first_culprit = "layer 1";
  return summary;
}

std::string sample_text() {
  return to_json_line(sample_header()) + "\n" + to_json_line(sample_verdict()) + "\n" +
         to_json_line(sample_summary()) + "\n";
}

VerdictFile read(const std::string& text) {
  auto file = read_verdict_text(text, "v.jsonl");
  EXPECT_TRUE(file.ok()) << file.error().message;
  return std::move(file).value();
}

std::string error_of(const std::string& text) {
  const auto file = read_verdict_text(text, "v.jsonl");
  return file.ok() ? "" : file.error().message;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Verdict, ReadsBackWhatWasWritten) {
  const VerdictFile file = read(sample_text());
  EXPECT_EQ(to_json_line(file.header), to_json_line(sample_header()));
  ASSERT_EQ(file.verdicts.size(), 1U);
  EXPECT_EQ(to_json_line(file.verdicts[0]), to_json_line(sample_verdict()));
  EXPECT_EQ(to_json_line(*file.summary), to_json_line(sample_summary()));
  const ElementFailure& failure = *file.verdicts[0].tensors[0].failure;
  EXPECT_TRUE(std::isnan(failure.got));
  EXPECT_EQ(failure.want, -kInf);
  EXPECT_TRUE(std::signbit(failure.budget));
  EXPECT_EQ(file.verdicts[0].tensors[0].worst_budget, 1e-300);
  EXPECT_FALSE(file.verdicts[0].tensors[1].failure.has_value());
}

TEST(Verdict, NamesOfOutcomes) {
  for (std::size_t i = 0; i < kOutcomeCount; ++i) {
    const auto outcome = static_cast<Outcome>(i);
    EXPECT_EQ(outcome_of(name_of(outcome)), outcome);
  }
  EXPECT_EQ(name_of(Outcome{}), "untested");
  EXPECT_FALSE(outcome_of("passed").has_value());
  EXPECT_TRUE(is_failure(Outcome::kUntested));
  EXPECT_TRUE(is_failure(Outcome::kVacuous));
  EXPECT_FALSE(is_failure(Outcome::kSkipped));
  EXPECT_TRUE(sentence_of(SkipReason::kNone).empty());
}

TEST(Verdict, TextOfStrangersSurvives) {
  Verdict verdict = sample_verdict();
  verdict.kernel = "a\xff\"\\\n\r\t\x01</script>";
  verdict.reason = std::string("nul \0 inside", 12);
  const std::string line = to_json_line(verdict);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const VerdictFile file = read(to_json_line(sample_header()) + "\n" + line + "\n");
  EXPECT_EQ(file.verdicts[0].kernel, "a\xef\xbf\xbd\"\\\n\r\t\x01</script>");
  EXPECT_EQ(file.verdicts[0].reason, verdict.reason);
}

TEST(Verdict, UnknownMembersAreIgnored) {
  const std::string text =
      replaced(sample_text(), "\"judged\":10", "\"judged\":10,\"later\":{\"x\":[1]}");
  EXPECT_EQ(error_of(text), "");
}

TEST(Verdict, WrongMembersAreNamedWithTheirLine) {
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"\"judged\":10", "\"judged\":-1"},
           {"\"judged\":10", "\"judged\":1.5"},
           {"\"judged\":10", "\"judged\":\"10\""},
           {"\"judged\":10", "\"judged\":null"},
           {"\"judged\":10", "\"judged\":18446744073709551615"},
           {"\"judged\":10", "\"judged\":1e999"},
           {"\"judged\":10,", ""},
           {"\"judged\":10", "\"judged\":10,\"judged\":11"},
           {"\"worst_error_over_budget\":\"inf\"", "\"worst_error_over_budget\":\"Infinity\""},
           {"\"outcome\":\"fail\"", "\"outcome\":\"passed\""},
           {"\"skip\":\"no_space\"", "\"skip\":\"lazy\""},
           {"\"worst_index\":[3,4]", "\"worst_index\":[3,-4]"},
           {"\"worst_index\":[3,4]", "\"worst_index\":7"},
           {"\"layer\":1", "\"layer\":-2"},
           {"\"layer\":1", "\"layer\":18446744073709551615"},
           {"\"layer\":1", "\"layer\":3000000000"},
           {"\"weaker_contract\":true", "\"weaker_contract\":1"},
           {"\"tensors\":[{", "\"tensors\":[3,{"}}) {
    const std::string error = error_of(replaced(sample_text(), from, to));
    EXPECT_EQ(error.find("v.jsonl:2: "), 0U) << to << ": " << error;
    const std::string member = from.substr(0, from.find(':'));
    const bool is_json = to.find("1e999") == std::string::npos;
    const bool named = error.find(member.substr(1, member.size() - 2)) != std::string::npos;
    EXPECT_TRUE(named || !is_json) << error;
  }
  EXPECT_NE(error_of(replaced(sample_text(), "\"got\":\"nan\"", "\"got\":[]"))
                .find("tensors[0].failure.got"),
            std::string::npos);
}

TEST(Verdict, LinesOutOfOrder) {
  const std::string header = to_json_line(sample_header()) + "\n";
  const std::string verdict = to_json_line(sample_verdict()) + "\n";
  const std::string summary = to_json_line(sample_summary()) + "\n";
  EXPECT_NE(error_of("").find("empty"), std::string::npos);
  EXPECT_EQ(error_of(verdict + summary).find("v.jsonl:1: "), 0U);
  EXPECT_EQ(error_of(header + header).find("v.jsonl:2: "), 0U);
  EXPECT_EQ(error_of(header + verdict + summary + verdict).find("v.jsonl:4: "), 0U);
  EXPECT_EQ(error_of(header + verdict + summary + summary).find("v.jsonl:4: "), 0U);
  EXPECT_NE(error_of(header + summary).find("counts"), std::string::npos) << "no fail was written";
  EXPECT_NE(error_of(header + verdict + verdict + summary).find("counts"), std::string::npos);
  EXPECT_NE(error_of(replaced(header, "plumb.verdict/1", "plumb.verdict/2")).find("schema"),
            std::string::npos);
  EXPECT_NE(error_of(header + "\n" + verdict).find("v.jsonl:2: "), std::string::npos);
  EXPECT_NE(error_of(header + std::string(100'000, '[') + "\n").find("deeper"), std::string::npos);
}

TEST(Verdict, ARunThatWasKilledHasNoSummary) {
  const std::string whole =
      to_json_line(sample_header()) + "\n" + to_json_line(sample_verdict()) + "\n";
  EXPECT_FALSE(read(whole).summary.has_value());
  const std::string line = to_json_line(sample_verdict());
  const VerdictFile cut = read(whole + line.substr(0, line.size() / 2));
  EXPECT_EQ(cut.verdicts.size(), 1U);
  EXPECT_FALSE(cut.summary.has_value());
  EXPECT_NE(error_of(whole + line.substr(0, line.size() / 2) + "\n"), "")
      << "a whole line that is no JSON";
}

TEST(Verdict, Files) {
  const std::string path = testing::TempDir() + "plumb_verdict_test.jsonl";
  std::ofstream(path, std::ios::binary) << sample_text();
  const auto file = read_verdict_file(path);
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_EQ(file->verdicts.size(), 1U);
  std::remove(path.c_str());
  for (const std::string& wrong : {path, testing::TempDir()}) {
    const auto none = read_verdict_file(wrong);
    ASSERT_FALSE(none.ok());
    EXPECT_EQ(none.error().message.find(wrong), 0U);
  }
}

}  // namespace
}  // namespace plumb::conformance
