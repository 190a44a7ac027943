// SPDX-License-Identifier: Apache-2.0
#include "tools/plumb/evaluate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fixtures/shapes/shapes.h"
#include "reference/formats/storage.h"
#include "reference/registry/readings.h"
#include "reference/stages/executor.h"

namespace plumb::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr Index kValuesShown = 6;
constexpr int kDigitsShown = 12;

Index elements(const StageSchema& schema, const fixtures::NamedShape& shape) {
  const auto params = fixtures::params_of(schema, shape, *find_reading("real"));
  const std::vector<Axis> axes = fixtures::axes_of(schema, shape, params);
  Index total = 0;
  for (const TensorSchema& tensor : schema.tensors) {
    const bool given = std::ranges::find(shape.left_out, tensor.name) == shape.left_out.end();
    if (given) total += count(shape_of(tensor, axes));
  }
  return total;
}

// The stage's smallest quick shape, in a reading.
StageCall computed(const StageSchema& schema, const char* reading) {
  const std::vector<fixtures::NamedShape> shapes = fixtures::shapes(schema, "quick");
  const auto smallest = std::ranges::min_element(
      shapes, {}, [&](const fixtures::NamedShape& s) { return elements(schema, s); });
  StageCall call = fixtures::generate(schema, {*smallest, fixtures::Profile::kNormal, 0, "hf_bf16",
                                               fixtures::Storage::kPlain})
                       .value();
  PlainExecutor(*find_reading(reading)).run(call);
  return call;
}

std::vector<std::string> values(const AnyTensor& given) {
  const AnyTensor t = given.contiguous() ? given : given.copied();
  std::vector<std::string> shown;
  for (Index i = 0; i < std::min(t.size(), kValuesShown); ++i) {
    shown.push_back(t.dtype() == Dtype::kReal
                        ? t.data<Real>()[i].to_string(kDigitsShown)
                        : fmt::format("{:.{}g}", load(t.bytes(), t.dtype(), i), kDigitsShown));
  }
  return shown;
}

}  // namespace

Json evaluated(std::string_view stage) {
  const StageSchema& schema = *find_stage(stage);
  const StageCall exact = computed(schema, "real");
  const StageCall released = computed(schema, "hf_bf16");
  Json rows = Json::array();
  for (const TensorSchema& tensor : schema.tensors) {
    const AnyTensor* t = exact.find(tensor.name);
    if (t == nullptr) continue;
    Json row{{"tensor", tensor.name},
             {"role", name_of(tensor.role)},
             {"shape", t->shape()},
             {"values", values(*t)}};
    if (tensor.role != Role::kIn) row["hf_bf16"] = values(released.tensor(tensor.name));
    rows.push_back(std::move(row));
  }
  return rows;
}

void print_evaluated(std::string_view stage) {
  fmt::print("Evaluated on a small input, the first values of each tensor\n");
  for (const Json& row : evaluated(stage)) {
    const auto shown = row["values"].get<std::vector<std::string>>();
    fmt::print("  {:<4} {:<14} {:<12} {}\n", row["role"].get<std::string>(),
               row["tensor"].get<std::string>(), row["shape"].dump(), fmt::join(shown, " "));
    if (row.contains("hf_bf16") && row["hf_bf16"] != row["values"]) {
      fmt::print("  {:<4} {:<14} {:<12} {}\n", "", "  in hf_bf16", "",
                 fmt::join(row["hf_bf16"].get<std::vector<std::string>>(), " "));
    }
  }
}

}  // namespace plumb::tools
