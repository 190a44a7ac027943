// SPDX-License-Identifier: Apache-2.0
// Vectors of F32 from and to memory that holds F32 or BF16, and their sum. The `_part` forms touch
// `count` elements and no byte more: what lies behind a row may be a guard page.
#if defined(PLUMB_FAST_SIMD_NUMBERS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PLUMB_FAST_SIMD_NUMBERS_INL_H_
#undef PLUMB_FAST_SIMD_NUMBERS_INL_H_
#else
#define PLUMB_FAST_SIMD_NUMBERS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <cstring>

#include "fast/simd/targets.h"
#include "reference/tensor/dtype.h"
#include "reference/tensor/tensor_view.h"

#if PLUMB_HAS_VECTORS
HWY_BEFORE_NAMESPACE();
namespace plumb::fast::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using F32 = hn::ScalableTag<float>;
using U32 = hn::RebindToUnsigned<F32>;
using U16 = hn::Rebind<std::uint16_t, F32>;  // as many lanes as F32, of half the width
using VecF32 = hn::Vec<F32>;
using VecU32 = hn::Vec<U32>;

HWY_INLINE Index lanes() { return static_cast<Index>(hn::Lanes(F32())); }
// The multiple of the vector length that holds `count`.
HWY_INLINE Index padded(Index count) { return (count + lanes() - 1) / lanes() * lanes(); }

HWY_INLINE VecF32 load(const float* from) { return hn::LoadU(F32(), from); }
HWY_INLINE VecF32 load(const Bf16* from) {
  const auto bits = hn::LoadU(U16(), reinterpret_cast<const std::uint16_t*>(from));
  return hn::BitCast(F32(), hn::ShiftLeft<16>(hn::PromoteTo(U32(), bits)));
}

// Upper halves of the bits of x after rounding to nearest, ties to even; NaN stays NaN.
HWY_INLINE VecU32 bf16_bits(VecF32 x) {
  const U32 u;
  const VecU32 bits = hn::BitCast(u, x);
  const VecU32 odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(u, 1));
  const VecU32 rounded = hn::Add(hn::Add(bits, odd), hn::Set(u, 0x7fff));
  const VecU32 quiet = hn::Or(bits, hn::Set(u, 0x400000));
  return hn::ShiftRight<16>(hn::IfThenElse(hn::RebindMask(u, hn::IsNaN(x)), quiet, rounded));
}
HWY_INLINE VecF32 rounded_to_bf16(VecF32 x) {
  return hn::BitCast(F32(), hn::ShiftLeft<16>(bf16_bits(x)));
}

HWY_INLINE void store(VecF32 x, float* to) { hn::StoreU(x, F32(), to); }
HWY_INLINE void store(VecF32 x, Bf16* to) {
  const hn::RebindToSigned<F32> i32;
  hn::StoreU(hn::DemoteTo(U16(), hn::BitCast(i32, bf16_bits(x))), U16(),
             reinterpret_cast<std::uint16_t*>(to));
}

// Lanes from `count` on are zero.
template <class T>
HWY_INLINE VecF32 load_part(const T* from, Index count) {
  T buffer[hn::MaxLanes(F32())] = {};
  std::memcpy(buffer, from, static_cast<std::size_t>(count) * sizeof(T));
  return load(buffer);
}
template <class T>
HWY_INLINE void store_part(VecF32 x, T* to, Index count) {
  T buffer[hn::MaxLanes(F32())];
  store(x, buffer);
  std::memcpy(to, buffer, static_cast<std::size_t>(count) * sizeof(T));
}

// Sum of all lanes, halves first: the same order on every run.
template <class D>
HWY_INLINE float sum_of_lanes(D /*tag*/, hn::Vec<D> x) {
  if constexpr (hn::MaxLanes(D()) == 1) {
    return hn::GetLane(x);
  } else {
    const hn::Half<D> half;
    return sum_of_lanes(half, hn::Add(hn::LowerHalf(half, x), hn::UpperHalf(half, x)));
  }
}

template <class D>
HWY_INLINE hn::TFromD<D> max_of_lanes(D /*tag*/, hn::Vec<D> x) {
  if constexpr (hn::MaxLanes(D()) == 1) {
    return hn::GetLane(x);
  } else {
    const hn::Half<D> half;
    return max_of_lanes(half, hn::Max(hn::LowerHalf(half, x), hn::UpperHalf(half, x)));
  }
}

// Widens `count` elements to F32 and zeroes the rest of the last vector of `to`.
template <class T>
HWY_INLINE void widen_row(const T* from, Index count, float* to) {
  Index i = 0;
  for (; i + lanes() <= count; i += lanes()) store(load(from + i), to + i);
  if (i < count) store(load_part(from + i, count - i), to + i);
}

}  // namespace plumb::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif
