// SPDX-License-Identifier: Apache-2.0
// Number formats as data, and the one rounding that all number types share.
#pragma once

#include <cmath>
#include <limits>
#include <string_view>

#include "reference/scalar/real.h"
#include "reference/tensor/dtype.h"

namespace plumb {

// What a value beyond the largest finite one becomes.
enum class Overflow { kInfinity, kSaturate, kNan };

// A binary floating-point format with gradual underflow; values are
// (-1)^s * m * 2^q with 0 <= m < 2^precision and q >= min_exponent - precision + 1.
struct Format {
  std::string_view name;
  Dtype dtype;
  int precision;     // bits of the significand, the leading one included
  int min_exponent;  // exponent of the smallest normal number
  double max_finite;
  Overflow overflow;

  // Half the distance from 1 to the next number: the bound of one rounding, relative.
  double unit_roundoff() const { return std::ldexp(1.0, -precision); }
  // The least magnitude that rounds to infinity: half a unit in the last place above the largest.
  double overflow_threshold() const {
    return max_finite + std::ldexp(0.5, std::ilogb(max_finite) - precision + 1);
  }
  // Half the smallest subnormal number: the bound of one rounding near zero, absolute.
  double half_smallest() const { return std::ldexp(0.5, min_exponent - precision + 1); }
};

inline constexpr Format kF64{
    "f64", Dtype::kF64, 53, -1022, std::numeric_limits<double>::max(), Overflow::kInfinity};
inline constexpr Format kF32{"f32", Dtype::kF32, 24, -126, 0x1.fffffep127, Overflow::kInfinity};
inline constexpr Format kBf16{"bf16", Dtype::kBf16, 8, -126, 0x1.fep127, Overflow::kInfinity};
inline constexpr Format kFp16{"f16", Dtype::kFp16, 11, -14, 65504.0, Overflow::kInfinity};
// The GPU's converter saturates; the host's gives NaN above 464 (R1-D38).
inline constexpr Format kE4m3Saturating{"f8_e4m3fn", Dtype::kFp8E4m3fn,  4, -6,
                                        448.0,       Overflow::kSaturate};
inline constexpr Format kE4m3Host{"f8_e4m3fn_host", Dtype::kFp8E4m3fn, 4, -6, 448.0,
                                  Overflow::kNan};

// Nearest value of the format, ties to even, in one step. NaN stays NaN; zero and what underflows
// to zero keep their sign where T has one.
template <class T>
T round_to(const Format& format, const T& v);

}  // namespace plumb
