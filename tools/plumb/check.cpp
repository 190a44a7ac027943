// SPDX-License-Identifier: Apache-2.0
// plumb check: judges a trace, stage by stage, each on the trace's own inputs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "conformance/runner/check_trace.h"
#include "tools/plumb/session.h"
#include "tools/plumb/terminal.h"
#include "tools/plumb/verb.h"

namespace plumb::tools {
namespace {

std::optional<std::string> given(const Options& options, std::string_view name) {
  if (!options.has(name)) return std::nullopt;
  return options.word(name);
}

// What the trace does not have is said, never passed.
void add_unrecorded(const conformance::CheckReport& found, Session& session) {
  for (const auto& [stage, times] : found.unrecorded) {
    conformance::Verdict v;
    v.stage = stage;
    v.kernel = "trace";
    v.model = found.model;
    v.reading = found.reading;
    v.case_name = fmt::format("{} calls", times);
    v.outcome = conformance::Outcome::kSkipped;
    v.skip = conformance::SkipReason::kNotInTrace;
    v.reason = fmt::format("computed {} times by the reference, nothing of it in the trace", times);
    session.add(std::move(v));
  }
}

Exit run_check(const Options& options) {
  const std::string folder = options.word("--trace");
  Session session(options, "plumb check --trace " + folder);
  const auto found =
      conformance::check_trace({folder, given(options, "--model"), given(options, "--reading"),
                                given(options, "--contract")});
  if (!found.ok()) {
    const bool open = found.error().message.find("give --") != std::string::npos;
    return report(open ? kWrongUse : kCouldNotRun, found.error().message);
  }
  for (const conformance::Verdict& v : found->verdicts) session.add(v);
  add_unrecorded(*found, session);
  session.first_culprit() = found->first_culprit;
  const Exit exit = session.finish();
  if (!options.json()) {
    fmt::print(
        "{} tensors stored: {} judged, {} inputs, {} unaccounted for\n", found->stored,
        found->stored - static_cast<std::int64_t>(found->inputs.size() + found->unjudged.size()),
        found->inputs.size(), found->unjudged.size());
    for (const std::string& name : found->unjudged) fmt::print("  not judged: {}\n", escaped(name));
    if (!found->missing_layers.empty()) {
      fmt::print("layers left out (no weights, input or inner tensors in some step): {}\n",
                 fmt::join(found->missing_layers, ", "));
    }
  }
  return exit;
}

}  // namespace

extern const Verb check_verb;
const Verb check_verb{
    .name = "check",
    .sentence = "Judge what an engine computed, stage by stage, and name the first culprit",
    .example = "plumb check --trace fixtures/traces/r1-tiny-f32",
    .options =
        {{.name = "--trace", .value = "DIR", .meaning = "The trace's folder", .required = true},
         {.name = "--model", .value = "NAME", .meaning = "r1; else the trace says"},
         {.name = "--reading",
          .value = "NAME",
          .meaning = "hf_f32, hf_bf16, ...; else the trace says"},
         out_option()},
    .run = run_check,
    .judges = true,
};

}  // namespace plumb::tools
