// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "reports/escape.h"
#include "reports/page.h"
#include "reports/plots.h"

namespace plumb::reports {
namespace {

// More columns than this (the layers of a trace) get cells of a sign alone.
constexpr std::size_t kMostWideColumns = 8;

std::string title_of(const Cell& cell) {
  std::string title = in_words(cell.counts);
  if (cell.judged > 0) {
    title += fmt::format("; {} elements judged, {} loose; worst error over budget {}", cell.judged,
                         cell.loose, short_number(cell.worst_ratio));
  }
  if (cell.weaker_contract) title += "; under a contract weaker than the standard";
  return title;
}

std::string cell_markup(const Cell& cell, std::size_t stage, bool wide) {
  const std::string_view worst = name_of(worst_outcome(cell.counts));
  std::string words;
  if (wide) {
    words = fmt::format(" {}<small>/{}{}</small>", count_of(cell.counts, Outcome::kPass),
                        total(cell.counts), cell.weaker_contract ? " weaker" : "");
  }
  return fmt::format(
      "<td class='cell'><a class='{0}' href='#s{1}' title='{2}'><i "
      "class='c-{0}'>{3}</i>{4}</a></td>",
      worst, stage, title_of(cell), sign_of(worst_outcome(cell.counts)), words);
}

std::string row_markup(const Table& table, std::size_t stage) {
  const Cell& all = table.by_stage[stage];
  std::string out =
      fmt::format("<tr><td class='name'><a class='stage' href='#s{}'>{}</a></td><td>{}</td>", stage,
                  html(shortened(table.stages[stage], 40)), ratio_strip(points_of(all)));
  out += fmt::format("<td class='n{}'>{}</td><td class='n'>{}</td>",
                     all.worst_ratio > 1 ? " c-fail" : "",
                     all.judged == 0 ? "" : short_number(all.worst_ratio),
                     all.judged == 0 ? "" : grouped(all.judged));
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    const auto found = table.cells.find({stage, column});
    out += found == table.cells.end()
               ? "<td class='cell'></td>"
               : cell_markup(found->second, stage, table.columns.size() <= kMostWideColumns);
  }
  return out + "</tr>\n";
}

std::string head_markup(const Table& table) {
  std::string out = "<tr><th>stage</th><th>worst error / budget of each tensor" +
                    ratio_strip_scale() +
                    "</th><th class='n'>worst</th><th class='n'>elements judged</th>";
  for (const std::string& column : table.columns) {
    const bool narrow = table.columns.size() > kMostWideColumns;
    const std::string name = narrow && column.starts_with("layer ") ? column.substr(6) : column;
    out +=
        fmt::format("<th class='top' title='{}'>{}</th>", html(column), html(shortened(name, 24)));
  }
  return out + "</tr>\n";
}

}  // namespace

std::string stage_table(const VerdictFile& file, const Table& table) {
  if (file.verdicts.empty())
    return "<p class='soft'>No case was run; <code>plumb stages</code> lists the stages that there "
           "are.</p>";
  std::string out = "<div class='scroll'><table class='grid'>" + head_markup(table);
  std::string idle;
  for (std::size_t stage = 0; stage < table.stages.size(); ++stage) {
    if (!table.by_stage[stage].verdicts.empty()) {
      out += row_markup(table, stage);
    } else {
      idle += (idle.empty() ? "" : ", ") + html(table.stages[stage]);
    }
  }
  out +=
      "</table></div><p class='key'>A tick is the worst element of one tensor: <span "
      "class='c-pass'>within "
      "budget</span>, <span class='c-loose'>within budget, some elements loose</span>, <span "
      "class='c-vacuous'>vacuous or untested</span>, <span class='c-fail'>outside</span>. Cells: "
      "passed / "
      "all.</p>";
  if (!idle.empty()) out += "<p class='soft'>No verdict on: " + idle + ".</p>";
  return out;
}

}  // namespace plumb::reports
