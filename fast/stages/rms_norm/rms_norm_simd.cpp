// SPDX-License-Identifier: Apache-2.0
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fast/stages/rms_norm/rms_norm_simd.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "fast/simd/numbers-inl.h"
#include "fast/simd/scratch.h"
#include "fast/stages/rms_norm/rms_norm.h"
#include "fast/stages/row.h"

#if PLUMB_HAS_VECTORS
HWY_BEFORE_NAMESPACE();
namespace plumb::fast::HWY_NAMESPACE {
namespace {

// sum_d x[d]^2 in four running sums, so that one addition need not wait for the last.
template <class X>
float sum_of_squares(const X* x, Index columns) {
  const Index step = lanes();
  VecF32 s0 = hn::Zero(F32()), s1 = s0, s2 = s0, s3 = s0;
  Index d = 0;
  for (; d + 4 * step <= columns; d += 4 * step) {
    const VecF32 x0 = load(x + d), x1 = load(x + d + step);
    const VecF32 x2 = load(x + d + 2 * step), x3 = load(x + d + 3 * step);
    s0 = hn::MulAdd(x0, x0, s0);
    s1 = hn::MulAdd(x1, x1, s1);
    s2 = hn::MulAdd(x2, x2, s2);
    s3 = hn::MulAdd(x3, x3, s3);
  }
  for (; d < columns; d += step) {
    const VecF32 rest = d + step <= columns ? load(x + d) : load_part(x + d, columns - d);
    s0 = hn::MulAdd(rest, rest, s0);
  }
  return sum_of_lanes(F32(), hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)));
}

// x * inverse * g, the product before the gain rounded to bf16 where asked.
template <bool kRoundFirst>
HWY_INLINE VecF32 scaled(VecF32 x, VecF32 inverse, VecF32 gain) {
  VecF32 normalised = hn::Mul(x, inverse);
  if constexpr (kRoundFirst) normalised = rounded_to_bf16(normalised);
  return hn::Mul(normalised, gain);
}

template <class X, class Y, bool kRoundFirst>
void norm_rows(const RmsNorm& p, const float* gain) {
  const Index columns = p.x.columns;
  for (Index t = 0; t < p.x.rows; ++t) {
    const X* x = p.x.row<const X>(t);
    Y* y = p.y.row<Y>(t);
    const VecF32 inverse = hn::Set(F32(), inverse_rms(sum_of_squares(x, columns), columns, p.eps));
    Index d = 0;
    for (; d + lanes() <= columns; d += lanes()) {
      store(scaled<kRoundFirst>(load(x + d), inverse, load(gain + d)), y + d);
    }
    if (d < columns) {
      const VecF32 rest =
          scaled<kRoundFirst>(load_part(x + d, columns - d), inverse, load(gain + d));
      store_part(rest, y + d, columns - d);
    }
  }
}

template <class X>
void for_output(const RmsNorm& p, const float* gain) {
  if (p.y.dtype == Dtype::kF32) return norm_rows<X, float, false>(p, gain);
  if (p.rounding == Side::kA) return norm_rows<X, Bf16, true>(p, gain);
  norm_rows<X, Bf16, false>(p, gain);
}

}  // namespace

void rms_norm(const RmsNorm& p) {
  set_last_target(hwy::TargetName(HWY_TARGET));
  const Scratch gain(padded(p.gain.columns));
  if (p.gain.dtype == Dtype::kBf16) {
    widen_row(p.gain.row<const Bf16>(0), p.gain.columns, gain.data());
  } else {
    widen_row(p.gain.row<const float>(0), p.gain.columns, gain.data());
  }
  p.x.dtype == Dtype::kBf16 ? for_output<Bf16>(p, gain.data()) : for_output<float>(p, gain.data());
}

}  // namespace plumb::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
