// SPDX-License-Identifier: Apache-2.0
// W[r,c] = load( codes[r,c] * scale of the block x block square that (r,c) lies in )
#include "oracles/exact/element.h"
#include "oracles/exact/enclosure.h"
#include "oracles/exact/rounding.h"

namespace plumb::oracles {
namespace {

std::optional<Target> loaded_as(std::string_view reading) {
  if (reading == "real") return {};
  if (reading == "hf_f32") return Target::kF32;
  PLUMB_REQUIRE(reading == "hf_bf16" || reading == "inf_bf16" || reading == "inf_fp8",
                "the oracle does not know this reading", reading);
  return Target::kBf16;
}

}  // namespace

ExactOutput fp8_dequant(const StageCall& call, std::string_view reading) {
  const AnyTensor& codes = call.tensor("codes");
  const AnyTensor& scale = call.tensor("scale");
  const Index block = call.integer("block");
  const Index columns = codes.extent(1);
  const Index squares = (columns + block - 1) / block;  // in a row
  std::vector<Number> y;
  for (Index i = 0; i < codes.size(); ++i) {
    const Index square = i / columns / block * squares + i % columns / block;
    y.push_back(rounded(element(codes, i) * element(scale, square), loaded_as(reading)));
  }
  return {{exact_tensor("y", codes.shape(), y)}, {}};
}

}  // namespace plumb::oracles
