// SPDX-License-Identifier: Apache-2.0
// o[b,h,i,d] = out( sum_t weights[b,h,i,t] value[b,h,t,d] )
#include "oracles/exact/element.h"
#include "oracles/exact/enclosure.h"
#include "oracles/exact/rounding.h"

namespace plumb::oracles {
namespace {

std::optional<Target> context_of(std::string_view reading) {
  if (reading == "real") return {};
  if (reading == "hf_f32") return Target::kF32;
  PLUMB_REQUIRE(reading == "hf_bf16" || reading == "inf_bf16" || reading == "inf_fp8",
                "the oracle does not know this reading", reading);
  return Target::kBf16;
}

}  // namespace

ExactOutput attention_context(const StageCall& call, std::string_view reading) {
  const AnyTensor& weights = call.tensor("weights");
  const AnyTensor& value = call.tensor("value");
  const std::optional<Target> target = context_of(reading);
  const Index batches = weights.extent(0), heads = weights.extent(1), queries = weights.extent(2);
  const Index keys = weights.extent(3), width = value.extent(3);

  std::vector<Number> context;
  for (Index head = 0; head < batches * heads; ++head) {
    for (Index i = 0; i < queries; ++i) {
      for (Index d = 0; d < width; ++d) {
        Number sum(0);
        for (Index t = 0; t < keys; ++t) {
          sum = sum + element(weights, (head * queries + i) * keys + t) *
                          element(value, (head * keys + t) * width + d);
        }
        context.push_back(rounded(sum, target));
      }
    }
  }
  return {{exact_tensor("context", {batches, heads, queries, width}, context)}, {}};
}

}  // namespace plumb::oracles
