// SPDX-License-Identifier: Apache-2.0
// A verdict file as a table of stages by kernels, or of stages by layers when it judged a trace.
#pragma once

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "conformance/verdict/verdict.h"

namespace plumb::reports {

using conformance::kOutcomeCount;
using conformance::Outcome;
using conformance::TensorFinding;
using conformance::Verdict;
using conformance::VerdictFile;

using Counts = std::array<std::int64_t, kOutcomeCount>;

// All verdicts of one stage and one kernel (or layer).
struct Cell {
  Counts counts{};
  double worst_ratio = 0;
  std::int64_t judged = 0;
  std::int64_t loose = 0;
  bool weaker_contract = false;
  std::vector<const Verdict*> verdicts;  // in the file's order

  void add(const Verdict& verdict);
};

struct Table {
  bool by_layer = false;
  std::vector<std::string> stages;   // as the header lists them, then as they appear
  std::vector<std::string> columns;  // variants, or "layer 3"; "whole" outside the layers
  std::map<std::pair<std::size_t, std::size_t>, Cell> cells;
  std::vector<Cell> by_stage;
  Cell all;
};

Table tabulate(const VerdictFile& file);

// The one outcome that stands for a cell: what failed first of all, then a pass, then what was not
// run.
Outcome worst_outcome(const Counts& counts);
std::int64_t failures(const Counts& counts);
std::int64_t count_of(const Counts& counts, Outcome outcome);
std::int64_t total(const Counts& counts);
// Of counts that a file may have made as large as they can be.
std::int64_t saturated_sum(std::int64_t a, std::int64_t b);

// Failing verdicts in the file's order.
std::vector<const Verdict*> failing(const VerdictFile& file);
// The finding that failed the verdict; null when no tensor did.
const TensorFinding* culprit(const Verdict& verdict);

// Skipped and unsupported cases, grouped.
struct NotRun {
  std::string stage, kernel, why;
  Outcome outcome;
  std::int64_t cases = 0;
  std::string rerun;  // of the first
};
std::vector<NotRun> not_run(const VerdictFile& file);

// "412 passed, 3 failed, 1 crashed, 20 skipped": nothing that is zero, but for "0 passed".
std::string in_words(const Counts& counts);
// Whether a gate may open: something passed, nothing failed, and the run came to its end.
bool succeeded(const VerdictFile& file, const Table& table);

// "1 865 545", with narrow spaces that do not break.
std::string grouped(std::int64_t n);
// "3", "0.0112", "2.5e-07", "inf"
std::string short_number(double v);
// All digits of a double: "0.30000000000000004"
std::string full_number(double v);
// "y[3, 14]"
std::string element(const std::string& tensor, const std::vector<std::int64_t>& index);

}  // namespace plumb::reports
