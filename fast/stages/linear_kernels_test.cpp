// SPDX-License-Identifier: Apache-2.0
#include <span>

#include "fast/stages/row.h"
#include "fast/stages/test_call.h"

namespace plumb::fast {
const plumb_kernel* linear_kernels(std::size_t* count);

namespace {

using namespace test;

std::span<const plumb_kernel> rows() {
  std::size_t count = 0;
  const plumb_kernel* first = linear_kernels(&count);
  return {first, count};
}

struct Shape {
  std::int64_t tokens, inputs, outputs, block, padding;
};

std::int64_t blocks(std::int64_t extent, std::int64_t block) {
  return (extent + block - 1) / block;
}

struct Case {
  Case(Type x_type_, Type weight_type_, Type y_type_, Shape s)
      : x_type(x_type_),
        weight_type(weight_type_),
        y_type(y_type_),
        shape(s),
        call("linear"),
        x(call.add("x", PLUMB_IN, x_type, {s.tokens, s.inputs}, s.inputs + s.padding)),
        weight(call.add("weight", PLUMB_IN, weight_type, {s.outputs, s.inputs},
                        s.inputs + 3 * s.padding)),
        y(call.add("y", PLUMB_OUT, y_type, {s.tokens, s.outputs}, s.outputs + s.padding)) {
    if (x_type == Type::kE4m3) {
      x_scale = &call.add("x_scale", PLUMB_IN, Type::kF32, {s.tokens, blocks(s.inputs, s.block)});
    }
    if (weight_type == Type::kE4m3) {
      weight_scale = &call.add("weight_scale", PLUMB_IN, Type::kF32,
                               {blocks(s.outputs, s.block), blocks(s.inputs, s.block)},
                               blocks(s.inputs, s.block) + s.padding);
    }
    call.integer("block", s.block);
  }

  void fill(std::mt19937& random) {
    x.fill(random, 1);
    weight.fill(random, 0.3);
    if (x_scale != nullptr) x_scale->fill(random, 0.01, 0.05);
    if (weight_scale != nullptr) weight_scale->fill(random, 0.01, 0.04);
  }

  double weight_at(std::int64_t o, std::int64_t i) const {
    if (weight_scale == nullptr) return weight.get(o, i);
    const double scaled = weight.get(o, i) * weight_scale->get(o / shape.block, i / shape.block);
    return x_scale != nullptr ? scaled : nearest(y_type, scaled);
  }
  double x_at(std::int64_t n, std::int64_t i) const {
    return x_scale == nullptr ? x.get(n, i) : x.get(n, i) * x_scale->get(n, i / shape.block);
  }

  // Between the roundings of both ends of the interval that sums in f32, in any order, cannot
  // leave.
  void check(const std::string& where) const {
    for (std::int64_t n = 0; n < shape.tokens; ++n) {
      for (std::int64_t o = 0; o < shape.outputs; ++o) {
        double sum = 0, magnitude = 0;
        for (std::int64_t i = 0; i < shape.inputs; ++i) {
          sum += weight_at(o, i) * x_at(n, i);
          magnitude += std::fabs(weight_at(o, i) * x_at(n, i));
        }
        const double got = y.get(n, o);
        if (std::isnan(sum)) {
          ASSERT_TRUE(std::isnan(got)) << where << " token " << n << " output " << o;
          continue;
        }
        const double error = static_cast<double>(shape.inputs + 4) * 0x1p-24 * magnitude;
        ASSERT_GE(got, nearest(y_type, sum - error)) << where << " token " << n << " output " << o;
        ASSERT_LE(got, nearest(y_type, sum + error)) << where << " token " << n << " output " << o;
      }
    }
  }

  Type x_type, weight_type, y_type;
  Shape shape;
  TestCall call;
  TestTensor& x;
  TestTensor& weight;
  TestTensor& y;
  TestTensor* x_scale = nullptr;
  TestTensor* weight_scale = nullptr;
};

std::string text(const plumb_kernel& row, const Shape& s) {
  return std::string(row.variant) + " N " + std::to_string(s.tokens) + " I " +
         std::to_string(s.inputs) + " O " + std::to_string(s.outputs) + " block " +
         std::to_string(s.block);
}

const Shape kShapes[] = {{1, 1, 1, 128, 0},     {1, 128, 128, 128, 0}, {3, 131, 9, 128, 3},
                         {2, 300, 130, 128, 0}, {1, 1500, 6, 128, 1},  {5, 40, 7, 4, 0},
                         {2, 33, 11, 5, 2},     {67, 24, 5, 16, 0},    {1, 2500, 3, 3000, 0},
                         {2, 20, 3, 1, 0},      {0, 8, 8, 128, 0},     {2, 64, 0, 128, 0}};

struct Types {
  Type x, weight;
};
const Types kTypes[] = {{Type::kF32, Type::kF32},  {Type::kF32, Type::kBf16},
                        {Type::kBf16, Type::kF32}, {Type::kBf16, Type::kBf16},
                        {Type::kF32, Type::kE4m3}, {Type::kBf16, Type::kE4m3},
                        {Type::kE4m3, Type::kE4m3}};

TEST(LinearKernels, MatchNaiveOnEveryTypeShapeAndTarget) {
  std::mt19937 random(3);
  int ran = 0;
  for (const plumb_kernel& row : rows()) {
    for (const Types& types : kTypes) {
      for (Type y : {Type::kF32, Type::kBf16}) {
        for (const Shape& shape : kShapes) {
          Case c(types.x, types.weight, y, shape);
          c.fill(random);
          const Outcome outcome = run(row, c.call);
          if (outcome.reason.find("lacks") != std::string::npos) continue;
          ASSERT_EQ(outcome.code, 0) << outcome.message;
          c.check(text(row, shape));
          ++ran;
        }
      }
    }
  }
  EXPECT_GE(ran, 168);  // the scalar row at least
}

// One input is 1 and the others 0: the weights come through, every code of them, NaN among them.
TEST(LinearKernels, ImpulsesShowEveryCode) {
  for (const plumb_kernel& row : rows()) {
    for (Type y : {Type::kF32, Type::kBf16}) {
      Case c(Type::kBf16, Type::kE4m3, y, {3, 64, 256, 16, 0});
      std::mt19937 random(4);
      c.weight_scale->fill(random, 0.01, 0.05);
      for (int code = 0; code < 256; ++code) {
        for (int i = 0; i < 64; ++i) c.weight.set_code(code, i, i % 21 == 3 ? code : 0x38);
      }
      for (int n = 0; n < 3; ++n) {
        for (int i = 0; i < 64; ++i) c.x.set(n, i, i == 3 + 21 * n ? 1 : 0);
      }
      if (!run(row, c.call).reason.empty()) continue;
      for (int n = 0; n < 3; ++n) {
        for (int code = 0; code < 256; ++code) {
          const double want = c.weight_at(code, 3 + 21 * n);
          if ((code & 127) == 127)
            EXPECT_TRUE(std::isnan(c.y.get(n, code))) << row.variant << code;
          else
            EXPECT_EQ(c.y.get(n, code), want) << row.variant << " code " << code;
        }
      }
    }
  }
}

// An infinite input must not reach sums that it is no part of: neither a neighbouring block nor
// padding.
TEST(LinearKernels, InfinityStaysInItsToken) {
  for (const plumb_kernel& row : rows()) {
    for (const Types& types : {kTypes[0], kTypes[5]}) {
      Case c(types.x, types.weight, Type::kF32, {3, 70, 5, 10, 0});
      std::mt19937 random(5);
      c.fill(random);
      c.x.set(1, 69, INFINITY);
      if (!run(row, c.call).reason.empty()) continue;
      for (int o = 0; o < 5; ++o) {
        EXPECT_TRUE(std::isfinite(c.y.get(0, o))) << row.variant;
        EXPECT_FALSE(std::isfinite(c.y.get(1, o))) << row.variant;
        EXPECT_TRUE(std::isfinite(c.y.get(2, o))) << row.variant;
      }
    }
  }
}

// A NaN code of one block spoils its own output alone; where sums are scaled a NaN scale does so
// too.
TEST(LinearKernels, NanCodesSpoilTheirOwnOutputs) {
  for (const plumb_kernel& row : rows()) {
    Case c(Type::kE4m3, Type::kE4m3, Type::kF32, {2, 40, 6, 8, 0});
    std::mt19937 random(6);
    c.fill(random);
    c.weight.set_code(4, 7, 0xff);
    c.x.set_code(1, 39, 0x7f);
    if (!run(row, c.call).reason.empty()) continue;
    for (int o = 0; o < 6; ++o) {
      EXPECT_EQ(std::isnan(c.y.get(0, o)), o == 4) << row.variant;
      EXPECT_TRUE(std::isnan(c.y.get(1, o))) << row.variant;
    }
  }
}

TEST(LinearKernels, EachRowRunsItsOwnTarget) {
  int ran = 0;
  for (const plumb_kernel& row : rows()) {
    Case c(Type::kF32, Type::kF32, Type::kF32, {1, 8, 2, 128, 0});
    std::mt19937 random(7);
    c.fill(random);
    set_last_target("none");
    if (!run(row, c.call).reason.empty()) continue;
    std::string name = last_target();
    for (char& letter : name) letter = static_cast<char>(std::tolower(letter));
    EXPECT_EQ(name, row.variant);
    ++ran;
  }
  EXPECT_GE(ran, 1);
}

TEST(LinearKernels, SayWhatIsWrongWithACall) {
  const auto outcome_of = [&](Types types, auto spoil) {
    Case c(types.x, types.weight, Type::kF32, {2, 8, 4, 4, 0});
    spoil(c.call);
    return run(rows()[0], c.call);
  };
  const auto malformed = [&](Types types, auto spoil, const char* words) {
    const Outcome outcome = outcome_of(types, spoil);
    EXPECT_NE(outcome.code, 0) << words;
    EXPECT_EQ(outcome.reason, "") << words;
    EXPECT_NE(outcome.message.find(words), std::string::npos) << outcome.message;
  };
  const auto declined = [&](Types types, auto spoil, const char* words) {
    const Outcome outcome = outcome_of(types, spoil);
    EXPECT_NE(outcome.code, 0) << words;
    EXPECT_NE(outcome.reason.find(words), std::string::npos) << outcome.reason;
  };
  const Types codes = kTypes[6];
  malformed(
      codes, [](TestCall& c) { c.abi_tensors.pop_back(); }, "tensor weight_scale is missing");
  malformed(
      codes, [](TestCall& c) { c.abi_tensors.erase(c.abi_tensors.begin() + 3); },
      "tensor x_scale is missing");
  malformed(
      codes, [](TestCall& c) { c.abi_tensors[4].tensor.shape[0] = 2; },
      "tensor weight_scale has the shape [2, 2]");
  malformed(
      codes, [](TestCall& c) { c.params[0].value.integer = 0; }, "parameter block is 0");
  malformed(
      kTypes[0], [](TestCall& c) { c.abi_tensors[1].tensor.shape[1] = 7; },
      "tensor weight has the shape [4, 7]");
  declined(
      {Type::kE4m3, Type::kF32}, [](TestCall&) {}, "x is FP8 and the weight is not");
  declined(
      {Type::kE4m3, Type::kF32},
      [](TestCall& c) { c.abi_tensors[1].tensor.dtype.code = PLUMB_DL_INT; },
      "tensor weight is of DLPack type");
  declined(
      codes,
      [](TestCall& c) {
        c.abi_tensors[0].tensor.dtype = {PLUMB_DL_FLOAT, 32, 1};
      },
      "x_scale is given, but x is not FP8");
}

}  // namespace
}  // namespace plumb::fast
