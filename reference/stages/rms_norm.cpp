// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/rms_norm.h"

#include "reference/stages/stage.h"

namespace plumb::reference {

template <class T>
void rms_norm(const Arithmetic& arithmetic, const Operand<T>& x, const Operand<T>& gain, double eps,
              TensorView<T, 2> y) {
  const Index width = x.extent(1);
  const T epsilon = constant<T>(arithmetic, eps);
  const bool gain_after_downcast = arithmetic.takes("R1-D18", Side::kA);
  for (Index t = 0; t < x.extent(0); ++t) {
    const T scale = rsqrt(mean_square<T>(arithmetic, x.row(t)) + epsilon);
    for (Index d = 0; d < width; ++d) {
      // u = x * (v + eps)^(-1/2)
      T u = x(t, d) * scale;
      if (gain_after_downcast) u = stored(arithmetic, Slot::kNormalised, "R1-022", u);
      // y = g * u
      y(t, d) = stored(arithmetic, Slot::kActivation, "R1-023", gain(d) * u);
    }
  }
}

template <class T>
void call_rms_norm(const Arithmetic& arithmetic, StageCall& call) {
  const Operand<T> x(arithmetic, call.tensor("x"));
  const Operand<T> gain(arithmetic, call.tensor("gain"));
  rms_norm(arithmetic, x, gain, call.number("eps"),
           output<T, 2>(call, "y", {x.extent(0), x.extent(1)}));
}

extern const StageReference rms_norm_reference;
const StageReference rms_norm_reference{"rms_norm", call_rms_norm<Real>, call_rms_norm<RealWide>,
                                        call_rms_norm<Tracked>, call_rms_norm<double>};

}  // namespace plumb::reference
