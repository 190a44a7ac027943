// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/softmax.h"

#include "reference/exact/dot.h"
#include "reference/stages/softmax_row.h"
#include "reference/stages/stage.h"

namespace plumb::reference {

template <class T>
void softmax(const Arithmetic& arithmetic, const Operand<T>& scores, TensorView<T, 4> weights) {
  for (Index b = 0; b < weights.extent(0); ++b) {
    for (Index h = 0; h < weights.extent(1); ++h) {
      for (Index i = 0; i < weights.extent(2); ++i) {
        softmax_row<T>(
            arithmetic, [&](Index t) { return scores(b, h, i, t); }, weights.extent(3),
            [&](Index t) -> T& { return weights(b, h, i, t); });
      }
    }
  }
}

template <class T>
void call_softmax(const Arithmetic& arithmetic, StageCall& call) {
  const Operand<T> scores(arithmetic, call.tensor("scores"));
  softmax(arithmetic, scores,
          output<T, 4>(call, "weights",
                       {scores.extent(0), scores.extent(1), scores.extent(2), scores.extent(3)}));
}

extern const StageReference softmax_reference;
const StageReference softmax_reference{"softmax", call_softmax<Real>, call_softmax<RealWide>,
                                       call_softmax<Tracked>, call_softmax<double>};

}  // namespace plumb::reference
