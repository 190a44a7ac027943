// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/repeat_kv.h"

#include "reference/stages/stage.h"

namespace plumb::reference {

template <class T>
void repeat_kv(const Operand<T>& x, TensorView<T, 4> y) {
  const Index n = y.extent(1) / x.extent(1);
  for (Index b = 0; b < y.extent(0); ++b) {
    for (Index h = 0; h < y.extent(1); ++h) {
      for (Index t = 0; t < y.extent(2); ++t) {
        for (Index d = 0; d < y.extent(3); ++d) y(b, h, t, d) = x(b, h / n, t, d);
      }
    }
  }
}

template <class T>
void call_repeat_kv(const Arithmetic& arithmetic, StageCall& call) {
  const Operand<T> x(arithmetic, call.tensor("x"));
  const Index heads = call.integer("heads");
  PLUMB_REQUIRE(heads % x.extent(1) == 0, call.site.path, heads, x.extent(1));
  repeat_kv(x, output<T, 4>(call, "y", {x.extent(0), heads, x.extent(2), x.extent(3)}));
}

extern const StageReference repeat_kv_reference;
const StageReference repeat_kv_reference{"repeat_kv", call_repeat_kv<Real>,
                                         call_repeat_kv<RealWide>, call_repeat_kv<Tracked>,
                                         call_repeat_kv<double>};

}  // namespace plumb::reference
