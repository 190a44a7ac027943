// SPDX-License-Identifier: Apache-2.0
// Traces of a single stage: the router with both fills, and rotary tables.
#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <utility>

#include "conformance/runner/check_r1.h"
#include "conformance/runner/recorded.h"
#include "reference/formats/storage.h"
#include "reference/registry/readings.h"
#include "reference/scalar/tracked.h"

namespace plumb::conformance::r1 {
namespace {

using fixtures::Trace;

Reading with_side(const Reading& reading, std::string_view discrepancy, Side side) {
  Reading r = reading;
  for (auto& [id, s] : r.sides) {
    if (id == discrepancy) s = side;
  }
  return r;
}

void merge(Checked& into, const CheckExecutor& executor) {
  into.verdicts.insert(into.verdicts.end(), executor.verdicts().begin(), executor.verdicts().end());
  into.judged.insert(executor.judged().begin(), executor.judged().end());
  for (const auto& [stage, times] : executor.unrecorded()) into.unrecorded[stage] += times;
}

Error lacking(const Trace& trace, const std::string& name) {
  return Error{trace.folder().string() + ": the trace lacks the tensor '" + name + "'"};
}

// --- the router
// -----------------------------------------------------------------------------------------

struct FillRun {
  StageCall call;
  std::vector<std::set<std::int64_t>> chosen;  // by token
  std::vector<bool> tie_at_cut;                // the last one chosen equals one left out
};

std::vector<double> row_of(const AnyTensor& t, Index row) {
  std::vector<double> values;
  for (Index e = 0; e < t.extent(1); ++e) {
    const Index i = row * t.extent(1) + e;
    values.push_back(t.dtype() == Dtype::kTracked ? t.data<Tracked>()[i].value.to_double()
                                                  : load(t.bytes(), t.dtype(), i));
  }
  return values;
}

bool tie_at_cut(std::vector<double> scores, Index k) {
  if (k >= static_cast<Index>(scores.size())) return false;
  std::ranges::sort(scores, std::greater<>());
  const auto cut = static_cast<std::size_t>(k);
  return scores[cut - 1] == scores[cut];
}

// Compares a stored flag or count of each token with what the reference gives.
Verdict judge_tokens(const Trace& trace, const std::string& name,
                     const std::vector<std::int64_t>& want) {
  Verdict v;
  v.stage = "moe_router";
  v.kernel = "trace";
  v.case_name = name;
  const AnyTensor got = trace.tensor(name).value();
  std::vector<std::int64_t> values;
  for (Index i = 0; i < got.size(); ++i) {
    values.push_back(is_integer(got.dtype()) ? load_integer(got.bytes(), got.dtype(), i) : -1);
  }
  const Comparison c = compare_integers(values, want);
  TensorFinding f;
  f.tensor = name;
  f.judged = c.judged;
  f.failed = c.failed;
  f.outcome = c.failed == 0 && c.judged > 0 ? Outcome::kPass : Outcome::kFail;
  f.reason = c.reason;
  if (c.first_failed >= 0) f.failure = ElementFailure{{c.first_failed}, c.got, c.want, 0};
  v.outcome = f.outcome;
  v.reason = f.reason;
  v.tensors.push_back(std::move(f));
  return v;
}

}  // namespace

Result<Checked> check_gate(const Trace& trace, const reference::r1::R1Config& config,
                           const Reading& reading, const CheckOptions& options) {
  Checked checked;
  for (const char* name : {"gate.in", "gate.weight", "gate.e_score_correction_bias"}) {
    if (!trace.contains(name)) return lacking(trace, name);
    checked.inputs.insert(name);
  }
  const AnyTensor weight = trace.tensor("gate.weight").value();
  const AnyTensor in = trace.tensor("gate.in").value();
  if (weight.rank() != 2 || weight.extent(1) == 0 || in.size() % weight.extent(1) != 0) {
    return Error{trace.folder().string() + ": gate.in has shape " + to_string(in.shape()) +
                 " and gate.weight " + to_string(weight.shape()) +
                 "; [.., H] and [E, H] are needed"};
  }
  const Index tokens = in.size() / weight.extent(1);
  std::array<StageCall, 2> calls;
  std::size_t at = 0;
  for (const auto& [fill, side] : {std::pair{"fill0", Side::kA}, std::pair{"fillninf", Side::kB}}) {
    const Reading sided = with_side(reading, "R1-D06", side);
    CheckExecutor executor(sided, recorded_in(trace), options);
    const std::string path = std::string("gate.") + fill;
    StageCall& call = calls[at++];
    call = {"moe_router",
            {{"h", in.reshaped({tokens, weight.extent(1)})},
             {"weight", weight},
             {"bias", trace.tensor("gate.e_score_correction_bias").value()}},
            {{"top_k", config.num_experts_per_tok},
             {"groups", config.n_group},
             {"top_groups", config.topk_group},
             {"scale", config.routed_scaling_factor}},
            {"gate",
             -1,
             0,
             {{"ids", path + ".topk_idx"},
              {"gathered", path + ".topk_weight.raw"},
              {"weights", path + ".topk_weight"}}}};
    if (Status s = check_call(*find_stage("moe_router"), call); !s.ok()) return s.error();
    executor.run(call);
    merge(checked, executor);
  }
  // What the trace says of each token, from the reference's own scores.
  std::vector<std::int64_t> positive, differs, cut_tie, group_tie;
  for (Index n = 0; n < tokens; ++n) {
    const std::vector<double> zero = row_of(calls[0].tensor("masked"), n);
    const std::vector<double> lowest = row_of(calls[1].tensor("masked"), n);
    positive.push_back(std::ranges::count_if(lowest, [](double s) { return s > 0; }));
    cut_tie.push_back(tie_at_cut(zero, config.num_experts_per_tok));
    group_tie.push_back(tie_at_cut(row_of(calls[0].tensor("group_scores"), n), config.topk_group));
    const std::vector<double> a = row_of(calls[0].tensor("ids"), n);
    const std::vector<double> b = row_of(calls[1].tensor("ids"), n);
    differs.push_back(std::set(a.begin(), a.end()) != std::set(b.begin(), b.end()));
  }
  for (const auto& [name, want] :
       {std::pair<const char*, const std::vector<std::int64_t>&>{"selectable_positive", positive},
        {"differs", differs},
        {"fill0_tie_at_cut", cut_tie},
        {"group_tie_at_cut", group_tie}}) {
    if (!trace.contains(name)) continue;
    checked.verdicts.push_back(judge_tokens(trace, name, want));
    checked.judged.insert(name);
  }
  return checked;
}

// --- rotary tables
// --------------------------------------------------------------------------------------

namespace {

using TableParameters = std::map<std::string, double>;

std::vector<NamedParam> frequency_params(const TableParameters& table) {
  const auto number = [&](const char* key) { return table.at(key); };
  return {
      {"half", static_cast<std::int64_t>(number("dim")) / 2},
      {"kind", std::string("yarn")},
      {"base", number("base")},
      {"factor", number("factor")},
      {"original_length", static_cast<std::int64_t>(number("original_max_position_embeddings"))},
      {"beta_fast", number("beta_fast")},
      {"beta_slow", number("beta_slow")},
      {"mscale", number("mscale")},
      {"mscale_all_dim", number("mscale_all_dim")}};
}

Status has_parameters(const Trace& trace, const std::string& name, const TableParameters& table) {
  for (const char* key : {"dim", "base", "factor", "original_max_position_embeddings", "beta_fast",
                          "beta_slow", "mscale", "mscale_all_dim"}) {
    const auto found = table.find(key);
    if (found == table.end() || (std::string_view(key) == "dim" && !(found->second >= 2))) {
      return Error{trace.folder().string() + "/meta.json: table '" + name + "' lacks a valid '" +
                   key + "'"};
    }
  }
  return Nothing{};
}

void check_table(const Trace& trace, const std::string& name, const TableParameters& table,
                 const AnyTensor& positions, const Reading& reading, const CheckOptions& options,
                 Checked& checked) {
  CheckExecutor executor(reading, recorded_in(trace), options);
  StageCall frequencies{"rope_frequencies", {}, frequency_params(table), {name, -1, 0, {}}};
  executor.run(frequencies);
  const bool narrow = reading.format(Slot::kRopeTable)->dtype == Dtype::kBf16;
  const std::string width = narrow ? "_bf16" : "";
  StageCall rows{"rope_table",
                 {{"positions", positions},
                  {"inv_freq", frequencies.tensor("inv_freq")},
                  {"table_scale", frequencies.tensor("table_scale")}},
                 {{"dim", static_cast<std::int64_t>(table.at("dim"))}},
                 {narrow ? name + width : name,
                  -1,
                  0,
                  {{"cos", name + ".cos" + width}, {"sin", name + ".sin" + width}}}};
  executor.run(rows);
  merge(checked, executor);
}

}  // namespace

Result<Checked> check_tables(const Trace& trace, const Reading& reading,
                             const CheckOptions& options) {
  Checked checked;
  if (!trace.contains("positions")) return lacking(trace, "positions");
  const AnyTensor positions = trace.tensor("positions").value();
  if (positions.rank() != 1 || positions.dtype() != Dtype::kI64) {
    return Error{trace.folder().string() + ": positions must be a vector of type I64"};
  }
  checked.inputs.insert("positions");
  for (const auto& [name, table] : trace.meta().tables) {
    if (Status s = has_parameters(trace, name, table); !s.ok()) return s.error();
    check_table(trace, name, table, positions, reading, options, checked);
    check_table(trace, name, table, positions, *find_reading("hf_bf16"), options, checked);
  }
  return checked;
}

}  // namespace plumb::conformance::r1
