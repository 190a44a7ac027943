// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/moe_dispatch.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "reference/stages/stage.h"

namespace plumb::reference {

template <class T>
void moe_dispatch(const Operand<T>& x, TensorView<const std::int64_t, 2> ids,
                  const AnyTensor* forced_order, TensorView<std::int64_t, 1> counts,
                  TensorView<std::int64_t, 1> order, TensorView<T, 2> rows) {
  const Index top_k = ids.extent(1);
  const auto expert_of = [&](std::int64_t slot) { return ids(slot / top_k, slot % top_k); };
  // counts[e] = sum_n [e in ids[n]]
  for (Index slot = 0; slot < order.extent(0); ++slot) ++counts(expert_of(slot));
  // order = argsort(vec(ids))
  std::vector<std::int64_t> sorted(static_cast<std::size_t>(order.extent(0)));
  std::iota(sorted.begin(), sorted.end(), std::int64_t{0});
  std::ranges::stable_sort(sorted, {}, expert_of);
  for (Index p = 0; p < order.extent(0); ++p) {
    order(p) = forced_order != nullptr ? forced_order->view<const std::int64_t, 1>()(p)
                                       : sorted[static_cast<std::size_t>(p)];
    // rows[p,:] = x[order[p] / K, :]
    for (Index j = 0; j < rows.extent(1); ++j) rows(p, j) = x(order(p) / top_k, j);
  }
}

template <class T>
void call_moe_dispatch(const Arithmetic& arithmetic, StageCall& call) {
  const Operand<T> x(arithmetic, call.tensor("x"));
  const auto ids = call.tensor("ids").view<const std::int64_t, 2>();
  const AnyTensor forced = call.find("order") != nullptr ? call.tensor("order") : AnyTensor();
  const Index slots = ids.extent(0) * ids.extent(1);
  moe_dispatch(x, ids, forced.empty() ? nullptr : &forced,
               output<std::int64_t, 1>(call, "counts", {call.integer("experts")}),
               output<std::int64_t, 1>(call, "order", {slots}),
               output<T, 2>(call, "rows", {slots, x.extent(1)}));
}

extern const StageReference moe_dispatch_reference;
const StageReference moe_dispatch_reference{"moe_dispatch", call_moe_dispatch<Real>,
                                            call_moe_dispatch<RealWide>, call_moe_dispatch<Tracked>,
                                            call_moe_dispatch<double>};

}  // namespace plumb::reference
