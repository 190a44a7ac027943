// SPDX-License-Identifier: Apache-2.0
// The kinds of R1 trace: a forward pass of one or several steps, the router alone, rotary tables
// alone.
#pragma once

#include <string>
#include <vector>

#include "conformance/runner/check.h"
#include "conformance/runner/recorded.h"
#include "fixtures/io/trace.h"
#include "reference/models/r1/config.h"

namespace plumb::conformance::r1 {

struct Checked {
  std::vector<Verdict> verdicts;
  std::set<std::string> judged;  // names in the file
  std::set<std::string> inputs;
  std::map<std::string, int> unrecorded;
  std::set<int> missing_layers;  // of some step: no weights, input, cache or inner tensors
};

// A dump of a forward pass: input_ids, perhaps attention_mask_2d and decode_ids, and what the
// stages gave.
Result<Checked> check_forward(const fixtures::Trace& trace, const reference::r1::R1Config& config,
                              const Reading& reading, const CheckOptions& options = {});
// The router on given inputs, with either group fill: gate.in, gate.weight, gate.fill0.*,
// gate.fillninf.*.
Result<Checked> check_gate(const fixtures::Trace& trace, const reference::r1::R1Config& config,
                           const Reading& reading, const CheckOptions& options = {});
// Rotary tables by name, their parameters in meta.json.
Result<Checked> check_tables(const fixtures::Trace& trace, const Reading& reading,
                             const CheckOptions& options = {});

}  // namespace plumb::conformance::r1
