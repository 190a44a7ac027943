// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/merge_heads.h"

#include "reference/stages/stage.h"

namespace plumb::reference {

template <class T>
void merge_heads(const Operand<T>& context, TensorView<T, 2> y) {
  const Index tokens = context.extent(2);
  const Index width = y.extent(1) / context.extent(1);
  for (Index row = 0; row < y.extent(0); ++row) {
    for (Index c = 0; c < y.extent(1); ++c) {
      y(row, c) = context(row / tokens, c / width, row % tokens, c % width);
    }
  }
}

template <class T>
void call_merge_heads(const Arithmetic& arithmetic, StageCall& call) {
  const Operand<T> context(arithmetic, call.tensor("context"));
  const Index width = call.integer("width");
  PLUMB_REQUIRE(width % context.extent(1) == 0 && width / context.extent(1) <= context.extent(3),
                call.site.path, width, context.extent(1), context.extent(3));
  merge_heads(context, output<T, 2>(call, "y", {context.extent(0) * context.extent(2), width}));
}

extern const StageReference merge_heads_reference;
const StageReference merge_heads_reference{"merge_heads", call_merge_heads<Real>,
                                           call_merge_heads<RealWide>, call_merge_heads<Tracked>,
                                           call_merge_heads<double>};

}  // namespace plumb::reference
