// SPDX-License-Identifier: Apache-2.0
#include "reference/registry/records.h"

#include <nlohmann/json.hpp>

#include "reference/base/require.h"

namespace plumb {
namespace registry {
extern const std::string_view kR1Records;
extern const std::string_view kR1Discrepancies;
}  // namespace registry

namespace {

using Json = nlohmann::ordered_json;

// The data are our own and embedded, so a malformed row is a broken promise, not an error of the
// user's.
const Json& field(const Json& row, const char* name) {
  PLUMB_REQUIRE(row.contains(name), name, row.value("id", "no id"));
  return row.at(name);
}

std::string text(const Json& row, const char* name) {
  const Json& value = field(row, name);
  PLUMB_REQUIRE(value.is_string(), name, row.value("id", "no id"));
  return value.get<std::string>();
}

std::vector<std::string> texts(const Json& row, const char* name) {
  return field(row, name).get<std::vector<std::string>>();
}

NamedTexts named(const Json& object) {
  NamedTexts rows;
  for (const auto& [name, value] : object.items()) {
    rows.emplace_back(name, value.is_string() ? value.get<std::string>() : value.dump());
  }
  return rows;
}

std::vector<RecordTensor> tensors(const Json& list) {
  std::vector<RecordTensor> rows;
  for (const Json& t : list) rows.push_back({text(t, "name"), text(t, "shape"), text(t, "dtype")});
  return rows;
}

Record record(const Json& row) {
  const Json& shapes = field(row, "shapes");
  return {
      .id = text(row, "id"),
      .page = field(row, "page").get<int>(),
      .title = text(row, "title"),
      .statement = text(row, "statement"),
      .formula = text(row, "formula"),
      .inputs = tensors(field(shapes, "in")),
      .outputs = tensors(field(shapes, "out")),
      .rounding = text(row, "rounding"),
      .source = text(row, "source"),
      .stage = text(row, "stage"),
      .properties = texts(row, "properties"),
      .edge_cases = texts(row, "edge_cases"),
      .discrepancies = texts(row, "discrepancies"),
      .constants = named(field(row, "constants")),
      .readings = row.contains("readings") ? named(row["readings"]) : NamedTexts{},
  };
}

Discrepancy discrepancy(const Json& row) {
  return {
      .id = text(row, "id"),
      .title = text(row, "title"),
      .a = text(row, "a"),
      .b = text(row, "b"),
      .sides = named(field(row, "side")),
      .effect = text(row, "effect"),
      .input = text(row, "input"),
      .numbers = texts(row, "numbers"),
      .records = texts(row, "records"),
      .evidence = text(row, "evidence"),
      .stage = text(row, "stage"),
  };
}

template <class Row>
std::vector<Row> rows(std::initializer_list<std::string_view> files, Row (*read)(const Json&)) {
  std::vector<Row> all;
  for (const std::string_view file : files) {
    for (const Json& row : Json::parse(file)) all.push_back(read(row));
  }
  return all;
}

template <class Row>
const Row* find(const std::vector<Row>& all, std::string_view id) {
  for (const Row& row : all) {
    if (row.id == id) return &row;
  }
  return nullptr;
}

}  // namespace

const std::vector<Record>& all_records() {
  static const std::vector<Record> kRecords = rows({registry::kR1Records}, record);
  return kRecords;
}

const Record* find_record(std::string_view id) { return find(all_records(), id); }

const std::vector<Discrepancy>& all_discrepancies() {
  static const std::vector<Discrepancy> kRows = rows({registry::kR1Discrepancies}, discrepancy);
  return kRows;
}

const Discrepancy* find_discrepancy(std::string_view id) { return find(all_discrepancies(), id); }

}  // namespace plumb
