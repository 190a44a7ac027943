// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/residual.h"

#include "reference/stages/stage.h"

namespace plumb::reference {

template <class T>
void residual(const Arithmetic& arithmetic, const Operand<T>& r, const Operand<T>& u,
              TensorView<T, 2> y) {
  for (Index n = 0; n < y.extent(0); ++n) {
    for (Index j = 0; j < y.extent(1); ++j) {
      y(n, j) = stored(arithmetic, Slot::kActivation, "R1-001", r(n, j) + u(n, j));
    }
  }
}

template <class T>
void call_residual(const Arithmetic& arithmetic, StageCall& call) {
  const Operand<T> r(arithmetic, call.tensor("r"));
  residual(arithmetic, r, Operand<T>(arithmetic, call.tensor("u")),
           output<T, 2>(call, "y", {r.extent(0), r.extent(1)}));
}

extern const StageReference residual_reference;
const StageReference residual_reference{"residual", call_residual<Real>, call_residual<RealWide>,
                                        call_residual<Tracked>, call_residual<double>};

}  // namespace plumb::reference
