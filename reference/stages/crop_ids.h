// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/exact/operand.h"

namespace plumb::reference {

// The columns of ids that are kept.
struct Columns {
  Index begin, count;
};

// Drops the tokens that the cache already holds, where the mask is longer than the ids.
//   k = M - past
//   R1-D41 a: the last k columns, none for k <= 0
//   R1-D41 b: from column -k on, as a slice does: k >= 1 the last min(k, S), k = 0 all, k < 0 all
//             but the first -k                                                 [R1-003]
// Budget: none.
Columns kept_columns(bool slices, Index columns, Index mask_columns, Index past);

// Shapes: ids[B,S] -> y[B,kept].
void crop_ids(TensorView<const std::int64_t, 2> ids, const Columns& kept,
              TensorView<std::int64_t, 2> y);

}  // namespace plumb::reference
