// SPDX-License-Identifier: Apache-2.0
// Runs the reference over token ids and writes what every stage gave as a trace, which `check`
// judges like anybody's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fixtures/io/file.h"
#include "reference/base/result.h"

namespace plumb::conformance {

struct ForwardRequest {
  std::string model;                         // "r1"
  std::string config;                        // a config.json, or "tiny": a built-in small model
  std::optional<fixtures::Path> checkpoint;  // may be left out with "tiny": random weights, written
  std::vector<std::int64_t> ids;             // one sequence
  std::string reading;
  fixtures::Path folder;  // of the trace
};

struct ForwardReport {
  std::size_t tensors = 0;    // written
  std::int64_t next_id = -1;  // the largest logit of the last token
  double next_logit = 0;
};

Result<ForwardReport> write_forward_trace(const ForwardRequest& request);

}  // namespace plumb::conformance
