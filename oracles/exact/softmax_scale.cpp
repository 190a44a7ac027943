// SPDX-License-Identifier: Apache-2.0
// sigma = width^(-1/2), times the square of YaRN's magnitude where YaRN applies.
#include "oracles/exact/enclosure.h"
#include "oracles/exact/magnitude.h"

namespace plumb::oracles {

ExactOutput softmax_scale(const StageCall& call, std::string_view reading) {
  const Code code = code_of(reading);
  const Number width(call.integer("nope_dim") + call.integer("rope_dim"));
  Number sigma = rounded(Number(1) / sqrt(width), code.scalar);
  const bool longer = call.integer("max_length") > call.integer("original_length");
  if (call.integer("yarn") == 1 && (longer || !code.inference)) {
    const Number m = magnitude(code, call.number("factor"), call.number("mscale_all_dim"));
    for (int times = 0; times < 2; ++times) sigma = rounded(sigma * m, code.scalar);
  }
  return {{exact_tensor("sigma", {1}, {sigma})}, {}};
}

}  // namespace plumb::oracles
