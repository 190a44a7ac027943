// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/escape.h"
#include "reports/report.h"
#include "reports/tally.h"

namespace plumb::reports {
namespace {

std::string seconds(double v) { return fmt::format("{:.3f}", std::isfinite(v) ? v : 0); }

bool is_error(Outcome outcome) {
  return outcome == Outcome::kCrashed || outcome == Outcome::kTimedOut;
}

// Continuous-integration pages often show the message alone, so it says how to run the case again
// as well.
std::string message_of(const Verdict& verdict) {
  std::string message(sentence_of(verdict.skip));
  if (!verdict.reason.empty()) message += (message.empty() ? "" : ": ") + verdict.reason;
  if (message.empty()) message = name_of(verdict.outcome);
  if (!verdict.rerun.empty()) message += "; run again: " + verdict.rerun;
  return message;
}

std::string details_of(const Verdict& verdict) {
  std::string text;
  for (const TensorFinding& finding : verdict.tensors) {
    if (!is_failure(finding.outcome)) continue;
    text += fmt::format("{}: {}; {} of {} judged elements wrong, worst error over budget {}",
                        finding.tensor, finding.reason, finding.failed, finding.judged,
                        short_number(finding.worst_error_over_budget));
    if (finding.failure) {
      text += fmt::format("; first {}: got {}, want {}, budget {}",
                          element(finding.tensor, finding.failure->index),
                          full_number(finding.failure->got), full_number(finding.failure->want),
                          full_number(finding.failure->budget));
    }
    text += "\n";
  }
  return text + "reading " + verdict.reading + ", contract " + verdict.contract + "\n" +
         verdict.rerun;
}

std::string name_of_case(const Verdict& verdict) {
  std::string name = verdict.case_name;
  if (verdict.layer >= 0) name += fmt::format(" layer {}", verdict.layer);
  if (verdict.step > 0) name += fmt::format(" step {}", verdict.step);
  return name;
}

std::string test_case(const Verdict& verdict) {
  std::string out =
      fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{}\"", xml(verdict.kernel),
                  xml(name_of_case(verdict)), seconds(verdict.seconds));
  if (verdict.outcome == Outcome::kPass) return out + "/>\n";
  out += ">\n";
  if (is_failure(verdict.outcome)) {
    const char* tag = is_error(verdict.outcome) ? "error" : "failure";
    out +=
        fmt::format("      <{0} message=\"{1}\" type=\"{2}\">{3}</{0}>\n", tag,
                    xml(message_of(verdict)), name_of(verdict.outcome), xml(details_of(verdict)));
  } else {
    out += fmt::format("      <skipped message=\"{}\"/>\n", xml(message_of(verdict)));
  }
  return out + "    </testcase>\n";
}

struct Suite {
  std::string name, cases = {};
  std::int64_t tests = 0, failures = 0, errors = 0, skipped = 0;
  double time = 0;
};

std::string attributes(const Suite& suite) {
  return fmt::format(
      "name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{}\"",
      xml(suite.name), suite.tests, suite.failures, suite.errors, suite.skipped,
      seconds(suite.time));
}

void add(Suite& suite, const Verdict& verdict) {
  ++suite.tests;
  if (is_error(verdict.outcome))
    ++suite.errors;
  else if (is_failure(verdict.outcome))
    ++suite.failures;
  else if (verdict.outcome != Outcome::kPass)
    ++suite.skipped;
  suite.time += std::isfinite(verdict.seconds) ? verdict.seconds : 0;
}

// What no single verdict says: the run as a whole.
Suite suite_of_run(const VerdictFile& file, const Table& table) {
  Suite suite{.name = "run"};
  const auto check = [&](const char* name, bool good, const char* message) {
    ++suite.tests;
    suite.failures += good ? 0 : 1;
    suite.cases +=
        fmt::format("    <testcase classname=\"run\" name=\"{}\"{}\n", name, good ? "/>" : ">");
    if (good) return;
    suite.cases += fmt::format(
        "      <failure message=\"{}; run again: {}\" type=\"run\"/>\n    </testcase>\n", message,
        xml(file.header.command));
  };
  check("came to its end", file.summary.has_value(), "the verdict file has no summary");
  check("something passed", count_of(table.all.counts, Outcome::kPass) > 0, "no case passed");
  return suite;
}

}  // namespace

std::string junit_xml(const VerdictFile& file) {
  const Table table = tabulate(file);
  std::vector<Suite> suites{suite_of_run(file, table)};
  for (std::size_t row = 0; row < table.stages.size(); ++row) {
    if (table.by_stage[row].verdicts.empty()) continue;
    Suite suite{.name = table.stages[row]};
    for (const Verdict* verdict : table.by_stage[row].verdicts) {
      add(suite, *verdict);
      suite.cases += test_case(*verdict);
    }
    suites.push_back(std::move(suite));
  }
  Suite all{.name = "plumbline"};
  std::string body;
  for (const Suite& suite : suites) {
    all.tests += suite.tests;
    all.failures += suite.failures;
    all.errors += suite.errors;
    all.skipped += suite.skipped;
    all.time += suite.time;
    body += fmt::format("  <testsuite {}>\n{}  </testsuite>\n", attributes(suite), suite.cases);
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {}>\n{}</testsuites>\n",
      attributes(all), body);
}

}  // namespace plumb::reports
