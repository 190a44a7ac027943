// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "reports/escape.h"
#include "reports/page.h"
#include "reports/plots.h"

namespace plumb::reports {
namespace {

// Failures beyond this many of one stage stand in the verdict file alone.
constexpr std::size_t kMostCards = 12;

std::string fact(const char* name, const std::string& value) {
  return fmt::format("<div><span>{}</span><b class='mono'>{}</b></div>", name, html(value));
}

// 2^-13.9: the unit in which budgets are thought of.
std::string as_power(double v) {
  if (!(v > 0) || std::isinf(v)) return short_number(v);
  return fmt::format("2<sup>{}{:.1f}</sup>", std::log2(v) < 0 ? "\u2212" : "",
                     std::fabs(std::log2(v)));
}

// One tensor of a stage over all its cases.
struct TensorSum {
  std::int64_t cases = 0, judged = 0, loose = 0, not_judged = 0, left_out = 0, failed = 0;
  double worst_ratio = 0,
         largest_budget = 0;  // largest median budget relative to the largest value
};

std::map<std::string, TensorSum> sum_tensors(const std::vector<Point>& points) {
  std::map<std::string, TensorSum> sums;
  for (const Point& point : points) {
    const TensorFinding& f = *point.finding;
    TensorSum& sum = sums[f.tensor];
    ++sum.cases;
    sum.judged = saturated_sum(sum.judged, f.judged);
    sum.loose = saturated_sum(sum.loose, f.loose);
    sum.not_judged = saturated_sum(sum.not_judged, saturated_sum(f.unbounded, f.unusable));
    sum.left_out = saturated_sum(sum.left_out, f.left_out);
    sum.failed = saturated_sum(sum.failed, f.failed);
    sum.worst_ratio = std::max(sum.worst_ratio, f.worst_error_over_budget);
    if (f.largest_want > 0)
      sum.largest_budget = std::max(sum.largest_budget, f.median_budget / f.largest_want);
  }
  return sums;
}

std::string tensor_table(const std::vector<Point>& points) {
  std::string out =
      "<div class='scroll'><table><tr><th>tensor</th><th class='n'>cases</th><th "
      "class='n'>judged</th>"
      "<th class='n'>loose</th><th class='n'>not judged</th><th class='n'>left out</th><th "
      "class='n'>wrong</th>"
      "<th class='n'>median budget / largest value</th><th class='n'>worst error / "
      "budget</th></tr>\n";
  for (const auto& [tensor, sum] : sum_tensors(points)) {
    out += fmt::format(
        "<tr><td class='mono text'>{}</td><td class='n'>{}</td><td class='n'>{}</td><td "
        "class='n'>{}</td>"
        "<td class='n'>{}</td><td class='n'>{}</td><td class='n{}'>{}</td><td class='n'>{}</td>"
        "<td class='n{}'>{}</td></tr>\n",
        html(tensor), sum.cases, grouped(sum.judged), grouped(sum.loose), grouped(sum.not_judged),
        grouped(sum.left_out), sum.failed > 0 ? " c-fail" : "", grouped(sum.failed),
        as_power(sum.largest_budget), sum.worst_ratio > 1 ? " c-fail" : "",
        short_number(sum.worst_ratio));
  }
  return out + "</table></div>\n";
}

std::string figure(const char* title, const std::string& picture) {
  if (picture.empty()) return "";
  return fmt::format("<figure><figcaption>{}</figcaption>{}</figure>", title, picture);
}

std::string pictures(const std::vector<Point>& points) {
  const bool numbers = std::any_of(points.begin(), points.end(), [](const Point& p) {
    return p.finding->judged > 0 && !p.finding->selection;
  });
  std::string out = "<div class='figures'>";
  if (numbers) {
    out += figure("Error against budget", error_against_budget(points));
    out += figure("How near to the budget", ratio_histogram(points));
  }
  return out + figure("Selections", selection_margins(points)) + "</div>\n";
}

std::string description(const VerdictFile& file, const std::string& stage) {
  for (const auto& row : file.header.stages) {
    if (row.stage != stage) continue;
    std::string out =
        fmt::format("<p>{}</p><p class='formula'>{}</p><p>", html(row.sentence), html(row.formula));
    for (const std::string& record : row.records)
      out += "<span class='tag'>" + html(record) + "</span>";
    return out + "</p>\n";
  }
  return "<p class='soft'>The registry has no stage of this name.</p>\n";
}

std::string cards(const Cell& cell) {
  std::string out;
  std::size_t shown = 0;
  std::size_t hidden = 0;
  for (const Verdict* verdict : cell.verdicts) {
    if (!is_failure(verdict->outcome)) continue;
    if (shown++ < kMostCards)
      out += failure_card(*verdict);
    else
      ++hidden;
  }
  if (hidden > 0) out += fmt::format("<p class='soft'>{} more in the verdict file.</p>", hidden);
  return out;
}

std::string contracts(const Cell& cell) {
  std::map<std::string, bool> names;
  for (const Verdict* v : cell.verdicts)
    names[v->contract + (v->reading.empty() ? "" : ", reading " + v->reading)] |=
        v->weaker_contract;
  std::string out;
  for (const auto& [name, weaker] : names) {
    out += fmt::format("{}{}{}", out.empty() ? "" : "; ", html(name),
                       weaker ? " (weaker than the standard)" : "");
  }
  return "<p class='soft'>Contract: " + out + ".</p>\n";
}

}  // namespace

std::string failure_card(const Verdict& verdict) {
  const TensorFinding* finding = culprit(verdict);
  std::string where = verdict.kernel == "trace" ? verdict.stage : verdict.kernel;
  if (verdict.layer >= 0) where += fmt::format(", layer {}", verdict.layer);
  if (verdict.step > 0) where += fmt::format(", step {}", verdict.step);
  std::string out = fmt::format(
      "<div class='card {}'>{} <span class='soft'>{}</span><div class='what'>{}</div>",
      verdict.outcome == Outcome::kVacuous || verdict.outcome == Outcome::kUntested ? "warn"
                                                                                    : "fail",
      badge(verdict.outcome),
      html(where + (verdict.case_name.empty() ? "" : " \u00b7 " + verdict.case_name)),
      html(verdict.reason));
  if (finding != nullptr) {
    out += "<div class='facts'>";
    if (finding->failure) {
      out += fact("element", element(finding->tensor, finding->failure->index));
      out += fact("got", full_number(finding->failure->got));
      out += fact("want", full_number(finding->failure->want));
      out += fact("budget", short_number(finding->failure->budget));
    } else {
      out += fact("tensor", finding->tensor);
    }
    out += fact("worst error / budget", short_number(finding->worst_error_over_budget));
    out += fact("wrong", fmt::format("{} of {}", finding->failed, finding->judged)) + "</div>";
  }
  if (!verdict.rerun.empty()) out += "<pre>" + html(verdict.rerun) + "</pre>";
  return out + "</div>\n";
}

std::string stage_section(const VerdictFile& file, const Table& table, std::size_t stage) {
  const Cell& cell = table.by_stage[stage];
  const std::vector<Point> points = points_of(cell);
  std::string out = fmt::format(
      "<details class='stage' id='s{}'{}><summary>{} <b>{}</b><span "
      "class='soft'>{}</span></summary><div>",
      stage, failures(cell.counts) > 0 ? " open" : "", badge(worst_outcome(cell.counts)),
      html(table.stages[stage]), in_words(cell.counts));
  out += description(file, table.stages[stage]) + contracts(cell);
  if (!points.empty()) out += pictures(points) + tensor_table(points);
  return out + cards(cell) + "</div></details>\n";
}

}  // namespace plumb::reports
