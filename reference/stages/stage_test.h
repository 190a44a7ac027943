// SPDX-License-Identifier: Apache-2.0
// How the tests of stages write a call down and read its outputs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reference/registry/readings.h"
#include "reference/registry/schema.h"
#include "reference/stages/stage.h"

namespace plumb {

inline AnyTensor f32(const std::vector<float>& values, Shape shape) {
  return AnyTensor::of(values).reshaped(std::move(shape));
}

inline AnyTensor i64(const std::vector<std::int64_t>& values, Shape shape) {
  return AnyTensor::of(values).reshaped(std::move(shape));
}

// Every parameter but these at its default.
inline StageCall stage_call(std::string_view stage, const std::vector<NamedTensor>& tensors,
                            const std::vector<NamedParam>& params = {}) {
  StageCall call{std::string(stage), tensors, params, {}};
  for (const ParamSchema& p : find_stage(stage)->params) {
    if (call.find_param(p.name) == nullptr) {
      call.params.push_back({std::string(p.name), p.default_value});
    }
  }
  return call;
}

template <class T = Real>
StageCall computed(StageCall call, const Reading& reading) {
  const Contract contract;
  find_reference(call.stage)->run<T>({reading, contract}, call);
  return call;
}

template <class T = Real>
StageCall computed(StageCall call, std::string_view reading) {
  return computed<T>(std::move(call), *find_reading(reading));
}

// The reading of that name, but on this side of a discrepancy.
inline Reading on_side(std::string_view reading, std::string_view discrepancy, Side side) {
  Reading other = *find_reading(reading);
  for (auto& [id, taken] : other.sides) {
    if (id == discrepancy) taken = side;
  }
  return other;
}

template <class T = Real>
std::vector<double> numbers(const StageCall& call, std::string_view tensor) {
  const AnyTensor& t = call.tensor(tensor);
  std::vector<double> values;
  for (Index i = 0; i < t.size(); ++i) {
    if constexpr (std::is_same_v<T, Tracked>) {
      values.push_back(t.data<T>()[i].value.to_double());
    } else {
      values.push_back(t.data<T>()[i].to_double());
    }
  }
  return values;
}

inline std::vector<std::int64_t> integers(const StageCall& call, std::string_view tensor) {
  const AnyTensor& t = call.tensor(tensor);
  return {t.data<std::int64_t>(), t.data<std::int64_t>() + t.size()};
}

}  // namespace plumb
