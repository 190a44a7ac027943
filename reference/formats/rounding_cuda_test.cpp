// SPDX-License-Identifier: Apache-2.0
// E4M3 against the host conversion of CUDA's header.
#include <cuda_fp8.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>

#include "reference/formats/storage.h"
#include "reference/scalar/format.h"

namespace plumb {
namespace {

unsigned encoded(const Format& format, double v) {
  std::byte byte{};
  store_exact(&byte, Dtype::kFp8E4m3fn, 0, round_to(format, v));
  return std::to_integer<unsigned>(byte);
}

void expect_codes(float v) {
  const unsigned saturated = __nv_cvt_float_to_fp8(v, __NV_SATFINITE, __NV_E4M3);
  const unsigned host = __nv_cvt_float_to_fp8(v, __NV_NOSAT, __NV_E4M3);
  ASSERT_EQ(encoded(kE4m3Saturating, v), saturated) << v;
  // The header keeps the sign of what overflows; NaN codes are one class.
  ASSERT_TRUE(encoded(kE4m3Host, v) == host ||
              ((host & 0x7F) == 0x7F && (encoded(kE4m3Host, v) & 0x7F) == 0x7F))
      << v << " " << host;
}

TEST(CudaHost, EveryMidpointOfE4m3AndItsNeighbours) {
  for (unsigned code = 0; code < 0x7E; ++code) {
    const std::array<std::byte, 2> pair{static_cast<std::byte>(code),
                                        static_cast<std::byte>(code + 1)};
    const double low = load(pair.data(), Dtype::kFp8E4m3fn, 0);
    const auto middle = static_cast<float>((low + load(pair.data(), Dtype::kFp8E4m3fn, 1)) / 2);
    for (float v : {static_cast<float>(low), std::nextafter(middle, 0.0f), middle,
                    std::nextafter(middle, 1e9f)}) {
      expect_codes(v);
      expect_codes(-v);
    }
  }
  for (float v : {448.f, 463.99997f, 464.f, 464.00003f, 465.f, 480.f, 1e9f, INFINITY}) {
    expect_codes(v);
    expect_codes(-v);
  }
}

TEST(CudaHost, EveryBf16NumberAndAMillionFloats) {
  for (std::uint32_t i = 0; i < 0x10000; ++i) {
    const auto v = std::bit_cast<float>(i << 16);
    if (!std::isnan(v)) expect_codes(v);
  }
  for (std::uint32_t i = 0; i < 1'000'000; ++i) {
    const std::uint32_t z = (i + 1) * 2654435761u;
    // 2^-16 .. 2^15
    expect_codes(std::bit_cast<float>((z & 0x807FFFFFu) | ((111 + (z >> 23) % 32) << 23)));
  }
}

TEST(CudaHost, DecodesTheSameValues) {
  for (unsigned code = 0; code < 256; ++code) {
    const std::byte byte{static_cast<std::uint8_t>(code)};
    const double ours = load(&byte, Dtype::kFp8E4m3fn, 0);
    const __half_raw raw =
        __nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(code), __NV_E4M3);
    const double theirs = load(reinterpret_cast<const std::byte*>(&raw.x), Dtype::kFp16, 0);
    EXPECT_TRUE(ours == theirs || (std::isnan(ours) && std::isnan(theirs))) << code;
  }
}

}  // namespace
}  // namespace plumb
