// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/swiglu.h"

#include "reference/stages/stage.h"

namespace plumb::reference {

template <class T>
void swiglu(const Arithmetic& arithmetic, const Operand<T>& gate, const Operand<T>& up,
            TensorView<T, 2> y) {
  for (Index n = 0; n < y.extent(0); ++n) {
    for (Index f = 0; f < y.extent(1); ++f) {
      const T gated = silu<T>(arithmetic, gate(n, f));
      y(n, f) = stored(arithmetic, Slot::kActivation, "R1-038", gated * up(n, f));
    }
  }
}

template <class T>
void call_swiglu(const Arithmetic& arithmetic, StageCall& call) {
  const Operand<T> gate(arithmetic, call.tensor("gate"));
  swiglu(arithmetic, gate, Operand<T>(arithmetic, call.tensor("up")),
         output<T, 2>(call, "y", {gate.extent(0), gate.extent(1)}));
}

extern const StageReference swiglu_reference;
const StageReference swiglu_reference{"swiglu", call_swiglu<Real>, call_swiglu<RealWide>,
                                      call_swiglu<Tracked>, call_swiglu<double>};

}  // namespace plumb::reference
