// SPDX-License-Identifier: Apache-2.0
// For tests of Worker: one call of rms_norm on the rows of the hostile plug-in, in workers of this
// very executable.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "conformance/runner/worker.h"

namespace plumb::conformance {

inline constexpr Index kRows = 4;
inline constexpr Index kWidth = 16;
inline constexpr std::array kRoles{PLUMB_IN, PLUMB_IN, PLUMB_OUT};

inline StageCall a_call() {
  StageCall call{"rms_norm", {}, {{"eps", 1e-6}}, {}};
  std::vector<float> x(kRows * kWidth);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 7) - 2.5F;
  call.set("x", AnyTensor::of(x).reshaped({kRows, kWidth}));
  call.set("gain", AnyTensor::of(std::vector<float>(kWidth, 0.5F)));
  call.set("y", AnyTensor::zeros(Dtype::kF32, {kRows, kWidth}));
  return call;
}

inline WorkerOptions options(std::string library) {
  WorkerOptions o;
  o.executable = std::filesystem::read_symlink("/proc/self/exe").string();
  o.library = std::move(library);
  o.time_limit = std::chrono::milliseconds(5000);
  return o;
}

inline std::size_t row_of(Worker& worker, const std::string& variant) {
  const auto rows = worker.rows();
  EXPECT_TRUE(rows.ok()) << rows.error().message;
  const auto at = std::find_if(rows->begin(), rows->end(),
                               [&](const KernelRow& row) { return row.variant == variant; });
  EXPECT_NE(at, rows->end()) << variant;
  return static_cast<std::size_t>(at - rows->begin());
}

inline CaseResult run(Worker& worker, const std::string& variant) {
  Result<CaseResult> result = worker.run(row_of(worker, variant), a_call(), kRoles);
  EXPECT_TRUE(result.ok()) << result.error().message;
  return result.ok() ? std::move(result).value() : CaseResult{};
}

inline void expect_correct(Worker& worker) {
  const CaseResult result = run(worker, "correct");
  ASSERT_EQ(result.outcome, RunOutcome::kRan) << result.message;
  for (const Fault& fault : result.faults) ADD_FAILURE() << fault.message;
  const StageCall call = a_call();
  const float* x = call.tensor("x").data<float>();
  for (const auto& outputs : result.outputs) {
    ASSERT_EQ(outputs.size(), 1U);
    ASSERT_EQ(outputs[0].name, "y");
    ASSERT_EQ(outputs[0].tensor.shape(), (Shape{kRows, kWidth}));
    const float* y = outputs[0].tensor.data<float>();
    for (Index t = 0; t < kRows; ++t) {
      double sum = 0;
      for (Index d = 0; d < kWidth; ++d) sum += std::pow(x[t * kWidth + d], 2);
      for (Index d = 0; d < kWidth; ++d) {
        const double want = x[t * kWidth + d] / std::sqrt(sum / kWidth + 1e-6) * 0.5;
        ASSERT_NEAR(y[t * kWidth + d], want, 1e-6) << t << ", " << d;
      }
    }
  }
}

// Runs a row, then the correct one in the same Worker.
inline CaseResult run_and_go_on(const std::string& variant, std::chrono::milliseconds limit = {}) {
  WorkerOptions o = options(PLUMB_TEST_HOSTILE);
  if (limit.count() > 0) o.time_limit = limit;
  Worker worker(o);
  CaseResult result = run(worker, variant);
  expect_correct(worker);
  return result;
}

struct Kind {
  FaultKind kind;
  std::string tensor;
  int run;
  std::int64_t count;
  std::int64_t first;
};

inline void expect_faults(const CaseResult& result, const std::vector<Kind>& kinds) {
  EXPECT_EQ(result.outcome, RunOutcome::kRan) << name_of(result.outcome) << ": " << result.message;
  ASSERT_EQ(result.faults.size(), kinds.size())
      << (result.faults.empty() ? "no fault" : result.faults.back().message);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const Fault& fault = result.faults[i];
    EXPECT_EQ(name_of(fault.kind), name_of(kinds[i].kind)) << fault.message;
    EXPECT_EQ(fault.tensor, kinds[i].tensor) << fault.message;
    EXPECT_EQ(fault.run, kinds[i].run) << fault.message;
    EXPECT_EQ(fault.count, kinds[i].count) << fault.message;
    EXPECT_EQ(fault.first, kinds[i].first) << fault.message;
  }
}

inline void expect_crash(const CaseResult& result, int signal, const std::string& where) {
  EXPECT_EQ(result.outcome, RunOutcome::kCrashed) << name_of(result.outcome) << result.message;
  EXPECT_EQ(result.code, signal) << result.message;
  EXPECT_NE(result.message.find(where), std::string::npos) << result.message;
}

}  // namespace plumb::conformance
