// SPDX-License-Identifier: Apache-2.0
// One kernel of a library on one case: the inputs made, run in a worker, judged.
#pragma once

#include <string>
#include <vector>

#include "conformance/runner/worker.h"
#include "conformance/verdict/verdict.h"
#include "fixtures/generators/case.h"
#include "reference/registry/schema.h"

namespace plumb::conformance {

// One kernel, and what it is to be judged by.
struct Candidate {
  std::size_t row;  // in its library
  std::string id;   // "rms_norm.avx3"
  const StageSchema* schema;
  Contract contract;
  std::string contract_error;  // why the contract that it declares is none
};

// An error when the stage does not exist; it names `library`.
Result<Candidate> candidate_of(const KernelRow& row, std::size_t index, const std::string& library);

// The inputs of a case with empty outputs beside them, as the reading stores them.
struct Prepared {
  StageCall call;
  std::vector<plumb_role> roles;
};
Result<Prepared> prepare(const StageSchema& schema, const fixtures::Case& wanted);

// The verdict, without a command line that runs the case again. An error: the case could not be
// run, for a reason that is not the kernel's.
Result<Verdict> judge_case(Worker& worker, const Candidate& candidate, const fixtures::Case& wanted,
                           const Prepared& prepared);

}  // namespace plumb::conformance
