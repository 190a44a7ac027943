// SPDX-License-Identifier: Apache-2.0
// Verdict: what was found about one candidate on one case. A verdict file is JSON lines: a header
// (build, registry rows that a report prints), one line a verdict, a summary.
// reports/schemas/verdict.json is its schema.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
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
inline constexpr std::size_t kOutcomeCount = 8;
std::string_view name_of(Outcome outcome);
std::optional<Outcome> outcome_of(std::string_view name);
// All but pass, unsupported and skipped fail a run.
bool is_failure(Outcome outcome);

// The fixed list of reasons to skip.
enum class SkipReason : std::uint8_t {
  kNone,
  kNoDevice,    // no GPU on this machine
  kNotBuilt,    // the variant needs a compiler or an instruction set that was absent
  kNotInTrace,  // the trace stores no output of this stage
  kNoSpace,     // too little free disk space
  kNotQuick,    // left out by --quick
};
inline constexpr std::size_t kSkipReasonCount = 6;
std::string_view name_of(SkipReason reason);
// For a person: "no GPU on this machine". Empty for kNone.
std::string_view sentence_of(SkipReason reason);

// The first wrong element of a tensor.
struct ElementFailure {
  std::vector<std::int64_t> index;  // by axis
  double got = 0;
  double want = 0;
  double budget = 0;
};

// What only selections have.
struct SelectionFinding {
  std::int64_t ties = 0;   // rows whose cut falls inside equal scores
  std::int64_t open = 0;   // rows that the budget leaves open
  std::int64_t flips = 0;  // members other than the reference's, admissible all the same
  double smallest_margin = 0;
};

// One output tensor of a case.
struct TensorFinding {
  std::string tensor;                    // name in the schema, or in the trace
  Outcome outcome = Outcome::kUntested;  // pass, fail, vacuous or untested
  std::string reason;                    // empty for a pass
  std::int64_t judged = 0;
  std::int64_t loose = 0;      // of the judged: a branch was open
  std::int64_t unbounded = 0;  // not judged: infinite budget
  std::int64_t unusable = 0;   // not judged: the reference cannot vouch for the value
  std::int64_t left_out = 0;   // not looked at: rows of padding
  std::int64_t failed = 0;
  double median_budget = 0;
  double largest_want = 0;  // largest finite magnitude wanted
  double worst_error_over_budget = 0;
  double worst_error = 0;  // error and budget where their ratio is largest
  double worst_budget = 0;
  std::vector<std::int64_t> worst_index;
  std::optional<ElementFailure> failure;  // absent also when the length is wrong
  std::optional<SelectionFinding> selection;
};

struct Verdict {
  std::string stage;
  std::string kernel;  // kernel id, or "trace"
  std::string model;   // "r1", "v41" or empty
  std::string reading;
  std::string contract;
  std::string case_name;  // generator case, or trace site: "layers.1.input_layernorm"
  int layer = -1;         // -1: outside the layers
  int step = 0;
  Outcome outcome = Outcome::kUntested;
  SkipReason skip = SkipReason::kNone;
  std::string reason;  // one sentence; empty for a pass
  std::string rerun;   // one command line that runs this case again; empty for a pass
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
  std::vector<StageRow> stages;  // in the order in which a report prints them
};

struct RunSummary {
  std::array<std::int64_t, kOutcomeCount> counts{};  // by Outcome
  double seconds = 0;
  std::string first_culprit;  // of a trace: layer, stage, token, element
};

struct VerdictFile {
  RunHeader header;
  std::vector<Verdict> verdicts;
  // Absent: the run did not come to its end.
  std::optional<RunSummary> summary;
};

// One JSON object a line, without the newline. Non-finite numbers are written as strings "nan",
// "inf",
// "-inf"; text from files and plug-ins is valid UTF-8 after it (bad bytes replaced).
std::string to_json_line(const RunHeader& header);
std::string to_json_line(const Verdict& verdict);
std::string to_json_line(const RunSummary& summary);

// Errors name the file, the line and the member. Unknown members are ignored; a summary whose
// counts are not those of the lines is refused; a last line cut off in its middle is a run that did
// not come to its end.
Result<VerdictFile> read_verdict_file(const std::string& path);
// The same for a text; `name` stands for the file in errors.
Result<VerdictFile> read_verdict_text(std::string_view text, std::string_view name);

}  // namespace plumb::conformance
