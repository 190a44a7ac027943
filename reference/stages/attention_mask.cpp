// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/attention_mask.h"

#include <limits>

#include "reference/stages/stage.h"

namespace plumb::reference {

template <class T>
void attention_mask(const Arithmetic& arithmetic, const AnyTensor* keep, Index past,
                    TensorView<T, 4> mask) {
  const auto& scores = arithmetic.reading.format(Slot::kScores);
  const double lowest = arithmetic.takes("R1-D28", Side::kA) && scores
                            ? -scores->max_finite
                            : -std::numeric_limits<double>::infinity();
  for (Index b = 0; b < mask.extent(0); ++b) {
    for (Index i = 0; i < mask.extent(2); ++i) {
      for (Index t = 0; t < mask.extent(3); ++t) {
        const bool kept = keep == nullptr || keep->view<const std::int64_t, 2>()(b, t) != 0;
        mask(b, 0, i, t) = T(t <= past + i && kept ? 0.0 : lowest);
      }
    }
  }
}

template <class T>
void call_attention_mask(const Arithmetic& arithmetic, StageCall& call) {
  const AnyTensor keep = optional_tensor(call, "keep");
  attention_mask(
      arithmetic, keep.empty() ? nullptr : &keep, call.integer("past"),
      output<T, 4>(call, "mask", {call.integer("B"), 1, call.integer("S"), call.integer("T")}));
}

extern const StageReference attention_mask_reference;
const StageReference attention_mask_reference{
    "attention_mask", call_attention_mask<Real>, call_attention_mask<RealWide>,
    call_attention_mask<Tracked>, call_attention_mask<double>};

}  // namespace plumb::reference
