// SPDX-License-Identifier: Apache-2.0
// Each pair (a, b) = (x[2i], x[2i+1]) is the complex number a + ib; it is multiplied by cos + i
// sin.
#include "oracles/exact/element.h"
#include "oracles/exact/enclosure.h"
#include "oracles/exact/rounding.h"

namespace plumb::oracles {
namespace {

struct Row {
  std::string_view reading;
  std::optional<Target> step;  // each product and the sum
  std::optional<Target> out;
  bool interleaved;  // the product goes where the pair was; else (real, imaginary) to (i, i + half)
};

const Row& row_of(std::string_view reading) {
  static const Row kRows[] = {
      {"real", {}, {}, false},
      {"hf_bf16", Target::kBf16, Target::kBf16, false},
      {"hf_f32", Target::kF32, Target::kF32, false},
      {"inf_bf16", {}, Target::kBf16, true},
      {"inf_fp8", {}, Target::kBf16, true},
  };
  for (const Row& row : kRows) {
    if (row.reading == reading) return row;
  }
  PLUMB_REQUIRE(false, "the oracle does not know this reading", reading);
  return kRows[0];
}

}  // namespace

ExactOutput rope(const StageCall& call, std::string_view reading) {
  const Row& row = row_of(reading);
  const AnyTensor& x = call.tensor("x");
  const AnyTensor& cosines = call.tensor("cos");
  const AnyTensor& sines = call.tensor("sin");
  const auto positions = call.tensor("positions").view<const std::int64_t, 2>();
  const Index heads = x.extent(1), tokens = x.extent(2), width = x.extent(3), half = width / 2;
  const auto step = [&](const Number& n) { return rounded(n, row.step); };

  std::vector<Number> y(static_cast<std::size_t>(x.size()));
  for (Index vector = 0; vector < x.size() / width; ++vector) {
    const Index table = positions(vector / (heads * tokens), vector % tokens) * width;
    for (Index i = 0; i < half; ++i) {
      const Number a = element(x, vector * width + 2 * i);
      const Number b = element(x, vector * width + 2 * i + 1);
      const Number real =
          step(step(a * element(cosines, table + i)) - step(b * element(sines, table + i)));
      const Number imaginary = step(step(b * element(cosines, table + i + half)) +
                                    step(a * element(sines, table + i + half)));
      const Index place = vector * width + (row.interleaved ? 2 * i : i);
      y[static_cast<std::size_t>(place)] = rounded(real, row.out);
      y[static_cast<std::size_t>(place + (row.interleaved ? 1 : half))] =
          rounded(imaginary, row.out);
    }
  }
  return {{exact_tensor("y", x.shape(), y)}, {}};
}

}  // namespace plumb::oracles
