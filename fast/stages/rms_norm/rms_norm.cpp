// SPDX-License-Identifier: Apache-2.0
#include "fast/stages/rms_norm/rms_norm.h"

namespace plumb::fast {

RmsNorm RmsNorm::read(CallReader& call) {
  RmsNorm p;
  p.x = call.tensor("x", 2, {Dtype::kBf16, Dtype::kF32});
  p.gain = call.tensor("gain", 1, {Dtype::kBf16, Dtype::kF32});
  p.y = call.tensor("y", 2, {Dtype::kBf16, Dtype::kF32});
  call.expect_shape("gain", p.gain, 1, p.x.columns);
  call.expect_shape("y", p.y, p.x.rows, p.x.columns);
  p.eps = call.number("eps");
  p.rounding = call.side("R1-D18");
  return p;
}

}  // namespace plumb::fast
