// SPDX-License-Identifier: Apache-2.0
#include "reports/tally.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

namespace plumb::reports {
namespace {

// Worst first.
constexpr std::array kSeverity{Outcome::kFail,        Outcome::kCrashed,  Outcome::kTimedOut,
                               Outcome::kVacuous,     Outcome::kUntested, Outcome::kPass,
                               Outcome::kUnsupported, Outcome::kSkipped};

// Names in the order in which they came, found again by name.
class Positions {
 public:
  explicit Positions(std::vector<std::string>& names) : names_(names) {
    for (std::size_t i = 0; i < names.size(); ++i) known_.emplace(names[i], i);
  }
  std::size_t of(const std::string& name) {
    const auto [at, is_new] = known_.emplace(name, names_.size());
    if (is_new) names_.push_back(name);
    return at->second;
  }

 private:
  std::vector<std::string>& names_;
  std::map<std::string, std::size_t> known_;
};

// "rms_norm.avx512" stands in the column "avx512" of the row rms_norm.
std::string variant_of(const Verdict& verdict) {
  const std::string prefix = verdict.stage + ".";
  return verdict.kernel.starts_with(prefix) ? verdict.kernel.substr(prefix.size()) : verdict.kernel;
}

std::vector<std::string> layers_of(const VerdictFile& file) {
  std::vector<int> layers;
  for (const Verdict& verdict : file.verdicts) layers.push_back(verdict.layer);
  std::sort(layers.begin(), layers.end());
  layers.erase(std::unique(layers.begin(), layers.end()), layers.end());
  std::vector<std::string> names;
  for (int layer : layers) names.push_back(layer < 0 ? "whole" : fmt::format("layer {}", layer));
  return names;
}

}  // namespace

void Cell::add(const Verdict& verdict) {
  ++counts[static_cast<std::size_t>(verdict.outcome)];
  weaker_contract = weaker_contract || verdict.weaker_contract;
  verdicts.push_back(&verdict);
  for (const TensorFinding& finding : verdict.tensors) {
    judged = saturated_sum(judged, finding.judged);
    loose = saturated_sum(loose, finding.loose);
    worst_ratio = std::max(worst_ratio, finding.worst_error_over_budget);
  }
}

std::int64_t saturated_sum(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  return a > kMost - b ? kMost : a + b;
}

Table tabulate(const VerdictFile& file) {
  Table table;
  table.by_layer = !file.verdicts.empty();
  for (const Verdict& verdict : file.verdicts) {
    table.by_layer = table.by_layer && verdict.kernel == "trace";
  }
  if (table.by_layer) table.columns = layers_of(file);
  Positions stages(table.stages), columns(table.columns);
  for (const auto& row : file.header.stages) stages.of(row.stage);
  for (const Verdict& verdict : file.verdicts) {
    const std::size_t row = stages.of(verdict.stage);
    const std::string name = !table.by_layer     ? variant_of(verdict)
                             : verdict.layer < 0 ? "whole"
                                                 : fmt::format("layer {}", verdict.layer);
    table.cells[{row, columns.of(name)}].add(verdict);
    table.by_stage.resize(std::max(table.by_stage.size(), row + 1));
    table.by_stage[row].add(verdict);
    table.all.add(verdict);
  }
  table.by_stage.resize(table.stages.size());
  return table;
}

Outcome worst_outcome(const Counts& counts) {
  for (Outcome outcome : kSeverity) {
    if (count_of(counts, outcome) > 0) return outcome;
  }
  return Outcome::kSkipped;
}

std::int64_t failures(const Counts& counts) {
  std::int64_t n = 0;
  for (Outcome outcome : kSeverity) n += is_failure(outcome) ? count_of(counts, outcome) : 0;
  return n;
}

std::int64_t count_of(const Counts& counts, Outcome outcome) {
  return counts[static_cast<std::size_t>(outcome)];
}

std::int64_t total(const Counts& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

std::vector<const Verdict*> failing(const VerdictFile& file) {
  std::vector<const Verdict*> result;
  for (const Verdict& verdict : file.verdicts) {
    if (is_failure(verdict.outcome)) result.push_back(&verdict);
  }
  return result;
}

const TensorFinding* culprit(const Verdict& verdict) {
  const TensorFinding* found = nullptr;
  for (const TensorFinding& finding : verdict.tensors) {
    if (finding.failed > 0) return &finding;
    if (found == nullptr && is_failure(finding.outcome)) found = &finding;
  }
  return found;
}

std::vector<NotRun> not_run(const VerdictFile& file) {
  std::vector<NotRun> groups;
  std::map<std::tuple<std::string, std::string, std::string, Outcome>, std::size_t> known;
  for (const Verdict& verdict : file.verdicts) {
    if (verdict.outcome != Outcome::kSkipped && verdict.outcome != Outcome::kUnsupported) continue;
    std::string why(sentence_of(verdict.skip));
    if (!verdict.reason.empty()) why += (why.empty() ? "" : ": ") + verdict.reason;
    const auto [at, is_new] = known.emplace(
        std::tuple(verdict.stage, verdict.kernel, why, verdict.outcome), groups.size());
    if (is_new) {
      groups.push_back({verdict.stage, verdict.kernel, why, verdict.outcome, 0, verdict.rerun});
    }
    ++groups[at->second].cases;
  }
  return groups;
}

std::string in_words(const Counts& counts) {
  constexpr std::array<std::pair<Outcome, const char*>, kOutcomeCount> kWords{{
      {Outcome::kPass, "passed"},
      {Outcome::kFail, "failed"},
      {Outcome::kCrashed, "crashed"},
      {Outcome::kTimedOut, "timed out"},
      {Outcome::kVacuous, "vacuous"},
      {Outcome::kUntested, "untested"},
      {Outcome::kUnsupported, "unsupported"},
      {Outcome::kSkipped, "skipped"},
  }};
  std::string text;
  for (const auto& [outcome, word] : kWords) {
    const std::int64_t n = count_of(counts, outcome);
    if (n == 0 && outcome != Outcome::kPass) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", n, word);
  }
  return text;
}

bool succeeded(const VerdictFile& file, const Table& table) {
  return file.summary.has_value() && failures(table.all.counts) == 0 &&
         count_of(table.all.counts, Outcome::kPass) > 0;
}

std::string grouped(std::int64_t n) {
  const std::string digits = std::to_string(n);
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += "\u202f";
    out += digits[i];
  }
  return out;
}

std::string short_number(double v) { return fmt::format("{:.3g}", v); }
std::string full_number(double v) { return fmt::format("{}", v); }

std::string element(const std::string& tensor, const std::vector<std::int64_t>& index) {
  return index.empty() ? tensor : fmt::format("{}[{}]", tensor, fmt::join(index, ", "));
}

}  // namespace plumb::reports
