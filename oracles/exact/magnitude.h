// SPDX-License-Identifier: Apache-2.0
// YaRN's magnitude, and how the code behind a reading computes scalars and rotary vectors.
#pragma once

#include "oracles/exact/rounding.h"

namespace plumb::oracles {

struct Code {
  std::optional<Target> scalar;  // each operation on Python numbers
  std::optional<Target> vector;  // each operation on rotary frequencies and angles
  bool inference;                // DeepSeek's own inference code

  // A number of the configuration.
  Number given(double v) const { return rounded(Rational::shortest_decimal(v), scalar); }
};

Code code_of(std::string_view reading);

// 1 + 0.1 mu ln s for s > 1, else 1
Number magnitude(const Code& code, double s, double mu);

}  // namespace plumb::oracles
