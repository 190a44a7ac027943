// SPDX-License-Identifier: Apache-2.0
// What fills the worker's memory before a run, and what is found there afterwards.
#pragma once

#include <span>
#include <vector>

#include "conformance/runner/worker_layout.h"
#include "conformance/runner/worker_result.h"

namespace plumb::conformance {

// What unwritten memory holds. First run: all ones, NaN in every format that has one. Second: a
// number in every format, larger than most outputs (12,690 in FP32), to which adding still makes a
// difference.
constexpr std::byte poison(Pass pass) {
  return pass == Pass::kFirst ? std::byte{0xFF} : std::byte{0x46};
}

// Before a run: the values of in and inout tensors, poison in what is to be written, canaries
// elsewhere.
void fill(const Layout& layout, const StageCall& call, Pass pass, std::byte* memory);

// After a run: canaries overwritten, and inputs that are not as in `call` any more (the runner's
// own copy, byte by byte, which sees more than a hash would).
void inspect(const Layout& layout, const StageCall& call, Pass pass, const std::byte* memory,
             std::vector<Fault>& faults);

// A packed copy of the elements.
AnyTensor take(const PlacedTensor& tensor, const std::byte* memory);

// After both runs, from result.outputs: elements that nobody wrote, elements that differ. Drops the
// taps that were left alone.
void compare_runs(const StageCall& call, std::span<const plumb_role> roles, CaseResult& result);

}  // namespace plumb::conformance
