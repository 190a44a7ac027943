// SPDX-License-Identifier: Apache-2.0
// Verdict: what was found about one candidate on one case. A verdict file is JSON lines: a header (build,
// registry rows that a report prints), one line a verdict, a summary.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/result.h"

namespace plumb::conformance {

enum class Outcome : std::uint8_t {
  kUntested,  // the zero value: nothing was decided
  kPass,
  kFail,
  kVacuous,
  kCrashed,
  kTimedOut,
  kUnsupported,
  kSkipped,
};
std::string_view name_of(Outcome outcome);
// All but pass, unsupported and skipped fail a run.
bool is_failure(Outcome outcome);

// The fixed list of reasons to skip.
enum class SkipReason : std::uint8_t {
  kNone,
  kNoDevice,        // no GPU on this machine
  kNotBuilt,        // the variant needs a compiler or an instruction set that was absent
  kNotInTrace,      // the trace stores no output of this stage
  kNoSpace,         // too little free disk space
  kNotQuick,        // left out by --quick
};
std::string_view name_of(SkipReason reason);

// One output tensor of a case.
struct TensorFinding {
  std::string tensor;        // name in the schema, or in the trace
  std::int64_t judged = 0;
  std::int64_t loose = 0;
  std::int64_t left_out = 0;
  std::int64_t failed = 0;
  double median_budget = 0;
  double largest_want = 0;
  double worst_error_over_budget = 0;
  std::vector<std::int64_t> worst_index;
  std::vector<std::int64_t> first_failed;  // empty: none
  double got = 0, want = 0, budget = 0;    // at first_failed
  std::string reason;
  std::int64_t ties = 0;                   // selections: cuts inside equal scores
  std::int64_t open_selections = 0;        // selections that the budget leaves open
  double smallest_margin = 0;
};

struct Verdict {
  std::string stage;
  std::string kernel;     // kernel id, or "trace"
  std::string model;      // "r1", "v41" or empty
  std::string reading;
  std::string contract;
  std::string case_name;  // generator case, or trace site: "layers.1.input_layernorm"
  int layer = -1;
  int step = 0;
  Outcome outcome = Outcome::kUntested;
  SkipReason skip = SkipReason::kNone;
  std::string reason;     // one sentence
  std::string rerun;      // one command line that runs this case again; empty for a pass
  std::vector<TensorFinding> tensors;
  double seconds = 0;
  bool weaker_contract = false;  // passes under less than the standard contract
};

struct BuildInfo {
  std::string version, commit, compiler, abi, registry_digest;
  bool dirty = false;
  std::vector<std::string> simd_targets, cuda_architectures;
};

struct StageRow {
  std::string stage, sentence, formula;
  std::vector<std::string> records;
};

struct RunHeader {
  BuildInfo build;
  std::string command, machine;
  std::vector<StageRow> stages;
};

struct RunSummary {
  std::array<std::int64_t, 8> counts{};  // by Outcome
  double seconds = 0;
  std::string first_culprit;             // of a trace: layer, stage, token, element
};

struct VerdictFile {
  RunHeader header;
  std::vector<Verdict> verdicts;
  RunSummary summary;
};

// One JSON object a line, without the newline. Non-finite numbers are written as strings "nan", "inf",
// "-inf"; text from files and plug-ins is valid UTF-8 after it (bad bytes replaced).
std::string to_json_line(const RunHeader& header);
std::string to_json_line(const Verdict& verdict);
std::string to_json_line(const RunSummary& summary);
Result<VerdictFile> read_verdict_file(const std::string& path);

}  // namespace plumb::conformance
