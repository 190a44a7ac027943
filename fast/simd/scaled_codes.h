// SPDX-License-Identifier: Apache-2.0
// What the FP8 E4M3 codes of a block mean after their scale: code * scale, rounded once to F32 or
// BF16.
//
// A code is a sign, four bits of exponent (bias 7) and three of mantissa; exponent 0 is subnormal,
// there is no infinity, 0x7F and 0xFF are NaN. So every finite code is +-i * 2^(e-10) with i in
// 0..15, e in 1..15: sixteen products say all of a block, the rest is an addition to the exponent.
#pragma once

#include <array>
#include <cstdint>

namespace plumb::fast {

enum class WeightRounding : std::uint8_t { kF32, kBf16 };

// The value of a code; exact.
float e4m3_value(std::uint8_t code);

struct ScaledCodes {
  // Bits of i * 2^-9 * scale, less 2^23 from i = 8 on, so that adding the code's exponent field
  // times 2^23 gives the value. Only where `regular`: all 256 values are normal numbers or the zero
  // code.
  alignas(64) std::array<std::uint32_t, 16> sixteen;
  // For a target that can look bytes up among 128: both bytes of a BF16 value for each code without
  // sign, which times `factor` is the value. Filled by that target, where `regular`.
  alignas(64) std::array<std::uint8_t, 128> high, low;
  float factor;
  bool regular;
  // Value of each code; always filled by fill_all.
  std::array<float, 256> all;

  void fill_sixteen(float scale, WeightRounding rounding);
  void fill_all(float scale, WeightRounding rounding);
};

// The codes without a scale.
const ScaledCodes& unscaled_codes();

}  // namespace plumb::fast
