// SPDX-License-Identifier: Apache-2.0
// Goldens of the linear maps, of their weights' shapes, and of block-scaled weights.
#include <gtest/gtest.h>

#include "oracles/agreement/golden/golden_call.h"
#include "reference/stages/footprint.h"

namespace plumb::oracles {
namespace {

using namespace plumb::reference;
using Reals = std::vector<Real>;

const ModelSizes kR1;

// W x for one token.
Reals mapped(const Reals& weight, const Reals& x) {
  const auto inputs = static_cast<Index>(x.size());
  const auto rows = static_cast<Index>(weight.size()) / inputs;
  return outputs(
      called("linear", {{"x", tensor(x, {1, inputs})}, {"weight", tensor(weight, {rows, inputs})}}),
      "y");
}
Reals normed(const Reals& x, const Reals& gain) {
  const auto width = static_cast<Index>(x.size());
  return outputs(
      called("rms_norm", {{"x", tensor(x, {1, width})}, {"gain", tensor(gain, {width})}}), "y");
}

void shape(std::string_view id, const MatrixShape& weight) {
  GoldenRecord golden(id);
  golden.expect("/shape/0", weight.rows);
  golden.expect("/shape/1", weight.columns);
  golden.expect("/parameters", weight.parameters());
  golden.expect("/scale_shape/0", weight.scales(128).rows);
  golden.expect("/scale_shape/1", weight.scales(128).columns);
}
TEST(LinearGolden, Record046) { shape("R1-046", latent_weight(kR1.heads(), 512, 7168)); }
TEST(LinearGolden, Record047) { shape("R1-047", expansion_weight(kR1.heads(), 512)); }
TEST(LinearGolden, Record048) { shape("R1-048", output_weight(kR1.heads(), 7168)); }
TEST(LinearGolden, Record087) { shape("R1-087", query_weight(kR1.heads(), 1536)); }

TEST(LinearGolden, Record086) {
  GoldenRecord golden("R1-086");
  const MatrixShape direct = direct_query_weight(kR1.heads(), 7168);
  golden.expect("/rows", direct.rows);
  golden.expect("/parameters_if_built", direct.parameters());
  const MatrixShape compress{1536, 7168};
  golden.expect("/low_rank_pair",
                compress.parameters() + query_weight(kR1.heads(), 1536).parameters());
}

TEST(LinearGolden, Record050) {
  GoldenRecord golden("R1-050");
  const HeadShape heads{golden.input("/heads").integer(), golden.input("/NO").integer(), 0,
                        golden.input("/VD").integer()};
  const MatrixShape weight = expansion_weight(heads, golden.input("/KR").integer());
  const Reals latent = normed(reals(golden.inputs("/latent")), reals(golden.inputs("/g")));
  const StageCall expanded = called(
      "linear", {{"x", tensor(latent, {1, weight.columns})},
                 {"weight", tensor(reals(golden.inputs("/Wkvb")), {weight.rows, weight.columns})}});
  const StageCall split = called("split_heads", {{"x", expanded.tensor("y")}},
                                 {{"B", std::int64_t{1}},
                                  {"S", std::int64_t{1}},
                                  {"heads", heads.heads},
                                  {"n", heads.nope},
                                  {"m", heads.value}});
  golden.expect_all("/k_nope", outputs(split, "first"));
  golden.expect_all("/v", outputs(split, "second"));
}

TEST(LinearGolden, Record055) {
  GoldenRecord golden("R1-055");
  golden.expect_all("/y", mapped(reals(golden.inputs("/Wo")), reals(golden.inputs("/c"))));
}

TEST(LinearGolden, Record088) {
  GoldenRecord golden("R1-088");
  golden.expect_all("/q", mapped(reals(golden.inputs("/Wq")), reals(golden.inputs("/x"))));
}

TEST(LinearGolden, Record089) {
  GoldenRecord golden("R1-089");
  const Reals compressed = mapped(reals(golden.inputs("/Wqa")), reals(golden.inputs("/x")));
  golden.expect_all(
      "/q", mapped(reals(golden.inputs("/Wqb")), normed(compressed, reals(golden.inputs("/g")))));
}

TEST(LinearGolden, Record116) {
  GoldenRecord golden("R1-116");
  const HeadShape heads{golden.input("/heads").integer(), 0, 0, golden.input("/VD").integer()};
  const Reals o = reals(golden.inputs("/o"));
  const StageCall merged =
      called("merge_heads", {{"context", tensor(o, {1, heads.heads, 1, heads.value})}},
             {{"N", std::int64_t{1}}, {"width", output_weight(heads, 0).columns}});
  golden.expect_all("/y", mapped(reals(golden.inputs("/Wo")), outputs(merged, "y")));
}

// One code times one scale.
Real dequantised_code(int code, const Real& scale) {
  AnyTensor codes = AnyTensor::zeros(Dtype::kFp8E4m3fn, {1, 1});
  codes.data<Fp8E4m3fn>()[0].bits = static_cast<std::uint8_t>(code);
  return outputs(called("fp8_dequant", {{"codes", codes}, {"scale", tensor({scale}, {1, 1})}}),
                 "y")[0];
}
int code_of(const std::string& text) { return std::stoi(text, nullptr, 16); }

// Rows of a ragged weight: which row of scales, numbered from 0 on, meets row 575?
void ragged(GoldenRecord& golden) {
  const Index rows = golden.input("/ragged/R").integer();
  const MatrixShape scales = MatrixShape{rows, golden.input("/ragged/C").integer()}.scales(128);
  golden.expect("/ragged/scale_shape/0", scales.rows);
  golden.expect("/ragged/scale_shape/1", scales.columns);
  AnyTensor codes = AnyTensor::zeros(Dtype::kFp8E4m3fn, {rows, 1});
  for (Index r = 0; r < rows; ++r) codes.data<Fp8E4m3fn>()[r].bits = 0x38;
  Reals numbered;
  for (Index r = 0; r < scales.rows; ++r) numbered.emplace_back(static_cast<int>(r));
  const StageCall call =
      called("fp8_dequant", {{"codes", codes}, {"scale", tensor(numbered, {scales.rows, 1})}});
  golden.expect("/ragged/row_575_uses_scale_row", outputs(call, "y")[575]);
}

TEST(LinearGolden, Record101) {
  GoldenRecord golden("R1-101");
  for (const std::string code :
       {"0x00", "0x01", "0x07", "0x08", "0x38", "0x3C", "0x40", "0x7E", "0xFE", "0xB8"}) {
    golden.expect("/codes/" + code, dequantised_code(code_of(code), Real(1)));
  }
  EXPECT_EQ(golden.structure("/codes/0x7F"), R"("nan")");
  EXPECT_TRUE(dequantised_code(0x7F, Real(1)).is_nan());
  int positive = 0;
  Real sum(0), squares(0);
  for (int code = 0; code < 128; ++code) {
    const Real v = dequantised_code(code, Real(1));
    if (!(v > Real(0))) continue;
    ++positive;
    sum += v;
    squares += v * v;
  }
  golden.expect("/finite_positive_codes", positive);
  golden.expect("/sum_of_positive_values", sum);
  golden.expect("/sum_of_squares_of_positive_values", squares);
  const std::string q = golden.structure("/example/q");
  golden.expect("/example/W", dequantised_code(code_of(q.substr(1, q.size() - 2)),
                                               golden.input("/example/S").real()));
  ragged(golden);
}

}  // namespace
}  // namespace plumb::oracles
