// SPDX-License-Identifier: Apache-2.0
// Judging kernels: every row of a library on every case of its stage. The candidate runs in a
// worker; what is wanted is computed after it has run, and decided here alone.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "conformance/runner/library.h"
#include "conformance/verdict/verdict.h"
#include "fixtures/shapes/shapes.h"

namespace plumb::conformance {

struct RunRequest {
  std::string executable;  // that answers to `worker --library L`
  std::string library;
  fixtures::Plan plan = fixtures::Plan::kQuick;
  std::optional<std::string> stage;      // only kernels of this stage
  std::optional<std::string> kernel;     // only this one: "rms_norm.avx3"
  std::optional<std::string> reading;    // only cases in this reading
  std::optional<std::string> case_name;  // only this case, whether the plan holds it or not
  std::chrono::milliseconds time_limit{10'000};
  int threads = 1;
};

// Called with each verdict as it is reached; `done` of `planned` cases are then over.
struct Step {
  const Verdict& verdict;
  std::size_t done, planned;
};
using OnVerdict = std::function<void(const Step&)>;

// The verdicts of all cases, in order. An error: the library cannot be opened, or nothing of that
// name is in it.
Result<std::vector<Verdict>> run_kernels(const RunRequest& request, const OnVerdict& on_verdict);

}  // namespace plumb::conformance
