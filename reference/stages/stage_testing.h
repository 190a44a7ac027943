// SPDX-License-Identifier: Apache-2.0
// What the tests of stages share: inputs in one line, and one call of a reference.
#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/registry/readings.h"
#include "reference/stages/stage.h"

namespace plumb::testing_stages {

inline AnyTensor f32(const std::vector<float>& values, Shape shape) {
  return AnyTensor::of(values).reshaped(std::move(shape));
}
// Values that bf16 holds; another value is a broken promise.
inline AnyTensor bf16(const std::vector<float>& values, Shape shape) {
  AnyTensor t = AnyTensor::zeros(Dtype::kBf16, std::move(shape));
  for (std::size_t i = 0; i < values.size(); ++i) {
    store_exact(t.bytes(), Dtype::kBf16, static_cast<Index>(i), static_cast<double>(values[i]));
  }
  return t;
}
inline AnyTensor i64(const std::vector<std::int64_t>& values, Shape shape) {
  return AnyTensor::of(values).reshaped(std::move(shape));
}

// In [-1, 1), the same for the same seed.
inline std::vector<float> noise(std::uint64_t seed, std::size_t n) {
  std::vector<float> values(n);
  for (float& v : values) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    v = static_cast<float>(static_cast<int>(seed >> 40) - (1 << 23)) * 0x1p-23f;
  }
  return values;
}
inline AnyTensor noise_f32(std::uint64_t seed, const Shape& shape) {
  return f32(noise(seed, static_cast<std::size_t>(count(shape))), shape);
}

// The outputs are left in the call.
template <class T = Real>
void run(std::string_view reading, StageCall& call, const Contract& contract = {}) {
  find_reference(call.stage)->run<T>({*find_reading(reading), contract}, call);
}
template <class T = Real>
const T* run(std::string_view reading, StageCall& call, std::string_view out) {
  run<T>(reading, call);
  return call.tensor(out).data<T>();
}

inline std::vector<double> doubles(const StageCall& call, std::string_view name) {
  const AnyTensor& t = call.tensor(name);
  std::vector<double> values;
  for (Index i = 0; i < t.size(); ++i) values.push_back(t.data<Real>()[i].to_double());
  return values;
}
inline std::vector<std::int64_t> integers(const StageCall& call, std::string_view name) {
  const AnyTensor& t = call.tensor(name);
  return {t.data<std::int64_t>(), t.data<std::int64_t>() + t.size()};
}

// How a budget fares against f32 arithmetic: no value may lie outside it, and it should not be
// many times what the arithmetic needs at worst.
struct BudgetUse {
  double beyond = 0;     // most that a value lies outside its budget
  double budgets = 0;    // their sum
  double distances = 0;  // that of what was used of them
};
inline BudgetUse budget_use(const StageCall& tracked, std::string_view out,
                            const std::vector<float>& got) {
  const AnyTensor& t = tracked.tensor(out);
  BudgetUse use;
  for (Index i = 0; i < t.size(); ++i) {
    const Tracked& want = t.data<Tracked>()[i];
    const Real v(static_cast<double>(got[static_cast<std::size_t>(i)]));
    const double distance = abs(v - want.value).to_double();
    use.beyond = std::fmax(use.beyond, distance - want.error);
    use.budgets += want.error;
    use.distances += distance;
  }
  return use;
}

}  // namespace plumb::testing_stages
