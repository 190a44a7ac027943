// SPDX-License-Identifier: Apache-2.0
#include "reports/schema_check.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "reports/sample_test_data.h"

namespace plumb::reports {
namespace {

std::string verdict_schema() {
  std::ifstream file(PLUMB_SCHEMAS "/verdict.json");
  EXPECT_TRUE(file) << PLUMB_SCHEMAS;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(VerdictSchema, EveryLineThatIsWrittenConforms) {
  const std::string schema = verdict_schema();
  for (const auto& file : {crowded_sample(), trace_sample(), empty_sample()}) {
    EXPECT_EQ(schema_violation(schema, to_json_line(file.header)), "");
    EXPECT_EQ(schema_violation(schema, to_json_line(*file.summary)), "");
    for (const auto& verdict : file.verdicts) {
      ASSERT_EQ(schema_violation(schema, to_json_line(verdict)), "");
    }
  }
  const auto hostile = hostile_sample();
  for (auto verdict : hostile.verdicts) {
    verdict.model.clear();
    EXPECT_EQ(schema_violation(schema, to_json_line(verdict)), "");
  }
}

TEST(VerdictSchema, WhatDoesNotConformIsRefused) {
  const std::string schema = verdict_schema();
  const auto file = trace_sample();
  const std::string line = to_json_line(file.verdicts[0]);
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"\"plumb.verdict/1\"", "\"plumb.verdict/2\""},
           {"\"line\":\"verdict\"", "\"line\":\"verdicts\""},
           {"\"outcome\":\"pass\"", "\"outcome\":\"passed\""},
           {"\"loose\":", "\"losse\":"},
           {"\"loose\":", "\"loose\":-1,\"x\":"},
           {"\"loose\":", "\"loose\":0.5,\"x\":"},
           {"\"median_budget\":", "\"median_budget\":\"NaN\",\"x\":"},
           {"\"layer\":-1", "\"layer\":-2"},
           {"\"failure\":null", "\"failure\":{}"},
           {"\"skip\":\"none\"", "\"skip\":\"\""},
           {"\"tensors\":[", "\"tensors\":[null,"},
           {"\"weaker_contract\":false", "\"weaker_contract\":0"}}) {
    EXPECT_NE(schema_violation(schema, replaced(line, from, to)), "") << to;
  }
  EXPECT_NE(schema_violation(schema, "[]"), "");
  EXPECT_NE(schema_violation(schema, "{}"), "");
  EXPECT_NE(schema_violation(schema, "{"), "");
  const std::string header = to_json_line(file.header);
  EXPECT_NE(schema_violation(schema, replaced(header, "\"dirty\":false", "\"dirty\":\"no\"")), "");
  const std::string summary = to_json_line(*file.summary);
  EXPECT_NE(schema_violation(schema, replaced(summary, "\"pass\":", "\"passed\":")), "");
}

TEST(SchemaCheck, UnknownKeywordsAreRefused) {
  EXPECT_NE(schema_violation(R"({"maxLength": 3})", "\"abcd\""), "");
  EXPECT_NE(schema_violation(R"({"additionalProperties": false, "properties": {"a": {}}})",
                             R"({"b": 1})"),
            "");
  EXPECT_EQ(schema_violation(R"({"additionalProperties": false, "properties": {"a": {}}})",
                             R"({"a": 1})"),
            "");
  EXPECT_NE(schema_violation(R"({"oneOf": [{"type": "integer"}, {"type": "number"}]})", "1"), "")
      << "fits both";
}

}  // namespace
}  // namespace plumb::reports
