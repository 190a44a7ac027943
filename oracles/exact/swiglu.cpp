// SPDX-License-Identifier: Apache-2.0
// y = out( out( g / (1 + e^-g) ) * u ), g the gate, u the other half
#include "oracles/exact/element.h"
#include "oracles/exact/enclosure.h"
#include "oracles/exact/rounding.h"

namespace plumb::oracles {
namespace {

// Both codes call silu as one function and store what it returns like the product.
std::optional<Target> stored_as(std::string_view reading) {
  if (reading == "real") return {};
  if (reading == "hf_f32") return Target::kF32;
  PLUMB_REQUIRE(reading == "hf_bf16" || reading == "inf_bf16" || reading == "inf_fp8",
                "the oracle does not know this reading", reading);
  return Target::kBf16;
}

}  // namespace

ExactOutput swiglu(const StageCall& call, std::string_view reading) {
  const AnyTensor& gate = call.tensor("gate");
  const AnyTensor& up = call.tensor("up");
  const auto target = stored_as(reading);
  std::vector<Number> y;
  for (Index i = 0; i < gate.size(); ++i) {
    const Number g = element(gate, i);
    const Number silu = g / (Number(1) + exp(Number(0) - g));
    y.push_back(rounded(rounded(silu, target) * element(up, i), target));
  }
  return {{exact_tensor("y", gate.shape(), y)}, {}};
}

}  // namespace plumb::oracles
