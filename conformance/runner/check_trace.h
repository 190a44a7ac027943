// SPDX-License-Identifier: Apache-2.0
// From a trace folder to verdicts: finds out the model and the reading, runs the forward pass over
// what the trace holds, and says which stored tensors were judged and which were not.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "conformance/verdict/verdict.h"
#include "fixtures/io/trace.h"

namespace plumb::conformance {

struct CheckRequest {
  fixtures::Path folder;
  // Given on the command line; else the trace's meta.json and config.json decide.
  std::optional<std::string> model = {};
  std::optional<std::string> reading = {};
  std::optional<std::string> contract = {};  // JSON, as a kernel row has it
};

// A request that leaves something open: the flag that would settle it stands in the message.
struct CheckReport {
  std::string model;
  std::string reading;
  std::vector<Verdict> verdicts;          // in order of execution
  std::vector<std::string> inputs;        // stored tensors that are inputs: not judged
  std::vector<std::string> unjudged;      // stored tensors that no stage call accounts for
  std::map<std::string, int> unrecorded;  // stages called of which nothing is stored: how often
  std::set<int> missing_layers;           // layers of which a step lacks too much to be judged
  std::int64_t stored = 0;                // tensors in the file
  // The first verdict that is not a pass: "layer 1, moe_router, layers.1.mlp.gate.topk_idx, token
  // 3, ...".
  std::string first_culprit;
};

Result<CheckReport> check_trace(const CheckRequest& request);

}  // namespace plumb::conformance
