// SPDX-License-Identifier: Apache-2.0
// All codes of the small formats.
#include "reference/formats/storage.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

namespace plumb {
namespace {

double code_value(Dtype dtype, unsigned code) {
  const std::array<std::byte, 2> bytes{static_cast<std::byte>(code),
                                       static_cast<std::byte>(code >> 8)};
  return load(bytes.data(), dtype, 0);
}

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

std::string sha256(std::vector<std::uint8_t> message) {
  // The constants are the first 32 bits of the fractional parts of the roots of the first primes.
  std::array<std::uint32_t, 64> constants{};
  std::array<std::uint32_t, 8> state{};
  const auto fraction = [](long double v) {
    return static_cast<std::uint32_t>((v - std::floor(v)) * 4294967296.0L);
  };
  std::size_t found = 0;
  for (int n = 2; found < 64; ++n) {
    bool prime = true;
    for (int d = 2; d * d <= n; ++d) prime = prime && n % d != 0;
    if (!prime) continue;
    if (found < 8) state[found] = fraction(std::sqrt(static_cast<long double>(n)));
    constants[found++] = fraction(std::cbrt(static_cast<long double>(n)));
  }
  const std::uint64_t bits = message.size() * 8;
  message.push_back(0x80);
  while (message.size() % 64 != 56) message.push_back(0);
  for (int shift = 56; shift >= 0; shift -= 8)
    message.push_back(static_cast<std::uint8_t>(bits >> shift));
  for (std::size_t at = 0; at < message.size(); at += 64) {
    std::array<std::uint32_t, 64> w{};
    for (std::size_t i = 0; i < 64; ++i) w[i / 4] = (w[i / 4] << 8) | message[at + i];
    for (std::size_t i = 16; i < 64; ++i) {
      const std::uint32_t a = w[i - 15], b = w[i - 2];
      w[i] = w[i - 16] + w[i - 7] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3)) +
             (std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10));
    }
    auto [a, b, c, d, e, f, g, h] = state;
    for (std::size_t i = 0; i < 64; ++i) {
      const std::uint32_t x = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                              ((e & f) ^ (~e & g)) + constants[i] + w[i];
      const std::uint32_t y =
          (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + x, d = c, c = b, b = a, a = x + y;
    }
    const std::array<std::uint32_t, 8> round{a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < 8; ++i) state[i] += round[i];
  }
  std::string hex;
  for (std::uint32_t word : state) {
    for (int shift = 28; shift >= 0; shift -= 4) hex += "0123456789abcdef"[(word >> shift) & 15];
  }
  return hex;
}

TEST(E4m3, TableOfTheSpecification) {
  ASSERT_EQ(sha256({'a', 'b', 'c'}),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  double sum = 0;
  double squares = 0;
  std::vector<std::uint8_t> bytes;
  for (unsigned code = 0; code < 0x7F; ++code) {
    const double v = code_value(Dtype::kFp8E4m3fn, code);
    EXPECT_TRUE(same_bits(-v, code_value(Dtype::kFp8E4m3fn, code | 0x80)));
    sum += v;
    squares += v * v;
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(v));
    for (int shift = 0; shift < 32; shift += 8)
      bytes.push_back(static_cast<std::uint8_t>(bits >> shift));
  }
  EXPECT_EQ(sum, 43263.0 / 8);
  EXPECT_EQ(squares, 41663419705.0 / 32768);
  EXPECT_EQ(sha256(bytes), "26f33c1660cc3116e9e345c2b9215b026a3eb47a8a015eaf5b48154258466610");
  EXPECT_TRUE(std::isnan(code_value(Dtype::kFp8E4m3fn, 0x7F)));
  EXPECT_TRUE(std::isnan(code_value(Dtype::kFp8E4m3fn, 0xFF)));
}

TEST(E2m1, SixteenCodesTwoToAByte) {
  const std::array<double, 8> values{0, 0.5, 1, 1.5, 2, 3, 4, 6};
  for (unsigned low = 0; low < 16; ++low) {
    for (unsigned high = 0; high < 16; ++high) {
      const std::byte byte{static_cast<std::uint8_t>(low | (high << 4))};
      const auto want = [&](unsigned code) { return code < 8 ? values[code] : -values[code - 8]; };
      EXPECT_TRUE(same_bits(load(&byte, Dtype::kFp4E2m1, 0), want(low)));
      EXPECT_TRUE(same_bits(load(&byte, Dtype::kFp4E2m1, 1), want(high)));
      std::byte back{0xFF};
      store_exact(&back, Dtype::kFp4E2m1, 1, want(high));
      store_exact(&back, Dtype::kFp4E2m1, 0, want(low));
      EXPECT_EQ(back, byte);
    }
  }
}

TEST(Ue8m0, AllCodes) {
  for (unsigned code = 0; code < 255; ++code) {
    EXPECT_EQ(code_value(Dtype::kUe8m0, code), std::ldexp(1.0, static_cast<int>(code) - 127))
        << code;
  }
  EXPECT_TRUE(std::isnan(code_value(Dtype::kUe8m0, 255)));
}

// bf16 is the upper half of binary32; f16's value follows from its three fields.
TEST(HalfWidth, AllCodes) {
  for (unsigned code = 0; code < 0x10000; ++code) {
    const double bf16 = code_value(Dtype::kBf16, code);
    EXPECT_TRUE(std::isnan(bf16) || same_bits(bf16, std::bit_cast<float>(code << 16))) << code;
    EXPECT_EQ(std::isnan(bf16), (code & 0x7FFF) > 0x7F80) << code;
    const unsigned exponent = (code >> 10) & 31;
    const unsigned fraction = code & 0x3FF;
    const double f16 = code_value(Dtype::kFp16, code);
    double want = exponent == 0 ? fraction * 0x1p-24
                  : exponent == 31
                      ? (fraction == 0 ? INFINITY : NAN)
                      : (1024 + fraction) * std::pow(2.0, static_cast<int>(exponent) - 25);
    if (code >= 0x8000) want = -want;
    EXPECT_TRUE(std::isnan(want) ? std::isnan(f16) : same_bits(f16, want)) << code;
  }
}

TEST(Store, WritesBackEveryCode) {
  struct Row {
    Dtype dtype;
    unsigned codes;
  };
  for (const Row& row : {Row{Dtype::kFp8E4m3fn, 0x100}, Row{Dtype::kUe8m0, 0x100},
                         Row{Dtype::kBf16, 0x10000}, Row{Dtype::kFp16, 0x10000}}) {
    for (unsigned code = 0; code < row.codes; ++code) {
      const double v = code_value(row.dtype, code);
      std::array<std::byte, 2> bytes{};
      store_exact(bytes.data(), row.dtype, 0, v);
      const unsigned back =
          std::to_integer<unsigned>(bytes[0]) | std::to_integer<unsigned>(bytes[1]) << 8;
      if (std::isnan(v)) {
        EXPECT_TRUE(std::isnan(code_value(row.dtype, back))) << code;
      } else {
        EXPECT_EQ(back, code) << name_of(row.dtype);
      }
    }
  }
}

TEST(StoreDeath, RefusesWhatTheTypeDoesNotHold) {
  std::array<std::byte, 8> room{};
  const auto store = [&](Dtype dtype, double v) { store_exact(room.data(), dtype, 0, v); };
  EXPECT_DEATH(store(Dtype::kFp8E4m3fn, 449), "f8_e4m3fn");
  EXPECT_DEATH(store(Dtype::kFp8E4m3fn, 17), "f8_e4m3fn");
  EXPECT_DEATH(store(Dtype::kFp8E4m3fn, INFINITY), "f8_e4m3fn");
  EXPECT_DEATH(store(Dtype::kBf16, 1 + 0x1p-8), "bf16");
  EXPECT_DEATH(store(Dtype::kFp16, 65520), "f16");
  EXPECT_DEATH(store(Dtype::kUe8m0, 3), "f8_e8m0fnu");
  EXPECT_DEATH(store(Dtype::kFp4E2m1, 5), "f4_e2m1fn");
  EXPECT_DEATH(store(Dtype::kU8, 256), "256");
  EXPECT_DEATH(store(Dtype::kU8, -1), "-1");
  EXPECT_DEATH(store(Dtype::kI32, 0x1p31), "2147483648");
  EXPECT_DEATH(store(Dtype::kI64, NAN), "nan");
  EXPECT_DEATH(store(Dtype::kF32, 0.1), "f32");
}

TEST(Load, IntegersAreExactOrRefused) {
  const std::int64_t v = (1ll << 53) + 1;
  EXPECT_DEATH(load(reinterpret_cast<const std::byte*>(&v), Dtype::kI64, 0), "9007199254740993");
  const std::int32_t w = -7;
  EXPECT_EQ(load(reinterpret_cast<const std::byte*>(&w), Dtype::kI32, 0), -7);
}

}  // namespace
}  // namespace plumb
