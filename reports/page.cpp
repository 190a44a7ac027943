// SPDX-License-Identifier: Apache-2.0
#include "reports/page.h"

#include <fmt/format.h>

#include "reports/escape.h"
#include "reports/report.h"

namespace plumb::reports {
namespace {

using conformance::BuildInfo;

// Bar and legend in this order.
constexpr std::array kOrder{Outcome::kPass,        Outcome::kFail,    Outcome::kCrashed,
                            Outcome::kTimedOut,    Outcome::kVacuous, Outcome::kUntested,
                            Outcome::kUnsupported, Outcome::kSkipped};

std::string headline(const VerdictFile& file, const Table& table) {
  const std::int64_t failed = failures(table.all.counts);
  const std::int64_t passed = count_of(table.all.counts, Outcome::kPass);
  const std::int64_t run = failed + passed;
  if (failed > 0) return fmt::format("{} of {} cases failed", failed, run);
  if (!file.summary) return "The run did not come to its end";
  if (passed == 0) return "Nothing passed";
  return passed == 1 ? "The one case that ran passed"
                     : fmt::format("All {} cases that ran passed", passed);
}

std::string outcome_bar(const Table& table) {
  std::string bar, legend;
  for (Outcome outcome : kOrder) {
    const std::int64_t n = count_of(table.all.counts, outcome);
    if (n == 0) continue;
    bar += fmt::format("<span class='b-{}' style='flex:{}' title='{} {}'></span>", name_of(outcome),
                       n, n, name_of(outcome));
    legend += fmt::format("<span>{} <b>{}</b></span>", badge(outcome), n);
  }
  return "<div class='stack'>" + bar + "</div><div class='legend'>" + legend + "</div>\n";
}

std::string top(const VerdictFile& file, const Table& table) {
  const BuildInfo& build = file.header.build;
  std::string out =
      fmt::format("<div class='brand'>Plumbline</div><h1 class='c-{}'>{}</h1><div class='meta'>",
                  succeeded(file, table) ? "pass" : "fail", headline(file, table));
  out += fmt::format("<span class='mono'>{}</span>", html(file.header.command));
  out += fmt::format("<span>{}</span><span>commit {}{}</span>", html(file.header.machine),
                     html(build.commit), build.dirty ? " with changes" : "");
  if (file.summary) out += fmt::format("<span>{:.1f} s</span>", file.summary->seconds);
  return out + "</div>\n" + outcome_bar(table);
}

std::string first_culprit(const VerdictFile& file) {
  std::string out;
  if (!file.summary) {
    out +=
        "<div class='card warn'><div class='what'>The run did not come to its end</div>"
        "<p>The verdict file has no summary. What it holds is shown; what is missing is "
        "unknown.</p></div>\n";
  }
  const auto failed = failing(file);
  if (failed.empty()) return out;
  out += "<h2>First culprit</h2>\n";
  if (file.summary && !file.summary->first_culprit.empty()) {
    out += "<p>" + html(file.summary->first_culprit) + "</p>\n";
  }
  return out + failure_card(*failed.front());
}

std::string what_was_not_run(const VerdictFile& file) {
  const auto groups = not_run(file);
  if (groups.empty()) return "<p class='soft'>Nothing was skipped.</p>";
  std::string out =
      "<div class='scroll'><table><tr><th></th><th>stage</th><th>kernel</th><th "
      "class='n'>cases</th><th>why</th></tr>\n";
  for (const NotRun& group : groups) {
    out += fmt::format(
        "<tr><td>{}</td><td>{}</td><td class='mono text'>{}</td><td class='n'>{}</td><td "
        "class='text'>{}</td></tr>\n",
        badge(group.outcome), html(group.stage), html(group.kernel), group.cases, html(group.why));
  }
  return out + "</table></div>";
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + html(word);
  return out.empty() ? "none" : out;
}

std::string build_facts(const VerdictFile& file) {
  const BuildInfo& build = file.header.build;
  const auto row = [](const char* name, const std::string& value) {
    return fmt::format("<dt>{}</dt><dd>{}</dd>", name, value);
  };
  return "<dl class='build'>" + row("machine", html(file.header.machine)) +
         row("version", html(build.version)) +
         row("commit", html(build.commit) + (build.dirty ? " with uncommitted changes" : "")) +
         row("compiler", html(build.compiler)) + row("SIMD targets", joined(build.simd_targets)) +
         row("CUDA architectures", joined(build.cuda_architectures)) +
         row("kernel ABI", html(build.abi)) + row("registry", html(build.registry_digest)) +
         row("command", "<code>" + html(file.header.command) + "</code>") + "</dl>\n";
}

}  // namespace

std::string_view sign_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::kPass:
      return "\u2713";
    case Outcome::kFail:
      return "\u2715";
    case Outcome::kCrashed:
      return "!";
    case Outcome::kTimedOut:
      return "\u2026";
    case Outcome::kVacuous:
      return "\u2205";
    case Outcome::kUntested:
      return "?";
    case Outcome::kUnsupported:
      return "\u2013";
    case Outcome::kSkipped:
      return "\u00b7";
  }
  return "?";
}

std::string badge(Outcome outcome) {
  const std::string_view name = name_of(outcome);
  return fmt::format("<span class='badge c-{}'>{} {}</span>", name, sign_of(outcome),
                     outcome == Outcome::kTimedOut ? "timed out" : name);
}

std::string html_page(const VerdictFile& file) {
  const Table table = tabulate(file);
  std::string out =
      "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'>"
      "<meta name='viewport' content='width=device-width, initial-scale=1'>"
      // Nothing may be loaded and nothing may run, whatever a file or plug-in managed to put in.
      "<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'; style-src "
      "'unsafe-inline'\">";
  out += fmt::format("<title>Plumbline: {}</title><style>", headline(file, table));
  out += page_style();
  out += "</style></head><body><main>\n" + top(file, table) + first_culprit(file);
  out += fmt::format("<h2>Stages by {}</h2>\n", table.by_layer ? "layer" : "kernel") +
         stage_table(file, table);
  if (!file.verdicts.empty()) out += "<h2>Stage by stage</h2>\n";
  for (std::size_t stage = 0; stage < table.stages.size(); ++stage) {
    if (!table.by_stage[stage].verdicts.empty()) out += stage_section(file, table, stage);
  }
  out += "<h2>Not run</h2>\n" + what_was_not_run(file);
  return out + "\n<h2>Machine and build</h2>\n" + build_facts(file) + "</main></body></html>\n";
}

}  // namespace plumb::reports
