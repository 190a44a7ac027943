// SPDX-License-Identifier: Apache-2.0
// plumb stages [S]: the schemas, which is what the author of a kernel reads.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <nlohmann/json.hpp>

#include "conformance/contract/contract_json.h"
#include "reference/registry/schema.h"
#include "tools/plumb/build_info.h"
#include "tools/plumb/known.h"
#include "tools/plumb/terminal.h"
#include "tools/plumb/verb.h"

namespace plumb::tools {
namespace {

using Json = nlohmann::ordered_json;

std::string_view word_for(Domain domain) {
  constexpr std::array<std::string_view, 10> kNames{
      "any",  "gain",     "weight", "scale",       "probability",
      "mask", "position", "index",  "permutation", "mostly_zero"};
  return kNames.at(static_cast<std::size_t>(domain));
}

std::string_view word_for(Judge judge) {
  constexpr std::array<std::string_view, 4> kNames{"number", "exact", "permutation", "selection"};
  return kNames.at(static_cast<std::size_t>(judge));
}

std::string_view word_for(const ParamValue& value) {
  constexpr std::array<std::string_view, 3> kNames{"integer", "number", "word"};
  return kNames.at(value.index());
}

std::string text_of(const ParamValue& value) {
  return std::visit([](const auto& v) { return fmt::format("{}", v); }, value);
}

std::vector<std::string_view> dtype_names(const TensorSchema& tensor) {
  std::vector<std::string_view> names;
  for (const Dtype dtype : tensor.dtypes) names.push_back(name_of(dtype));
  return names;
}

Json tensor_json(const TensorSchema& tensor) {
  Json row{{"name", tensor.name},
           {"role", name_of(tensor.role)},
           {"axes", tensor.axes},
           {"dtypes", dtype_names(tensor)},
           {"domain", word_for(tensor.domain)},
           {"judge", word_for(tensor.judge)},
           {"optional", tensor.optional}};
  if (tensor.slot) row["slot"] = name_of(*tensor.slot);
  if (!tensor.index_of.empty()) row["index_of"] = tensor.index_of;
  if (!tensor.scores.empty()) row["scores"] = tensor.scores;
  if (!tensor.trace_suffix.empty()) row["trace_suffix"] = tensor.trace_suffix;
  return row;
}

Json stage_json(const StageSchema& stage) {
  Json tensors = Json::array();
  for (const TensorSchema& tensor : stage.tensors) tensors.push_back(tensor_json(tensor));
  Json params = Json::array();
  for (const ParamSchema& p : stage.params) {
    params.push_back(
        {{"name", p.name},
         {"kind", word_for(p.default_value)},
         {"default", std::visit([](const auto& v) { return Json(v); }, p.default_value)},
         {"meaning", p.meaning}});
  }
  return {
      {"name", stage.name},
      {"sentence", stage.sentence},
      {"formula", stage.formula},
      {"tensors", tensors},
      {"params", params},
      {"sides", stage.sides},
      {"records", stage.records},
      {"standard_contract", Json::parse(conformance::contract_to_json(stage.standard_contract))},
      {"oracles", oracles_of(stage.name)},
      {"kernels", kernels_of(stage.name)}};
}

std::string notes_of(const TensorSchema& tensor) {
  std::string notes(word_for(tensor.domain));
  if (!tensor.index_of.empty()) notes += fmt::format(", 0..{} - 1", tensor.index_of);
  if (tensor.optional) notes += ", may be left out";
  if (tensor.judge != Judge::kNumber && tensor.role != Role::kIn) {
    notes += fmt::format(", judged as {}", word_for(tensor.judge));
  }
  if (!tensor.scores.empty()) notes += fmt::format(" by {}", tensor.scores);
  return notes;
}

void print_contract(const Contract& c) {
  fmt::print(
      "\nStandard contract: sums in {}, {}; exp, rsqrt, sin, cos, division, sqrt within {}, {}, "
      "{}, {}, {}, {} ulp; ties {}{}{}\n",
      c.accumulator.name,
      c.sum_depth ? fmt::format("chains of at most {}", *c.sum_depth) : "in any order", c.ulps.exp,
      c.ulps.rsqrt, c.ulps.sin, c.ulps.cos, c.ulps.division, c.ulps.sqrt,
      c.ties == TieRule::kAny ? "any" : "lowest index", c.deterministic ? "; deterministic" : "",
      c.signed_zero ? "; signs of zero count" : "");
}

void print_stage(const StageSchema& stage) {
  fmt::print("{}: {}\n  {}\n\n", coloured(Colour::kBold, stage.name), stage.sentence,
             stage.formula);
  fmt::print("{:<8} {:<16} {:<18} {:<22} {}\n", "role", "tensor", "axes", "element types",
             "values");
  for (const TensorSchema& t : stage.tensors) {
    fmt::print("{:<8} {:<16} {:<18} {:<22} {}\n", name_of(t.role), t.name,
               fmt::format("[{}]", fmt::join(t.axes, ", ")),
               fmt::format("{}", fmt::join(dtype_names(t), " ")), notes_of(t));
  }
  for (const ParamSchema& p : stage.params) {
    fmt::print("{:<8} {:<16} {} = {}: {}\n", "param", p.name, word_for(p.default_value),
               text_of(p.default_value), p.meaning);
  }
  for (const std::string_view side : stage.sides) {
    fmt::print("{:<8} {:<16} word, \"a\" or \"b\": plumb records {}\n", "param", side, side);
  }
  print_contract(stage.standard_contract);
  fmt::print("Records: {}\n", fmt::join(stage.records, " "));
  fmt::print("Oracles: {}\n", fmt::join(oracles_of(stage.name), " "));
  fmt::print("Kernels: {}\n", fmt::join(kernels_of(stage.name), " "));
}

Exit run_stages(const Options& options) {
  const std::string name = options.word("STAGE");
  const StageSchema* one = options.has("STAGE") ? find_stage(name) : nullptr;
  if (options.has("STAGE") && one == nullptr) {
    return report(kWrongUse, "there is no stage '" + name + "'; plumb stages lists them");
  }
  Json rows = Json::array();
  for (const StageSchema& stage : all_stages()) {
    if (one != nullptr && one != &stage) continue;
    if (options.json()) {
      rows.push_back(stage_json(stage));
    } else if (one != nullptr) {
      print_stage(stage);
    } else {
      fmt::print("{:<20} {}\n", stage.name, stage.sentence);
    }
  }
  if (options.json()) print_json("stages", std::move(rows));
  return kDone;
}

}  // namespace

extern const Verb stages_verb;
const Verb stages_verb{
    .name = "stages",
    .sentence = "List the stages, or show one: tensors, axes, element types, parameters, contract",
    .example = "plumb stages rms_norm",
    .options = {{.name = "STAGE",
                 .kind = OptionKind::kPosition,
                 .value = "STAGE",
                 .meaning = "Show this one"}},
    .run = run_stages,
};

}  // namespace plumb::tools
