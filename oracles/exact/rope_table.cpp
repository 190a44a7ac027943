// SPDX-License-Identifier: Apache-2.0
// Column i and column i + half of row p hold cos and sin of t[p] f[i], scaled; t = p / stretch.
#include "oracles/exact/element.h"
#include "oracles/exact/enclosure.h"
#include "oracles/exact/magnitude.h"

namespace plumb::oracles {

ExactOutput rope_table(const StageCall& call, std::string_view reading) {
  const Code code = code_of(reading);
  const std::optional<Target> stored = reading == "hf_bf16" ? Target::kBf16 : code.vector;
  const AnyTensor& positions = call.tensor("positions");
  const AnyTensor& frequency = call.tensor("inv_freq");
  const Number scale = element(call.tensor("table_scale"), 0);
  const Number stretch = code.given(call.number("stretch"));
  const Index rows = positions.extent(0);
  const Index half = frequency.extent(0);

  std::vector<Number> angles, cosines, sines;
  for (Index p = 0; p < rows; ++p) {
    const Number t =
        rounded(Number(positions.view<const std::int64_t, 1>()(p)) / stretch, code.vector);
    for (Index i = 0; i < half; ++i) {
      angles.push_back(rounded(t * element(frequency, i), code.vector));
    }
    for (Index column = 0; column < 2 * half; ++column) {
      const Number& angle = angles[static_cast<std::size_t>(p * half + column % half)];
      cosines.push_back(rounded(cos(angle) * scale, stored));
      sines.push_back(rounded(sin(angle) * scale, stored));
    }
  }
  return {
      {exact_tensor("angles", {rows, half}, angles), exact_tensor("cos", {rows, 2 * half}, cosines),
       exact_tensor("sin", {rows, 2 * half}, sines)},
      {}};
}

}  // namespace plumb::oracles
