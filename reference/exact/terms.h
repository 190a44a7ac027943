// SPDX-License-Identifier: Apache-2.0
// Stored numbers as integers times powers of two: what the fast sums run over.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "reference/exact/operand.h"

namespace plumb::exact {

// A term is mantissa * 2^(exponent - kTermBias), |mantissa| < 2^31, 0 <= exponent < kTermExponents.
// Mantissas and exponents stand apart, so that compilers decode several at a time.
inline constexpr int kTermBias = 160;
inline constexpr int kTermExponents = 288;

struct Terms {
  std::vector<std::int32_t> mantissa;
  std::vector<std::int16_t> exponent;
  int bits = 1;  // |mantissa| < 2^bits
  // false: an element is NaN, infinite or no such number; the vectors are then of no use.
  bool valid = true;
};
// The terms of a line of any storage type or stride, or of wide numbers that equal stored ones.
Terms terms_of(const Line& line);
// codes[i] * scales[i / block], exactly.
Terms scaled_terms(const Line& codes, const Line& scales, Index block);

// Reads the terms of a line run by run: contiguous BF16, F32 and E4M3 as they lie, the rest from
// Terms.
class Reader {
 public:
  static constexpr Index kRun = 256;
  struct Room {
    alignas(64) std::array<std::int32_t, kRun> mantissa;
    alignas(64) std::array<std::int16_t, kRun> exponent;
  };
  struct Run {
    const std::int32_t* mantissa;
    const std::int16_t* exponent;
  };

  // None: the line cannot be read as it lies.
  static std::optional<Reader> of(const Line& line);
  // Valid terms, which must outlive the reader.
  static Reader of(const Terms& terms);
  // One in every place.
  static Reader ones();

  int bits() const { return bits_; }
  // The n <= kRun terms from `begin` on, perhaps in `room`. `special` is set when a NaN or an
  // infinity is among them, whose term means nothing.
  Run run(Index begin, Index n, Room& room, bool& special) const;

 private:
  enum class Kind { kBf16, kF32, kE4m3, kTerms, kOnes };
  Reader(Kind kind, int bits) : kind_(kind), bits_(bits) {}

  Kind kind_;
  int bits_;
  const std::byte* data_ = nullptr;
  const Terms* terms_ = nullptr;
};

}  // namespace plumb::exact
