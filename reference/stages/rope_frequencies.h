// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reference/exact/operand.h"
#include "reference/stages/rotary.h"

namespace plumb::reference {

struct RotaryConfig {
  std::string kind;  // plain, linear, dynamic or yarn
  double base;       // theta
  double factor;     // s
  Index original_length;
  Index max_length;  // positions that the engine serves
  Index length;      // dynamic: tokens seen
  double beta_fast, beta_slow;
  double mscale, mscale_all_dim;
};

// One entry a pair. What YaRN alone computes stays unwritten for the other kinds.
template <class T>
struct Frequencies {
  TensorView<T, 1> inv_freq, freq_extra, freq_inter, ramp;
  TensorView<T, 1> table_scale;        // [1]
  TensorView<std::int64_t, 1> bounds;  // [2]: where the ramp begins and ends
};

// Frequencies of the rotary embedding. The formulas stand in rotary.h.
//   plain, linear: f = fe;  dynamic: f = fe of a larger base;  yarn: f blended from fe and fi
// Shapes: f[half], half = dim/2.
// Types:  f32, rounded at each operation; scalars f64, likewise. `real` rounds nowhere.
// Needs:  base > 1, half > 0; dynamic: half > 1.    R1-D24 b: yarn only if max_length >
// original_length. Budget: the power within the contract's ulps; all else is the reading's own
// rounding.
template <class T>
void rope_frequencies(const Arithmetic& arithmetic, const RotaryConfig& config,
                      const Frequencies<T>& out);

// Whether YaRN's frequencies and magnitude apply.
inline bool yarn_applies(const Arithmetic& arithmetic, Index max_length, Index original_length) {
  return arithmetic.takes("R1-D24", Side::kA) || max_length > original_length;
}

}  // namespace plumb::reference
