// SPDX-License-Identifier: Apache-2.0
// How fast the variants of a stage are, each as a ratio to the stage's scalar one on the same case
// in the same run. Only what has passed the case is timed.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/verdict/verdict.h"
#include "fixtures/generators/case.h"

namespace plumb::conformance {

struct BenchRequest {
  std::string executable;  // that answers to `worker --library L`
  std::string library;
  std::optional<std::string> stage;      // only kernels of this stage
  std::optional<std::string> case_name;  // this case in place of the widest ones
  std::chrono::milliseconds time_limit{10'000};
  std::size_t rounds = 5;        // samples of each variant; the variants take turns
  double sample_seconds = 0.05;  // that the calls of a sample take together, at least
};

// One kernel on one case.
struct BenchRow {
  std::string stage, kernel, variant;
  std::string case_name;
  Outcome judged = Outcome::kUntested;
  std::string reason;             // why it was not timed; empty when it was
  std::optional<double> seconds;  // of a call, the median; absent: not timed
  // How many times as fast as the scalar variant, the median over the rounds; absent also where no
  // scalar variant was timed.
  std::optional<double> ratio_to_scalar;
  bool chosen = false;  // dispatch would choose it here

  // Dispatch would choose it though the scalar variant is faster. Targets without a fused
  // multiply-add (SSE4 and older) may be.
  bool is_slower() const;
  // Any kernel must be right and live through being timed, the chosen one be no slower than scalar
  // code.
  bool is_wrong() const { return is_slower() || is_failure(judged) || lost(); }
  // It passed its case and could not be timed all the same.
  bool lost() const { return judged == Outcome::kPass && !reason.empty(); }
};

// The cases that a stage is timed on: its widest model shape, or else its main one, at 1 and 16
// tokens where tokens can be chosen, in every storage.
std::vector<fixtures::Case> bench_cases(const StageSchema& schema);

// Marks, among the rows of one stage on one case, the best one by instruction set that this machine
// supports.
void mark_chosen(std::vector<BenchRow>& rows);

using OnBenchStep = std::function<void(std::string_view what)>;

// Rows in the order of the library, case by case. An error: the library cannot be opened, or
// nothing of that name is in it.
Result<std::vector<BenchRow>> bench_kernels(const BenchRequest& request,
                                            const OnBenchStep& on_step);

}  // namespace plumb::conformance
