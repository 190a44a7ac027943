// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/position_ids.h"

#include "reference/stages/stage.h"

namespace plumb::reference {

AnyTensor table_positions(Index n) {
  AnyTensor positions = AnyTensor::zeros(Dtype::kI64, {n});
  for (Index p = 0; p < n; ++p) positions.data<std::int64_t>()[p] = p;
  return positions;
}

void position_ids(const AnyTensor* keep, bool fills, Index past,
                  TensorView<std::int64_t, 2> positions) {
  const Index tokens = positions.extent(1);
  for (Index b = 0; b < positions.extent(0); ++b) {
    if (keep == nullptr) {
      for (Index t = 0; t < tokens; ++t) positions(b, t) = past + t;
      continue;
    }
    const auto mask = keep->view<const std::int64_t, 2>();
    const Index first = mask.extent(1) - tokens;
    std::int64_t before = 0;
    for (Index t = 0; t < mask.extent(1); ++t) {
      before += mask(b, t);
      if (t >= first) positions(b, t - first) = mask(b, t) == 0 && fills ? 1 : before - 1;
    }
  }
}

template <class T>
void call_position_ids(const Arithmetic& arithmetic, StageCall& call) {
  const AnyTensor keep = optional_tensor(call, "keep");
  position_ids(keep.empty() ? nullptr : &keep, arithmetic.takes("R1-D13", Side::kB),
               call.integer("past"),
               output<std::int64_t, 2>(call, "positions", {call.integer("B"), call.integer("S")}));
}

extern const StageReference position_ids_reference;
const StageReference position_ids_reference{"position_ids", call_position_ids<Real>,
                                            call_position_ids<RealWide>, call_position_ids<Tracked>,
                                            call_position_ids<double>};

}  // namespace plumb::reference
