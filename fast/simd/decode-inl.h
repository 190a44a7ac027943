// SPDX-License-Identifier: Apache-2.0
// FP8 E4M3 codes to scaled F32 values. No step makes a subnormal F32 of a normal result (60 times
// slower on some processors), and the NaN codes give NaN.
#if defined(PLUMB_FAST_SIMD_DECODE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PLUMB_FAST_SIMD_DECODE_INL_H_
#undef PLUMB_FAST_SIMD_DECODE_INL_H_
#else
#define PLUMB_FAST_SIMD_DECODE_INL_H_
#endif

#include "fast/simd/numbers-inl.h"
#include "fast/simd/scaled_codes.h"

#if PLUMB_HAS_VECTORS
HWY_BEFORE_NAMESPACE();
namespace plumb::fast::HWY_NAMESPACE {

// Whether decode_row looks values up in `sixteen`; else `all` must be filled for every block.
constexpr bool kDecodesInRegisters = hn::MaxLanes(F32()) >= 8;

#if HWY_CAP_GE256
// The entry of `sixteen` for each code without sign: i = code where subnormal, else 8 + mantissa.
HWY_INLINE VecU32 look_up(const ScaledCodes& codes, VecU32 code, hn::Mask<U32> subnormal) {
  const U32 u;
  const VecU32 mantissa = hn::And(code, hn::Set(u, 7));
#if HWY_CAP_GE512
  const VecU32 i = hn::IfThenElse(subnormal, mantissa, hn::Or(mantissa, hn::Set(u, 8)));
  return hn::TableLookupLanes(hn::LoadU(u, codes.sixteen.data()), hn::IndicesFromVec(u, i));
#else
  const auto i = hn::IndicesFromVec(u, mantissa);
  const VecU32 small = hn::TableLookupLanes(hn::LoadU(u, codes.sixteen.data()), i);
  const VecU32 large = hn::TableLookupLanes(hn::LoadU(u, codes.sixteen.data() + 8), i);
  return hn::IfThenElse(subnormal, small, large);
#endif
}

// A vector of codes, one a lane.
HWY_INLINE VecF32 decode(const ScaledCodes& codes, VecU32 code) {
  const U32 u;
  const VecU32 unsigned_code = hn::And(code, hn::Set(u, 0x7f));
  const auto subnormal = hn::Lt(unsigned_code, hn::Set(u, 8));
  const VecU32 exponent = hn::ShiftLeft<23>(hn::ShiftRight<3>(unsigned_code));
  const VecU32 sign = hn::ShiftLeft<24>(hn::AndNot(hn::Set(u, 0x7f), code));
  const VecU32 value = hn::Add(look_up(codes, unsigned_code, subnormal), exponent);
  const auto nan = hn::Eq(unsigned_code, hn::Set(u, 0x7f));
  return hn::BitCast(F32(), hn::IfThenElse(nan, hn::Set(u, 0x7fc00000), hn::Xor(value, sign)));
}
#endif

// Decodes `count` codes of one block and zeroes the rest of the last vector of `to`.
HWY_INLINE void decode_row(const ScaledCodes& codes, const std::uint8_t* from, Index count,
                           float* to) {
  Index done = 0;
#if HWY_CAP_GE256
  const hn::Rebind<std::uint8_t, F32> bytes;
  if (codes.regular) {
    for (; done + lanes() <= count; done += lanes()) {
      store(decode(codes, hn::PromoteTo(U32(), hn::LoadU(bytes, from + done))), to + done);
    }
    if (done == count) return;
    std::uint8_t rest[hn::MaxLanes(F32())] = {};
    std::memcpy(rest, from + done, static_cast<std::size_t>(count - done));
    store(decode(codes, hn::PromoteTo(U32(), hn::LoadU(bytes, rest))), to + done);
    return;
  }
#endif
  for (; done < count; ++done) to[done] = codes.all[from[done]];
  for (; done < padded(count); ++done) to[done] = 0;
}

}  // namespace plumb::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif
