// SPDX-License-Identifier: Apache-2.0
// plumb regen [NAME]: writes golden files anew from the reference, or says which would change.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

#include "fixtures/golden/golden.h"
#include "reference/registry/readings.h"
#include "reference/stages/stage.h"
#include "tools/plumb/build_info.h"
#include "tools/plumb/terminal.h"
#include "tools/plumb/verb.h"

namespace plumb::tools {
namespace {

using fixtures::GoldenCase;

Status compute(const GoldenCase& golden, StageCall& call) {
  const StageReference* reference = find_reference(golden.schema->name);
  if (reference == nullptr) return Error{"the stage has no reference"};
  const Contract contract;
  reference->run<Real>({*find_reading(golden.wanted.reading), contract}, call);
  return Nothing{};
}

// Without a name: the stages of which the folder holds files.
std::vector<std::string> names_of(const Options& options, const fixtures::Path& folder) {
  if (options.has("NAME")) return {options.word("NAME")};
  std::vector<std::string> names;
  for (const StageSchema& schema : all_stages()) {
    std::error_code code;
    if (std::filesystem::is_directory(folder / std::string(schema.name), code)) {
      names.emplace_back(schema.name);
    }
  }
  return names;
}

Exit show_differences(const Options& options, const std::vector<std::string>& found,
                      std::size_t cases) {
  if (options.json()) {
    print_json("differences", nlohmann::ordered_json(found));
  } else {
    for (const std::string& difference : found) fmt::print("{}\n", escaped(difference));
    fmt::print("{} golden files compared, {} differences{}\n", cases, found.size(),
               found.empty() || options.has("--check") ? "" : ", written anew");
  }
  return found.empty() ? kDone : kFailed;
}

Exit run_regen(const Options& options) {
  const fixtures::Path folder = options.word("--folder", "fixtures/golden");
  const std::vector<std::string> names = names_of(options, folder);
  if (names.empty()) {
    return report(kCouldNotRun, fmt::format("{}: holds no golden files; give --folder, or a NAME",
                                            escaped(folder.string())));
  }
  const auto chosen = fixtures::golden_cases(names);
  if (!chosen.ok()) return report(kWrongUse, chosen.error().message);
  const int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const auto found = fixtures::differences(folder, *chosen, compute, threads);
  if (!found.ok()) return report(kCouldNotRun, found.error().message);
  if (!options.has("--check") && !found->empty()) {
    const Status s = fixtures::regenerate(folder, *chosen, compute, threads);
    if (!s.ok()) return report(kCouldNotRun, s.error().message);
  }
  const Exit exit = show_differences(options, *found, chosen->size());
  return options.has("--check") ? exit : kDone;
}

}  // namespace

extern const Verb regen_verb;
const Verb regen_verb{
    .name = "regen",
    .sentence = "Write golden files anew from the reference, or say which would change",
    .example = "plumb regen linear\n  plumb regen --check",
    .options = {{.name = "NAME",
                 .kind = OptionKind::kPosition,
                 .meaning = "A stage or a case; all that the folder holds unless given"},
                {.name = "--check",
                 .kind = OptionKind::kFlag,
                 .meaning = "Write nothing; exit 1 if a file would change"},
                {.name = "--folder",
                 .value = "DIR",
                 .meaning = "Where they lie, fixtures/golden unless given"}},
    .run = run_regen,
};

}  // namespace plumb::tools
