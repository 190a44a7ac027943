// SPDX-License-Identifier: Apache-2.0
// plumb bench: how fast kernels that pass are, as ratios to the scalar variants of the same run.
#include "conformance/runner/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "reference/registry/schema.h"
#include "tools/plumb/build_info.h"
#include "tools/plumb/session.h"
#include "tools/plumb/terminal.h"
#include "tools/plumb/verb.h"

namespace plumb::tools {
namespace {

using conformance::BenchRow;
using Json = nlohmann::ordered_json;

std::optional<std::string> given(const Options& options, std::string_view name) {
  if (!options.has(name)) return std::nullopt;
  return options.word(name);
}

Json json_of(const BenchRow& row) {
  Json json{{"stage", row.stage},
            {"kernel", row.kernel},
            {"case", row.case_name},
            {"chosen", row.chosen},
            {"judged", conformance::name_of(row.judged)}};
  if (row.seconds) json["seconds"] = *row.seconds;
  if (row.ratio_to_scalar) json["ratio_to_scalar"] = *row.ratio_to_scalar;
  if (!row.reason.empty()) json["reason"] = escaped(row.reason);
  return json;
}

void print_row(const BenchRow& row) {
  std::string line = fmt::format("  {:<24}", escaped(row.kernel));
  if (row.seconds) {
    line += fmt::format("{:>12.2f} us", *row.seconds * 1e6);
    if (row.ratio_to_scalar) line += fmt::format("{:>9.2f}x", *row.ratio_to_scalar);
  } else {
    line += fmt::format("  {}, not timed: {}", name_of(row.judged), escaped(row.reason));
  }
  if (row.chosen) line += "  chosen";
  if (row.is_slower()) line += ", slower than scalar";
  fmt::print("{}\n", row.is_wrong() ? coloured(Colour::kRed, line) : line);
}

void print_rows(const std::vector<BenchRow>& rows) {
  const BenchRow* before = nullptr;
  for (const BenchRow& row : rows) {
    if (before == nullptr || before->stage != row.stage || before->case_name != row.case_name) {
      fmt::print("{}\n", coloured(Colour::kBold, row.stage + " " + row.case_name));
    }
    print_row(row);
    before = &row;
  }
}

Exit run_bench(const Options& options) {
  const auto stage = given(options, "--stage");
  if (stage && find_stage(*stage) == nullptr) {
    return report(kWrongUse, "there is no stage '" + *stage + "'; plumb stages lists them");
  }
  conformance::BenchRequest request;
  request.executable = own_executable();
  request.library = options.has("--lib") ? options.word("--lib") : own_library();
  request.stage = stage;
  request.case_name = given(options, "--case");
  Progress progress;
  const auto rows = conformance::bench_kernels(
      request, [&](std::string_view what) { progress.show(escaped(what)); });
  progress.show("");
  if (!rows.ok()) return report(kCouldNotRun, rows.error().message);
  if (options.json()) {
    Json list = Json::array();
    for (const BenchRow& row : *rows) list.push_back(json_of(row));
    print_json("bench", std::move(list));
  } else {
    print_rows(*rows);
  }
  const auto timed = [](const BenchRow& row) { return row.seconds.has_value(); };
  const bool fine = std::ranges::none_of(*rows, &BenchRow::is_wrong);
  return fine && std::ranges::any_of(*rows, timed) ? kDone : kFailed;
}

}  // namespace

extern const Verb bench_verb;
const Verb bench_verb{
    .name = "bench",
    .sentence = "Time kernels that pass, each as a ratio to the scalar variant",
    .example = "plumb bench --stage linear",
    .options = {{.name = "--stage", .value = "STAGE", .meaning = "Kernels of this stage only"},
                {.name = "--case",
                 .value = "NAME",
                 .meaning = "On this case; else on the stage's widest model shape"},
                {.name = "--lib",
                 .value = "FILE",
                 .meaning = "A library that exports plumb_kernels"}},
    .run = run_bench,
    .judges = true,
};

}  // namespace plumb::tools
