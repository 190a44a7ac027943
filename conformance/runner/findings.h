// SPDX-License-Identifier: Apache-2.0
// From a comparison to what a verdict says of it.
#pragma once

#include "conformance/runner/judge.h"
#include "conformance/verdict/verdict.h"

namespace plumb::conformance {

TensorFinding finding_of(const StageSchema& schema, const TensorJudgement& judgement);

// The outcome and reason of the whole case from those of its tensors: the first failure, else the
// first that is not a pass.
void conclude(Verdict& verdict);

}  // namespace plumb::conformance
