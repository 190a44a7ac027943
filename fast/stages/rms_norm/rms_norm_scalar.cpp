// SPDX-License-Identifier: Apache-2.0
#include "fast/simd/bf16.h"
#include "fast/stages/rms_norm/rms_norm.h"
#include "fast/stages/row.h"

namespace plumb::fast::scalar {
namespace {

template <class X, class Gain, class Y>
void norm_row(const RmsNorm& p, const X* x, const Gain* gain, Y* y) {
  // sum_d x[d]^2
  float sum = 0;
  for (Index d = 0; d < p.x.columns; ++d) sum += widen(x[d]) * widen(x[d]);
  const float inverse = inverse_rms(sum, p.x.columns, p.eps);
  // x[d] * inverse * g[d]
  for (Index d = 0; d < p.x.columns; ++d) {
    float normalised = widen(x[d]) * inverse;
    if (p.rounding == Side::kA) normalised = rounded_to<Y>(normalised);
    y[d] = narrow<Y>(normalised * widen(gain[d]));
  }
}

template <class X, class Gain, class Y>
void norm_rows(const RmsNorm& p) {
  for (Index t = 0; t < p.x.rows; ++t) {
    norm_row(p, p.x.row<const X>(t), p.gain.row<const Gain>(0), p.y.row<Y>(t));
  }
}

template <class X, class Gain>
void for_output(const RmsNorm& p) {
  p.y.dtype == Dtype::kBf16 ? norm_rows<X, Gain, Bf16>(p) : norm_rows<X, Gain, float>(p);
}

template <class X>
void for_gain(const RmsNorm& p) {
  p.gain.dtype == Dtype::kBf16 ? for_output<X, Bf16>(p) : for_output<X, float>(p);
}

}  // namespace

void rms_norm(const RmsNorm& p) {
  set_last_target("scalar");
  p.x.dtype == Dtype::kBf16 ? for_gain<Bf16>(p) : for_gain<float>(p);
}

}  // namespace plumb::fast::scalar
