// SPDX-License-Identifier: Apache-2.0
// The rotary stages and the softmax scale against their exact oracles.
#include <gtest/gtest.h>

#include <cmath>

#include "oracles/agreement/agreement.h"
#include "oracles/agreement/inputs.h"
#include "reference/registry/schema.h"

namespace plumb::oracles {
namespace {

StageCall defaulted(std::string_view stage, const std::vector<NamedParam>& params) {
  StageCall call{std::string(stage), {}, params, {}};
  for (const ParamSchema& p : find_stage(stage)->params) {
    if (call.find_param(p.name) == nullptr) {
      call.params.push_back({std::string(p.name), p.default_value});
    }
  }
  return call;
}

void expect_all(const StageCall& call, Index at_least, int lost_bits = 0) {
  for (std::string_view reading : kReadings) {
    EXPECT_GE(expect_agreement(call, reading, lost_bits), at_least) << reading;
  }
}

NamedParam word(std::string name, std::string value) { return {std::move(name), std::move(value)}; }
NamedParam integer(std::string name, std::int64_t value) { return {std::move(name), value}; }
NamedParam number(std::string name, double value) { return {std::move(name), value}; }

TEST(RopeFrequenciesAgreement, YarnOfManyContexts) {
  for (std::int64_t trained : {6, 64, 1000, 4096, 32768, 131072}) {
    for (std::int64_t half : {1, 8, 24, 32}) {
      expect_all(defaulted("rope_frequencies",
                           {integer("original_length", trained), integer("half", half)}),
                 4 * half + 1);
    }
  }
}

TEST(RopeFrequenciesAgreement, OtherBasesFactorsAndStrengths) {
  expect_all(defaulted("rope_frequencies", {number("base", 50000), number("factor", 64),
                                            number("mscale_all_dim", 0.707)}),
             129);
  expect_all(defaulted("rope_frequencies", {number("base", 1234.5), number("factor", 2.7),
                                            number("mscale", 0.3), number("beta_fast", 16.5)}),
             129);
  expect_all(defaulted("rope_frequencies", {number("factor", 0.5), number("mscale", 3)}), 129);
}

TEST(RopeFrequenciesAgreement, YarnLeftOutWhereTheContextIsShort) {
  const StageCall call = defaulted("rope_frequencies", {integer("max_length", 4096)});
  EXPECT_EQ(expect_agreement(call, "hf_bf16"), 4 * 32 + 1);
  EXPECT_EQ(expect_agreement(call, "inf_bf16"), 2 * 32 + 1);
}

TEST(RopeFrequenciesAgreement, PlainLinearAndDynamic) {
  for (const char* kind : {"plain", "linear", "dynamic"}) {
    for (std::int64_t length : {100, 4096, 4097, 163840}) {
      expect_all(defaulted("rope_frequencies",
                           {word("kind", kind), integer("length", length), number("factor", 2.5)}),
                 65);
    }
  }
}

StageCall table_call(const AnyTensor& frequencies, double scale, double stretch) {
  const Index half = frequencies.extent(0);
  StageCall call{"rope_table", {}, {integer("dim", 2 * half), number("stretch", stretch)}, {}};
  call.set("positions",
           AnyTensor::of(std::vector<std::int64_t>{0, 1, 2, 7, 4095, 65537, 163839, 16777217}));
  call.set("inv_freq", frequencies);
  call.set("table_scale", AnyTensor::of(std::vector<double>{scale}));
  return call;
}

// An angle of up to 2^31 leaves that many bits fewer behind its last turn, and near a zero of the
// wave some more.
constexpr int kLostBits = 36;

TEST(RopeTableAgreement, AnglesAndWaves) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    expect_all(table_call(random_f32(seed, {6}), 1, 1), 8 * 6 * 5, kLostBits);
    expect_all(table_call(random_f32(seed, {5}), 1.3688879454113936, 1), 8 * 5 * 5, kLostBits);
    expect_all(table_call(random_f32(seed, {3}), 1, 40), 8 * 3 * 5, kLostBits);
    expect_all(table_call(random_f32(seed, {3}), 0.9, 2.7), 8 * 3 * 5, kLostBits);
  }
}

TEST(RopeTableAgreement, SmallLargeAndSpecialFrequencies) {
  expect_all(table_call(f32({0x1p-149f, 0x1p-126f, 0, 100, 1e-20f}, {5}), 1, 1), 8 * 5 * 5,
             kLostBits);
  expect_all(table_call(f32({NAN, INFINITY}, {2}), 1, 1), 8 * 2 * 5);
}

StageCall rotation_call(const AnyTensor& x, const AnyTensor& cos, const AnyTensor& sin) {
  StageCall call{"rope", {}, {}, {}};
  call.set("x", x);
  call.set("cos", cos);
  call.set("sin", sin);
  call.set("positions",
           AnyTensor::of(std::vector<std::int64_t>{2, 0, 1, 3, 3, 1}).reshaped({2, 3}));
  return call;
}

TEST(RopeAgreement, RandomVectors) {
  const Shape x{2, 2, 3, 6};
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    expect_all(rotation_call(random_bf16(seed, x), random_bf16(seed + 100, {4, 6}),
                             random_bf16(seed + 200, {4, 6})),
               72);
    expect_all(rotation_call(random_f32(seed, x), random_f32(seed + 100, {4, 6}),
                             random_f32(seed + 200, {4, 6})),
               72);
    expect_all(rotation_call(random_bf16(seed, x), random_f32(seed + 100, {4, 6}),
                             random_f32(seed + 200, {4, 6})),
               72);
  }
}

TEST(RopeAgreement, AnyBitPattern) {
  const Shape x{2, 1, 3, 4};
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    expect_all(rotation_call(wild_f32(seed, x), wild_f32(seed + 100, {4, 4}),
                             wild_f32(seed + 200, {4, 4})),
               24);
    expect_all(rotation_call(wild_bf16(seed, x), wild_bf16(seed + 100, {4, 4}),
                             random_bf16(seed + 200, {4, 4})),
               24);
  }
}

TEST(RopeAgreement, NanAndInfinitePairs) {
  StageCall call = rotation_call(
      f32({1, NAN, INFINITY, 2, 3, -INFINITY, INFINITY, INFINITY, 1, 2, 0, -0.0f}, {2, 1, 3, 2}),
      f32({0, 1, 1, 1, -1, 0.5f, 2, 3}, {4, 2}), f32({1, 0, 1, 1, INFINITY, 0.5f, 2, NAN}, {4, 2}));
  expect_all(call, 12);
}

TEST(SoftmaxScaleAgreement, WidthsFactorsAndStrengths) {
  for (std::int64_t nope : {0, 1, 32, 128, 192}) {
    for (double factor : {1.0, 2.0, 4.0, 40.0}) {
      for (double strength : {0.0, 0.707, 1.0}) {
        for (std::int64_t served : {4096, 4097}) {
          expect_all(defaulted("softmax_scale",
                               {integer("nope_dim", nope), number("factor", factor),
                                number("mscale_all_dim", strength), integer("max_length", served)}),
                     1);
        }
      }
    }
  }
  expect_all(defaulted("softmax_scale", {integer("yarn", 0)}), 1);
}

}  // namespace
}  // namespace plumb::oracles
