// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/attention_mask_add.h"

#include "reference/stages/stage.h"

namespace plumb::reference {

template <class T>
void attention_mask_add(const Arithmetic& arithmetic, const Operand<T>& scores,
                        const Operand<T>& mask, TensorView<T, 4> masked) {
  for (Index b = 0; b < masked.extent(0); ++b) {
    for (Index h = 0; h < masked.extent(1); ++h) {
      for (Index i = 0; i < masked.extent(2); ++i) {
        for (Index t = 0; t < masked.extent(3); ++t) {
          masked(b, h, i, t) =
              stored(arithmetic, Slot::kScores, "R1-090", scores(b, h, i, t) + mask(b, 0, i, t));
        }
      }
    }
  }
}

template <class T>
void call_attention_mask_add(const Arithmetic& arithmetic, StageCall& call) {
  const Operand<T> scores(arithmetic, call.tensor("scores"));
  attention_mask_add(
      arithmetic, scores, Operand<T>(arithmetic, call.tensor("mask")),
      output<T, 4>(call, "masked",
                   {scores.extent(0), scores.extent(1), scores.extent(2), scores.extent(3)}));
}

extern const StageReference attention_mask_add_reference;
const StageReference attention_mask_add_reference{
    "attention_mask_add", call_attention_mask_add<Real>, call_attention_mask_add<RealWide>,
    call_attention_mask_add<Tracked>, call_attention_mask_add<double>};

}  // namespace plumb::reference
