// SPDX-License-Identifier: Apache-2.0
// y = out( r + u )
#include "oracles/exact/element.h"
#include "oracles/exact/enclosure.h"
#include "oracles/exact/rounding.h"

namespace plumb::oracles {
namespace {

std::optional<Target> out_of(std::string_view reading) {
  if (reading == "real") return {};
  if (reading == "hf_f32") return Target::kF32;
  PLUMB_REQUIRE(reading == "hf_bf16" || reading == "inf_bf16" || reading == "inf_fp8",
                "the oracle does not know this reading", reading);
  return Target::kBf16;
}

}  // namespace

ExactOutput residual(const StageCall& call, std::string_view reading) {
  const AnyTensor& r = call.tensor("r");
  const AnyTensor& u = call.tensor("u");
  std::vector<Number> y;
  for (Index i = 0; i < r.size(); ++i) {
    y.push_back(rounded(element(r, i) + element(u, i), out_of(reading)));
  }
  return {{exact_tensor("y", r.shape(), y)}, {}};
}

}  // namespace plumb::oracles
