// SPDX-License-Identifier: Apache-2.0
// Element types: what a tensor's bytes are, and the C++ types that hold those bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace plumb {

// Storage types hold bits and nothing else: no conversion, no arithmetic. reference/formats gives
// them meaning.
struct Bf16 {
  std::uint16_t bits;
};
struct Fp16 {
  std::uint16_t bits;
};
struct Fp8E4m3fn {
  std::uint8_t bits;
};
struct Ue8m0 {
  std::uint8_t bits;
};
// Two E2M1 codes to a byte, the element with the even index in the low nibble.
struct Fp4E2m1Pair {
  std::uint8_t bits;
};

enum class Dtype : std::uint8_t {
  // What files and kernels know.
  kBool,
  kU8,
  kI32,
  kI64,
  kFp4E2m1,
  kFp8E4m3fn,
  kUe8m0,
  kBf16,
  kFp16,
  kF32,
  kF64,
  // What exists only inside one process (reference/scalar): 50 digits, 100 digits, 50 digits with
  // error bounds.
  kReal,
  kRealWide,
  kTracked,
};

// Size of an element in bits; two E2M1 values share a byte.
std::size_t bits_of(Dtype dtype);
// Lower-case name, as in verdict files: "bf16", "f8_e4m3fn".
std::string_view name_of(Dtype dtype);

inline bool is_integer(Dtype d) { return d <= Dtype::kI64; }
inline bool is_wide(Dtype d) { return d >= Dtype::kReal; }
// A floating-point format that a file can hold.
inline bool is_storage_float(Dtype d) { return !is_integer(d) && !is_wide(d); }

// Bytes reserved for one value of the wide types; reference/scalar asserts that they suffice.
inline constexpr std::size_t kRealBytes = 64;
inline constexpr std::size_t kRealWideBytes = 80;
inline constexpr std::size_t kTrackedBytes = 112;

template <class T>
struct DtypeOf;
template <>
struct DtypeOf<bool> {
  static constexpr Dtype value = Dtype::kBool;
};
template <>
struct DtypeOf<std::uint8_t> {
  static constexpr Dtype value = Dtype::kU8;
};
template <>
struct DtypeOf<std::int32_t> {
  static constexpr Dtype value = Dtype::kI32;
};
template <>
struct DtypeOf<std::int64_t> {
  static constexpr Dtype value = Dtype::kI64;
};
template <>
struct DtypeOf<Fp4E2m1Pair> {
  static constexpr Dtype value = Dtype::kFp4E2m1;
};
template <>
struct DtypeOf<Fp8E4m3fn> {
  static constexpr Dtype value = Dtype::kFp8E4m3fn;
};
template <>
struct DtypeOf<Ue8m0> {
  static constexpr Dtype value = Dtype::kUe8m0;
};
template <>
struct DtypeOf<Bf16> {
  static constexpr Dtype value = Dtype::kBf16;
};
template <>
struct DtypeOf<Fp16> {
  static constexpr Dtype value = Dtype::kFp16;
};
template <>
struct DtypeOf<float> {
  static constexpr Dtype value = Dtype::kF32;
};
template <>
struct DtypeOf<double> {
  static constexpr Dtype value = Dtype::kF64;
};

template <class T>
inline constexpr Dtype kDtypeOf = DtypeOf<T>::value;

}  // namespace plumb
