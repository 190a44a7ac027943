// SPDX-License-Identifier: Apache-2.0
#include "reference/formats/storage.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "reference/base/require.h"

namespace plumb {
namespace {

double decode_small(unsigned code, int exponent_bits, int fraction_bits, int bias) {
  const unsigned fraction = code & ((1u << fraction_bits) - 1);
  const unsigned exponent = (code >> fraction_bits) & ((1u << exponent_bits) - 1);
  const bool negative = (code >> (fraction_bits + exponent_bits)) & 1u;
  const int shift = static_cast<int>(exponent == 0 ? 1 : exponent) - bias - fraction_bits;
  const unsigned mantissa = exponent == 0 ? fraction : fraction | (1u << fraction_bits);
  const double magnitude = std::ldexp(static_cast<double>(mantissa), shift);
  return negative ? -magnitude : magnitude;
}

double decode_e4m3(std::uint8_t code) {
  if ((code & 0x7F) == 0x7F) return std::numeric_limits<double>::quiet_NaN();
  return decode_small(code, 4, 3, 7);
}

double decode_fp16(std::uint16_t code) {
  if ((code & 0x7C00) != 0x7C00) return decode_small(code, 5, 10, 15);
  if ((code & 0x03FF) != 0) return std::numeric_limits<double>::quiet_NaN();
  return (code & 0x8000) != 0 ? -std::numeric_limits<double>::infinity()
                              : std::numeric_limits<double>::infinity();
}

double decode_ue8m0(std::uint8_t code) {
  return code == 0xFF ? std::numeric_limits<double>::quiet_NaN() : std::ldexp(1.0, code - 127);
}

template <class T>
T read(const std::byte* data, std::ptrdiff_t index) {
  T v;
  std::memcpy(&v, data + index * static_cast<std::ptrdiff_t>(sizeof(T)), sizeof(T));
  return v;
}

template <class T>
void write(std::byte* data, std::ptrdiff_t index, T v) {
  std::memcpy(data + index * static_cast<std::ptrdiff_t>(sizeof(T)), &v, sizeof(T));
}

double checked_integer(std::int64_t v) {
  PLUMB_REQUIRE(v <= (1LL << 53) && v >= -(1LL << 53), v);
  return static_cast<double>(v);
}

// The bits of a finite value that the format holds; of another one, some bits.
unsigned encode_small(double v, int exponent_bits, int fraction_bits, int bias) {
  const unsigned sign = std::signbit(v) ? 1u << (exponent_bits + fraction_bits) : 0;
  const double a = std::fabs(v);
  if (a == 0) return sign;
  const int exponent = std::max(std::ilogb(a), 1 - bias);
  const auto significand = static_cast<unsigned>(std::ldexp(a, fraction_bits - exponent));
  const unsigned hidden = 1u << fraction_bits;
  const unsigned biased = significand < hidden ? 0 : static_cast<unsigned>(exponent + bias);
  return sign | (biased << fraction_bits) | (significand & (hidden - 1));
}

std::uint8_t encode_e4m3(double v) {
  // No infinities: what is not finite, or lies beyond the format, reads back as another value.
  if (!(std::fabs(v) <= 448)) return 0x7F;
  return static_cast<std::uint8_t>(encode_small(v, 4, 3, 7));
}

std::uint16_t encode_fp16(double v) {
  if (std::isnan(v)) return 0x7E00;
  if (std::fabs(v) > 65504) return std::signbit(v) ? 0xFC00 : 0x7C00;
  return static_cast<std::uint16_t>(encode_small(v, 5, 10, 15));
}

std::uint8_t encode_ue8m0(double v) {
  if (!(v >= 0x1p-127 && v <= 0x1p127)) return 0xFF;
  return static_cast<std::uint8_t>(std::ilogb(v) + 127);
}

// The element with the even index lies in the low nibble.
void write_e2m1(std::byte* data, std::ptrdiff_t index, double v) {
  PLUMB_REQUIRE(std::fabs(v) <= 6, v);
  const unsigned code = encode_small(v, 2, 1, 1);
  const unsigned both = std::to_integer<unsigned>(data[index / 2]);
  data[index / 2] =
      static_cast<std::byte>(index % 2 == 0 ? (both & 0xF0) | code : (both & 0x0F) | code << 4);
}

// Only a value within the type's range may be cast to it.
template <class T>
void write_integer(std::byte* data, std::ptrdiff_t index, double v) {
  const double lowest = static_cast<double>(std::numeric_limits<T>::min());
  const double beyond = std::ldexp(1.0, std::numeric_limits<T>::digits);
  PLUMB_REQUIRE(v >= lowest && v < beyond, v);
  write(data, index, static_cast<T>(v));
}

}  // namespace

double load(const std::byte* data, Dtype dtype, std::ptrdiff_t index) {
  switch (dtype) {
    case Dtype::kBool:
    case Dtype::kU8:
      return read<std::uint8_t>(data, index);
    case Dtype::kI32:
      return read<std::int32_t>(data, index);
    case Dtype::kI64:
      return checked_integer(read<std::int64_t>(data, index));
    case Dtype::kFp4E2m1: {
      const auto pair = read<std::uint8_t>(data, index / 2);
      return decode_small(index % 2 == 0 ? pair & 15u : pair >> 4u, 2, 1, 1);
    }
    case Dtype::kFp8E4m3fn:
      return decode_e4m3(read<std::uint8_t>(data, index));
    case Dtype::kUe8m0:
      return decode_ue8m0(read<std::uint8_t>(data, index));
    case Dtype::kBf16:
      return std::bit_cast<float>(static_cast<std::uint32_t>(read<std::uint16_t>(data, index))
                                  << 16);
    case Dtype::kFp16:
      return decode_fp16(read<std::uint16_t>(data, index));
    case Dtype::kF32:
      return read<float>(data, index);
    case Dtype::kF64:
      return read<double>(data, index);
    case Dtype::kReal:
    case Dtype::kRealWide:
    case Dtype::kTracked:
      break;
  }
  PLUMB_REQUIRE(false, "not a storage type", name_of(dtype));
  return 0;
}

std::int64_t load_integer(const std::byte* data, Dtype dtype, std::ptrdiff_t index) {
  PLUMB_REQUIRE(is_integer(dtype), name_of(dtype));
  if (dtype == Dtype::kI64) return read<std::int64_t>(data, index);
  return static_cast<std::int64_t>(load(data, dtype, index));
}

void store_exact(std::byte* data, Dtype dtype, std::ptrdiff_t index, double v) {
  switch (dtype) {
    case Dtype::kBool:
    case Dtype::kU8:
      write_integer<std::uint8_t>(data, index, v);
      break;
    case Dtype::kI32:
      write_integer<std::int32_t>(data, index, v);
      break;
    case Dtype::kI64:
      write_integer<std::int64_t>(data, index, v);
      break;
    case Dtype::kFp4E2m1:
      write_e2m1(data, index, v);
      break;
    case Dtype::kUe8m0:
      write(data, index, encode_ue8m0(v));
      break;
    case Dtype::kFp16:
      write(data, index, encode_fp16(v));
      break;
    case Dtype::kFp8E4m3fn:
      write(data, index, encode_e4m3(v));
      break;
    case Dtype::kBf16:
      write(data, index,
            static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(v)) >> 16));
      break;
    case Dtype::kF32:
      write(data, index, static_cast<float>(v));
      break;
    case Dtype::kF64:
      write(data, index, v);
      break;
    default:
      PLUMB_REQUIRE(false, "no such store", name_of(dtype));
  }
  const double back = load(data, dtype, index);
  PLUMB_REQUIRE(back == v || (std::isnan(back) && std::isnan(v)), name_of(dtype), back, v);
}

}  // namespace plumb
