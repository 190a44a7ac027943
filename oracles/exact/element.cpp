// SPDX-License-Identifier: Apache-2.0
#include "oracles/exact/element.h"

#include <cstring>

namespace plumb::oracles {
namespace {

using Kind = Number::Kind;

Number dyadic(bool negative, std::uint64_t mantissa, long exponent) {
  const auto m = static_cast<long>(mantissa);
  return Rational::dyadic(negative ? -m : m, exponent);
}

// Binary32, and bf16 as its upper half.
Number from_binary32(std::uint32_t bits) {
  const bool negative = bits >= 0x80000000u;
  const std::uint32_t fraction = bits % 0x800000u;
  const std::uint32_t exponent = (bits / 0x800000u) % 256;
  if (exponent == 255) {
    return fraction != 0 ? Number::special(Kind::kNan) : Number::infinity(negative);
  }
  if (exponent == 0) return dyadic(negative, fraction, -149);
  return dyadic(negative, fraction + 0x800000u, static_cast<long>(exponent) - 150);
}

Number from_binary64(std::uint64_t bits) {
  const bool negative = bits >> 63 != 0;
  const std::uint64_t fraction = bits % (1ull << 52);
  const std::uint64_t exponent = (bits >> 52) % 2048;
  if (exponent == 2047) {
    return fraction != 0 ? Number::special(Kind::kNan) : Number::infinity(negative);
  }
  if (exponent == 0) return dyadic(negative, fraction, -1074);
  return dyadic(negative, fraction + (1ull << 52), static_cast<long>(exponent) - 1075);
}

// Sign, 4 bits of exponent, 3 of fraction; no infinities, 0x7F and 0xFF are NaN.
Number from_e4m3(std::uint8_t code) {
  const bool negative = code >= 0x80;
  const std::uint8_t low = code % 0x80;
  if (low == 0x7F) return Number::special(Kind::kNan);
  if (low < 8) return dyadic(negative, low, -9);
  return dyadic(negative, 8u + low % 8u, static_cast<long>(low / 8) - 10);
}

template <class Bits>
Bits read(const AnyTensor& tensor, Index i) {
  Bits bits;
  const auto offset = static_cast<std::size_t>(tensor.offset_of(i)) * sizeof(Bits);
  std::memcpy(&bits, tensor.bytes() + offset, sizeof(Bits));
  return bits;
}

}  // namespace

Number element(const AnyTensor& tensor, Index i) {
  switch (tensor.dtype()) {
    case Dtype::kBf16:
      return from_binary32(static_cast<std::uint32_t>(read<std::uint16_t>(tensor, i)) * 65536u);
    case Dtype::kF32:
      return from_binary32(read<std::uint32_t>(tensor, i));
    case Dtype::kF64:
      return from_binary64(read<std::uint64_t>(tensor, i));
    case Dtype::kFp8E4m3fn:
      return from_e4m3(read<std::uint8_t>(tensor, i));
    default:
      PLUMB_REQUIRE(false, "the oracle has no table for this type", name_of(tensor.dtype()));
  }
  return {};
}

}  // namespace plumb::oracles
