// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <nlohmann/json.hpp>

#include "conformance/verdict/verdict.h"

namespace plumb::conformance {
namespace {

using Json = nlohmann::ordered_json;

Json number(double v) {
  if (std::isnan(v)) return "nan";
  if (std::isinf(v)) return v > 0 ? "inf" : "-inf";
  return v;
}

Json line(const char* kind) { return {{"schema", "plumb.verdict/1"}, {"line", kind}}; }

std::string text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json as_json(const ElementFailure& failure) {
  return {{"index", failure.index},
          {"got", number(failure.got)},
          {"want", number(failure.want)},
          {"budget", number(failure.budget)}};
}

Json as_json(const SelectionFinding& selection) {
  return {{"ties", selection.ties},
          {"open", selection.open},
          {"flips", selection.flips},
          {"smallest_margin", number(selection.smallest_margin)}};
}

Json as_json(const TensorFinding& finding) {
  Json j{{"tensor", finding.tensor},
         {"outcome", name_of(finding.outcome)},
         {"reason", finding.reason},
         {"judged", finding.judged},
         {"loose", finding.loose},
         {"unbounded", finding.unbounded},
         {"unusable", finding.unusable},
         {"left_out", finding.left_out},
         {"failed", finding.failed},
         {"median_budget", number(finding.median_budget)},
         {"largest_want", number(finding.largest_want)}};
  j["worst_error_over_budget"] = number(finding.worst_error_over_budget);
  j["worst_error"] = number(finding.worst_error);
  j["worst_budget"] = number(finding.worst_budget);
  j["worst_index"] = finding.worst_index;
  j["failure"] = finding.failure ? as_json(*finding.failure) : Json(nullptr);
  j["selection"] = finding.selection ? as_json(*finding.selection) : Json(nullptr);
  return j;
}

Json as_json(const BuildInfo& build) {
  return {{"version", build.version},
          {"commit", build.commit},
          {"dirty", build.dirty},
          {"compiler", build.compiler},
          {"abi", build.abi},
          {"registry_digest", build.registry_digest},
          {"simd_targets", build.simd_targets},
          {"cuda_architectures", build.cuda_architectures}};
}

}  // namespace

std::string to_json_line(const RunHeader& header) {
  Json j = line("header");
  j["build"] = as_json(header.build);
  j["command"] = header.command;
  j["machine"] = header.machine;
  j["stages"] = Json::array();
  for (const StageRow& row : header.stages) {
    j["stages"].push_back({{"stage", row.stage},
                           {"sentence", row.sentence},
                           {"formula", row.formula},
                           {"records", row.records}});
  }
  return text(j);
}

std::string to_json_line(const Verdict& verdict) {
  Json j = line("verdict");
  j["outcome"] = name_of(verdict.outcome);
  j["stage"] = verdict.stage;
  j["kernel"] = verdict.kernel;
  j["model"] = verdict.model;
  j["reading"] = verdict.reading;
  j["contract"] = verdict.contract;
  j["weaker_contract"] = verdict.weaker_contract;
  j["case"] = verdict.case_name;
  j["layer"] = verdict.layer;
  j["step"] = verdict.step;
  j["skip"] = name_of(verdict.skip);
  j["reason"] = verdict.reason;
  j["rerun"] = verdict.rerun;
  j["seconds"] = number(verdict.seconds);
  j["tensors"] = Json::array();
  for (const TensorFinding& finding : verdict.tensors) j["tensors"].push_back(as_json(finding));
  return text(j);
}

std::string to_json_line(const RunSummary& summary) {
  Json j = line("summary");
  for (std::size_t i = 0; i < kOutcomeCount; ++i) {
    j["counts"][std::string(name_of(static_cast<Outcome>(i)))] = summary.counts[i];
  }
  j["seconds"] = number(summary.seconds);
  j["first_culprit"] = summary.first_culprit;
  return text(j);
}

}  // namespace plumb::conformance
