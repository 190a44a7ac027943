// SPDX-License-Identifier: Apache-2.0
// plumb run: judges kernels on generated inputs.
#include "conformance/runner/run.h"

#include <fmt/format.h>

#include "reference/registry/readings.h"
#include "tools/plumb/session.h"
#include "tools/plumb/terminal.h"
#include "tools/plumb/verb.h"

namespace plumb::tools {
namespace {

std::optional<std::string> given(const Options& options, std::string_view name) {
  if (!options.has(name)) return std::nullopt;
  return options.word(name);
}

std::string command_of(const Options& options) {
  std::string line = "plumb run";
  for (const char* name :
       {"--model", "--stage", "--kernel", "--reading", "--case", "--lib", "--threads"}) {
    if (options.has(name)) line += fmt::format(" {} {}", name, options.word(name));
  }
  if (options.has("--full")) line += " --full";
  return line;
}

Exit run_run(const Options& options) {
  const auto stage = given(options, "--stage");
  if (stage && find_stage(*stage) == nullptr) {
    return report(kWrongUse, "there is no stage '" + *stage + "'; plumb stages lists them");
  }
  const auto reading = given(options, "--reading");
  if (reading && find_reading(*reading) == nullptr) {
    return report(kWrongUse, "there is no reading '" + *reading + "'");
  }
  if (options.has("--full") && options.has("--quick")) {
    return report(kWrongUse, "--quick and --full exclude each other");
  }
  const std::int64_t threads = options.integer("--threads", 1);
  const std::int64_t limit = options.integer("--time-limit", 10'000);
  if (threads < 1 || threads > 4096 || limit < 1 || limit > 86'400'000) {
    return report(kWrongUse, "--threads is 1 to 4096, --time-limit 1 to 86400000 milliseconds");
  }
  const conformance::RunRequest request{
      own_executable(),
      options.has("--lib") ? options.word("--lib") : own_library(),
      options.has("--full") ? fixtures::Plan::kFull : fixtures::Plan::kQuick,
      stage,
      given(options, "--kernel"),
      reading,
      given(options, "--case"),
      std::chrono::milliseconds(limit),
      static_cast<int>(threads)};
  Session session(options, command_of(options));
  Progress progress;
  const auto verdicts = run_kernels(request, [&](const conformance::Step& step) {
    progress.show(fmt::format("{}/{} {} {}", step.done, step.planned, step.verdict.kernel,
                              step.verdict.case_name));
    session.add(step.verdict);
  });
  progress.show("");
  if (!verdicts.ok()) return report(kCouldNotRun, verdicts.error().message);
  return session.finish();
}

}  // namespace

extern const Verb run_verb;
const Verb run_verb{
    .name = "run",
    .sentence = "Judge kernels on generated inputs: ours, or those of a library of yours",
    .example = "plumb run --lib ./mine.so --stage rms_norm --out report",
    .options =
        {{.name = "--model",
          .value = "NAME",
          .meaning = "Stages of this model only",
          .choices = {"r1"}},
         {.name = "--stage", .value = "STAGE", .meaning = "Kernels of this stage only"},
         {.name = "--kernel", .value = "ID", .meaning = "This kernel only: rms_norm.avx3"},
         {.name = "--reading", .value = "NAME", .meaning = "Cases in this reading only"},
         {.name = "--case", .value = "NAME", .meaning = "This case only, as a verdict names it"},
         {.name = "--lib", .value = "FILE", .meaning = "A library that exports plumb_kernels"},
         {.name = "--quick", .kind = OptionKind::kFlag, .meaning = "Small shapes (the default)"},
         {.name = "--full", .kind = OptionKind::kFlag, .meaning = "Model widths as well"},
         {.name = "--threads",
          .kind = OptionKind::kInteger,
          .value = "N",
          .meaning = "Threads that a kernel may use (1)"},
         {.name = "--time-limit",
          .kind = OptionKind::kInteger,
          .value = "MS",
          .meaning = "Of one case, in milliseconds (10000)"},
         out_option()},
    .run = run_run,
    .judges = true,
};

}  // namespace plumb::tools
