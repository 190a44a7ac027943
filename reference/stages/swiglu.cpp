// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/swiglu.h"

#include <cmath>

#include "reference/stages/stage.h"

namespace plumb::reference {

template <class T>
void swiglu(const Arithmetic& arithmetic, const Operand<T>& gate, const Operand<T>& up,
            TensorView<T, 2> y) {
  using std::exp;
  const T one = lifted<T>(arithmetic, 1);
  for (Index n = 0; n < y.extent(0); ++n) {
    for (Index f = 0; f < y.extent(1); ++f) {
      // silu(z) = z / (1 + exp(-z))
      const T z = gate(n, f);
      const T gated = stored(arithmetic, Slot::kSilu, "R1-038", z / (one + exp(-z)));
      // y = silu(gate) * up
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
