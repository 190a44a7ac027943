// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <span>

#include "fast/stages/row.h"
#include "fast/stages/test_call.h"

namespace plumb::fast {
const plumb_kernel* moe_router_kernels(std::size_t* count);

namespace {

using namespace test;

std::span<const plumb_kernel> rows() {
  std::size_t count = 0;
  const plumb_kernel* first = moe_router_kernels(&count);
  return {first, count};
}

struct Shape {
  std::int64_t tokens, width, experts, groups, top_groups, top_k, padding;
};

struct Case {
  Case(Type h_type, Type weight_type, const char* fill_side_, const char* denominator_side_,
       Shape s, bool taps)
      : shape(s),
        fill_side(fill_side_),
        denominator_side(denominator_side_),
        call("moe_router"),
        h(call.add("h", PLUMB_IN, h_type, {s.tokens, s.width}, s.width + s.padding)),
        weight(
            call.add("weight", PLUMB_IN, weight_type, {s.experts, s.width}, s.width + s.padding)),
        bias(call.add("bias", PLUMB_IN, Type::kF32, {s.experts})),
        ids(call.add("ids", PLUMB_OUT, Type::kI64, {s.tokens, s.top_k}, s.top_k + s.padding)),
        weights(
            call.add("weights", PLUMB_OUT, Type::kF32, {s.tokens, s.top_k}, s.top_k + s.padding)) {
    if (taps) {
      logits = &tap("logits", Type::kF32, s.experts);
      scores = &tap("scores", Type::kF32, s.experts);
      biased = &tap("biased", Type::kF32, s.experts);
      group_scores = &tap("group_scores", Type::kF32, s.groups);
      group_ids = &tap("group_ids", Type::kI64, s.top_groups);
      masked = &tap("masked", Type::kF32, s.experts);
      gathered = &tap("gathered", Type::kF32, s.top_k);
    }
    call.integer("top_k", s.top_k);
    call.integer("groups", s.groups);
    call.integer("top_groups", s.top_groups);
    call.number("scale", 2.5);
    call.word("R1-D06", fill_side);
    call.word("R1-D16", denominator_side);
  }

  TestTensor& tap(const char* name, Type type, std::int64_t columns) {
    return call.add(name, PLUMB_TAP, type, {shape.tokens, columns}, columns + shape.padding);
  }
  void fill(std::mt19937& random) {
    h.fill(random, 1);
    weight.fill(random, 2 / std::sqrt(static_cast<double>(shape.width)));
    bias.fill(random, 0.1, -0.4);  // of both signs after the sum, so that a fill of 0 competes
  }

  Shape shape;
  const char* fill_side;
  const char* denominator_side;
  TestCall call;
  TestTensor &h, &weight, &bias, &ids, &weights;
  TestTensor *logits = nullptr, *scores = nullptr, *biased = nullptr, *group_scores = nullptr,
             *group_ids = nullptr, *masked = nullptr, *gathered = nullptr;
};

// Indices in the order of descending value, the lowest first among equals.
std::vector<std::int64_t> ranking(const TestTensor& values, std::int64_t token) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(values.columns()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return values.get(token, a) > values.get(token, b); });
  return order;
}

void expect_near_ulps(double got, double want, double ulps, const std::string& where) {
  const double unit = std::ldexp(1.0, std::max(std::ilogb(want), -126) - 23);
  EXPECT_LE(std::fabs(got - want), ulps * unit) << where << " got " << got << " want " << want;
}

// Each step from the step before as the kernel itself wrote it: every selection must then be exact.
void check(const Case& c, std::int64_t n, const std::string& where) {
  const Shape& s = c.shape;
  const std::int64_t size = s.experts / s.groups;
  for (std::int64_t e = 0; e < s.experts; ++e) {
    double z = 0, magnitude = 0;
    for (std::int64_t j = 0; j < s.width; ++j) {
      z += c.h.get(n, j) * c.weight.get(e, j);
      magnitude += std::fabs(c.h.get(n, j) * c.weight.get(e, j));
    }
    ASSERT_NEAR(c.logits->get(n, e), z, static_cast<double>(s.width + 4) * 0x1p-24 * magnitude)
        << where;
    expect_near_ulps(c.scores->get(n, e), 1 / (1 + std::exp(-c.logits->get(n, e))), 2.5, where);
    ASSERT_EQ(c.biased->get(n, e), nearest(Type::kF32, c.scores->get(n, e) + c.bias.get(0, e)))
        << where;
  }
  for (std::int64_t g = 0; g < s.groups; ++g) {
    std::vector<double> members;
    for (std::int64_t e = g * size; e < (g + 1) * size; ++e) members.push_back(c.biased->get(n, e));
    std::sort(members.rbegin(), members.rend());
    ASSERT_EQ(c.group_scores->get(n, g), nearest(Type::kF32, members[0] + members[1])) << where;
  }
  const auto groups = ranking(*c.group_scores, n);
  std::vector<bool> kept(static_cast<std::size_t>(s.groups));
  for (std::int64_t k = 0; k < s.top_groups; ++k) {
    const std::int64_t group = groups[static_cast<std::size_t>(k)];
    ASSERT_EQ(c.group_ids->get_integer(n, k), group) << where;
    kept[static_cast<std::size_t>(group)] = true;
  }
  for (std::int64_t e = 0; e < s.experts; ++e) {
    const double fill = c.fill_side[0] == 'a' ? 0 : -INFINITY;
    ASSERT_EQ(c.masked->get(n, e),
              kept[static_cast<std::size_t>(e / size)] ? c.biased->get(n, e) : fill)
        << where;
  }
  const auto experts = ranking(*c.masked, n);
  double sum = 0;
  for (std::int64_t k = 0; k < s.top_k; ++k) {
    const std::int64_t id = c.ids.get_integer(n, k);
    ASSERT_EQ(id, experts[static_cast<std::size_t>(k)]) << where << " rank " << k;
    ASSERT_EQ(c.gathered->get(n, k), c.scores->get(n, id)) << where;
    sum += c.gathered->get(n, k);
  }
  if (c.denominator_side[0] == 'a') sum += 1e-20;
  for (std::int64_t k = 0; k < s.top_k; ++k) {
    expect_near_ulps(c.weights.get(n, k), c.gathered->get(n, k) / sum * 2.5,
                     static_cast<double>(s.top_k), where);
  }
}

const Shape kShapes[] = {{3, 40, 256, 8, 4, 8, 0}, {2, 19, 8, 4, 2, 3, 1},
                         {1, 64, 384, 1, 1, 8, 0}, {5, 7, 60, 5, 2, 12, 2},
                         {70, 5, 34, 17, 3, 6, 0}, {0, 5, 8, 2, 1, 2, 0}};

TEST(MoeRouterKernels, MatchNaiveStepByStep) {
  std::mt19937 random(8);
  int ran = 0;
  for (const plumb_kernel& row : rows()) {
    for (Type h : {Type::kF32, Type::kBf16}) {
      for (Type weight : {Type::kF32, Type::kBf16}) {
        for (const char* side : {"a", "b"}) {
          for (const Shape& shape : kShapes) {
            Case c(h, weight, side, side, shape, true);
            c.fill(random);
            const Outcome outcome = run(row, c.call);
            if (outcome.reason.find("lacks") != std::string::npos) continue;
            ASSERT_EQ(outcome.code, 0) << outcome.message;
            for (std::int64_t n = 0; n < shape.tokens; ++n) {
              check(c, n, std::string(row.variant) + " experts " + std::to_string(shape.experts));
              if (HasFatalFailure()) return;
            }
            ++ran;
          }
        }
      }
    }
  }
  EXPECT_GE(ran, 48);  // the scalar row at least
}

TEST(MoeRouterKernels, TapsLeftOutChangeNothing) {
  for (const plumb_kernel& row : rows()) {
    Case with(Type::kBf16, Type::kBf16, "b", "a", kShapes[0], true);
    Case without(Type::kBf16, Type::kBf16, "b", "a", kShapes[0], false);
    Case empty(Type::kBf16, Type::kBf16, "b", "a", kShapes[0], true);
    for (std::size_t i = 5; i < empty.call.abi_tensors.size(); ++i)
      empty.call.abi_tensors[i].tensor.data = nullptr;
    for (Case* c : {&with, &without, &empty}) {
      std::mt19937 random(9);
      c->fill(random);
      const Outcome outcome = run(row, c->call);
      if (!outcome.reason.empty()) break;
      ASSERT_EQ(outcome.code, 0) << outcome.message;
      for (int k = 0; k < 8; ++k) {
        EXPECT_EQ(c->ids.get_integer(2, k), with.ids.get_integer(2, k));
        EXPECT_EQ(c->weights.get(2, k), with.weights.get(2, k));
      }
    }
  }
}

// All scores equal: the lowest groups and in them the lowest experts.
TEST(MoeRouterKernels, TiesGoToTheLowestIndex) {
  for (const plumb_kernel& row : rows()) {
    Case c(Type::kF32, Type::kF32, "b", "a", {1, 8, 64, 8, 4, 8, 0}, true);
    std::mt19937 random(10);
    c.h.fill(random, 1);
    c.weight.fill(random, 0);
    c.bias.fill(random, 0);
    if (!run(row, c.call).reason.empty()) continue;
    for (int k = 0; k < 4; ++k) EXPECT_EQ(c.group_ids->get_integer(0, k), k) << row.variant;
    for (int k = 0; k < 8; ++k) EXPECT_EQ(c.ids.get_integer(0, k), k) << row.variant;
  }
}

// c = (0.5, -0.1, 0.1, 0.1), the first of two groups kept: a fill of 0 beats its own second expert.
TEST(MoeRouterKernels, FillsDisagreeOnTheWitness) {
  for (const plumb_kernel& row : rows()) {
    for (const char* side : {"a", "b"}) {
      Case c(Type::kF32, Type::kF32, side, "a", {1, 1, 4, 2, 1, 2, 0}, false);
      c.h.set(0, 0, 0);
      const double bias[4] = {0, -0.6, -0.4, -0.4};
      for (int e = 0; e < 4; ++e) {
        c.weight.set(e, 0, 1);
        c.bias.set(0, e, bias[e]);
      }
      if (!run(row, c.call).reason.empty()) continue;
      EXPECT_EQ(c.ids.get_integer(0, 0), 0);
      EXPECT_EQ(c.ids.get_integer(0, 1), side[0] == 'a' ? 2 : 1) << row.variant;
    }
  }
}

// All eight logits -60: 1e-20 outweighs the sum of the scores.
TEST(MoeRouterKernels, DenominatorsDisagreeOnTheWitness) {
  for (const plumb_kernel& row : rows()) {
    for (const char* side : {"a", "b"}) {
      Case c(Type::kF32, Type::kF32, "b", side, {1, 1, 8, 2, 2, 8, 0}, false);
      c.h.set(0, 0, -60);
      for (int e = 0; e < 8; ++e) {
        c.weight.set(e, 0, 1);
        c.bias.set(0, e, 0);
      }
      if (!run(row, c.call).reason.empty()) continue;
      EXPECT_NEAR(c.weights.get(0, 3), side[0] == 'a' ? 2.1891123554854088e-6 : 0.3125,
                  side[0] == 'a' ? 1e-12 : 1e-7)
          << row.variant;
    }
  }
}

TEST(MoeRouterKernels, NanAndInfinityStillGiveDistinctExperts) {
  for (const plumb_kernel& row : rows()) {
    Case c(Type::kF32, Type::kF32, "b", "a", {2, 4, 40, 4, 2, 8, 0}, false);
    std::mt19937 random(11);
    c.fill(random);
    c.h.set(0, 1, NAN);
    c.weight.set(7, 2, INFINITY);
    c.weight.set(39, 2, -INFINITY);
    if (!run(row, c.call).reason.empty()) continue;
    for (int n = 0; n < 2; ++n) {
      std::vector<std::int64_t> seen;
      for (int k = 0; k < 8; ++k) seen.push_back(c.ids.get_integer(n, k));
      std::sort(seen.begin(), seen.end());
      EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end()) << row.variant;
      EXPECT_GE(seen.front(), 0);
      EXPECT_LT(seen.back(), 40);
    }
    EXPECT_TRUE(std::isnan(c.weights.get(0, 0)));
    EXPECT_FALSE(std::isnan(c.weights.get(1, 0)));
  }
}

TEST(MoeRouterKernels, NanIsChosenFirst) {
  for (const plumb_kernel& row : rows()) {
    Case c(Type::kF32, Type::kF32, "b", "a", {1, 4, 40, 4, 2, 8, 0}, true);
    std::mt19937 random(13);
    c.fill(random);
    c.bias.set(0, 33, NAN);
    c.bias.set(0, 12, INFINITY);
    if (!run(row, c.call).reason.empty()) continue;
    EXPECT_EQ(c.group_ids->get_integer(0, 0), 3) << row.variant;
    EXPECT_EQ(c.group_ids->get_integer(0, 1), 1) << row.variant;
    EXPECT_EQ(c.ids.get_integer(0, 0), 33) << row.variant;
    EXPECT_EQ(c.ids.get_integer(0, 1), 12) << row.variant;
  }
}

TEST(MoeRouterKernels, EachRowRunsItsOwnTarget) {
  int ran = 0;
  for (const plumb_kernel& row : rows()) {
    Case c(Type::kF32, Type::kF32, "b", "a", kShapes[1], false);
    std::mt19937 random(12);
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

TEST(MoeRouterKernels, SayWhatIsWrongWithACall) {
  const auto outcome_of = [&](auto spoil) {
    Case c(Type::kF32, Type::kF32, "b", "a", kShapes[1], true);
    spoil(c.call);
    return run(rows()[0], c.call);
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
  malformed([](TestCall& c) { c.abi_tensors.erase(c.abi_tensors.begin() + 2); },
            "tensor bias is missing");
  malformed([](TestCall& c) { c.params[0].value.integer = 9; }, "top_k is 9; there are 8 experts");
  malformed([](TestCall& c) { c.params[1].value.integer = 3; },
            "8 experts do not divide into 3 groups");
  malformed([](TestCall& c) { c.params[2].value.integer = 5; },
            "top_groups is 5; there are 4 groups");
  malformed([](TestCall& c) { c.abi_tensors[3].tensor.shape[1] = 2; },
            "tensor ids has the shape [2, 2]");
  malformed([](TestCall& c) { c.abi_tensors[5].tensor.shape[1] = 7; },
            "tensor logits has the shape [2, 7]");
  declined([](TestCall& c) { c.params[1].value.integer = 8; }, "groups of one expert");
  declined(
      [](TestCall& c) {
        c.abi_tensors[4].tensor.dtype = {PLUMB_DL_BFLOAT, 16, 1};
      },
      "tensor weights is of bf16; this kernel takes f32");
}

}  // namespace
}  // namespace plumb::fast
