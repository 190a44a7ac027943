// SPDX-License-Identifier: Apache-2.0
// What plumb bench prints with --json conforms to reports/schemas/bench.json. Its worker runs in
// this very executable.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "conformance/runner/worker_main.h"
#include "reports/schema_check.h"
#include "tools/plumb/verb.h"

namespace plumb::tools {
namespace {

const Verb& bench() {
  for (const Verb* v : all_verbs()) {
    if (v->name == "bench") return *v;
  }
  throw std::runtime_error("no verb bench");
}

std::string schema() {
  std::ifstream file(PLUMB_SCHEMAS "/bench.json");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(BenchJson, ConformsToItsSchema) {
  testing::internal::CaptureStdout();
  const Options given({{"--json", {}},
                       {"--stage", {"rms_norm"}},
                       {"--case", {"ragged.normal.0.hf_bf16.plain"}},
                       {"--lib", {PLUMB_TEST_KERNELS}}});
  // kFailed: so small a case may not be worth vectors.
  const Exit exit = bench().run(given);
  const std::string text = testing::internal::GetCapturedStdout();
  EXPECT_TRUE(exit == kDone || exit == kFailed) << exit;
  EXPECT_EQ(reports::schema_violation(schema(), text), "");
  auto json = nlohmann::json::parse(text);
  ASSERT_GE(json["bench"].size(), 2U);
  EXPECT_EQ(json["bench"][0]["kernel"], "rms_norm.scalar");
  EXPECT_EQ(json["bench"][0]["ratio_to_scalar"], 1.0);
  json["bench"][0]["judged"] = "splendid";
  EXPECT_NE(reports::schema_violation(schema(), json.dump()), "");
}

TEST(BenchJson, SaysNothingOfALibraryThatCannotBeOpened) {
  testing::internal::CaptureStdout();
  const Options given({{"--json", {}},
                       {"--case", {"ragged.normal.0.inf_fp8.plain"}},
                       {"--stage", {"rms_norm"}},
                       {"--lib", {"/nonexistent.so"}}});
  testing::internal::CaptureStderr();
  EXPECT_EQ(bench().run(given), kCouldNotRun);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("/nonexistent.so"), std::string::npos);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

}  // namespace
}  // namespace plumb::tools

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "worker") == 0) {
    return plumb::conformance::worker_main(argc, argv);
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
