// SPDX-License-Identifier: Apache-2.0
// e^x for every F32 x: subnormal results are exact to their last place's error too, overflow is
// infinity, NaN stays NaN.
#if defined(PLUMB_FAST_SIMD_EXP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PLUMB_FAST_SIMD_EXP_INL_H_
#undef PLUMB_FAST_SIMD_EXP_INL_H_
#else
#define PLUMB_FAST_SIMD_EXP_INL_H_
#endif

#include "fast/simd/numbers-inl.h"

#if PLUMB_HAS_VECTORS
HWY_BEFORE_NAMESPACE();
namespace plumb::fast::HWY_NAMESPACE {

// 2^n for n in -126..127.
HWY_INLINE VecF32 power_of_two(hn::Vec<hn::RebindToSigned<F32>> n) {
  const hn::RebindToSigned<F32> i32;
  return hn::BitCast(F32(), hn::ShiftLeft<23>(hn::Add(n, hn::Set(i32, 127))));
}

HWY_INLINE VecF32 exp(VecF32 x) {
  const F32 f;
  const hn::RebindToSigned<F32> i32;
  // Beyond these ends the result is 0 or infinity anyway, and n below stays within two factors.
  const VecF32 inside = hn::Min(hn::Max(x, hn::Set(f, -105.0f)), hn::Set(f, 89.0f));
  // x = n ln 2 + r. ln 2 in two parts, the first so short that n times it is exact without FMA.
  const VecF32 n = hn::Round(hn::Mul(inside, hn::Set(f, 1.44269504f)));
  VecF32 r = hn::NegMulAdd(n, hn::Set(f, 0.693145752f), inside);
  r = hn::NegMulAdd(n, hn::Set(f, 1.42860677e-6f), r);
  // e^r = 1 + r + r^2 p(r) on |r| <= ln 2 / 2.
  VecF32 p = hn::Set(f, 0.000198527617612853646278381f);
  p = hn::MulAdd(p, r, hn::Set(f, 0.00139304355252534151077271f));
  p = hn::MulAdd(p, r, hn::Set(f, 0.00833336077630519866943359f));
  p = hn::MulAdd(p, r, hn::Set(f, 0.0416664853692054748535156f));
  p = hn::MulAdd(p, r, hn::Set(f, 0.166666671633720397949219f));
  p = hn::MulAdd(p, r, hn::Set(f, 0.5f));
  p = hn::Add(hn::Set(f, 1.0f), hn::MulAdd(hn::Mul(r, r), p, r));
  // Times 2^n in two factors: either alone is a normal number although 2^n need not be.
  const auto exponent = hn::ConvertTo(i32, n);
  const auto first = hn::ShiftRight<1>(exponent);
  const VecF32 y = hn::Mul(hn::Mul(p, power_of_two(first)), power_of_two(hn::Sub(exponent, first)));
  return hn::IfThenElse(hn::IsNaN(x), x, y);
}

// 1 / (1 + e^-x)
HWY_INLINE VecF32 sigmoid(VecF32 x) {
  const VecF32 one = hn::Set(F32(), 1.0f);
  return hn::Div(one, hn::Add(one, exp(hn::Neg(x))));
}

}  // namespace plumb::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif
