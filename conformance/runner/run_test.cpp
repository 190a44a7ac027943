// SPDX-License-Identifier: Apache-2.0
// Whole runs: our kernels, and a library whose rows break the rules one by one.
#include "conformance/runner/run.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

namespace plumb::conformance {
namespace {

RunRequest request_for(const char* library) {
  RunRequest request;
  request.executable = PLUMB_TEST_PLUMB;
  request.library = library;
  return request;
}

TEST(Run, OurKernelsPassEveryQuickCaseThatTheySupport) {
  std::map<Outcome, int> counts;
  std::size_t steps = 0;
  const auto verdicts = run_kernels(request_for(PLUMB_TEST_KERNELS), [&](const Step& step) {
    ++counts[step.verdict.outcome];
    EXPECT_EQ(step.done, ++steps);
    EXPECT_TRUE(step.verdict.outcome == Outcome::kPass ||
                step.verdict.outcome == Outcome::kUnsupported)
        << step.verdict.kernel << " " << step.verdict.case_name << ": " << step.verdict.reason;
  });
  ASSERT_TRUE(verdicts.ok());
  EXPECT_GT(counts[Outcome::kPass], 500);
  EXPECT_EQ(verdicts->size(), steps);
}

TEST(Run, EachBreachGetsItsVerdictAndTheRunGoesOn) {
  RunRequest request = request_for(PLUMB_TEST_HOSTILE);
  request.case_name = "ragged.normal.0.hf_f32.plain";
  request.time_limit = std::chrono::milliseconds(1500);
  const auto verdicts = run_kernels(request, nullptr);
  ASSERT_TRUE(verdicts.ok()) << verdicts.error().message;
  std::map<std::string, const Verdict*> by_kernel;
  for (const Verdict& v : *verdicts) {
    by_kernel[v.kernel] = &v;
    if (v.outcome == Outcome::kPass) continue;
    EXPECT_NE(v.reason, "") << v.kernel;
    EXPECT_NE(v.rerun.find("--kernel " + v.kernel), std::string::npos) << v.kernel;
  }
  const std::map<std::string, std::set<Outcome>> expected{
      {"correct", {Outcome::kPass}},
      {"segfault", {Outcome::kCrashed}},
      {"loop", {Outcome::kTimedOut}},
      {"exits", {Outcome::kCrashed}},
      {"aborts", {Outcome::kCrashed}},
      {"byte_behind", {Outcome::kFail, Outcome::kCrashed}},
      {"byte_before", {Outcome::kFail, Outcome::kCrashed}},
      {"padding", {Outcome::kFail}},
      {"nothing", {Outcome::kFail}},
      {"last_row", {Outcome::kFail}},
      {"nan", {Outcome::kFail}},
      {"changes_input", {Outcome::kFail, Outcome::kCrashed}},
      {"leaves_child", {Outcome::kFail}},
      {"poison", {Outcome::kFail}},
      {"call_before", {Outcome::kFail}},
      {"message", {Outcome::kFail}},
      {"declines", {Outcome::kUnsupported}},
  };
  for (const auto& [variant, outcomes] : expected) {
    const auto found = by_kernel.find("rms_norm." + variant);
    if (found == by_kernel.end()) {
      ADD_FAILURE() << "no row " << variant;
      continue;
    }
    EXPECT_TRUE(outcomes.contains(found->second->outcome))
        << variant << ": " << name_of(found->second->outcome) << ", " << found->second->reason;
  }
}

TEST(Run, RefusesWhatIsNotThere) {
  EXPECT_FALSE(run_kernels(request_for("/nonexistent.so"), nullptr).ok());
  RunRequest request = request_for(PLUMB_TEST_KERNELS);
  request.kernel = "rms_norm.nobody";
  EXPECT_NE(run_kernels(request, nullptr).error().message.find("rms_norm.nobody"),
            std::string::npos);
  request.kernel.reset();
  request.stage = "rms_norm";
  request.case_name = "no.such.case";
  EXPECT_NE(run_kernels(request, nullptr).error().message.find("no.such.case"), std::string::npos);
}

}  // namespace
}  // namespace plumb::conformance
