// SPDX-License-Identifier: Apache-2.0
// RMSNorm(x, g)[j] = out( g[j] * inner( x[j] / sqrt(mean_m x[m]^2 + eps) ) )
#include "oracles/exact/element.h"
#include "oracles/exact/enclosure.h"
#include "oracles/exact/rounding.h"

namespace plumb::oracles {
namespace {

struct Row {
  std::string_view reading;
  std::optional<Target> eps;    // the constant as the code holds it
  std::optional<Target> inner;  // the unit-scale value before the gain
  std::optional<Target> out;
};

const Row& row_of(std::string_view reading) {
  static const Row kRows[] = {
      {"real", {}, {}, {}},
      {"hf_bf16", Target::kF32, Target::kBf16, Target::kBf16},
      {"hf_f32", Target::kF32, Target::kF32, Target::kF32},
      {"inf_bf16", Target::kF32, Target::kBf16, Target::kBf16},
      {"inf_fp8", Target::kF32, Target::kBf16, Target::kBf16},
  };
  for (const Row& row : kRows) {
    if (row.reading == reading) return row;
  }
  PLUMB_REQUIRE(false, "the oracle does not know this reading", reading);
  return kRows[0];
}

}  // namespace

ExactOutput rms_norm(const StageCall& call, std::string_view reading) {
  const AnyTensor& x = call.tensor("x");
  const AnyTensor& gain = call.tensor("gain");
  const Row& row = row_of(reading);
  const Index tokens = x.extent(0);
  const Index width = x.extent(1);
  const Number eps = rounded(Rational::shortest_decimal(call.number("eps")), row.eps);

  std::vector<Number> y;
  for (Index t = 0; t < tokens; ++t) {
    Number squares(0);
    for (Index d = 0; d < width; ++d) {
      const Number v = element(x, t * width + d);
      squares = squares + v * v;
    }
    const Number root = sqrt(squares / Number(width) + eps);
    // Released code multiplies by the reciprocal: with an infinite root it is 0, and 0 * inf is
    // NaN.
    const Number reciprocal = Number(1) / root;
    for (Index d = 0; d < width; ++d) {
      const Number unit = rounded(element(x, t * width + d) * reciprocal, row.inner);
      y.push_back(rounded(unit * element(gain, d), row.out));
    }
  }
  return {{exact_tensor("y", {tokens, width}, y)}, {}};
}

}  // namespace plumb::oracles
