// SPDX-License-Identifier: Apache-2.0
// The element-wise stages of a feed-forward layer: swiglu, residual, moe_combine.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "oracles/agreement/agreement.h"
#include "oracles/agreement/inputs.h"

namespace plumb::oracles {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

void expect_pair(std::string_view stage, const char* first, const AnyTensor& a, const char* second,
                 const AnyTensor& b) {
  const StageCall call{std::string(stage), {{first, a}, {second, b}}, {}, {}};
  for (std::string_view reading : kReadings) EXPECT_EQ(expect_agreement(call, reading), a.size());
}
void expect_swiglu(const AnyTensor& gate, const AnyTensor& up) {
  expect_pair("swiglu", "gate", gate, "up", up);
}
void expect_residual(const AnyTensor& r, const AnyTensor& u) {
  expect_pair("residual", "r", r, "u", u);
}

AnyTensor stretched(std::uint64_t seed, Shape shape, float factor) {
  AnyTensor t = random_f32(seed, std::move(shape));
  for (Index i = 0; i < t.size(); ++i) t.data<float>()[i] *= factor;
  return t;
}

TEST(SwigluAgreement, RandomGates) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    expect_swiglu(random_bf16(seed, {3, 17}), random_bf16(seed + 9, {3, 17}));
    expect_swiglu(stretched(seed, {2, 19}, 20), random_f32(seed + 9, {2, 19}));
    expect_swiglu(stretched(seed, {2, 19}, 0x1p-60f), wild_f32(seed + 9, {2, 19}));
  }
}

TEST(SwigluAgreement, WhereItVanishesOverflowsOrIsNoNumber) {
  expect_swiglu(f32({0, -80, -110, 80, 1e30f, -1.2784645f}, {1, 6}),
                f32({3, 3, 3, -3, 1e30f, 1}, {1, 6}));
  expect_swiglu(f32({NAN, kInfinity, -kInfinity, 1, 0}, {1, 5}),
                f32({1, 1, 1, NAN, kInfinity}, {1, 5}));
}

TEST(ResidualAgreement, AnyBitPattern) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    expect_residual(wild_bf16(seed, {3, 23}), wild_bf16(seed + 9, {3, 23}));
    expect_residual(wild_f32(seed, {3, 23}), wild_f32(seed + 9, {3, 23}));
    expect_residual(random_bf16(seed, {3, 23}), random_bf16(seed + 9, {3, 23}));
  }
}

TEST(ResidualAgreement, TiesOverflowNanAndInfinity) {
  expect_residual(f32({1, 1, 1 + 0x1p-8f, 1 + 0x1p-8f, -2}, {1, 5}),
                  f32({0x1p-8f, 0x3p-8f, 0x1p-90f, -0x1p-90f, 2}, {1, 5}));
  expect_residual(f32({0x1.fep127f, 0x1.fep127f, 0x1.fffffep127f}, {1, 3}),
                  f32({0x1p119f, 0x1.fffffep118f, 0x1p103f}, {1, 3}));
  expect_residual(f32({kInfinity, kInfinity, NAN}, {1, 3}), f32({-kInfinity, 1, 1}, {1, 3}));
}

// Tokens of `top_k` different experts whose rows lie in a shuffled order.
struct Mixture {
  Index tokens, top_k, width;
};
void expect_combine(const Mixture& m, const AnyTensor& outputs, const AnyTensor& weights,
                    std::uint64_t seed) {
  const Index slots = m.tokens * m.top_k;
  std::vector<std::int64_t> order(static_cast<std::size_t>(slots));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::vector<std::int64_t> ids = order;
  for (std::size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[random_bits(seed, i) % i]);
    std::swap(ids[i - 1], ids[random_bits(seed + 1, i) % i]);
  }
  const StageCall call{"moe_combine",
                       {{"outputs", outputs},
                        {"order", AnyTensor::of(order)},
                        {"ids", AnyTensor::of(ids).reshaped({m.tokens, m.top_k})},
                        {"weights", weights}},
                       {{"experts", std::int64_t{slots}}},
                       {}};
  for (std::string_view reading : kReadings) {
    EXPECT_EQ(expect_agreement(call, reading), m.tokens * m.width);
  }
}

TEST(MoeCombineAgreement, RandomMixtures) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    expect_combine({3, 8, 5}, random_bf16(seed, {24, 5}), random_f32(seed + 9, {3, 8}), seed);
    expect_combine({4, 2, 7}, random_f32(seed, {8, 7}), random_bf16(seed + 9, {4, 2}), seed);
  }
}

TEST(MoeCombineAgreement, AnyBitPattern) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    expect_combine({2, 4, 6}, wild_f32(seed, {8, 6}), random_f32(seed + 9, {2, 4}), seed);
    expect_combine({2, 4, 6}, wild_bf16(seed, {8, 6}), wild_f32(seed + 9, {2, 4}), seed);
  }
}

TEST(MoeCombineAgreement, OneAndSevenVanishingOutputs) {
  std::vector<float> outputs(8, 0x1p-8f);
  outputs[3] = 1;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    expect_combine({1, 8, 1}, f32(outputs, {8, 1}), f32(std::vector<float>(8, 1.0f), {1, 8}), seed);
  }
}

}  // namespace
}  // namespace plumb::oracles
