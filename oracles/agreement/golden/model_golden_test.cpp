// SPDX-License-Identifier: Apache-2.0
// Goldens of what a model does around its layers: positions, cropping, kinds of layers, pooling.
#include <gtest/gtest.h>

#include "oracles/agreement/golden/golden_call.h"
#include "reference/stages/position_ids.h"
#include "reference/stages/sequence_pooling.h"

namespace plumb::oracles {
namespace {

using namespace plumb::reference;
using Integers = std::vector<std::int64_t>;

NamedParam param(std::string name, std::int64_t value) { return {std::move(name), value}; }

TEST(ModelGolden, Record002) {
  GoldenRecord golden("R1-002");
  const AnyTensor keep = tensor(integers(golden.inputs("/A")), {2, 5});
  const auto positions = [&](std::int64_t tokens, const Reading& reading) {
    return outputs(called("position_ids", {{"keep", keep}}, {param("B", 2), param("S", tokens)},
                          {reading, in_reading("real").contract}),
                   "positions");
  };
  golden.expect_all("/raw", positions(5, on_side("real", "R1-D13", Side::kA)));
  golden.expect_all("/filled", positions(5, *find_reading("real")));
  golden.expect_all("/cropped_last_2_of_filled", positions(2, *find_reading("real")));
}

TEST(ModelGolden, Record003) {
  GoldenRecord golden("R1-003");
  const Integers ids = integers(golden.inputs("/X"));
  for (int i = 0; i < 5; ++i) {
    const std::string at = "/cases/" + std::to_string(i);
    const StageCall call =
        called("crop_ids", {{"ids", tensor(ids, {1, static_cast<Index>(ids.size())})}},
               {param("mask_columns", golden.input(at + "/M").integer()),
                param("past", golden.input(at + "/p").integer())});
    golden.expect_all(at + "/X'", outputs(call, "y"));
  }
}

void table(std::string_view id) {
  GoldenRecord golden(id);
  const AnyTensor t = table_positions(golden.input("/P").integer());
  const std::int64_t* first = t.data<std::int64_t>();
  golden.expect_all("/t", reals(Integers(first, first + t.size())));
}
TEST(ModelGolden, Record025) { table("R1-025"); }
TEST(ModelGolden, Record035) { table("R1-035"); }

TEST(ModelGolden, Record059) {
  GoldenRecord golden("R1-059");
  const StageCall call = called("layer_kind", {});
  const std::int64_t* kind = call.tensor("kind").data<std::int64_t>();
  Integers dense, experts;
  for (Index l = 0; l < call.tensor("kind").size(); ++l) {
    (kind[l] == 1 ? experts : dense).push_back(l);
  }
  golden.expect_all("/dense", reals(dense));
  golden.expect("/moe_first", experts.front());
  golden.expect("/moe_last", experts.back());
  golden.expect("/moe_count", experts.size());
}

TEST(ModelGolden, Record060) {
  GoldenRecord golden("R1-060");
  // Without a cache the first token stands at the cached length.
  golden.expect("/value", outputs(called("position_ids", {}, {param("S", 2)}), "positions")[0]);
}

TEST(ModelGolden, Record093) {
  GoldenRecord golden("R1-093");
  golden.expect_all("/P", outputs(called("position_ids", {},
                                         {param("S", golden.input("/S").integer()),
                                          param("past", golden.input("/past").integer())}),
                                  "positions"));
}

TEST(ModelGolden, Record062) {
  GoldenRecord golden("R1-062");
  const AnyTensor z = tensor(reals(golden.inputs("/z")), {2, 3, 1});
  const AnyTensor last = tensor(integers(golden.inputs("/l")), {2});
  Tensor<Real, 2> y({2, 1});
  const Arithmetic arithmetic = in_reading("real");
  sequence_pooling<Real>(Operand<Real>(arithmetic, z), last.view<const std::int64_t, 1>(),
                         y.view());
  golden.expect_all("/r", {y.view()(0, 0), y.view()(1, 0)});
}

TEST(ModelGolden, Record100) {
  GoldenRecord golden("R1-100");
  const Integers ids = integers(golden.inputs("/X"));
  const StageCall call = called(
      "sequence_pooling",
      {{"z", tensor(std::vector<Real>(ids.size()), {5, 4, 1})}, {"ids", tensor(ids, {5, 4})}},
      {param("pad", golden.input("/pad").integer())});
  golden.expect_all("/l", outputs(call, "last"));
}

// ["a","b"] as names.
std::vector<std::string> names(const std::string& list) {
  std::vector<std::string> found;
  for (std::size_t at = list.find('"'); at != std::string::npos; at = list.find('"', at + 1)) {
    const std::size_t end = list.find('"', at + 1);
    found.push_back(list.substr(at + 1, end - at - 1));
    at = end;
  }
  return found;
}

TEST(ModelGolden, Record094) {
  GoldenRecord golden("R1-094");
  EXPECT_EQ(
      classifier_output<std::string>("pooled", names(golden.structure("/transformer_outputs"))),
      names(golden.structure("/output")));
}

TEST(ModelGolden, Record095) {
  GoldenRecord golden("R1-095");
  const std::vector<std::string> output = names(golden.structure("/without"));
  const std::string loss = "loss";
  EXPECT_EQ(with_loss(&loss, output), names(golden.structure("/with_loss")));
  EXPECT_EQ(with_loss<std::string>(nullptr, output), output);
}

}  // namespace
}  // namespace plumb::oracles
