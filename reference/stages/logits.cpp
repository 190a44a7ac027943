// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/logits.h"

#include "reference/stages/stage.h"

namespace plumb::reference {

template <class T>
void logits(const Arithmetic& arithmetic, const Operand<T>& x, TensorView<T, 2> y) {
  for (Index n = 0; n < y.extent(0); ++n) {
    for (Index v = 0; v < y.extent(1); ++v)
      y(n, v) = stored(arithmetic, Slot::kLogits, "", x(n, v));
  }
}

template <class T>
void call_logits(const Arithmetic& arithmetic, StageCall& call) {
  const Operand<T> x(arithmetic, call.tensor("x"));
  logits(arithmetic, x, output<T, 2>(call, "logits", {x.extent(0), x.extent(1)}));
}

extern const StageReference logits_reference;
const StageReference logits_reference{"logits", call_logits<Real>, call_logits<RealWide>,
                                      call_logits<Tracked>, call_logits<double>};

}  // namespace plumb::reference
