// SPDX-License-Identifier: Apache-2.0
// Dot products of four weight rows with one or two tokens, all F32, padded with zeros to whole
// vectors. Sums stay in lanes: `sums` holds a vector for each row of each token and is added to.
#if defined(PLUMB_FAST_SIMD_DOTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PLUMB_FAST_SIMD_DOTS_INL_H_
#undef PLUMB_FAST_SIMD_DOTS_INL_H_
#else
#define PLUMB_FAST_SIMD_DOTS_INL_H_
#endif

#include "fast/simd/numbers-inl.h"

#if PLUMB_HAS_VECTORS
HWY_BEFORE_NAMESPACE();
namespace plumb::fast::HWY_NAMESPACE {

HWY_INLINE void add_to(float* sum, VecF32 x) { store(hn::Add(load(sum), x), sum); }

// One token. Two sums a row, since an addition takes longer than the next product.
HWY_INLINE void add_dots(const float* w, Index w_stride, const float* x, Index length,
                         float* sums) {
  const float *w0 = w, *w1 = w + w_stride, *w2 = w1 + w_stride, *w3 = w2 + w_stride;
  const Index step = lanes();
  VecF32 a0 = hn::Zero(F32()), a1 = a0, a2 = a0, a3 = a0, b0 = a0, b1 = a0, b2 = a0, b3 = a0;
  Index i = 0;
  for (; i + 2 * step <= length; i += 2 * step) {
    const VecF32 even = load(x + i), odd = load(x + i + step);
    a0 = hn::MulAdd(load(w0 + i), even, a0);
    a1 = hn::MulAdd(load(w1 + i), even, a1);
    a2 = hn::MulAdd(load(w2 + i), even, a2);
    a3 = hn::MulAdd(load(w3 + i), even, a3);
    b0 = hn::MulAdd(load(w0 + i + step), odd, b0);
    b1 = hn::MulAdd(load(w1 + i + step), odd, b1);
    b2 = hn::MulAdd(load(w2 + i + step), odd, b2);
    b3 = hn::MulAdd(load(w3 + i + step), odd, b3);
  }
  if (i < length) {
    const VecF32 last = load(x + i);
    a0 = hn::MulAdd(load(w0 + i), last, a0);
    a1 = hn::MulAdd(load(w1 + i), last, a1);
    a2 = hn::MulAdd(load(w2 + i), last, a2);
    a3 = hn::MulAdd(load(w3 + i), last, a3);
  }
  add_to(sums, hn::Add(a0, b0));
  add_to(sums + step, hn::Add(a1, b1));
  add_to(sums + 2 * step, hn::Add(a2, b2));
  add_to(sums + 3 * step, hn::Add(a3, b3));
}

// Two tokens, `x_stride` apart: each weight loaded once for both.
HWY_INLINE void add_dots_of_two(const float* w, Index w_stride, const float* x, Index x_stride,
                                Index length, float* sums) {
  const float *w0 = w, *w1 = w + w_stride, *w2 = w1 + w_stride, *w3 = w2 + w_stride;
  const float* next = x + x_stride;
  const Index step = lanes();
  VecF32 a0 = hn::Zero(F32()), a1 = a0, a2 = a0, a3 = a0, b0 = a0, b1 = a0, b2 = a0, b3 = a0;
  for (Index i = 0; i < length; i += step) {
    const VecF32 xa = load(x + i), xb = load(next + i);
    const VecF32 v0 = load(w0 + i), v1 = load(w1 + i), v2 = load(w2 + i), v3 = load(w3 + i);
    a0 = hn::MulAdd(v0, xa, a0);
    a1 = hn::MulAdd(v1, xa, a1);
    a2 = hn::MulAdd(v2, xa, a2);
    a3 = hn::MulAdd(v3, xa, a3);
    b0 = hn::MulAdd(v0, xb, b0);
    b1 = hn::MulAdd(v1, xb, b1);
    b2 = hn::MulAdd(v2, xb, b2);
    b3 = hn::MulAdd(v3, xb, b3);
  }
  add_to(sums, a0);
  add_to(sums + step, a1);
  add_to(sums + 2 * step, a2);
  add_to(sums + 3 * step, a3);
  add_to(sums + 4 * step, b0);
  add_to(sums + 5 * step, b1);
  add_to(sums + 6 * step, b2);
  add_to(sums + 7 * step, b3);
}

}  // namespace plumb::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif
