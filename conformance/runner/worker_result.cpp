// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/worker_result.h"

namespace plumb::conformance {

std::string_view name_of(RunOutcome outcome) {
  switch (outcome) {
    case RunOutcome::kFailed:
      return "failed";
    case RunOutcome::kRan:
      return "ran";
    case RunOutcome::kDeclined:
      return "declined";
    case RunOutcome::kCrashed:
      return "crashed";
    case RunOutcome::kTimedOut:
      return "timed_out";
    case RunOutcome::kExited:
      return "exited";
  }
  return "unknown outcome";
}

std::string_view name_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::kInputChanged:
      return "input_changed";
    case FaultKind::kCanaryBefore:
      return "wrote_before";
    case FaultKind::kCanaryBehind:
      return "wrote_behind";
    case FaultKind::kPadding:
      return "wrote_padding";
    case FaultKind::kUnwritten:
      return "unwritten";
    case FaultKind::kRunsDiffer:
      return "runs_differ";
    case FaultKind::kProcessLeft:
      return "process_left";
    case FaultKind::kEndedBetween:
      return "ended_between";
  }
  return "unknown fault";
}

}  // namespace plumb::conformance
