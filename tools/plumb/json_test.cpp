// SPDX-License-Identifier: Apache-2.0
// What the verbs print with --json conforms to reports/schemas.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "reference/registry/records.h"
#include "reports/schema_check.h"
#include "tools/plumb/verb.h"

namespace plumb::tools {
namespace {

std::string schema(const std::string& noun) {
  std::ifstream file(PLUMB_SCHEMAS "/" + noun + ".json");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

const Verb& verb(std::string_view name) {
  for (const Verb* v : all_verbs()) {
    if (v->name == name) return *v;
  }
  throw std::runtime_error("no such verb");
}

std::string output_of(std::string_view name, Options::Values given) {
  given["--json"] = {};
  testing::internal::CaptureStdout();
  EXPECT_EQ(verb(name).run(Options(std::move(given))), kDone);
  return testing::internal::GetCapturedStdout();
}

TEST(Json, OfRecords) {
  const std::string text = output_of("records", {});
  EXPECT_EQ(reports::schema_violation(schema("records"), text), "");
  const auto rows = nlohmann::json::parse(text)["records"];
  ASSERT_EQ(rows.size(), 128u);
  EXPECT_EQ(rows[106]["id"], "R1-107");
  EXPECT_TRUE(rows[106]["golden"].is_object());
  EXPECT_EQ(rows[22]["oracles"], nlohmann::json({"exact"}));
}

// Every stage's records are evaluated, outputs included.
TEST(Json, OfOneRecordOfEachStage) {
  std::set<std::string> stages;
  for (const Record& record : all_records()) {
    if (!stages.insert(record.stage).second) continue;
    const std::string text = output_of("records", {{"ID", {record.id}}});
    EXPECT_EQ(reports::schema_violation(schema("records"), text), "") << record.id;
    const auto row = nlohmann::json::parse(text)["records"][0];
    int outputs = 0;
    for (const auto& tensor : row["evaluated"]) outputs += tensor["role"] == "out" ? 1 : 0;
    EXPECT_GT(outputs, 0) << record.id;
  }
  EXPECT_GT(stages.size(), 20u);
}

TEST(Json, OfOneDiscrepancy) {
  const std::string text = output_of("records", {{"ID", {"R1-D06"}}});
  EXPECT_EQ(reports::schema_violation(schema("discrepancies"), text), "");
  EXPECT_EQ(nlohmann::json::parse(text)["discrepancies"].size(), 1u);
}

TEST(Json, OfStages) {
  const std::string text = output_of("stages", {});
  EXPECT_EQ(reports::schema_violation(schema("stages"), text), "");
  EXPECT_GE(nlohmann::json::parse(text)["stages"].size(), 30u);
}

TEST(Json, OfAPass) {
  const auto folder = std::filesystem::temp_directory_path() /
                      ("plumb-json-" + std::to_string(::getpid()) + "-pass");
  const std::string text = output_of(
      "forward", {{"--config", {"tiny"}}, {"--ids", {"1,2,3"}}, {"--out", {folder.string()}}});
  std::filesystem::remove_all(folder);
  EXPECT_EQ(reports::schema_violation(schema("passes"), text), "");
  EXPECT_EQ(nlohmann::json::parse(text)["passes"][0]["reading"], "hf_bf16");
}

TEST(Json, OfDifferencesOfGoldenFiles) {
  const std::string text =
      output_of("regen", {{"--check", {}}, {"--folder", {PLUMB_SCHEMAS "/../../fixtures/golden"}}});
  EXPECT_EQ(reports::schema_violation(schema("differences"), text), "");
  EXPECT_TRUE(nlohmann::json::parse(text)["differences"].empty());
}

TEST(Json, TheSchemasRefuseWhatIsNone) {
  const std::string text = output_of("stages", {{"STAGE", {"rms_norm"}}});
  auto broken = nlohmann::json::parse(text);
  broken["stages"][0]["tensors"][0]["role"] = "inward";
  EXPECT_NE(reports::schema_violation(schema("stages"), broken.dump()), "");
  EXPECT_NE(reports::schema_violation(schema("records"), text), "");
}

TEST(Verbs, RefuseWhatDoesNotExist) {
  testing::internal::CaptureStderr();
  const Options::Values stage{{"STAGE", {"x\x1b"}}};
  const Options::Values record{{"ID", {"R1-129"}}};
  EXPECT_EQ(verb("stages").run(Options(stage)), kWrongUse);
  EXPECT_EQ(verb("records").run(Options(record)), kWrongUse);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "error: there is no stage 'x\\x1b'; plumb stages lists them\n"
            "error: there is no record or discrepancy 'R1-129'; plumb records lists them\n");
}

}  // namespace
}  // namespace plumb::tools
