// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/bench.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "conformance/runner/candidate.h"
#include "fixtures/shapes/shapes.h"
#include "reference/registry/readings.h"

namespace plumb::conformance {
namespace {

constexpr std::string_view kScalar = "scalar";
// Best first, as kernel libraries dispatch.
constexpr std::array<std::string_view, 6> kDispatchOrder{"avx3_dl", "avx3",  "avx2",
                                                         "sse4",    "ssse3", kScalar};
constexpr std::array<std::string_view, 3> kFused{"avx3_dl", "avx3", "avx2"};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double size_of(const fixtures::NamedShape& shape) {
  double size = 1;
  for (const auto& extent : shape.extents) size *= static_cast<double>(extent.extent);
  return size;
}

std::vector<fixtures::NamedShape> bench_shapes(const StageSchema& schema) {
  std::vector<fixtures::NamedShape> wide = fixtures::shapes(schema, "full");
  if (wide.empty()) return {fixtures::shapes(schema, "quick").front()};
  const fixtures::NamedShape widest = *std::ranges::max_element(wide, {}, size_of);
  const std::vector<std::string_view> free = fixtures::free_axes(schema);
  if (free.empty() || (free.front() != "N" && free.front() != "T")) return {widest};
  std::vector<fixtures::NamedShape> shapes;
  for (const Index tokens : {1, 16}) {
    shapes.push_back(widest);
    for (auto& extent : shapes.back().extents) {
      if (extent.symbol == free.front()) extent.extent = tokens;
    }
  }
  return shapes;
}

// The name, and what the name does not say: extents that are not the named shape's own.
std::string name_with_extents(const StageSchema& schema, const fixtures::Case& c) {
  std::string text = c.name();
  const Result<fixtures::Case> own = fixtures::find_case(schema, text);
  if (!own.ok()) return text;
  for (std::size_t i = 0; i < c.shape.extents.size(); ++i) {
    const auto& extent = c.shape.extents[i];
    if (own->shape.extents[i].extent == extent.extent) continue;
    text += " " + extent.symbol + "=" + std::to_string(extent.extent);
  }
  return text;
}

class Bench {
 public:
  Bench(const BenchRequest& request, const OnBenchStep& on_step)
      : request_(request),
        on_step_(on_step),
        worker_({request.executable, request.library, request.time_limit,
                 std::chrono::milliseconds(60'000), 1, true}) {}

  Result<std::vector<BenchRow>> run() {
    if (Status s = plan(); !s.ok()) return s.error();
    std::vector<BenchRow> rows;
    for (const auto& candidates : by_stage_) {
      const auto cases = cases_of(*candidates.front().schema);
      if (!cases.ok()) return cases.error();
      for (const fixtures::Case& wanted : *cases) {
        if (Status s = run_case(candidates, wanted, rows); !s.ok()) return s.error();
      }
    }
    return rows;
  }

 private:
  Status plan() {
    const Result<std::vector<KernelRow>> rows = worker_.rows();
    if (!rows.ok()) return rows.error();
    for (std::size_t i = 0; i < rows->size(); ++i) {
      const KernelRow& row = (*rows)[i];
      if (request_.stage && row.stage != *request_.stage) continue;
      Result<Candidate> candidate = candidate_of(row, i, request_.library);
      if (!candidate.ok()) return candidate.error();
      const auto same = std::ranges::find_if(
          by_stage_, [&](const auto& some) { return some.front().schema == candidate->schema; });
      auto& some = same == by_stage_.end() ? by_stage_.emplace_back() : *same;
      some.push_back(std::move(candidate).value());
    }
    if (!by_stage_.empty()) return Nothing{};
    return Error{request_.library + ": no kernel " +
                 (request_.stage ? "of stage '" + *request_.stage + "' in it" : "in it")};
  }

  Result<std::vector<fixtures::Case>> cases_of(const StageSchema& schema) const {
    if (!request_.case_name) return bench_cases(schema);
    Result<fixtures::Case> one = fixtures::find_case(schema, *request_.case_name);
    if (!one.ok()) return one.error();
    return std::vector<fixtures::Case>{std::move(one).value()};
  }

  void step(const std::string& what) const {
    if (on_step_) on_step_(what);
  }

  // Appends the rows of one stage on one case.
  Status run_case(const std::vector<Candidate>& candidates, const fixtures::Case& wanted,
                  std::vector<BenchRow>& all) {
    const Result<Prepared> prepared = prepare(*candidates.front().schema, wanted);
    if (!prepared.ok()) return prepared.error();
    const std::string name = name_with_extents(*candidates.front().schema, wanted);
    std::vector<BenchRow> rows;
    for (const Candidate& candidate : candidates) {
      step("judging " + candidate.id + " " + name);
      Result<Verdict> verdict = judge_case(worker_, candidate, wanted, *prepared);
      if (!verdict.ok()) return verdict.error();
      rows.push_back({verdict->stage,
                      candidate.id,
                      candidate.id.substr(verdict->stage.size() + 1),
                      name,
                      verdict->outcome,
                      verdict->reason,
                      {},
                      {},
                      false});
    }
    mark_chosen(rows);
    time_all(candidates, *prepared, rows);
    std::ranges::move(rows, std::back_inserter(all));
    return Nothing{};
  }

  // The variants take turns, so that what slows the machine down slows all of them.
  void time_all(const std::vector<Candidate>& candidates, const Prepared& prepared,
                std::vector<BenchRow>& rows) {
    std::vector<std::vector<double>> samples(rows.size());
    for (std::size_t round = 0; round < request_.rounds; ++round) {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].judged != Outcome::kPass || !rows[i].reason.empty()) continue;
        step("timing " + rows[i].kernel + " " + rows[i].case_name);
        const auto taken = sample(candidates[i].row, prepared);
        if (taken.ok()) samples[i].push_back(*taken);
        if (taken.ok()) continue;
        rows[i].reason = taken.error().message;
        samples[i].clear();
      }
    }
    conclude(samples, rows);
  }

  // Tried again once, in a new process: what ended the worker may have been done to it by another
  // kernel before.
  Result<double> sample(std::size_t row, const Prepared& prepared) {
    const Sampling one{1, request_.sample_seconds};
    auto times = worker_.time(row, prepared.call, prepared.roles, one);
    if (!times.ok()) times = worker_.time(row, prepared.call, prepared.roles, one);
    if (!times.ok()) return times.error();
    return times->front();
  }

  static void conclude(const std::vector<std::vector<double>>& samples,
                       std::vector<BenchRow>& rows) {
    const auto scalar = std::ranges::find(rows, kScalar, &BenchRow::variant);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (samples[i].empty()) continue;
      rows[i].seconds = median(samples[i]);
      if (scalar == rows.end()) continue;
      const auto& base = samples[static_cast<std::size_t>(scalar - rows.begin())];
      std::vector<double> ratios;
      for (std::size_t round = 0; round < base.size(); ++round) {
        ratios.push_back(base[round] / samples[i][round]);
      }
      if (!ratios.empty()) rows[i].ratio_to_scalar = median(std::move(ratios));
    }
  }

  const BenchRequest& request_;
  const OnBenchStep& on_step_;
  Worker worker_;
  std::vector<std::vector<Candidate>> by_stage_;
};

}  // namespace

bool BenchRow::is_slower() const {
  const bool held = std::ranges::find(kFused, variant) != kFused.end();
  return held && chosen && ratio_to_scalar && *ratio_to_scalar < 1;
}

std::vector<fixtures::Case> bench_cases(const StageSchema& schema) {
  const Reading& reading = *find_reading("hf_bf16");
  std::vector<fixtures::Case> cases;
  for (const fixtures::NamedShape& shape : bench_shapes(schema)) {
    for (const fixtures::Storage storage : fixtures::storages(schema, reading)) {
      cases.push_back({shape, fixtures::Profile::kNormal, 0, std::string(reading.name), storage});
    }
  }
  return cases;
}

void mark_chosen(std::vector<BenchRow>& rows) {
  for (const std::string_view variant : kDispatchOrder) {
    for (BenchRow& row : rows) {
      if (row.variant != variant || row.judged == Outcome::kUnsupported) continue;
      row.chosen = true;
      return;
    }
  }
}

Result<std::vector<BenchRow>> bench_kernels(const BenchRequest& request,
                                            const OnBenchStep& on_step) {
  return Bench(request, on_step).run();
}

}  // namespace plumb::conformance
