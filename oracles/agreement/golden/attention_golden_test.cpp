// SPDX-License-Identifier: Apache-2.0
// Goldens of attention: heads, mask, scores, softmax, context, and packing.
#include <gtest/gtest.h>

#include "oracles/agreement/golden/golden_call.h"

namespace plumb::oracles {
namespace {

using Integers = std::vector<std::int64_t>;

// --- heads

TEST(AttentionGolden, Record020) {
  GoldenRecord golden("R1-020");
  const std::vector<Real> x = reals(golden.inputs("/x_by_head"));
  const Index heads = golden.input("/n").integer() * std::ssize(x);
  const StageCall call =
      called("repeat_kv", {{"x", tensor(x, {1, std::ssize(x), 1, 1})}}, {{"heads", heads}});
  golden.expect_all("/y_by_head", outputs(call, "y"));
}

// The column in which merged heads hold channel d of head h.
Index column_of(Index h, Index d, Index heads, Index width, Index padded) {
  AnyTensor context = new_tensor<Real>({1, heads, 1, padded});
  context.view<Real, 4>()(0, h, 0, d) = Real(1);
  const std::vector<Real> y =
      outputs(called("merge_heads", {{"context", context}}, {{"width", heads * width}}), "y");
  return std::find(y.begin(), y.end(), Real(1)) - y.begin();
}

TEST(AttentionGolden, Record054) {
  GoldenRecord golden("R1-054");
  const Index h = golden.input("/h").integer();
  const Index d = golden.input("/d").integer();
  golden.expect("/flat", column_of(h, d, 128, 128, 128));
  golden.expect("/last", column_of(127, 127, 128, 128, 128));
}

TEST(AttentionGolden, Record056) {
  GoldenRecord golden("R1-056");
  const Index h = golden.input("/h").integer();
  const Index d = golden.input("/d").integer();
  golden.expect("/flat", column_of(h, d, 128, 128, 192));
}

// --- scores, mask, weights, context

// The scores of queries Q[1,2] and keys K[3,2].
std::vector<Real> scores(const std::vector<Real>& query, const std::vector<Real>& key) {
  const StageCall call = called("attention_scores", {{"query", tensor(query, {1, 1, 1, 2})},
                                                     {"key", tensor(key, {1, 1, 3, 2})},
                                                     {"sigma", tensor({rsqrt(Real(2))}, {1})}});
  return outputs(call, "scores");
}

TEST(AttentionGolden, Record051) {
  GoldenRecord golden("R1-051");
  EXPECT_EQ(golden.structure("/sigma"), "\"2^(-1/2)\"");
  golden.expect_all("/s", scores(reals(golden.inputs("/Q")), reals(golden.inputs("/K"))));
}

// The score of two vectors whose product is 1 is the scale itself.
TEST(AttentionGolden, Record113) {
  GoldenRecord golden("R1-113");
  const AnyTensor one = tensor({Real(1)}, {1, 1, 1, 1});
  const AnyTensor sigma = called("softmax_scale", {}).tensor("sigma");
  const Real s = outputs(
      called("attention_scores", {{"query", one}, {"key", one}, {"sigma", sigma}}), "scores")[0];
  const Real excess = Real::from_decimal("0.135237") - s;
  golden.expect("/exact", s);
  golden.expect("/printed_minus_exact", excess);
  golden.expect("/relative", excess / s);
  golden.expect_rounded("/correct_six_digits", s, 6);
}

TEST(AttentionGolden, Record090) {
  GoldenRecord golden("R1-090");
  EXPECT_EQ(golden.structure("/L"), "\"-max_finite(dtype)\"");
  const StageCall call =
      called("attention_mask", {},
             {{"S", std::int64_t{3}}, {"T", std::int64_t{4}}, {"past", std::int64_t{1}}},
             in_reading("hf_bf16"));
  const std::vector<Real> mask = outputs(call, "mask");
  for (int i = 0; i < 3; ++i) {
    for (int t = 0; t < 4; ++t) {
      const std::string at = "/causal_S3_past1/" + std::to_string(i) + "/" + std::to_string(t);
      const Real& got = mask[static_cast<std::size_t>(4 * i + t)];
      if (t <= 1 + i) {
        golden.expect(at, got);
      } else {
        EXPECT_EQ(golden.structure(at), "\"L\"");
        EXPECT_EQ(got.to_double(), -0x1.fep127) << at;
      }
    }
  }
}

std::vector<Real> weights(const std::vector<Real>& row, std::string_view reading = "real") {
  return outputs(called("softmax", {{"scores", tensor(row, {1, 1, 1, std::ssize(row)})}}, {},
                        in_reading(reading)),
                 "weights");
}
Real total(const std::vector<Real>& values) {
  Real sum(0);
  for (const Real& v : values) sum += v;
  return sum;
}

// Scores are printed to 25 digits, which is too few for 25 digits of the weights: they are
// compared, and their exact values, those of R1-051, are fed.
std::vector<Real> fed_scores(GoldenRecord& golden) {
  const std::vector<Real> exact =
      scores({Real(1), Real(2)}, {Real(1), Real(0), Real(0), Real(1), Real(1), Real(1)});
  golden.expect_all("/s", exact);
  return exact;
}

TEST(AttentionGolden, Record052) {
  GoldenRecord golden("R1-052");
  const std::vector<Real> a = weights(fed_scores(golden));
  golden.expect_all("/a", a);
  golden.expect("/sum", total(a));
  for (int keys : {3, 7}) {
    const std::string at = "/bf16_equal_rows/T=" + std::to_string(keys);
    const std::vector<Real> equal =
        weights(std::vector<Real>(static_cast<std::size_t>(keys), Real(2)), "hf_bf16");
    golden.expect(at + "/weight", equal.back());
    golden.expect(at + "/sum", total(equal));
  }
}

TEST(AttentionGolden, Record114) {
  GoldenRecord golden("R1-114");
  golden.expect_all("/a", weights(fed_scores(golden)));
}

void context(std::string_view id) {
  GoldenRecord golden(id);
  const StageCall call =
      called("attention_context", {{"weights", tensor(reals(golden.inputs("/a")), {1, 1, 1, 3})},
                                   {"value", tensor(reals(golden.inputs("/V")), {1, 1, 3, 2})}});
  golden.expect_all("/o", outputs(call, "context"));
}
TEST(AttentionGolden, Record053) { context("R1-053"); }
TEST(AttentionGolden, Record115) { context("R1-115"); }

AnyTensor padded(const std::vector<Real>& value, Index width) {
  const AnyTensor query = new_tensor<Real>({1, 1, 1, width});
  return called("attention_flash", {{"query", query},
                                    {"key", query},
                                    {"value", tensor(value, {1, 1, 1, std::ssize(value)})},
                                    {"sigma", tensor({Real(1)}, {1})}})
      .tensor("padded_value");
}

TEST(AttentionGolden, Record091) {
  GoldenRecord golden("R1-091");
  const AnyTensor small = padded(reals(golden.inputs("/V")), golden.input("/QH").integer());
  golden.expect_all("/V'", {small.data<Real>(), small.data<Real>() + small.size()});
  const AnyTensor released = padded(std::vector<Real>(128, Real(1)), 192);
  const auto zeros = std::count(released.data<Real>(), released.data<Real>() + 192, Real(0));
  golden.expect("/appended_for_R1", zeros);
}

// --- packing

// Row p of x is (b, t).
StageCall unpadded(const Integers& keep, Index rows, Index queries, Index kept_queries) {
  const Index tokens = std::ssize(keep) / rows;
  AnyTensor x = new_tensor<Real>({rows, tokens, 1, 2});
  for (Index b = 0; b < rows; ++b) {
    for (Index t = 0; t < tokens; ++t) {
      x.view<Real, 4>()(b, t, 0, 0) = Real(static_cast<int>(b));
      x.view<Real, 4>()(b, t, 0, 1) = Real(static_cast<int>(t));
    }
  }
  const Index kept = std::ssize(keep) - std::count(keep.begin(), keep.end(), 0);
  return called("unpad", {{"keep", AnyTensor::of(keep).reshaped({rows, tokens})}, {"x", x}},
                {{"S", queries}, {"kept", kept}, {"kept_queries", kept_queries}});
}

// Rows of three tokens that begin with as many real ones.
StageCall unpadded_lengths(const Integers& lengths) {
  Integers keep;
  for (const std::int64_t s : lengths) {
    for (int t = 0; t < 3; ++t) keep.push_back(t < s);
  }
  return unpadded(keep, std::ssize(lengths), 1, std::ssize(lengths));
}

TEST(AttentionGolden, Record004) {
  GoldenRecord golden("R1-004");
  const StageCall call = unpadded(integers(golden.inputs("/A")), 3, 1, 3);
  golden.expect_all("/s", outputs(call, "lengths"));
  golden.expect_all("/indices", outputs(call, "indices"));
}

TEST(AttentionGolden, Record005) {
  GoldenRecord golden("R1-005");
  const StageCall call = unpadded_lengths(integers(golden.inputs("/s")));
  golden.expect_all("/m", outputs(call, "longest"));
}

TEST(AttentionGolden, Record006) {
  GoldenRecord golden("R1-006");
  const StageCall call = unpadded_lengths(integers(golden.inputs("/s")));
  golden.expect_all("/c", outputs(call, "cumulative"));
}

// Keys, values and queries of equal length are packed alike.
void packed_rows(std::string_view id) {
  GoldenRecord golden(id);
  const StageCall call = unpadded(integers(golden.inputs("/mask")), 2, 3, 4);
  golden.expect_all("/idx", outputs(call, id == "R1-092" ? "query_indices" : "indices"));
  golden.expect_all("/rows_bt", outputs(call, "packed"));
}
TEST(AttentionGolden, Record057) { packed_rows("R1-057"); }
TEST(AttentionGolden, Record058) { packed_rows("R1-058"); }
TEST(AttentionGolden, Record092) { packed_rows("R1-092"); }

TEST(AttentionGolden, Record098) {
  GoldenRecord golden("R1-098");
  golden.expect_all("/value", outputs(unpadded_lengths({2, 3, 0}), "query_longest"));
}

TEST(AttentionGolden, Record099) {
  GoldenRecord golden("R1-099");
  const Integers lengths(static_cast<std::size_t>(golden.input("/B").integer()), 2);
  const StageCall call = unpadded_lengths(lengths);
  golden.expect_all("/c", outputs(call, "query_cumulative"));
  golden.expect_all("/indices_q", outputs(call, "query_indices"));
}

}  // namespace
}  // namespace plumb::oracles
