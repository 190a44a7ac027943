// SPDX-License-Identifier: Apache-2.0
#include <hwy/targets.h>

#include <span>

#include "fast/stages/row.h"
#include "fast/stages/test_call.h"

namespace plumb::fast {
const plumb_kernel* rms_norm_kernels(std::size_t* count);

namespace {

using namespace test;

std::span<const plumb_kernel> rows() {
  std::size_t count = 0;
  const plumb_kernel* first = rms_norm_kernels(&count);
  return {first, count};
}

struct Shape {
  std::int64_t tokens, width, padding;
};

struct Case {
  Case(Type x_type, Type gain_type, Type y_type_, const char* side_, Shape shape)
      : y_type(y_type_),
        side(side_),
        call("rms_norm"),
        x(call.add("x", PLUMB_IN, x_type, {shape.tokens, shape.width},
                   shape.width + shape.padding)),
        gain(call.add("gain", PLUMB_IN, gain_type, {shape.width})),
        y(call.add("y", PLUMB_OUT, y_type_, {shape.tokens, shape.width},
                   shape.width + 2 * shape.padding)) {
    call.number("eps", 1e-6);
    call.word("R1-D18", side_);
  }

  // Between the roundings of both ends of an interval that f32 arithmetic cannot leave.
  void check(const std::string& where) const {
    for (std::int64_t t = 0; t < x.rows(); ++t) {
      double squares = 0;
      for (std::int64_t d = 0; d < x.columns(); ++d) squares += x.get(t, d) * x.get(t, d);
      const double inverse = 1 / std::sqrt(squares / static_cast<double>(x.columns()) + 1e-6);
      const double tolerance = static_cast<double>(x.columns() + 8) * 0x1p-24;
      for (std::int64_t d = 0; d < x.columns(); ++d) {
        double ends[2] = {x.get(t, d) * inverse * (1 - tolerance),
                          x.get(t, d) * inverse * (1 + tolerance)};
        for (double& end : ends) {
          if (side[0] == 'a' && y_type == Type::kBf16) end = nearest_bf16(end);
          end = nearest(y_type, end * gain.get(0, d));
        }
        const auto [low, high] = std::minmax(ends[0], ends[1]);
        ASSERT_GE(y.get(t, d), low) << where << " token " << t << " channel " << d;
        ASSERT_LE(y.get(t, d), high) << where << " token " << t << " channel " << d;
      }
    }
  }

  Type y_type;
  const char* side;
  TestCall call;
  TestTensor& x;
  TestTensor& gain;
  TestTensor& y;
};

TEST(RmsNormKernels, MatchNaiveOnEveryTypeShapeAndTarget) {
  std::mt19937 random(1);
  int ran = 0;
  for (const plumb_kernel& row : rows()) {
    for (Type x : {Type::kF32, Type::kBf16}) {
      for (Type gain : {Type::kF32, Type::kBf16}) {
        for (Type y : {Type::kF32, Type::kBf16}) {
          for (const char* side : {"a", "b"}) {
            for (Shape shape :
                 {Shape{3, 1, 0}, {2, 7, 5}, {1, 64, 0}, {2, 131, 1}, {1, 1536, 0}, {0, 9, 0}}) {
              Case c(x, gain, y, side, shape);
              c.x.fill(random, 3);
              c.gain.fill(random, 0.2, 1);
              const Outcome outcome = run(row, c.call);
              if (outcome.reason.find("lacks") != std::string::npos) continue;
              ASSERT_EQ(outcome.code, 0) << outcome.message;
              c.check(row.variant);
              ++ran;
            }
          }
        }
      }
    }
  }
  EXPECT_GE(ran, 96);  // the scalar row at least
}

TEST(RmsNormKernels, SidesOfTheGainDisagreeOnTheWitness) {
  for (const plumb_kernel& row : rows()) {
    for (const char* side : {"a", "b"}) {
      Case c(Type::kBf16, Type::kBf16, Type::kBf16, side, {1, 2, 0});
      c.x.set(0, 0, 1);
      c.x.set(0, 1, 3);
      for (int d = 0; d < 2; ++d) c.gain.set(0, d, 1.125);
      const Outcome outcome = run(row, c.call);
      if (!outcome.reason.empty()) continue;
      EXPECT_EQ(c.y.get(0, 1), side[0] == 'a' ? 97.0 / 64 : 193.0 / 128) << row.variant << side;
    }
  }
}

TEST(RmsNormKernels, NanPoisonsItsOwnRowOnly) {
  for (const plumb_kernel& row : rows()) {
    Case c(Type::kBf16, Type::kF32, Type::kBf16, "a", {2, 37, 0});
    std::mt19937 random(2);
    c.x.fill(random, 1);
    c.gain.fill(random, 0, 1);
    c.x.set(0, 36, NAN);
    if (!run(row, c.call).reason.empty()) continue;
    for (int d = 0; d < 37; ++d) {
      EXPECT_TRUE(std::isnan(c.y.get(0, d))) << row.variant;
      EXPECT_TRUE(std::isfinite(c.y.get(1, d))) << row.variant;
    }
  }
}

TEST(RmsNormKernels, EachRowRunsItsOwnTarget) {
  std::vector<std::string> variants;
  for (const plumb_kernel& row : rows()) {
    variants.emplace_back(row.variant);
    Case c(Type::kF32, Type::kF32, Type::kF32, "a", {1, 8, 0});
    set_last_target("none");
    if (!run(row, c.call).reason.empty()) {
      EXPECT_STREQ(last_target(), "none") << row.variant;  // a declined row must not have run
      continue;
    }
    std::string name = last_target();
    for (char& letter : name) letter = static_cast<char>(std::tolower(letter));
    EXPECT_EQ(name, row.variant);
  }
  EXPECT_EQ(variants,
            (std::vector<std::string>{"scalar", "avx3_dl", "avx3", "avx2", "sse4", "ssse3"}));
}

TEST(RmsNormKernels, DeclineWhatTheProcessorLacks) {
  const std::int64_t real = supported_targets();
  supported_targets() = HWY_SSE4 | HWY_SSSE3;
  for (const plumb_kernel& row : rows()) {
    Case c(Type::kF32, Type::kF32, Type::kF32, "a", {1, 8, 0});
    const Outcome outcome = run(row, c.call);
    const bool wide = std::string(row.variant).starts_with("avx");
    EXPECT_EQ(outcome.reason.find("lacks the instructions of AVX") != std::string::npos, wide)
        << row.variant << outcome.reason;
    EXPECT_EQ(outcome.code != 0, wide) << row.variant;
  }
  supported_targets() = real;
}

TEST(RmsNormKernels, SayWhatIsWrongWithACall) {
  const plumb_kernel& row = rows()[0];
  const auto outcome_of = [&](auto spoil) {
    Case c(Type::kF32, Type::kF32, Type::kF32, "a", {2, 8, 0});
    spoil(c.call);
    return run(row, c.call);
  };
  const auto malformed = [&](auto spoil, const char* words) {
    const Outcome outcome = outcome_of(spoil);
    EXPECT_NE(outcome.code, 0) << words;
    EXPECT_EQ(outcome.reason, "") << words;
    EXPECT_NE(outcome.message.find(words), std::string::npos) << outcome.message;
  };
  const auto declined = [&](auto spoil, const char* words) {
    const Outcome outcome = outcome_of(spoil);
    EXPECT_NE(outcome.code, 0) << words;
    EXPECT_NE(outcome.reason.find(words), std::string::npos) << outcome.reason;
  };
  malformed([](TestCall& c) { c.abi_tensors.pop_back(); }, "tensor y is missing");
  malformed([](TestCall& c) { c.abi_tensors[0].tensor.data = nullptr; },
            "tensor x of shape [2, 8] has no data");
  malformed([](TestCall& c) { c.abi_tensors[1].tensor.shape[0] = 7; },
            "tensor gain has the shape [1, 7]");
  malformed([](TestCall& c) { c.abi_tensors[0].tensor.ndim = 1; }, "tensor x has rank 1");
  malformed([](TestCall& c) { c.params.pop_back(); }, "parameter R1-D18 is missing");
  malformed([](TestCall& c) { c.params[1].value.word = "c"; }, "parameter R1-D18 is \"c\"");
  malformed([](TestCall& c) { c.params[0].kind = PLUMB_INTEGER; }, "parameter eps is of kind 0");
  malformed([](TestCall& c) { c.params[0].value.number = NAN; }, "parameter eps is not finite");
  declined([](TestCall& c) { c.abi_tensors[0].tensor.strides[1] = 2; }, "innermost stride 2");
  declined([](TestCall& c) { c.abi_tensors[0].tensor.dtype.bits = 64; },
           "tensor x is of DLPack type");
}

}  // namespace
}  // namespace plumb::fast
