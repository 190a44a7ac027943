// SPDX-License-Identifier: Apache-2.0
// Block-scaled FP8: weights decoded, activations quantised.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "oracles/agreement/agreement.h"
#include "oracles/agreement/inputs.h"

namespace plumb::oracles {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

void expect_dequant(const AnyTensor& codes, const AnyTensor& scale, std::int64_t block) {
  const StageCall call{"fp8_dequant", {{"codes", codes}, {"scale", scale}}, {{"block", block}}, {}};
  for (std::string_view reading : kReadings) {
    EXPECT_EQ(expect_agreement(call, reading), codes.size());
  }
}

TEST(Fp8DequantAgreement, RaggedSquares) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    for (std::int64_t block : {1, 3, 4, 128}) {
      const Shape squares{(11 + block - 1) / block, (13 + block - 1) / block};
      expect_dequant(random_e4m3(seed, {11, 13}), random_scales(seed + 9, squares), block);
      expect_dequant(random_e4m3(seed, {11, 13}), wild_f32(seed + 9, squares), block);
    }
  }
}

TEST(Fp8DequantAgreement, EveryCodeOverflowNanAndInfinity) {
  std::vector<int> codes;
  for (int code = 0; code < 256; ++code) codes.push_back(code);
  for (float scale : {1.0f, 0x1.020202p0f, 0x1p-140f, 3e38f, 0.0f, NAN, kInfinity}) {
    expect_dequant(e4m3(codes, {2, 128}), f32({scale}, {1, 1}), 128);
  }
}

void expect_quant(const AnyTensor& x, std::int64_t block) {
  const StageCall call{"fp8_quant", {{"x", x}}, {{"block", block}}, {}};
  const Index runs = x.extent(0) * ((x.extent(1) + block - 1) / block);
  for (std::string_view reading : kReadings) {
    EXPECT_EQ(expect_agreement(call, reading), x.size() + runs);
  }
}

TEST(Fp8QuantAgreement, RunsOfEveryLength) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    for (std::int64_t block : {1, 4, 5, 128}) {
      expect_quant(random_bf16(seed, {3, 17}), block);
      expect_quant(random_f32(seed, {2, 130}), block);
      expect_quant(wild_bf16(seed, {3, 17}), block);
      expect_quant(wild_f32(seed, {3, 17}), block);
    }
  }
}

TEST(Fp8QuantAgreement, TiesTheFloorAndRunsOfZeros) {
  expect_quant(f32({448, 15, 17, 19, -17, 0x1p-10f, 0x3p-10f, 0x1.8p-9f}, {1, 8}), 8);
  expect_quant(f32({0, 0, -0.0f, 1e-4f, 1e-5f, 0x1p-149f}, {3, 2}), 2);
  expect_quant(f32({9e-5f, -1.1e-4f, 1.0000001e-4f, 9.999999e-5f}, {4, 1}), 1);
}

TEST(Fp8QuantAgreement, NanAndInfinity) {
  expect_quant(f32({NAN, 448, 2, kInfinity, 1, -3}, {2, 3}), 3);
  expect_quant(f32({NAN, NAN, -kInfinity, NAN}, {2, 2}), 2);
}

}  // namespace
}  // namespace plumb::oracles
