// SPDX-License-Identifier: Apache-2.0
// The recorded traces, judged: no false alarm, and every stored tensor accounted for.
#include "conformance/runner/check_trace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <vector>

namespace plumb::conformance {
namespace {

struct Expected {
  const char* name;
  std::int64_t stored;  // tensors in the file
  std::size_t inputs;   // of these, what the pass is fed
};
void PrintTo(const Expected& e, std::ostream* stream) { *stream << e.name; }

class TraceCheck : public testing::TestWithParam<Expected> {
 protected:
  static CheckReport checked(const std::string& name) {
    auto report = check_trace({PLUMB_SOURCE_DIR "/fixtures/traces/" + name, {}, {}, {}});
    EXPECT_TRUE(report.ok()) << (report.ok() ? "" : report.error().message);
    return report.ok() ? std::move(report).value() : CheckReport{};
  }
};

TEST_P(TraceCheck, PassesAndJudgesEveryStoredTensor) {
  const CheckReport report = checked(GetParam().name);
  EXPECT_EQ(report.stored, GetParam().stored);
  EXPECT_EQ(report.inputs.size(), GetParam().inputs);
  EXPECT_EQ(report.unjudged, std::vector<std::string>{});
  EXPECT_EQ(report.first_culprit, "");
  for (const Verdict& v : report.verdicts) {
    EXPECT_EQ(v.outcome, Outcome::kPass) << v.case_name << ": " << v.reason;
  }
}

// The shared originals store 400, 58, 223, 1727, 400, 410, 37 and 18; what was cut of each stands
// in its provenance.json.
INSTANTIATE_TEST_SUITE_P(
    R1, TraceCheck,
    testing::Values(Expected{"r1-tiny-f32", 400, 1}, Expected{"r1-tiny-f32-yarn64", 58, 1},
                    Expected{"r1-tiny-padded", 77, 3}, Expected{"r1-tiny-decode", 651, 20},
                    Expected{"r1-tiny-fp8", 158, 2}, Expected{"r1-tiny-bf16", 163, 2},
                    Expected{"r1-rope-tables", 37, 1}, Expected{"r1-gate-fill", 18, 3}),
    [](const auto& param) {
      std::string name = param.param.name;
      std::ranges::replace(name, '-', '_');
      return name;
    });

// Budgets are neither loose nor lucky: over the linears with recorded outputs, the median budget
// stays below 2^-13 of the tensor's largest magnitude and the largest error lies between 0.001 and
// 0.5 of its budget.
TEST(TraceBudgets, OfLinearsAreTight) {
  int linears = 0;
  for (const char* name : {"r1-tiny-f32", "r1-tiny-fp8"}) {
    const auto report =
        check_trace({std::string(PLUMB_SOURCE_DIR "/fixtures/traces/") + name, {}, {}, {}});
    ASSERT_TRUE(report.ok());
    for (const Verdict& v : report->verdicts) {
      if (v.stage != "linear") continue;
      const TensorFinding& y = v.tensors.front();
      ++linears;
      EXPECT_LE(y.median_budget, std::ldexp(y.largest_want, -13)) << y.tensor;
      EXPECT_GT(y.worst_error_over_budget, 0.001) << y.tensor;
      EXPECT_LT(y.worst_error_over_budget, 0.5) << y.tensor;
    }
  }
  EXPECT_GT(linears, 200);
}

TEST(TraceErrors, NameWhatIsMissing) {
  const auto nowhere = check_trace({"/nonexistent", {}, {}, {}});
  ASSERT_FALSE(nowhere.ok());
  EXPECT_NE(nowhere.error().message.find("/nonexistent"), std::string::npos);
  const auto reading =
      check_trace({PLUMB_SOURCE_DIR "/fixtures/traces/r1-tiny-f32", {}, "hf_f64", {}});
  ASSERT_FALSE(reading.ok());
  EXPECT_NE(reading.error().message.find("hf_f64"), std::string::npos);
}

// A run in float32 does not keep what a float64 contract promises; one in bf16 is allowed more.
TEST(TraceContract, DecidesTheBudget) {
  const std::string folder = PLUMB_SOURCE_DIR "/fixtures/traces/r1-tiny-f32";
  const auto strict = check_trace({folder, {}, {}, R"({"name": "wide", "accumulator": "f64"})"});
  ASSERT_TRUE(strict.ok()) << strict.error().message;
  EXPECT_NE(strict->first_culprit, "");
  EXPECT_EQ(strict->verdicts.front().contract, "wide");
  const auto unknown = check_trace({folder, {}, {}, R"({"accumulator": "f17"})"});
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.error().message.find("accumulator"), std::string::npos);
}

// A trace is judged in the reading that it was made in: in another one it must not pass.
TEST(TraceReading, AnotherReadingFails) {
  const auto report =
      check_trace({PLUMB_SOURCE_DIR "/fixtures/traces/r1-tiny-bf16", {}, "hf_f32", {}});
  ASSERT_TRUE(report.ok());
  EXPECT_NE(report->first_culprit, "");
}

}  // namespace
}  // namespace plumb::conformance
