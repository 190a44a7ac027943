// SPDX-License-Identifier: Apache-2.0
// plumb records [ID]: the equation records and the discrepancies between their sources.
#include "reference/registry/records.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "tools/plumb/build_info.h"
#include "tools/plumb/evaluate.h"
#include "tools/plumb/known.h"
#include "tools/plumb/terminal.h"
#include "tools/plumb/verb.h"

namespace plumb::tools {
namespace golden {
extern const std::string_view kR1Records;
}  // namespace golden

namespace {

using Json = nlohmann::ordered_json;

// What fixtures/golden/records holds for each record: inputs and outputs worked out from the
// sources.
const Json& golden_values() {
  static const Json kValues = Json::parse(golden::kR1Records);
  return kValues;
}

Json golden_of(const Record& record) {
  const Json& values = golden_values();
  return values.contains(record.id) ? values[record.id] : Json(false);
}

Json tensors_json(const std::vector<RecordTensor>& tensors) {
  Json rows = Json::array();
  for (const RecordTensor& t : tensors) {
    rows.push_back({{"name", t.name}, {"shape", t.shape}, {"dtype", t.dtype}});
  }
  return rows;
}

Json object(const NamedTexts& texts) {
  Json row = Json::object();
  for (const auto& [name, text] : texts) row[name] = text;
  return row;
}

Json record_json(const Record& r) {
  return {{"id", r.id},
          {"page", r.page},
          {"title", r.title},
          {"statement", r.statement},
          {"formula", r.formula},
          {"shapes", {{"in", tensors_json(r.inputs)}, {"out", tensors_json(r.outputs)}}},
          {"rounding", r.rounding},
          {"source", r.source},
          {"stage", r.stage},
          {"properties", r.properties},
          {"edge_cases", r.edge_cases},
          {"discrepancies", r.discrepancies},
          {"constants", object(r.constants)},
          {"readings", object(r.readings)},
          {"golden", golden_of(r)},
          {"laws", Json::array()},
          {"oracles", oracles_of(r.stage)},
          {"kernels", kernels_of(r.stage)}};
}

Json discrepancy_json(const Discrepancy& d) {
  return {{"id", d.id},
          {"title", d.title},
          {"a", d.a},
          {"b", d.b},
          {"side", object(d.sides)},
          {"effect", d.effect},
          {"input", d.input},
          {"numbers", d.numbers},
          {"records", d.records},
          {"evidence", d.evidence},
          {"stage", d.stage}};
}

void print_tensors(std::string_view role, const std::vector<RecordTensor>& tensors) {
  for (const RecordTensor& t : tensors)
    fmt::print("  {:<4} {}{} {}\n", role, t.name, t.shape, t.dtype);
}

void print_list(std::string_view title, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  fmt::print("{}\n", title);
  for (const std::string& line : lines) fmt::print("  - {}\n", line);
}

void print_named(std::string_view title, const NamedTexts& texts) {
  if (texts.empty()) return;
  fmt::print("{}\n", title);
  for (const auto& [name, text] : texts) fmt::print("  {:<10} {}\n", name, text);
}

void print_record(const Record& r) {
  fmt::print("{}: {}\n{}\n\n  {}\n\n", coloured(Colour::kBold, r.id), r.title, r.statement,
             r.formula);
  print_tensors("in", r.inputs);
  print_tensors("out", r.outputs);
  fmt::print("Rounding   {}\nSource     {}\nStage      {} (plumb stages {})\n", r.rounding,
             r.source, r.stage, r.stage);
  print_named("Constants", r.constants);
  print_named("Readings", r.readings);
  print_list("Oracles", oracles_of(r.stage));
  print_list("Kernels", kernels_of(r.stage));
  print_list("Properties", r.properties);
  print_list("Edge cases", r.edge_cases);
  for (const std::string& id : r.discrepancies) {
    fmt::print("{}: {} (plumb records {})\n", id, find_discrepancy(id)->title, id);
  }
  if (const Json values = golden_of(r); values.is_object()) {
    fmt::print("Worked example\n");
    for (const auto& [name, value] : values.items())
      fmt::print("  {:<10} {}\n", name, value.dump());
  }
  print_evaluated(r.stage);
}

void print_discrepancy(const Discrepancy& d) {
  fmt::print("{}: {}\n  a: {}\n  b: {}\n", coloured(Colour::kBold, d.id), d.title, d.a, d.b);
  print_named("Who takes which side", d.sides);
  fmt::print("Effect     {}\nSeen with  {}\nEvidence   {}\nStage      {}\nRecords    {}\n",
             d.effect, d.input, d.evidence, d.stage, fmt::join(d.records, " "));
}

Exit explain(const std::string& id, bool json) {
  if (const Record* r = find_record(id)) {
    if (!json) {
      print_record(*r);
      return kDone;
    }
    Json row = record_json(*r);
    row["evaluated"] = evaluated(r->stage);
    print_json("records", Json::array({std::move(row)}));
    return kDone;
  }
  if (const Discrepancy* d = find_discrepancy(id)) {
    json ? print_json("discrepancies", Json::array({discrepancy_json(*d)})) : print_discrepancy(*d);
    return kDone;
  }
  return report(kWrongUse,
                "there is no record or discrepancy '" + id + "'; plumb records lists them");
}

Exit run_records(const Options& options) {
  if (options.has("ID")) return explain(options.word("ID"), options.json());
  Json rows = Json::array();
  for (const Record& r : all_records()) {
    if (options.json()) {
      rows.push_back(record_json(r));
    } else {
      fmt::print("{:<8} {:<20} {}\n", r.id, r.stage, r.title);
    }
  }
  if (options.json()) {
    print_json("records", std::move(rows));
    return kDone;
  }
  for (const Discrepancy& d : all_discrepancies())
    fmt::print("{:<8} {:<20} {}\n", d.id, d.stage, d.title);
  return kDone;
}

}  // namespace

extern const Verb records_verb;
const Verb records_verb{
    .name = "records",
    .sentence = "List the equation records and discrepancies, or explain one",
    .example = "plumb records R1-107",
    .options = {{.name = "ID",
                 .kind = OptionKind::kPosition,
                 .value = "ID",
                 .meaning = "Explain this one: R1-107, R1-D06"}},
    .run = run_records,
};

}  // namespace plumb::tools
