// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

#include "conformance/contract/strict_json.h"
#include "conformance/verdict/verdict.h"

namespace plumb::conformance {
namespace {

constexpr int kLargestInt = std::numeric_limits<int>::max();

Outcome outcome(JsonMembers& members) {
  const std::string word = members.text("outcome");
  const auto found = outcome_of(word);
  if (!found) members.fail("outcome", "must be one of the eight outcomes");
  return found.value_or(Outcome::kUntested);
}

SkipReason skip_reason(JsonMembers& members) {
  const std::string word = members.text("skip");
  for (std::size_t i = 0; i < kSkipReasonCount; ++i) {
    if (name_of(static_cast<SkipReason>(i)) == word) return static_cast<SkipReason>(i);
  }
  members.fail("skip", "must be one of the fixed reasons to skip");
  return SkipReason::kNone;
}

ElementFailure read_failure(JsonMembers members, JsonMembers& outer) {
  ElementFailure failure;
  failure.index = members.counters("index");
  failure.got = members.extended_number("got");
  failure.want = members.extended_number("want");
  failure.budget = members.extended_number("budget");
  outer.adopt(members);
  return failure;
}

SelectionFinding read_selection(JsonMembers members, JsonMembers& outer) {
  SelectionFinding selection;
  selection.ties = members.counter("ties");
  selection.open = members.counter("open");
  selection.flips = members.counter("flips");
  selection.smallest_margin = members.extended_number("smallest_margin");
  outer.adopt(members);
  return selection;
}

TensorFinding read_finding(JsonMembers members, JsonMembers& outer) {
  TensorFinding finding;
  finding.tensor = members.text("tensor");
  finding.outcome = outcome(members);
  finding.reason = members.text("reason");
  finding.judged = members.counter("judged");
  finding.loose = members.counter("loose");
  finding.unbounded = members.counter("unbounded");
  finding.unusable = members.counter("unusable");
  finding.left_out = members.counter("left_out");
  finding.failed = members.counter("failed");
  finding.median_budget = members.extended_number("median_budget");
  finding.largest_want = members.extended_number("largest_want");
  finding.worst_error_over_budget = members.extended_number("worst_error_over_budget");
  finding.worst_error = members.extended_number("worst_error");
  finding.worst_budget = members.extended_number("worst_budget");
  finding.worst_index = members.counters("worst_index");
  if (auto failure = members.object_or_null("failure")) {
    finding.failure = read_failure(std::move(*failure), members);
  }
  if (auto selection = members.object_or_null("selection")) {
    finding.selection = read_selection(std::move(*selection), members);
  }
  outer.adopt(members);
  return finding;
}

Verdict read_verdict(JsonMembers& members) {
  Verdict verdict;
  verdict.outcome = outcome(members);
  verdict.stage = members.text("stage");
  verdict.kernel = members.text("kernel");
  verdict.model = members.text("model");
  verdict.reading = members.text("reading");
  verdict.contract = members.text("contract");
  verdict.weaker_contract = members.flag("weaker_contract");
  verdict.case_name = members.text("case");
  verdict.layer = static_cast<int>(members.integer("layer", -1, kLargestInt));
  verdict.step = static_cast<int>(members.integer("step", 0, kLargestInt));
  verdict.skip = skip_reason(members);
  verdict.reason = members.text("reason");
  verdict.rerun = members.text("rerun");
  verdict.seconds = members.extended_number("seconds");
  for (JsonMembers& tensor : members.objects("tensors")) {
    verdict.tensors.push_back(read_finding(std::move(tensor), members));
  }
  return verdict;
}

RunHeader read_header(JsonMembers& members) {
  RunHeader header;
  header.command = members.text("command");
  header.machine = members.text("machine");
  auto build = members.object_or_null("build");
  if (!build) {
    members.fail("build", "must be an object");
    return header;
  }
  for (auto [name, field] :
       {std::pair{"version", &BuildInfo::version}, std::pair{"commit", &BuildInfo::commit},
        std::pair{"compiler", &BuildInfo::compiler}, std::pair{"abi", &BuildInfo::abi},
        std::pair{"registry_digest", &BuildInfo::registry_digest}}) {
    header.build.*field = build->text(name);
  }
  header.build.dirty = build->flag("dirty");
  header.build.simd_targets = build->texts("simd_targets");
  header.build.cuda_architectures = build->texts("cuda_architectures");
  members.adopt(*build);
  for (JsonMembers& row : members.objects("stages")) {
    header.stages.push_back(
        {row.text("stage"), row.text("sentence"), row.text("formula"), row.texts("records")});
    members.adopt(row);
  }
  return header;
}

RunSummary read_summary(JsonMembers& members) {
  RunSummary summary;
  summary.seconds = members.extended_number("seconds");
  summary.first_culprit = members.text("first_culprit");
  auto counts = members.object_or_null("counts");
  if (!counts) {
    members.fail("counts", "must be an object");
    return summary;
  }
  for (std::size_t i = 0; i < kOutcomeCount; ++i) {
    summary.counts[i] = counts->counter(std::string(name_of(static_cast<Outcome>(i))).c_str());
  }
  members.adopt(*counts);
  return summary;
}

// Reads line after line; what a line may be depends on those before it.
class Reader {
 public:
  std::optional<std::string> add(std::string_view line) {
    const auto json = parse_strict_json(line);
    if (!json) return json.error().message;
    JsonMembers members(*json, "");
    if (members.text("schema") != "plumb.verdict/1") {
      members.fail("schema", "must be \"plumb.verdict/1\"");
    }
    const std::string kind = members.text("line");
    if (members.error()) return members.error();
    if ((kind == "header") == has_header_) {
      return has_header_ ? "a second header" : "the first line must be the header";
    }
    if (file.summary) return "a line after the summary";
    add_line(kind, members);
    return members.error();
  }

  VerdictFile file;

 private:
  void add_line(const std::string& kind, JsonMembers& members) {
    if (kind == "header") {
      file.header = read_header(members);
      has_header_ = true;
    } else if (kind == "verdict") {
      file.verdicts.push_back(read_verdict(members));
      ++counts_[static_cast<std::size_t>(file.verdicts.back().outcome)];
    } else if (kind == "summary") {
      file.summary = read_summary(members);
      if (file.summary->counts != counts_) {
        members.fail("counts", "must be the counts of the lines before it");
      }
    } else {
      members.fail("line", "must be \"header\", \"verdict\" or \"summary\"");
    }
  }

  bool has_header_ = false;
  std::array<std::int64_t, kOutcomeCount> counts_{};
};

}  // namespace

Result<VerdictFile> read_verdict_text(std::string_view text, std::string_view name) {
  Reader reader;
  std::size_t number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    // A run that was killed in the middle of a line: what it found before stands, without a
    // summary.
    if (end == std::string_view::npos && number > 1 && !parse_strict_json(line)) break;
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (const auto wrong = reader.add(line)) {
      return Error{std::string(name) + ":" + std::to_string(number) + ": " + *wrong};
    }
  }
  if (number == 0)
    return Error{std::string(name) + ": is empty; a verdict file begins with a header"};
  return std::move(reader.file);
}

Result<VerdictFile> read_verdict_file(const std::string& path) {
  std::error_code ignored;
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path, ignored)) {
    return Error{path + ": cannot be opened as a file"};
  }
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (file.bad()) return Error{path + ": cannot be read"};
  return read_verdict_text(text, path);
}

}  // namespace plumb::conformance
