// SPDX-License-Identifier: Apache-2.0
// Scales each token to unit root mean square, then applies a gain per channel.
//   y[t,d] = x[t,d] / sqrt(mean_d x[t,d]^2 + eps) * g[d]
// Shapes: x[T,D], g[D] -> y[T,D].
// Types:  x, g, y each bf16 or f32. Squares are summed in f32; where the side is a, the normalised
// value is
//         rounded to y's type before the gain, where it is b only the product is (R1-D18).
// Needs:  rows contiguous.    NaN: poisons its own row only.
#pragma once

#include <cmath>

#include "fast/stages/call.h"

namespace plumb::fast {

struct RmsNorm {
  static constexpr const char* kStage = "rms_norm";
  static RmsNorm read(CallReader& call);

  Matrix x, gain, y;
  double eps;
  Side rounding;
};

namespace scalar {
void rms_norm(const RmsNorm& problem);
}

// What a row is multiplied by. Once a row, so double costs nothing and leaves one rounding, to f32.
inline float inverse_rms(float sum_of_squares, Index columns, double eps) {
  const double mean = static_cast<double>(sum_of_squares) / static_cast<double>(columns);
  return static_cast<float>(1.0 / std::sqrt(mean + eps));
}

}  // namespace plumb::fast
