// SPDX-License-Identifier: Apache-2.0
#include "fast/stages/moe_router/moe_router.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "fast/simd/bf16.h"
#include "fast/simd/scratch.h"

namespace plumb::fast {
namespace {

constexpr Index kTokensAtOnce = 64;

void check_counts(CallReader& call, const MoeRouter& p) {
  const auto words = [](Index n) { return std::to_string(n); };
  if (p.experts % p.groups != 0) {
    call.malformed(words(p.experts) + " experts do not divide into " + words(p.groups) + " groups");
  }
  if (p.top_groups > p.groups) {
    call.malformed("top_groups is " + words(p.top_groups) + "; there are " + words(p.groups) +
                   " groups");
  }
  if (p.top_k > p.experts) {
    call.malformed("top_k is " + words(p.top_k) + "; there are " + words(p.experts) + " experts");
  }
  if (p.experts_of_group() < 2) {
    call.unsupported(
        "groups of one expert have no two largest; this kernel takes two experts or more");
  }
}

// One token's arrays.
struct Token {
  explicit Token(const MoeRouter& p)
      : scores(p.experts + kSlack),
        biased(p.experts + kSlack),
        masked(p.experts + kSlack),
        group_scores(p.groups + kSlack),
        gathered(p.top_k),
        weights(p.top_k),
        keys(static_cast<std::size_t>(p.experts + kSlack)),
        group_ids(static_cast<std::size_t>(p.top_groups)),
        ids(static_cast<std::size_t>(p.top_k)) {}

  Scratch scores, biased, masked, group_scores, gathered, weights;
  std::vector<std::int32_t> keys;
  std::vector<Index> group_ids, ids;
};

void choose(const MoeRouter& p, const RouterSteps& steps, Token& token) {
  const Index size = p.experts_of_group();
  // Gr[g] = sum of the two largest c of group g
  for (Index g = 0; g < p.groups; ++g) {
    token.group_scores.data()[g] = steps.top_two(token.biased.data() + g * size, size);
  }
  steps.select(token.group_scores.data(), p.groups, p.top_groups, token.keys.data(),
               token.group_ids.data());
  // t[e] = c[e] where e's group is kept, else the fill
  const float fill = p.fill == Side::kA ? 0.0f : -std::numeric_limits<float>::infinity();
  std::fill_n(token.masked.data(), p.experts, fill);
  for (Index g : token.group_ids) {
    std::copy_n(token.biased.data() + g * size, size, token.masked.data() + g * size);
  }
  steps.select(token.masked.data(), p.experts, p.top_k, token.keys.data(), token.ids.data());
}

void weigh(const MoeRouter& p, Token& token) {
  float sum = 0;
  for (Index k = 0; k < p.top_k; ++k) {
    token.gathered.data()[k] = token.scores.data()[token.ids[static_cast<std::size_t>(k)]];
    sum += token.gathered.data()[k];
  }
  // w = a / (sum a + 1e-20) * scale; in double, which leaves one rounding.
  const double denominator = static_cast<double>(sum) + (p.denominator == Side::kA ? 1e-20 : 0.0);
  for (Index k = 0; k < p.top_k; ++k) {
    const double share = static_cast<double>(token.gathered.data()[k]) / denominator;
    token.weights.data()[k] = static_cast<float>(share * p.scale);
  }
}

template <class T>
void write_row(const T* from, const Matrix& to, Index token) {
  if (to.present()) std::copy_n(from, to.columns, to.row<T>(token));
}

void write(const MoeRouter& p, const Token& token, const float* logits, Index n) {
  write_row(logits, p.logits, n);
  write_row(token.scores.data(), p.scores, n);
  write_row(token.biased.data(), p.biased, n);
  write_row(token.group_scores.data(), p.group_scores, n);
  write_row(token.group_ids.data(), p.group_ids, n);
  write_row(token.masked.data(), p.masked, n);
  write_row(token.gathered.data(), p.gathered, n);
  write_row(token.ids.data(), p.ids, n);
  write_row(token.weights.data(), p.weights, n);
}

}  // namespace

MoeRouter MoeRouter::read(CallReader& call) {
  MoeRouter p;
  p.h = call.tensor("h", 2, {Dtype::kBf16, Dtype::kF32});
  p.weight = call.tensor("weight", 2, {Dtype::kBf16, Dtype::kF32});
  p.bias = call.tensor("bias", 1, {Dtype::kBf16, Dtype::kF32});
  p.groups = call.positive_integer("groups");
  p.top_groups = call.positive_integer("top_groups");
  p.top_k = call.positive_integer("top_k");
  p.scale = call.number("scale");
  p.fill = call.side("R1-D06");
  p.denominator = call.side("R1-D16");
  p.experts = p.weight.rows;
  call.expect_shape("weight", p.weight, p.experts, p.h.columns);
  call.expect_shape("bias", p.bias, 1, p.experts);
  if (call.ok()) check_counts(call, p);
  const auto output = [&](const char* name, Matrix tensor, Index columns) {
    if (tensor.present()) call.expect_shape(name, tensor, p.h.rows, columns);
    return tensor;
  };
  const auto tap = [&](const char* name, Dtype dtype, Index columns) {
    return output(name, call.optional_tensor(name, 2, {dtype}), columns);
  };
  p.ids = output("ids", call.tensor("ids", 2, {Dtype::kI64}), p.top_k);
  p.weights = output("weights", call.tensor("weights", 2, {Dtype::kF32}), p.top_k);
  p.logits = tap("logits", Dtype::kF32, p.experts);
  p.scores = tap("scores", Dtype::kF32, p.experts);
  p.biased = tap("biased", Dtype::kF32, p.experts);
  p.group_scores = tap("group_scores", Dtype::kF32, p.groups);
  p.group_ids = tap("group_ids", Dtype::kI64, p.top_groups);
  p.masked = tap("masked", Dtype::kF32, p.experts);
  p.gathered = tap("gathered", Dtype::kF32, p.top_k);
  return p;
}

void route(const MoeRouter& p, const RouterSteps& steps) {
  const Index stride = p.experts + kSlack;
  const Index most = std::min(kTokensAtOnce, p.h.rows);
  const Scratch logits(most * stride);
  Token token(p);
  const Scratch bias(stride);
  for (Index e = 0; e < p.experts; ++e) {
    bias.data()[e] = p.bias.dtype == Dtype::kBf16 ? widen(p.bias.row<const Bf16>(0)[e])
                                                  : p.bias.row<const float>(0)[e];
  }
  for (Index first = 0; first < p.h.rows; first += most) {
    const Index tokens = std::min(most, p.h.rows - first);
    Linear project;
    project.x = {p.h.data + first * p.h.row_stride * (p.h.dtype == Dtype::kBf16 ? 2 : 4), p.h.dtype,
                 tokens, p.h.columns, p.h.row_stride};
    project.weight = p.weight;
    project.y = {reinterpret_cast<std::byte*>(logits.data()), Dtype::kF32, tokens, p.experts,
                 stride};
    steps.project(project);
    for (Index t = 0; t < tokens; ++t) {
      const float* z = logits.data() + t * stride;
      steps.score(z, bias.data(), p.experts, token.scores.data(), token.biased.data());
      choose(p, steps, token);
      weigh(p, token);
      write(p, token, z, first + t);
    }
  }
}

}  // namespace plumb::fast
