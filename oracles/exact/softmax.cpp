// SPDX-License-Identifier: Apache-2.0
// a[t] = out( exp(s[t] - max s) / sum_u exp(s[u] - max s) ) along the last axis. A NaN makes its
// row NaN; so does an infinite maximum, for inf - inf is one.
#include "oracles/exact/element.h"
#include "oracles/exact/enclosure.h"
#include "oracles/exact/rounding.h"

namespace plumb::oracles {
namespace {

std::optional<Target> weight_of(std::string_view reading) {
  if (reading == "real") return {};
  if (reading == "hf_f32") return Target::kF32;
  PLUMB_REQUIRE(reading == "hf_bf16" || reading == "inf_bf16" || reading == "inf_fp8",
                "the oracle does not know this reading", reading);
  return Target::kBf16;
}

std::vector<Number> weights(const std::vector<Number>& scores) {
  Number largest = scores[0];
  for (const Number& s : scores) {
    if (s.kind() == Number::Kind::kNan) return std::vector<Number>(scores.size(), s);
    if (compare(s, largest) == 1) largest = s;
  }
  Number total(0);
  std::vector<Number> terms;
  for (const Number& s : scores) {
    terms.push_back(exp(s - largest));
    total = total + terms.back();
  }
  for (Number& term : terms) term = term / total;
  return terms;
}

}  // namespace

ExactOutput softmax(const StageCall& call, std::string_view reading) {
  const AnyTensor& scores = call.tensor("scores");
  const std::optional<Target> target = weight_of(reading);
  const Index keys = scores.extent(3);
  std::vector<Number> all;
  for (Index begin = 0; begin < scores.size(); begin += keys) {
    std::vector<Number> row;
    for (Index t = 0; t < keys; ++t) row.push_back(element(scores, begin + t));
    for (const Number& a : weights(row)) all.push_back(rounded(a, target));
  }
  return {{exact_tensor("weights", scores.shape(), all)}, {}};
}

}  // namespace plumb::oracles
