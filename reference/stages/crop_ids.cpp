// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/crop_ids.h"

#include <algorithm>

#include "reference/stages/stage.h"

namespace plumb::reference {

Columns kept_columns(bool slices, Index columns, Index mask_columns, Index past) {
  const Index k = mask_columns - past;
  const Index begin = k >= 1 ? std::max<Index>(columns - k, 0)  // ids[:, -k:]
                             : std::min(slices ? -k : columns, columns);
  return {begin, columns - begin};
}

void crop_ids(TensorView<const std::int64_t, 2> ids, const Columns& kept,
              TensorView<std::int64_t, 2> y) {
  for (Index b = 0; b < y.extent(0); ++b) {
    for (Index j = 0; j < kept.count; ++j) y(b, j) = ids(b, kept.begin + j);
  }
}

template <class T>
void call_crop_ids(const Arithmetic& arithmetic, StageCall& call) {
  const auto ids = call.tensor("ids").view<const std::int64_t, 2>();
  const Columns kept = kept_columns(arithmetic.takes("R1-D41", Side::kB), ids.extent(1),
                                    call.integer("mask_columns"), call.integer("past"));
  crop_ids(ids, kept, output<std::int64_t, 2>(call, "y", {ids.extent(0), kept.count}));
}

extern const StageReference crop_ids_reference;
const StageReference crop_ids_reference{"crop_ids", call_crop_ids<Real>, call_crop_ids<RealWide>,
                                        call_crop_ids<Tracked>, call_crop_ids<double>};

}  // namespace plumb::reference
