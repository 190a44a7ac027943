// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/split_heads.h"

#include "reference/stages/stage.h"

namespace plumb::reference {

template <class T>
void split_heads(const Operand<T>& x, TensorView<T, 4> first, TensorView<T, 4> second) {
  const Index tokens = first.extent(2);
  const Index n = first.extent(3);
  const Index m = second.extent(3);
  for (Index row = 0; row < x.extent(0); ++row) {
    for (Index c = 0; c < x.extent(1); ++c) {
      const Index b = row / tokens;
      const Index t = row % tokens;
      const Index h = c / (n + m);
      const Index d = c % (n + m);
      (d < n ? first(b, h, t, d) : second(b, h, t, d - n)) = x(row, c);
    }
  }
}

template <class T>
void call_split_heads(const Arithmetic& arithmetic, StageCall& call) {
  const Operand<T> x(arithmetic, call.tensor("x"));
  const Index heads = call.integer("heads");
  const Index n = call.integer("n");
  const Index m = call.integer("m");
  PLUMB_REQUIRE(
      x.extent(0) == call.integer("B") * call.integer("S") && x.extent(1) == heads * (n + m),
      call.site.path, x.extent(0), x.extent(1), heads, n, m);
  split_heads(x, output<T, 4>(call, "first", {call.integer("B"), heads, call.integer("S"), n}),
              output<T, 4>(call, "second", {call.integer("B"), heads, call.integer("S"), m}));
}

extern const StageReference split_heads_reference;
const StageReference split_heads_reference{"split_heads", call_split_heads<Real>,
                                           call_split_heads<RealWide>, call_split_heads<Tracked>,
                                           call_split_heads<double>};

}  // namespace plumb::reference
