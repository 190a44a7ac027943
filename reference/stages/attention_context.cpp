// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/attention_context.h"

#include "reference/exact/dot.h"
#include "reference/stages/stage.h"

namespace plumb::reference {

template <class T>
void attention_context(const Arithmetic& arithmetic, const Operand<T>& weights,
                       const Operand<T>& value, TensorView<T, 4> context) {
  for (Index b = 0; b < context.extent(0); ++b) {
    for (Index h = 0; h < context.extent(1); ++h) {
      for (Index i = 0; i < context.extent(2); ++i) {
        for (Index d = 0; d < context.extent(3); ++d) {
          // o = sum_t a V
          const T sum =
              exact::dot<T>(arithmetic, weights.row(b, h, i), value.along(2, b, h, Index{0}, d));
          context(b, h, i, d) = stored(arithmetic, Slot::kActivation, "R1-053", sum);
        }
      }
    }
  }
}

template <class T>
void call_attention_context(const Arithmetic& arithmetic, StageCall& call) {
  const Operand<T> weights(arithmetic, call.tensor("weights"));
  const Operand<T> value(arithmetic, call.tensor("value"));
  attention_context(
      arithmetic, weights, value,
      output<T, 4>(call, "context",
                   {weights.extent(0), weights.extent(1), weights.extent(2), value.extent(3)}));
}

extern const StageReference attention_context_reference;
const StageReference attention_context_reference{
    "attention_context", call_attention_context<Real>, call_attention_context<RealWide>,
    call_attention_context<Tracked>, call_attention_context<double>};

}  // namespace plumb::reference
