// SPDX-License-Identifier: Apache-2.0
// z[e] = sum_j h[j] W[e,j];  s = 1 / (1 + exp(-z));  c = s + bias;  a group's score is the sum of
// its two largest c; experts outside the best groups get the fill; ids = the K best of what is
// left; w[k] = s[ids[k]] / (sum_j s[ids[j]] + 1e-20) * scale. Choices stand in descending order of
// their scores, equal ones by ascending index.
#include <algorithm>

#include "oracles/exact/element.h"
#include "oracles/exact/enclosure.h"
#include "oracles/exact/rounding.h"

namespace plumb::oracles {
namespace {

struct Row {
  std::string_view reading;
  std::optional<Target> logit;
  std::optional<Target> affinity;
  std::optional<Target> bias;      // as loaded
  std::optional<Target> biased;    // and the groups' scores
  std::optional<Target> sum;       // of the chosen affinities, with the 1e-20
  std::optional<Target> quotient;  // both codes store sum, quotient and weight one by one
  std::optional<Target> weight;
  std::optional<Target> constant;
  bool fills_with_zero;  // else with minus infinity
  bool adds_1e20;
};

const Row& row_of(std::string_view reading) {
  constexpr auto kB = Target::kBf16;
  constexpr auto kF = Target::kF32;
  // DeepSeek's own code adds an F32 bias to BF16 affinities, which makes the sum F32.
  static const Row kRows[] = {
      {"real", {}, {}, {}, {}, {}, {}, {}, {}, false, true},
      {"hf_bf16", kF, kF, kB, kF, kF, kF, kF, kF, true, true},
      {"hf_f32", kF, kF, kF, kF, kF, kF, kF, kF, true, true},
      {"inf_bf16", kB, kB, kF, kF, kB, kB, kB, kF, false, false},
      {"inf_fp8", kB, kB, kF, kF, kB, kB, kB, kF, false, false},
  };
  for (const Row& row : kRows) {
    if (row.reading == reading) return row;
  }
  PLUMB_REQUIRE(false, "the oracle does not know this reading", reading);
  return kRows[0];
}

// The chosen indices, best first.
std::vector<Index> best(const ExactSelection& s) {
  std::vector<Index> r;
  for (const std::vector<Index>& tied : s.ranking) r.insert(r.end(), tied.begin(), tied.end());
  r.resize(s.count);
  return r;
}

struct Token {
  std::vector<Number> logits, scores, biased, group_scores, masked, gathered, weights;
  ExactSelection groups, ids;
};

void score(Token& t, const StageCall& call, const Row& row, Index n) {
  const AnyTensor& h = call.tensor("h");
  const AnyTensor& weight = call.tensor("weight");
  const Index width = h.extent(1);
  for (Index e = 0; e < weight.extent(0); ++e) {
    Number z(0);
    for (Index j = 0; j < width; ++j)
      z = z + element(h, n * width + j) * element(weight, e * width + j);
    t.logits.push_back(rounded(z, row.logit));
    const Number s = Number(1) / (Number(1) + exp(Number(-1) * t.logits.back()));
    t.scores.push_back(rounded(s, row.affinity));
    const Number bias = rounded(element(call.tensor("bias"), e), row.bias);
    t.biased.push_back(rounded(t.scores.back() + bias, row.biased));
  }
}

void choose(Token& t, const StageCall& call, const Row& row, Index n) {
  const auto groups = static_cast<std::size_t>(call.integer("groups"));
  const std::size_t size = t.biased.size() / groups;
  for (std::size_t g = 0; g < groups; ++g) {
    const auto members = std::span(t.biased).subspan(g * size, size);
    const std::vector<Index> two = best(ranked("", n, 2, members));
    t.group_scores.push_back(rounded(
        members[static_cast<std::size_t>(two[0])] + members[static_cast<std::size_t>(two[1])],
        row.biased));
  }
  t.groups =
      ranked("group_ids", n, static_cast<std::size_t>(call.integer("top_groups")), t.group_scores);
  const std::vector<Index> kept = best(t.groups);
  for (std::size_t e = 0; e < t.biased.size(); ++e) {
    const bool keeps = std::count(kept.begin(), kept.end(), static_cast<Index>(e / size)) != 0;
    t.masked.push_back(keeps                 ? t.biased[e]
                       : row.fills_with_zero ? Number(0)
                                             : Number::infinity(true));
  }
  t.ids = ranked("ids", n, static_cast<std::size_t>(call.integer("top_k")), t.masked);
}

void weigh(Token& t, const StageCall& call, const Row& row) {
  Number sum(0);
  for (Index e : best(t.ids)) {
    t.gathered.push_back(t.scores[static_cast<std::size_t>(e)]);
    sum = sum + t.gathered.back();
  }
  if (row.adds_1e20) sum = sum + rounded(Rational::from_text("1e-20"), row.constant);
  sum = rounded(sum, row.sum);
  const Number scale = rounded(Rational::shortest_decimal(call.number("scale")), row.constant);
  for (const Number& a : t.gathered) {
    t.weights.push_back(rounded(rounded(a / sum, row.quotient) * scale, row.weight));
  }
}

}  // namespace

ExactOutput moe_router(const StageCall& call, std::string_view reading) {
  const Row& row = row_of(reading);
  const Index tokens = call.tensor("h").extent(0);
  Token all;
  ExactOutput out;
  for (Index n = 0; n < tokens; ++n) {
    Token t;
    score(t, call, row, n);
    choose(t, call, row, n);
    weigh(t, call, row);
    for (const auto part : {&Token::logits, &Token::scores, &Token::biased, &Token::group_scores,
                            &Token::masked, &Token::gathered, &Token::weights}) {
      (all.*part).insert((all.*part).end(), (t.*part).begin(), (t.*part).end());
    }
    out.selections.push_back(t.groups);
    out.selections.push_back(t.ids);
  }
  const auto add = [&](std::string_view name, const std::vector<Number>& numbers) {
    out.tensors.push_back(exact_tensor(
        name, {tokens, static_cast<Index>(numbers.size()) / std::max<Index>(tokens, 1)}, numbers));
  };
  add("logits", all.logits);
  add("scores", all.scores);
  add("biased", all.biased);
  add("group_scores", all.group_scores);
  add("masked", all.masked);
  add("gathered", all.gathered);
  add("weights", all.weights);
  return out;
}

}  // namespace plumb::oracles
