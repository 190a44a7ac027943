// SPDX-License-Identifier: Apache-2.0
#include "oracles/agreement/agreement.h"

#include <gtest/gtest.h>

#include <string>

#include "reference/registry/readings.h"
#include "reference/stages/stage.h"

namespace plumb::oracles {
namespace {

// Error that the reference may have where nothing is rounded: a few operations of 168 or 334 bits.
template <class T>
constexpr int kAllowedBits = std::is_same_v<T, Real> ? 150 : 310;

template <class T>
bool agrees(const Enclosure& want, const T& got, bool rounds, int lost_bits) {
  using Kind = Enclosure::Kind;
  if (got.is_nan()) return want.kind == Kind::kNan;
  if (got.is_infinite()) {
    return want.kind == (got.is_negative() ? Kind::kMinusInfinity : Kind::kPlusInfinity);
  }
  const std::vector<Dyadic> value = parts_of(got);
  return rounds ? holds(want, value) : within(want, value, kAllowedBits<T> - lost_bits);
}

template <class T>
void expect_tensor(const ExactTensor& want, const AnyTensor& got, bool rounds, int lost_bits,
                   const std::string& where) {
  ASSERT_EQ(got.shape(), want.shape) << where << want.name;
  int shown = 0;
  for (std::size_t i = 0; i < want.elements.size(); ++i) {
    const Enclosure& e = want.elements[i];
    EXPECT_NE(static_cast<int>(e.kind), static_cast<int>(Enclosure::Kind::kUndecided))
        << where << want.name << "[" << i << "] is undecided";
    const T& v = got.data<T>()[got.offset_of(static_cast<Index>(i))];
    if (agrees(e, v, rounds, lost_bits)) continue;
    ADD_FAILURE() << where << want.name << "[" << i << "] is " << v.to_string(40)
                  << "; the oracle: " << static_cast<int>(e.kind) << " " << e.low << " .. "
                  << e.high;
    if (++shown == 3) return;
  }
}

void expect_selection(const ExactSelection& want, const AnyTensor& got, const std::string& where) {
  std::vector<Index> chosen;
  const Index k = got.extent(1);
  for (Index i = 0; i < k; ++i) {
    chosen.push_back(got.data<std::int64_t>()[got.offset_of(want.row * k + i)]);
  }
  EXPECT_TRUE(want.admits(chosen)) << where << want.name << " row " << want.row;
}

template <class T>
StageCall run(const StageCall& call, std::string_view reading, const ExactOutput& want,
              int lost_bits) {
  StageCall computed = call;
  const Contract contract;
  find_reference(call.stage)->run<T>({*find_reading(reading), contract}, computed);
  const std::string where = std::string(reading) + (std::is_same_v<T, Real> ? " 50: " : " 100: ");
  for (const ExactTensor& t : want.tensors) {
    expect_tensor<T>(t, computed.tensor(t.name), reading != "real", lost_bits, where);
  }
  for (const ExactSelection& s : want.selections) {
    expect_selection(s, computed.tensor(s.name), where);
  }
  return computed;
}

void expect_forty_digits(const AnyTensor& narrow, const AnyTensor& wide, const std::string& name) {
  const RealWide share = RealWide::from_decimal("1e-40");
  for (Index i = 0; i < narrow.size(); ++i) {
    const RealWide a(narrow.data<Real>()[narrow.offset_of(i)]);
    const RealWide b = wide.data<RealWide>()[wide.offset_of(i)];
    if (a == b || (a.is_nan() && b.is_nan())) continue;
    EXPECT_TRUE(abs(a - b) <= share * abs(b)) << name << "[" << i << "]: 50 and 100 digits differ";
  }
}

}  // namespace

template <class T>
std::vector<Dyadic> parts_of(T v) {
  std::vector<Dyadic> parts;
  while (!v.is_zero()) {
    // The top 53 bits, cut off.
    const long last_bit = v.exponent() - 52;
    const T top = abs(v).scaled_by_power_of_two(-last_bit).floor();
    const double mantissa = v.is_negative() ? -top.to_double() : top.to_double();
    parts.push_back({mantissa, last_bit});
    v -= T(mantissa).scaled_by_power_of_two(last_bit);
  }
  return parts;
}
template std::vector<Dyadic> parts_of(Real);
template std::vector<Dyadic> parts_of(RealWide);

Index expect_agreement(const StageCall& call, std::string_view reading, int lost_bits) {
  const ExactOutput want = find_oracle(call.stage)->compute(call, reading);
  const StageCall narrow = run<Real>(call, reading, want, lost_bits);
  const StageCall wide = run<RealWide>(call, reading, want, lost_bits);
  Index compared = 0;
  for (const ExactTensor& t : want.tensors) {
    expect_forty_digits(narrow.tensor(t.name), wide.tensor(t.name), t.name);
    compared += static_cast<Index>(t.elements.size());
  }
  return compared;
}

}  // namespace plumb::oracles
