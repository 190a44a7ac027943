// SPDX-License-Identifier: Apache-2.0
// s[b,h,i,t] = out( sigma * out( sum_d query[b,h,i,d] key[b,h,t,d] ) )
#include "oracles/exact/element.h"
#include "oracles/exact/enclosure.h"
#include "oracles/exact/rounding.h"

namespace plumb::oracles {
namespace {

struct Row {
  std::string_view reading;
  std::optional<Target> sigma;  // the scale as the code holds it
  std::optional<Target> score;
};

const Row& row_of(std::string_view reading) {
  static const Row kRows[] = {
      {"real", {}, {}},
      {"hf_bf16", Target::kF32, Target::kBf16},
      {"hf_f32", Target::kF32, Target::kF32},
      {"inf_bf16", Target::kF32, Target::kBf16},
      {"inf_fp8", Target::kF32, Target::kBf16},
  };
  for (const Row& row : kRows) {
    if (row.reading == reading) return row;
  }
  PLUMB_REQUIRE(false, "the oracle does not know this reading", reading);
  return kRows[0];
}

}  // namespace

ExactOutput attention_scores(const StageCall& call, std::string_view reading) {
  const AnyTensor& query = call.tensor("query");
  const AnyTensor& key = call.tensor("key");
  const Row& row = row_of(reading);
  const Number sigma = rounded(element(call.tensor("sigma"), 0), row.sigma);
  const Index batches = query.extent(0), heads = query.extent(1), queries = query.extent(2);
  const Index keys = key.extent(2), width = query.extent(3);

  std::vector<Number> scores;
  for (Index head = 0; head < batches * heads; ++head) {
    for (Index i = 0; i < queries; ++i) {
      for (Index t = 0; t < keys; ++t) {
        Number sum(0);
        for (Index d = 0; d < width; ++d) {
          sum = sum + element(query, (head * queries + i) * width + d) *
                          element(key, (head * keys + t) * width + d);
        }
        scores.push_back(rounded(rounded(sum, row.score) * sigma, row.score));
      }
    }
  }
  return {{exact_tensor("scores", {batches, heads, queries, keys}, scores)}, {}};
}

}  // namespace plumb::oracles
