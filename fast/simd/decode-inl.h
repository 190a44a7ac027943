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

#if HWY_TARGET == HWY_AVX3_DL
// Highway has no look-up of bytes among 128, nor one that zeroes: both are one instruction here.
using U8 = hn::Repartition<std::uint8_t, F32>;

// Fills the bytes of a block that decode_64 looks up.
HWY_INLINE void prepare(ScaledCodes& codes) {
  if (!codes.regular) return;
  const ScaledCodes& values = codes.factor == 1.0f ? codes : unscaled_codes();
  const hn::RebindToSigned<F32> i32;
  const hn::Rebind<std::uint8_t, F32> bytes;
  for (Index c = 0; c < 128; c += lanes()) {
    const VecU32 code = hn::Iota(U32(), static_cast<std::uint32_t>(c));
    const VecU32 bits = hn::BitCast(U32(), decode(values, code));
    const VecU32 high = hn::ShiftRight<24>(bits);
    const VecU32 low = hn::And(hn::ShiftRight<16>(bits), hn::Set(U32(), 0xff));
    // Not TruncateTo, which takes the wrong bytes for this target in Highway 1.0.3.
    hn::StoreU(hn::DemoteTo(bytes, hn::BitCast(i32, high)), bytes, codes.high.data() + c);
    hn::StoreU(hn::DemoteTo(bytes, hn::BitCast(i32, low)), bytes, codes.low.data() + c);
  }
}

// Which bytes make the k-th quarter of the result: two of zero, a low and a high one for each
// value.
struct Quarters {
  alignas(64) std::uint8_t from[4][64];
};
constexpr Quarters quarters() {
  Quarters q{};
  for (int k = 0; k < 4; ++k) {
    for (int lane = 0; lane < 16; ++lane) {
      q.from[k][4 * lane + 2] = static_cast<std::uint8_t>(16 * k + lane);
      q.from[k][4 * lane + 3] = static_cast<std::uint8_t>(16 * k + lane + 64);
    }
  }
  return q;
}
constexpr Quarters kQuarters = quarters();

template <bool kMultiply>
HWY_INLINE void decode_64(const ScaledCodes& codes, const std::uint8_t* from, float* to) {
  const U8 u8;
  const auto at = [&](const std::uint8_t* bytes) { return hn::Load(u8, bytes).raw; };
  const auto code = hn::LoadU(u8, from);
  const auto low =
      _mm512_permutex2var_epi8(at(codes.low.data()), code.raw, at(codes.low.data() + 64));
  const auto high = hn::Xor(hn::And(code, hn::Set(u8, 0x80)),
                            hn::Vec<U8>{_mm512_permutex2var_epi8(at(codes.high.data()), code.raw,
                                                                 at(codes.high.data() + 64))});
  for (int k = 0; k < 4; ++k) {
    const hn::Vec<U8> bits{_mm512_maskz_permutex2var_epi8(0xccccccccccccccccULL, low,
                                                          at(kQuarters.from[k]), high.raw)};
    VecF32 value = hn::BitCast(F32(), bits);
    if constexpr (kMultiply) value = hn::Mul(value, hn::Set(F32(), codes.factor));
    store(value, to + 16 * k);
  }
}
#else
HWY_INLINE void prepare(ScaledCodes&) {}
#endif

// Decodes `count` codes of one block, for which `prepare` was called, and zeroes the rest of the
// last vector of `to`.
HWY_INLINE void decode_row(const ScaledCodes& codes, const std::uint8_t* from, Index count,
                           float* to) {
  Index done = 0;
#if HWY_TARGET == HWY_AVX3_DL
  if (codes.regular && codes.factor == 1.0f) {
    for (; done + 64 <= count; done += 64) decode_64<false>(codes, from + done, to + done);
  } else if (codes.regular) {
    for (; done + 64 <= count; done += 64) decode_64<true>(codes, from + done, to + done);
  }
#endif
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
