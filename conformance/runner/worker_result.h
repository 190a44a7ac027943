// SPDX-License-Identifier: Apache-2.0
// What came of one case in a worker.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reference/tensor/stage_call.h"

namespace plumb::conformance {

enum class RunOutcome : std::uint8_t {
  kFailed,    // the zero value: the kernel returned non-zero, or its worker answered nonsense
  kRan,       // both runs returned 0; judge `faults` and `outputs`
  kDeclined,  // `supports` gave a reason
  kCrashed,   // killed by a signal, or stopped by a sanitizer
  kTimedOut,
  kExited,  // ended the process
};
std::string_view name_of(RunOutcome outcome);

// What a kernel that ran did wrong besides its numbers. Each fails the case, with one exception:
// runs may differ where the contract does not say `deterministic`; both outputs are then to be
// judged.
enum class FaultKind : std::uint8_t {
  kInputChanged,
  kCanaryBefore,  // wrote before the first element
  kCanaryBehind,  // wrote behind the last one
  kPadding,       // wrote between the rows of a strided output
  kUnwritten,     // elements that hold the poison of either run
  kRunsDiffer,    // depends on poison, alignment, strides, the call before, or chance
  kProcessLeft,   // a child process outlived the call
  kEndedBetween,  // the worker died after it had answered the case before
};
std::string_view name_of(FaultKind kind);

struct Fault {
  FaultKind kind = FaultKind::kInputChanged;
  std::string tensor;  // empty: none in particular
  int run = 0;         // 1 or 2; 0: seen from both
  std::int64_t count =
      0;  // bytes (inputs, canaries, padding), elements (unwritten, differ), processes
  // kUnwritten and kRunsDiffer: the first element, row-major. Else the first byte, counted from the
  // first element; negative before it.
  std::int64_t first = 0;
  std::string message;  // one sentence
};

struct CaseResult {
  RunOutcome outcome = RunOutcome::kFailed;
  int code = 0;         // what the kernel returned, its exit status, or the signal's number
  std::string message;  // why; empty for kRan. From a plug-in: at most 1,023 bytes of anything
  std::string output;   // the last 4 KiB of what the worker printed since the case began
  std::vector<Fault> faults;
  // Of the first and second run: out and inout tensors, and taps that were written to. Packed, in
  // memory of their own. Empty unless kRan.
  std::array<std::vector<NamedTensor>, 2> outputs;
  bool padding_declined = false;  // `supports` declined padded rows; the second run had packed ones
  double seconds = 0;             // in the worker, both runs, with the way there and back
};

}  // namespace plumb::conformance
