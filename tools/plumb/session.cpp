// SPDX-License-Identifier: Apache-2.0
#include "tools/plumb/session.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <thread>
#include <utility>

#include "reference/registry/schema.h"
#include "reports/report.h"
#include "tools/plumb/build_info.h"
#include "tools/plumb/terminal.h"

namespace plumb::tools {
namespace {

using conformance::Outcome;

std::string machine() {
  utsname name{};
  if (uname(&name) != 0) return "unknown";
  return fmt::format("{} {}, {} cores", name.sysname, name.machine,
                     std::thread::hardware_concurrency());
}

std::vector<conformance::StageRow> stage_rows() {
  std::vector<conformance::StageRow> rows;
  for (const StageSchema& s : all_stages()) {
    rows.push_back({std::string(s.name),
                    std::string(s.sentence),
                    std::string(s.formula),
                    {s.records.begin(), s.records.end()}});
  }
  return rows;
}

std::string json_lines(const conformance::VerdictFile& file) {
  std::string text = to_json_line(file.header) + "\n";
  for (const conformance::Verdict& v : file.verdicts) text += to_json_line(v) + "\n";
  return text + to_json_line(*file.summary) + "\n";
}

}  // namespace

OptionSpec out_option() {
  return {.name = "--out",
          .value = "DIR",
          .meaning = "Also write verdicts.jsonl, junit.xml and report.html there"};
}

Session::Session(const Options& options, std::string command) : options_(options) {
  file_.header = {build_info(), std::move(command), machine(), stage_rows()};
  file_.summary.emplace();
}

void Session::add(conformance::Verdict verdict) {
  ++file_.summary->counts[static_cast<std::size_t>(verdict.outcome)];
  file_.verdicts.push_back(std::move(verdict));
}

Exit Session::finish() {
  file_.summary->seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  if (options_.json()) {
    fmt::print("{}", json_lines(file_));
  } else {
    fmt::print("{}", reports::terminal_summary(file_, takes_colour(stdout)));
  }
  if (options_.has("--out")) {
    const std::filesystem::path folder = options_.word("--out");
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    for (const auto& [name, text] : {std::pair{"verdicts.jsonl", json_lines(file_)},
                                     {"junit.xml", reports::junit_xml(file_)},
                                     {"report.html", reports::html_page(file_)}}) {
      if (Status s = write_text((folder / name).string(), text); !s.ok()) {
        return report(kCouldNotRun, s.error().message);
      }
    }
    if (!options_.json()) fmt::print("report: {}\n", escaped((folder / "report.html").string()));
  }
  const bool failed = std::ranges::any_of(
      file_.verdicts, [](const conformance::Verdict& v) { return is_failure(v.outcome); });
  const bool passed = file_.summary->counts[static_cast<std::size_t>(Outcome::kPass)] > 0;
  return passed && !failed ? kDone : kFailed;
}

std::string own_executable() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).string();
}

std::string own_library() {
  const std::filesystem::path here = std::filesystem::path(own_executable()).parent_path();
  for (const auto& path : {here / "libplumb_kernels.so", here / "../lib/libplumb_kernels.so"}) {
    if (std::filesystem::exists(path)) return std::filesystem::weakly_canonical(path).string();
  }
  return (here / "libplumb_kernels.so").string();
}

Status write_text(const std::string& path, const std::string& text) {
  const std::string aside = path + ".partial";
  std::ofstream stream(aside, std::ios::binary | std::ios::trunc);
  stream << text;
  stream.close();
  std::error_code error;
  if (stream) std::filesystem::rename(aside, path, error);
  if (stream && !error) return Nothing{};
  std::filesystem::remove(aside, error);
  return Error{path + ": cannot be written; is there room, and may this user write there?"};
}

}  // namespace plumb::tools
