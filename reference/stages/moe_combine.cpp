// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/moe_combine.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "reference/exact/dot.h"
#include "reference/stages/stage.h"

namespace plumb::reference {
namespace {

std::vector<Index> natural(Index n) {
  std::vector<Index> slots(static_cast<std::size_t>(n));
  std::iota(slots.begin(), slots.end(), Index{0});
  return slots;
}

// The slots of token n by ascending expert.
std::vector<Index> ascending(TensorView<const std::int64_t, 2> ids, Index n) {
  std::vector<Index> slots = natural(ids.extent(1));
  std::ranges::stable_sort(slots, {}, [&](Index k) { return ids(n, k); });
  return slots;
}

// bf( sum_k o w )
template <class T>
T summed(const Arithmetic& arithmetic, const std::vector<Index>& slots, auto product) {
  std::vector<T> terms;
  for (Index k : slots) terms.push_back(product(k));
  return stored(arithmetic, Slot::kCombine, "R1-044",
                exact::sum<T>(arithmetic, std::span<const T>(terms)));
}

// y := bf(y + bf(o * w)), one expert after another
template <class T>
T accumulated(const Arithmetic& arithmetic, const std::vector<Index>& slots, auto product) {
  T y = lifted<T>(arithmetic, 0);
  for (Index k : slots) {
    const T term = stored(arithmetic, Slot::kCombine, "R1-044", product(k));
    y = stored(arithmetic, Slot::kCombine, "R1-044", y + term);
  }
  return y;
}

}  // namespace

template <class T>
void moe_combine(const Arithmetic& arithmetic, const Operand<T>& outputs,
                 TensorView<const std::int64_t, 1> order, TensorView<const std::int64_t, 2> ids,
                 const Operand<T>& weights, TensorView<T, 2> y) {
  const Index top_k = ids.extent(1);
  std::vector<Index> row_of(static_cast<std::size_t>(order.extent(0)));
  for (Index p = 0; p < order.extent(0); ++p) row_of[static_cast<std::size_t>(order(p))] = p;
  const bool one_sum = arithmetic.takes("R1-D21", Side::kA);
  for (Index n = 0; n < y.extent(0); ++n) {
    const std::vector<Index> slots = one_sum ? natural(top_k) : ascending(ids, n);
    for (Index j = 0; j < y.extent(1); ++j) {
      const auto product = [&](Index k) {
        return outputs(row_of[static_cast<std::size_t>(n * top_k + k)], j) * weights(n, k);
      };
      y(n, j) = one_sum ? summed<T>(arithmetic, slots, product)
                        : accumulated<T>(arithmetic, slots, product);
    }
  }
}

template <class T>
void call_moe_combine(const Arithmetic& arithmetic, StageCall& call) {
  const Operand<T> outputs(arithmetic, call.tensor("outputs"));
  const auto ids = call.tensor("ids").view<const std::int64_t, 2>();
  moe_combine(arithmetic, outputs, call.tensor("order").view<const std::int64_t, 1>(), ids,
              Operand<T>(arithmetic, call.tensor("weights")),
              output<T, 2>(call, "y", {ids.extent(0), outputs.extent(1)}));
}

extern const StageReference moe_combine_reference;
const StageReference moe_combine_reference{"moe_combine", call_moe_combine<Real>,
                                           call_moe_combine<RealWide>, call_moe_combine<Tracked>,
                                           call_moe_combine<double>};

}  // namespace plumb::reference
