// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/check_trace.h"

#include <fmt/format.h>

#include <algorithm>

#include "conformance/contract/contract_json.h"
#include "conformance/runner/check_r1.h"
#include "fixtures/io/model_config.h"
#include "reference/registry/readings.h"

namespace plumb::conformance {
namespace {

using fixtures::Trace;
using fixtures::TraceMeta;

// What kind of R1 dump it is, by the names in it.
enum class Kind { kForward, kGate, kTables, kUnknown };

Kind kind_of(const Trace& trace) {
  if (trace.contains("input_ids")) return Kind::kForward;
  if (trace.contains("gate.in")) return Kind::kGate;
  if (!trace.meta().tables.empty()) return Kind::kTables;
  return Kind::kUnknown;
}

Result<std::string> model_of(const Trace& trace, const CheckRequest& request) {
  if (request.model) return *request.model;
  if (trace.meta().model) return *trace.meta().model;
  if (kind_of(trace) != Kind::kUnknown && !trace.meta().mode) return std::string("r1");
  return Error{trace.folder().string() +
               ": neither meta.json nor the tensor names say which model this is; " +
               "give --model"};
}

// The reading that a dump's own words mean, when they mean one.
std::optional<std::string> reading_of_meta(const TraceMeta& meta) {
  if (meta.reading) return meta.reading;
  if (!meta.dtype) return std::nullopt;
  if (meta.dtype->starts_with("float32")) return "hf_f32";
  if (meta.dtype->starts_with("bfloat16")) return "hf_bf16";
  return std::nullopt;
}

Result<Reading> reading_of(const Trace& trace, const CheckRequest& request) {
  std::optional<std::string> name =
      request.reading ? request.reading : reading_of_meta(trace.meta());
  // The router and the tables alone: float32 unless something says otherwise.
  if (!name && kind_of(trace) != Kind::kForward) name = "hf_f32";
  if (!name) {
    return Error{trace.folder().string() +
                 "/meta.json says neither 'reading' nor 'dtype'; give --reading"};
  }
  const Reading* known = find_reading(*name);
  if (known == nullptr) {
    std::string names;
    for (const Reading& r : all_readings())
      names += (names.empty() ? "" : ", ") + std::string(r.name);
    return Error{"there is no reading '" + *name + "'; there are " + names};
  }
  Reading reading = *known;
  const std::optional<std::string>& fill = trace.meta().group_mask_fill;
  for (auto& [id, side] : reading.sides) {
    if (fill && !request.reading && id == "R1-D06") side = *fill == "0.0" ? Side::kA : Side::kB;
  }
  return reading;
}

// The declared contract, or none.
Result<std::optional<Contract>> contract_of(const Trace& trace, const CheckRequest& request) {
  const std::optional<std::string>& text =
      request.contract ? request.contract : trace.meta().contract;
  if (!text || *text == "standard") return std::optional<Contract>();
  Result<Contract> contract = contract_from_json(*text, "declared", Contract{});
  if (!contract.ok()) return contract.error();
  return std::optional(std::move(contract).value());
}

Result<r1::Checked> check_r1(const Trace& trace, const Reading& reading,
                             const CheckOptions& options) {
  if (kind_of(trace) == Kind::kTables) return r1::check_tables(trace, reading, options);
  const auto path = trace.config_path();
  if (!path) return Error{trace.folder().string() + ": config.json is missing"};
  const auto config = kind_of(trace) == Kind::kGate ? fixtures::read_r1_router_config(*path)
                                                    : fixtures::read_r1_config(*path);
  if (!config.ok()) return config.error();
  return kind_of(trace) == Kind::kGate ? r1::check_gate(trace, config.value(), reading, options)
                                       : r1::check_forward(trace, config.value(), reading, options);
}

std::string rerun_of(const CheckRequest& request) {
  std::string line = "plumb check --trace " + request.folder.string();
  if (request.model) line += " --model " + *request.model;
  if (request.contract) line += " --contract '" + *request.contract + "'";
  if (request.reading) line += " --reading " + *request.reading;
  return line;
}

std::string culprit_of(const Verdict& v) {
  std::string text = v.layer >= 0 ? "layer " + std::to_string(v.layer) + ", " : "";
  text += v.stage;
  for (const TensorFinding& f : v.tensors) {
    if (f.outcome == Outcome::kPass) continue;
    text += ", " + f.tensor;
    if (f.failure) {
      text += " [";
      for (std::size_t axis = 0; axis < f.failure->index.size(); ++axis) {
        text += (axis > 0 ? ", " : "") + std::to_string(f.failure->index[axis]);
      }
      text += "]: got " + fmt::format("{:g}, want {:g}, budget {:g}", f.failure->got,
                                      f.failure->want, f.failure->budget);
    }
    break;
  }
  return text;
}

}  // namespace

Result<CheckReport> check_trace(const CheckRequest& request) {
  Result<Trace> trace = Trace::open(request.folder);
  if (!trace.ok()) return trace.error();
  const Result<std::string> model = model_of(*trace, request);
  if (!model.ok()) return model.error();
  if (*model != "r1") return Error{"traces of model '" + *model + "' cannot be judged yet; r1 can"};
  const Result<Reading> reading = reading_of(*trace, request);
  if (!reading.ok()) return reading.error();
  const Result<std::optional<Contract>> contract = contract_of(*trace, request);
  if (!contract.ok()) return contract.error();
  const Contract* declared = contract->has_value() ? &**contract : nullptr;
  Result<r1::Checked> checked = check_r1(*trace, *reading, {nullptr, nullptr, declared});
  if (!checked.ok()) return checked.error();

  CheckReport report{
      *model, std::string(reading->name), std::move(checked.value().verdicts), {}, {}, {}, {}, 0,
      {}};
  report.unrecorded = checked->unrecorded;
  report.missing_layers = checked->missing_layers;
  for (const fixtures::TensorEntry& entry : trace->stored()) {
    ++report.stored;
    if (checked->inputs.contains(entry.name)) {
      report.inputs.push_back(entry.name);
    } else if (!checked->judged.contains(entry.name)) {
      report.unjudged.push_back(entry.name);
    }
  }
  for (Verdict& v : report.verdicts) {
    v.model = report.model;
    if (v.outcome == Outcome::kPass) continue;
    v.rerun = rerun_of(request);
    if (report.first_culprit.empty()) report.first_culprit = culprit_of(v);
  }
  return report;
}

}  // namespace plumb::conformance
