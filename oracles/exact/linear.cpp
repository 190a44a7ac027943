// SPDX-License-Identifier: Apache-2.0
// y[n,o] = out( sum_i x[n,i] weight[o,i] ), both operands times the scale of their block where they
// have one: activations one for each `block` features of a token, weights one for each block x
// block square.
#include "oracles/exact/element.h"
#include "oracles/exact/enclosure.h"
#include "oracles/exact/rounding.h"

namespace plumb::oracles {
namespace {

struct Row {
  std::string_view reading;
  // A scaled weight that is dequantised before use. DeepSeek's own code does that to bf16 in both
  // of its modes, but for a weight that meets quantised activations: there codes and scales act by
  // themselves.
  std::optional<Target> dequantised;
  std::optional<Target> out;
};

const Row& row_of(std::string_view reading) {
  static const Row kRows[] = {
      {"real", {}, {}},
      {"hf_bf16", Target::kBf16, Target::kBf16},
      {"hf_f32", Target::kF32, Target::kF32},
      {"inf_bf16", Target::kBf16, Target::kBf16},
      {"inf_fp8", Target::kBf16, Target::kBf16},
  };
  for (const Row& row : kRows) {
    if (row.reading == reading) return row;
  }
  PLUMB_REQUIRE(false, "the oracle does not know this reading", reading);
  return kRows[0];
}

Index blocks(Index extent, Index block) { return (extent + block - 1) / block; }

}  // namespace

ExactOutput linear(const StageCall& call, std::string_view reading) {
  const AnyTensor& x = call.tensor("x");
  const AnyTensor& weight = call.tensor("weight");
  const AnyTensor* const x_scale = call.find("x_scale");
  const AnyTensor* const weight_scale = call.find("weight_scale");
  const Index block = call.integer("block");
  const Row& row = row_of(reading);
  const Index tokens = x.extent(0);
  const Index inputs = x.extent(1);
  const Index outputs = weight.extent(0);
  const Index columns = blocks(inputs, block);

  std::vector<Number> y;
  for (Index n = 0; n < tokens; ++n) {
    for (Index o = 0; o < outputs; ++o) {
      Number sum(0);
      for (Index i = 0; i < inputs; ++i) {
        Number w = element(weight, o * inputs + i);
        if (weight_scale != nullptr) {
          w = w * element(*weight_scale, (o / block) * columns + i / block);
          if (x_scale == nullptr) w = rounded(w, row.dequantised);
        }
        Number v = element(x, n * inputs + i);
        if (x_scale != nullptr) v = v * element(*x_scale, n * columns + i / block);
        sum = sum + v * w;
      }
      y.push_back(rounded(sum, row.out));
    }
  }
  return {{exact_tensor("y", {tokens, outputs}, y)}, {}};
}

}  // namespace plumb::oracles
