// SPDX-License-Identifier: Apache-2.0
// Goldens of the feed-forward layers but for the exchange between ranks: router, experts,
// combination.
#include <gtest/gtest.h>

#include "oracles/agreement/golden/golden_call.h"
#include "reference/stages/footprint.h"
#include "reference/stages/routing.h"
#include "reference/stages/swiglu.h"

namespace plumb::oracles {
namespace {

using namespace plumb::reference;
using Reals = std::vector<Real>;
using Integers = std::vector<std::int64_t>;

Arithmetic real() { return in_reading("real"); }

Reals mapped(const Reals& weight, const Reals& x) {
  const auto inputs = static_cast<Index>(x.size());
  const auto rows = static_cast<Index>(weight.size()) / inputs;
  return outputs(
      called("linear", {{"x", tensor(x, {1, inputs})}, {"weight", tensor(weight, {rows, inputs})}}),
      "y");
}

// --- one expert

Real gated(const Real& gate, const Real& up) {
  return outputs(called("swiglu", {{"gate", tensor({gate}, {1, 1})}, {"up", tensor({up}, {1, 1})}}),
                 "y")[0];
}

TEST(MoeGolden, Record038) {
  GoldenRecord golden("R1-038");
  const Reals x = reals(golden.inputs("/x"));
  const Real gate = mapped(reals(golden.inputs("/Wg")), x)[0];
  const Real up = mapped(reals(golden.inputs("/Wu")), x)[0];
  golden.expect("/gate", gate);
  golden.expect("/up", up);
  golden.expect("/silu(3~12)", gated(gate, 1));
  golden.expect_all("/y", mapped(reals(golden.inputs("/Wd")), {gated(gate, up)}));
  const Real lowest_at = golden.input("/silu_min_at").real();
  golden.expect("/silu_min", gated(lowest_at, 1));
  const Real step = Real::from_decimal("1e-12");
  EXPECT_LT(gated(lowest_at, 1), gated(lowest_at - step, 1));
  EXPECT_LT(gated(lowest_at, 1), gated(lowest_at + step, 1));
}

TEST(MoeGolden, Record077) {
  GoldenRecord golden("R1-077");
  const ModelSizes r1;
  golden.expect("/F_s", shared_width(r1.moe_intermediate_size, r1.n_shared_experts));
  golden.expect("/parameters", shared_amount(r1).weights);
}

// --- router, step by step

void logits(std::string_view id) {
  GoldenRecord golden(id);
  const Reals h = reals(golden.inputs("/h"));
  const auto width = static_cast<Index>(h.size());
  const Reals weight = reals(golden.inputs("/W"));
  const auto experts = static_cast<Index>(weight.size()) / width;
  const auto logits_in = [&](std::string_view reading) {
    return outputs(called("moe_router",
                          {{"h", tensor(h, {1, width})},
                           {"weight", tensor(weight, {experts, width})},
                           {"bias", tensor(Reals(static_cast<std::size_t>(experts)), {experts})}},
                          {{"groups", std::int64_t{1}},
                           {"top_groups", std::int64_t{1}},
                           {"top_k", std::int64_t{1}}},
                          in_reading(reading)),
                   "logits");
  };
  golden.expect_all("/z", logits_in("real"));
  golden.expect_all("/bf16_result_of_the_other_code", logits_in("inf_bf16"));
}
TEST(MoeGolden, Record039) { logits("R1-039"); }
TEST(MoeGolden, Record102) { logits("R1-102"); }

void affinities(std::string_view id) {
  GoldenRecord golden(id);
  Reals s;
  for (const Real& z : reals(golden.inputs("/z"))) s.push_back(affinity(real(), z));
  golden.expect_all("/s", s);
}
TEST(MoeGolden, Record065) { affinities("R1-065"); }
TEST(MoeGolden, Record103) { affinities("R1-103"); }

void biased(std::string_view id) {
  GoldenRecord golden(id);
  const Reals s = reals(golden.inputs("/s"));
  const Reals beta = reals(golden.inputs("/beta"));
  Reals c;
  for (std::size_t e = 0; e < s.size(); ++e) c.push_back(biased_affinity(real(), s[e], beta[e]));
  golden.expect_all("/c", c);
}
TEST(MoeGolden, Record066) { biased("R1-066"); }
TEST(MoeGolden, Record104) { biased("R1-104"); }

// The printed rule: z[e] = (((37*e+11) mod 256) - 128)/32, bias[e] = ((91*e+5) mod 256)/1024.
StageCall full_size() {
  Reals z, bias;
  for (int e = 0; e < 256; ++e) {
    z.push_back(Real((37 * e + 11) % 256 - 128) / Real(32));
    bias.push_back(Real((91 * e + 5) % 256) / Real(1024));
  }
  return called("moe_router", {{"h", tensor(Reals{Real(1)}, {1, 1})},
                               {"weight", tensor(z, {256, 1})},
                               {"bias", tensor(bias, {256})}});
}
void expect_rule(GoldenRecord& golden) {
  EXPECT_EQ(golden.structure("/full/rule"),
            R"("z[e] = (((37*e+11) mod 256) - 128)/32, bias[e] = ((91*e+5) mod 256)/1024, )"
            R"(0 <= e < 256")");
}

Reals scores_of_groups(const Reals& c, std::int64_t groups) {
  const std::size_t size = c.size() / static_cast<std::size_t>(groups);
  Reals scores;
  for (auto at = c.begin(); at != c.end(); at += static_cast<std::ptrdiff_t>(size)) {
    scores.push_back(group_score(real(), Reals(at, at + static_cast<std::ptrdiff_t>(size))));
  }
  return scores;
}

void group_scores(std::string_view id) {
  GoldenRecord golden(id);
  const Reals c = reals(golden.inputs("/small/biased"));
  golden.expect_all("/small/group_scores",
                    scores_of_groups(c, golden.input("/small/groups").integer()));
  expect_rule(golden);
  golden.expect_all("/full/group_scores", outputs(full_size(), "group_scores"));
}
TEST(MoeGolden, Record067) { group_scores("R1-067"); }
TEST(MoeGolden, Record105) { group_scores("R1-105"); }

Integers sorted(Integers values) {
  std::ranges::sort(values);
  return values;
}

// The distance between the last score that is chosen and the first that is not.
Real margin(const Reals& scores, std::int64_t chosen) {
  const Integers order = largest(scores, chosen + 1);
  return scores[static_cast<std::size_t>(order[static_cast<std::size_t>(chosen - 1)])] -
         scores[static_cast<std::size_t>(order[static_cast<std::size_t>(chosen)])];
}

void groups(std::string_view id) {
  GoldenRecord golden(id);
  const Reals small = reals(golden.inputs("/small/group_scores"));
  golden.expect_all("/small/groups_kept", reals(sorted(kept_groups(small, 2))));
  const Reals full = outputs(full_size(), "group_scores");
  golden.expect_all("/full/groups_kept", reals(sorted(kept_groups(full, 4))));
  golden.expect("/full/group_margin_4th_to_5th", margin(full, 4));
}
TEST(MoeGolden, Record068) { groups("R1-068"); }
TEST(MoeGolden, Record106) { groups("R1-106"); }

TEST(MoeGolden, Record069) {
  GoldenRecord golden("R1-069");
  const Integers kept = integers(golden.inputs("/groups_kept"));
  Reals mask;
  for (std::int64_t e = 0; e < 8; ++e) mask.emplace_back(eligible(kept, 2, e) ? 1 : 0);
  golden.expect_all("/eligible_mask", mask);
}

void experts(std::string_view id) {
  GoldenRecord golden(id);
  const Reals c = reals(golden.inputs("/small/biased"));
  const Integers mask = integers(golden.inputs("/small/eligible_mask"));
  Reals masked;
  for (std::size_t e = 0; e < c.size(); ++e) {
    masked.push_back(mask[e] != 0 ? c[e] : -Real::infinity());
  }
  golden.expect_all("/small/experts", reals(sorted(chosen_experts(masked, 2))));
  expect_rule(golden);
  const StageCall full = full_size();
  golden.expect_all("/full/experts_by_descending_biased_score", outputs(full, "ids"));
  golden.expect("/full/expert_margin_8th_to_9th", margin(outputs(full, "masked"), 8));
}
TEST(MoeGolden, Record070) { experts("R1-070"); }
TEST(MoeGolden, Record107) { experts("R1-107"); }

TEST(MoeGolden, Record108) {
  GoldenRecord golden("R1-108");
  const Reals s = reals(golden.inputs("/small/s"));
  golden.expect_all("/small/affinities",
                    gathered<Real>(s, integers(golden.inputs("/small/experts"))));
  const StageCall full = full_size();
  const Integers ids = integers(golden.inputs("/full/experts_by_descending_biased_score"));
  golden.expect_all("/full/affinities", gathered<Real>(outputs(full, "scores"), ids));
  EXPECT_EQ(outputs(full, "ids"), reals(ids));
}

TEST(MoeGolden, Record071) {
  GoldenRecord golden("R1-071");
  golden.expect("/D_exact", denominator<Real>(real(), reals(golden.inputs("/a"))));
}

Reals shares(const Reals& a) {
  const Real d = denominator<Real>(real(), a);
  Reals w;
  for (const Real& v : a) w.push_back(share(real(), v, d));
  return w;
}

void normalised(std::string_view id) {
  GoldenRecord golden(id);
  golden.expect_all("/small/w'", shares(reals(golden.inputs("/small/a"))));
  expect_rule(golden);
  const StageCall full = full_size();
  golden.expect_all("/full/experts_by_descending_biased_score", outputs(full, "ids"));
  golden.expect_all("/full/normalised", shares(outputs(full, "gathered")));
  EXPECT_EQ(golden.structure("/tiny/z"), R"("z[e] = -60")");
  golden.expect("/tiny/w'", shares(Reals(8, affinity(real(), Real(-60))))[0]);
}
TEST(MoeGolden, Record072) { normalised("R1-072"); }
TEST(MoeGolden, Record109) { normalised("R1-109"); }

Reals scaled(const Reals& shares_of_token) {
  Reals w;
  for (const Real& v : shares_of_token) w.push_back(scaled_share(real(), v, Real(2.5)));
  return w;
}

TEST(MoeGolden, Record040) {
  GoldenRecord golden("R1-040");
  golden.expect_all("/w''", scaled(reals(golden.inputs("/w'"))));
}

TEST(MoeGolden, Record110) {
  GoldenRecord golden("R1-110");
  golden.expect_all("/small/w''", scaled(reals(golden.inputs("/small/w'"))));
  const StageCall full = full_size();
  golden.expect_all("/full/experts_by_descending_biased_score", outputs(full, "ids"));
  golden.expect_all("/full/scaled", outputs(full, "weights"));
}

// --- dispatch in one process, and combination

TEST(MoeGolden, Record041) {
  GoldenRecord golden("R1-041");
  const StageCall call = called(
      "moe_dispatch",
      {{"x", tensor(Reals(3), {3, 1})}, {"ids", tensor(integers(golden.inputs("/ids")), {3, 2})}},
      {{"experts", golden.input("/E").integer()}, {"slots", std::int64_t{6}}});
  golden.expect_all("/c", outputs(call, "counts"));
}

TEST(MoeGolden, Record042) {
  GoldenRecord golden("R1-042");
  const Index top_k = golden.input("/K").integer();
  const Integers ids = integers(golden.inputs("/ids"));
  const auto slots = static_cast<Index>(ids.size());
  // Tokens numbered by their value.
  Reals x;
  for (Index n = 0; n < slots / top_k; ++n) x.emplace_back(static_cast<int>(n));
  const StageCall call =
      called("moe_dispatch",
             {{"x", tensor(x, {slots / top_k, 1})}, {"ids", tensor(ids, {slots / top_k, top_k})}},
             {{"experts", std::int64_t{4}}, {"slots", slots}});
  golden.expect_all("/pi_stable", outputs(call, "order"));
  golden.expect_all("/token_of_p", outputs(call, "rows"));
  Integers expert_of;
  const std::int64_t* order = call.tensor("order").data<std::int64_t>();
  for (Index p = 0; p < slots; ++p) expert_of.push_back(ids[static_cast<std::size_t>(order[p])]);
  golden.expect_all("/expert_of_p", reals(expert_of));
}

// One token; expert k in slot k.
Reals combined(const Reals& o, const Reals& w, std::string_view reading = "real") {
  const auto slots = static_cast<Index>(w.size());
  Integers slot;
  for (Index k = 0; k < slots; ++k) slot.push_back(k);
  return outputs(called("moe_combine",
                        {{"outputs", tensor(o, {slots, static_cast<Index>(o.size()) / slots})},
                         {"order", tensor(slot, {slots})},
                         {"ids", tensor(slot, {1, slots})},
                         {"weights", tensor(w, {1, slots})}},
                        {}, in_reading(reading)),
                 "y");
}

TEST(MoeGolden, Record044) {
  GoldenRecord golden("R1-044");
  golden.expect_all("/y", combined(reals(golden.inputs("/o")), reals(golden.inputs("/w"))));
  const std::string example = "/order_example_bf16";
  EXPECT_EQ(golden.structure(example + "/weights"), R"("w[k] = 1")");
  const Reals o = reals(golden.inputs(example + "/slot_values"));
  const Reals ones(o.size(), Real(1));
  golden.expect(example + "/fp32_then_round", combined(o, ones, "hf_bf16")[0]);
  golden.expect(example + "/bf16_running_sum_in_this_order", combined(o, ones, "inf_bf16")[0]);
}

TEST(MoeGolden, Record111) {
  GoldenRecord golden("R1-111");
  golden.expect_all("/y", combined(reals(golden.inputs("/o")), reals(golden.inputs("/w"))));
}

Reals added(const Reals& r, const Reals& u, std::string_view reading = "real") {
  const auto width = static_cast<Index>(r.size());
  return outputs(called("residual", {{"r", tensor(r, {1, width})}, {"u", tensor(u, {1, width})}},
                        {}, in_reading(reading)),
                 "y");
}

TEST(MoeGolden, Record001) {
  GoldenRecord golden("R1-001");
  EXPECT_EQ(golden.structure("/dtype"), R"("bf16")");
  for (const std::string at : {"/cases/0", "/cases/1", "/cases/2"}) {
    golden.expect(at + "/y", added({golden.input(at + "/r").real()},
                                   {golden.input(at + "/u").real()}, "hf_bf16")[0]);
  }
  EXPECT_EQ(golden.structure("/ties_to_even"), R"(["cases[0]","cases[1]"])");
}

void with_shared(std::string_view id) {
  GoldenRecord golden(id);
  golden.expect_all("/y",
                    added(reals(golden.inputs("/y_routed")), reals(golden.inputs("/shared"))));
}
TEST(MoeGolden, Record078) { with_shared("R1-078"); }
TEST(MoeGolden, Record112) { with_shared("R1-112"); }

}  // namespace
}  // namespace plumb::oracles
