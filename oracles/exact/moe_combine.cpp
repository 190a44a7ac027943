// SPDX-License-Identifier: Apache-2.0
// A token's expert outputs, each times its weight, added up: at once, with one rounding, or one
// expert after another in ascending order with a rounding of each product and each sum. `order`
// says which slot (token times K plus place) each row of the outputs belongs to.
#include <algorithm>

#include "oracles/exact/element.h"
#include "oracles/exact/enclosure.h"
#include "oracles/exact/rounding.h"

namespace plumb::oracles {
namespace {

struct Row {
  std::string_view reading;
  std::optional<Target> step;  // each product and each sum of the running form
  std::optional<Target> out;
  bool runs;
};

const Row& row_of(std::string_view reading) {
  static const Row kRows[] = {
      {"real", {}, {}, false},
      {"hf_bf16", {}, Target::kBf16, false},
      {"hf_f32", {}, Target::kF32, false},
      {"inf_bf16", Target::kBf16, {}, true},
      {"inf_fp8", Target::kBf16, {}, true},
  };
  for (const Row& row : kRows) {
    if (row.reading == reading) return row;
  }
  PLUMB_REQUIRE(false, "the oracle does not know this reading", reading);
  return kRows[0];
}

Index integer(const AnyTensor& t, Index i) { return t.data<std::int64_t>()[t.offset_of(i)]; }

// A token's slots in the order in which they are added.
std::vector<Index> slots_of(const AnyTensor& ids, Index token, bool by_expert) {
  const Index k = ids.extent(1);
  std::vector<Index> slots;
  for (Index i = 0; i < k; ++i) slots.push_back(token * k + i);
  if (by_expert) {
    std::stable_sort(slots.begin(), slots.end(),
                     [&](Index a, Index b) { return integer(ids, a) < integer(ids, b); });
  }
  return slots;
}

}  // namespace

ExactOutput moe_combine(const StageCall& call, std::string_view reading) {
  const AnyTensor& outputs = call.tensor("outputs");
  const AnyTensor& order = call.tensor("order");
  const AnyTensor& ids = call.tensor("ids");
  const AnyTensor& weights = call.tensor("weights");
  const Row& row = row_of(reading);
  const Index width = outputs.extent(1);
  std::vector<Index> row_of_slot(static_cast<std::size_t>(order.size()));
  for (Index p = 0; p < order.size(); ++p) {
    row_of_slot[static_cast<std::size_t>(integer(order, p))] = p;
  }
  std::vector<Number> y;
  for (Index n = 0; n < ids.extent(0); ++n) {
    const std::vector<Index> slots = slots_of(ids, n, row.runs);
    for (Index j = 0; j < width; ++j) {
      Number sum(0);
      for (Index slot : slots) {
        const Index at = row_of_slot[static_cast<std::size_t>(slot)] * width + j;
        const Number term = element(outputs, at) * element(weights, slot);
        sum = rounded(sum + rounded(term, row.step), row.step);
      }
      y.push_back(rounded(sum, row.out));
    }
  }
  return {{exact_tensor("y", {ids.extent(0), width}, y)}, {}};
}

}  // namespace plumb::oracles
