// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/findings.h"

namespace plumb::conformance {
namespace {

std::vector<std::int64_t> index_of(Index position, const Shape& shape) {
  std::vector<std::int64_t> index(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0; position /= shape[axis]) {
    index[axis] = position % shape[axis];
  }
  return index;
}

Outcome outcome_of_ruling(Ruling ruling) {
  switch (ruling) {
    case Ruling::kPass:
      return Outcome::kPass;
    case Ruling::kFail:
      return Outcome::kFail;
    case Ruling::kVacuous:
      return Outcome::kVacuous;
    case Ruling::kUntested:
      break;
  }
  return Outcome::kUntested;
}

// Failures weigh most, then what decided nothing.
int weight_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::kFail:
      return 3;
    case Outcome::kVacuous:
      return 2;
    case Outcome::kPass:
      return 0;
    default:
      return 1;
  }
}

}  // namespace

TensorFinding finding_of(const StageSchema& schema, const TensorJudgement& judgement) {
  const Comparison& c = judgement.comparison;
  TensorFinding f;
  f.tensor = judgement.tensor;
  f.outcome = outcome_of_ruling(judgement.decision.ruling);
  f.reason = judgement.decision.reason;
  f.judged = c.judged;
  f.loose = c.loose;
  f.unbounded = c.unbounded;
  f.unusable = c.unusable;
  f.left_out = judgement.left_out;
  f.failed = c.failed;
  f.median_budget = c.median_budget;
  f.largest_want = c.largest_want;
  f.worst_error_over_budget = c.worst_ratio;
  f.worst_error = c.worst_error;
  f.worst_budget = c.worst_budget;
  if (c.worst >= 0) f.worst_index = index_of(c.worst, judgement.shape);
  if (c.first_failed >= 0) {
    f.failure = ElementFailure{index_of(c.first_failed, judgement.shape), c.got, c.want, c.budget};
  }
  if (schema.find(judgement.tensor)->judge == ::plumb::Judge::kSelection) {
    f.selection = SelectionFinding{c.ties, c.open_selections, c.flips, c.smallest_margin};
  }
  return f;
}

void conclude(Verdict& verdict) {
  verdict.outcome = verdict.tensors.empty() ? Outcome::kUntested : Outcome::kPass;
  verdict.reason = verdict.tensors.empty() ? "no output was judged" : "";
  for (const TensorFinding& f : verdict.tensors) {
    if (weight_of(f.outcome) <= weight_of(verdict.outcome)) continue;
    verdict.outcome = f.outcome;
    verdict.reason = f.tensor + ": " + f.reason;
  }
}

}  // namespace plumb::conformance
