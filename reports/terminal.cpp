// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "reports/escape.h"
#include "reports/report.h"
#include "reports/tally.h"

namespace plumb::reports {
namespace {

constexpr const char* kRed = "31";
constexpr const char* kGreen = "32";
constexpr const char* kYellow = "33";
constexpr const char* kGrey = "90";

class Terminal {
 public:
  explicit Terminal(bool colour) : colour_(colour) {}

  std::string in(const char* code, const std::string& text) const {
    return colour_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
  }
  std::string coloured(Outcome outcome, const std::string& text) const {
    if (outcome == Outcome::kPass) return in(kGreen, text);
    if (!is_failure(outcome)) return in(kGrey, text);
    return in(outcome == Outcome::kVacuous || outcome == Outcome::kUntested ? kYellow : kRed, text);
  }

 private:
  bool colour_;
};

// What stands in a column is cut to it, so that one long name does not break the table.
std::string column(const std::string& text, std::size_t width) {
  return fmt::format("{:<{}}", shortened(terminal(text), width), width);
}

std::string table_row(const Terminal& term, const std::string& stage, const std::string& kernel,
                      const Cell& cell) {
  const std::int64_t failed = failures(cell.counts);
  const std::int64_t passed = count_of(cell.counts, Outcome::kPass);
  const std::string row =
      fmt::format("{} {} {:>7} {:>7} {:>9} {:>12} {:>9}  {}{}", column(stage, 24),
                  column(kernel, 18), passed, failed, total(cell.counts) - failed - passed,
                  cell.judged, cell.loose, cell.judged == 0 ? "-" : short_number(cell.worst_ratio),
                  cell.weaker_contract ? "  weaker contract" : "");
  if (failed > 0) return term.in(kRed, row) + "\n";
  return (passed == 0 ? term.in(kGrey, row) : row) + "\n";
}

// A row a stage and kernel. The layers of a trace are too many for that: a row a stage.
std::string table_rows(const Terminal& term, const Table& table) {
  std::string out = term.in(kGrey, fmt::format("{:<24} {:<18} {:>7} {:>7} {:>9} {:>12} {:>9}  {}",
                                               "stage", "kernel", "passed", "failed", "not run",
                                               "judged", "loose", "worst error/budget")) +
                    "\n";
  if (table.by_layer) {
    for (std::size_t row = 0; row < table.stages.size(); ++row) {
      if (table.by_stage[row].verdicts.empty()) continue;
      out += table_row(term, table.stages[row], "trace", table.by_stage[row]);
    }
    return out;
  }
  for (const auto& [at, cell] : table.cells) {
    out += table_row(term, table.stages[at.first], table.columns[at.second], cell);
  }
  return out;
}

std::string failure_lines(const Terminal& term, const Verdict& verdict) {
  std::string out = fmt::format(
      "{} {} {}: {}\n", term.coloured(verdict.outcome, std::string(name_of(verdict.outcome))),
      terminal(verdict.kernel == "trace" ? verdict.stage : verdict.kernel),
      terminal(verdict.case_name), terminal(verdict.reason));
  if (const TensorFinding* finding = culprit(verdict); finding != nullptr && finding->failure) {
    const auto& failure = *finding->failure;
    out += fmt::format("  {}: got {}, want {}, budget {}; {} of {} elements\n",
                       terminal(element(finding->tensor, failure.index)), full_number(failure.got),
                       full_number(failure.want), short_number(failure.budget), finding->failed,
                       finding->judged);
  }
  if (!verdict.rerun.empty()) out += fmt::format("  run again: {}\n", terminal(verdict.rerun));
  return out;
}

std::string not_run_lines(const Terminal& term, const VerdictFile& file) {
  std::string out;
  for (const NotRun& group : not_run(file)) {
    out += fmt::format("{} {}: {} case{}: {}\n",
                       term.coloured(group.outcome, std::string(name_of(group.outcome))),
                       terminal(group.kernel == "trace" ? group.stage : group.kernel), group.cases,
                       group.cases == 1 ? "" : "s", terminal(group.why));
    if (!group.rerun.empty()) out += fmt::format("  run again: {}\n", terminal(group.rerun));
  }
  return out;
}

}  // namespace

std::string terminal_summary(const VerdictFile& file, bool colour) {
  const Terminal term(colour);
  const Table table = tabulate(file);
  const auto& build = file.header.build;
  std::string out =
      fmt::format("plumbline {} {}{}  {}\n", terminal(build.version), terminal(build.commit),
                  build.dirty ? " (dirty)" : "", terminal(file.header.machine));
  if (!table.cells.empty()) out += "\n" + table_rows(term, table);
  std::string details;
  for (const Verdict* verdict : failing(file)) details += failure_lines(term, *verdict);
  details += not_run_lines(term, file);
  if (!details.empty()) out += "\n" + details;
  out += "\n";
  if (file.summary && !file.summary->first_culprit.empty()) {
    out += fmt::format("first culprit: {}\n", term.in(kRed, terminal(file.summary->first_culprit)));
  }
  if (!file.summary) out += term.in(kRed, "the run did not come to its end") + "\n";
  const std::string words = in_words(table.all.counts);
  out += term.in(succeeded(file, table) ? kGreen : kRed, words);
  if (file.summary) out += fmt::format(" in {:.1f} s", file.summary->seconds);
  return out + "\n";
}

}  // namespace plumb::reports
