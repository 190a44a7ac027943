// SPDX-License-Identifier: Apache-2.0
#include "reference/scalar/arithmetic.h"

#include <array>
#include <charconv>

#include "reference/base/require.h"

namespace plumb {
namespace {

std::string_view shortest_decimal(double v, std::array<char, 40>& buffer) {
  const auto [end, status] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), v);
  PLUMB_REQUIRE(status == std::errc{}, v);
  return {buffer.data(), static_cast<std::size_t>(end - buffer.data())};
}

template <int Digits>
BigFloat<Digits> decimal(double v) {
  std::array<char, 40> buffer{};
  return BigFloat<Digits>::from_decimal(shortest_decimal(v, buffer));
}

}  // namespace

template <class T>
T constant(const Arithmetic& arithmetic, double v, Slot slot) {
  const auto& format = arithmetic.reading.format(slot);
  if (format) return lifted<T>(arithmetic, round_to(*format, v));
  if constexpr (std::is_same_v<T, double>) {
    return v;
  } else if constexpr (std::is_same_v<T, Tracked>) {
    Tracked r(decimal<50>(v), &arithmetic.contract);
    // A kernel cannot hold the decimal; it holds the constant in its accumulator's format.
    r.slack = std::abs(v) * std::ldexp(1.0, 1 - Real::kBits);
    add_operation_error(r, 1);
    return r;
  } else {
    return decimal < std::is_same_v<T, Real> ? 50 : 100 > (v);
  }
}

template double constant(const Arithmetic&, double, Slot);
template Real constant(const Arithmetic&, double, Slot);
template RealWide constant(const Arithmetic&, double, Slot);
template Tracked constant(const Arithmetic&, double, Slot);

Side Reading::side(std::string_view discrepancy) const {
  for (const auto& [id, side] : sides) {
    if (id == discrepancy) return side;
  }
  PLUMB_REQUIRE(false, "the reading decides no such discrepancy", name, discrepancy);
  return Side::kA;
}

std::string_view name_of(Slot slot) {
  constexpr std::array<std::string_view, static_cast<std::size_t>(Slot::kCount)> kNames{
      "activation",    "normalised",  "weight",        "quantised",    "constant",
      "scalar",        "frequency",   "angle",         "rope_table",   "rotation",
      "scores",        "probability", "silu",          "router_input", "router",
      "router_biased", "router_bias", "router_weight", "combine",      "logits"};
  return kNames[static_cast<std::size_t>(slot)];
}

}  // namespace plumb
