// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/join_heads.h"

#include "reference/stages/stage.h"

namespace plumb::reference {

template <class T>
void join_heads(const Operand<T>& nope, const Operand<T>& rope, TensorView<T, 4> y) {
  const Index split = nope.extent(3);
  const bool shared = rope.extent(1) == 1;
  for (Index b = 0; b < y.extent(0); ++b) {
    for (Index h = 0; h < y.extent(1); ++h) {
      for (Index t = 0; t < y.extent(2); ++t) {
        for (Index d = 0; d < y.extent(3); ++d) {
          y(b, h, t, d) = d < split ? nope(b, h, t, d) : rope(b, shared ? 0 : h, t, d - split);
        }
      }
    }
  }
}

template <class T>
void call_join_heads(const Arithmetic& arithmetic, StageCall& call) {
  const Operand<T> nope(arithmetic, call.tensor("nope"));
  const Operand<T> rope(arithmetic, call.tensor("rope"));
  join_heads(nope, rope,
             output<T, 4>(call, "y",
                          {nope.extent(0), nope.extent(1), nope.extent(2),
                           nope.extent(3) + rope.extent(3)}));
}

extern const StageReference join_heads_reference;
const StageReference join_heads_reference{"join_heads", call_join_heads<Real>,
                                          call_join_heads<RealWide>, call_join_heads<Tracked>,
                                          call_join_heads<double>};

}  // namespace plumb::reference
