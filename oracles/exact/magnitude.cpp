// SPDX-License-Identifier: Apache-2.0
#include "oracles/exact/magnitude.h"

#include "reference/base/require.h"

namespace plumb::oracles {

Code code_of(std::string_view reading) {
  if (reading == "real") return {{}, {}, false};
  if (reading == "hf_bf16" || reading == "hf_f32") return {Target::kF64, Target::kF32, false};
  PLUMB_REQUIRE(reading == "inf_bf16" || reading == "inf_fp8",
                "the oracle does not know this reading", reading);
  return {Target::kF64, Target::kF32, true};
}

Number magnitude(const Code& code, double s, double mu) {
  if (s <= 1) return Number(1);
  const Number factor = rounded(code.given(0.1) * code.given(mu), code.scalar);
  const Number growth = rounded(factor * rounded(log(code.given(s)), code.scalar), code.scalar);
  return rounded(growth + Number(1), code.scalar);
}

}  // namespace plumb::oracles
