// SPDX-License-Identifier: Apache-2.0
// The equation records and the discrepancies of the sources, as data: reference/registry/data,
// embedded by the build. Where a field is open-ended (constants), its value is JSON text.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumb {

struct RecordTensor {
  std::string name, shape, dtype;
};

using NamedTexts = std::vector<std::pair<std::string, std::string>>;

// One equation of the sources.
struct Record {
  std::string id;  // "R1-107"
  int page;        // of the document of records
  std::string title, statement, formula;
  std::vector<RecordTensor> inputs, outputs;
  std::string rounding;  // in words; a reading holds the rounding points as data
  std::string source;    // where the published code computes it
  std::string stage;
  std::vector<std::string> properties, edge_cases;
  std::vector<std::string> discrepancies;  // ids
  NamedTexts constants;
  NamedTexts readings;  // what each reading does here, in words; empty: all do the same
};

// Two statements of the sources that disagree.
struct Discrepancy {
  std::string id;  // "R1-D06"
  std::string title, a, b;
  NamedTexts sides;           // which source takes which side: a, b, both, neither
  std::string effect, input;  // what differs, and the smallest input that shows it
  std::vector<std::string> numbers;
  std::vector<std::string> records;
  std::string evidence;  // "run", "read" or "third party"
  std::string stage;
};

const std::vector<Record>& all_records();
const Record* find_record(std::string_view id);

const std::vector<Discrepancy>& all_discrepancies();
const Discrepancy* find_discrepancy(std::string_view id);

}  // namespace plumb
