// SPDX-License-Identifier: Apache-2.0
// How golden tests feed numbers to stages and to the functions behind them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "oracles/agreement/golden/golden_record.h"
#include "reference/registry/readings.h"
#include "reference/registry/schema.h"
#include "reference/stages/stage.h"

namespace plumb::oracles {

inline Arithmetic in_reading(std::string_view reading) {
  static const Contract kContract;
  return {*find_reading(reading), kContract};
}

inline std::vector<Real> reals(const std::vector<GoldenNumber>& numbers) {
  std::vector<Real> values;
  for (const GoldenNumber& n : numbers) values.push_back(n.real());
  return values;
}

inline std::vector<Real> reals(const std::vector<std::int64_t>& integers) {
  std::vector<Real> values;
  for (const std::int64_t v : integers) values.emplace_back(static_cast<long long>(v));
  return values;
}

inline std::vector<std::int64_t> integers(const std::vector<GoldenNumber>& numbers) {
  std::vector<std::int64_t> values;
  for (const GoldenNumber& n : numbers) values.push_back(n.integer());
  return values;
}

inline AnyTensor tensor(const std::vector<Real>& values, const Shape& shape) {
  PLUMB_REQUIRE(count(shape) == static_cast<Index>(values.size()), values.size());
  AnyTensor t = new_tensor<Real>(shape);
  std::copy(values.begin(), values.end(), t.data<Real>());
  return t;
}

inline AnyTensor tensor(const std::vector<std::int64_t>& values, const Shape& shape) {
  return AnyTensor::of(values).reshaped(shape);
}

// The outputs, whether numbers or integers.
inline std::vector<Real> outputs(const StageCall& call, std::string_view name) {
  const AnyTensor& t = call.tensor(name);
  if (t.dtype() == Dtype::kReal) return {t.data<Real>(), t.data<Real>() + t.size()};
  return reals(
      std::vector<std::int64_t>(t.data<std::int64_t>(), t.data<std::int64_t>() + t.size()));
}

// Every parameter but these at its default: R1's own.
inline StageCall called(std::string_view stage, const std::vector<NamedTensor>& tensors,
                        const std::vector<NamedParam>& params = {},
                        const Arithmetic& arithmetic = in_reading("real")) {
  StageCall call{std::string(stage), tensors, params, {}};
  for (const ParamSchema& p : find_stage(stage)->params) {
    if (call.find_param(p.name) == nullptr) {
      call.params.push_back({std::string(p.name), p.default_value});
    }
  }
  find_reference(stage)->run<Real>(arithmetic, call);
  return call;
}

// The reading of that name, but on this side of a discrepancy.
inline Reading on_side(std::string_view reading, std::string_view discrepancy, Side side) {
  Reading other = *find_reading(reading);
  for (auto& [id, taken] : other.sides) {
    if (id == discrepancy) taken = side;
  }
  return other;
}

}  // namespace plumb::oracles
