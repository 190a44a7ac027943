// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/exact/operand.h"

namespace plumb::reference {

// Which feed-forward each layer has.
//   kind[l] = 1 (experts) if there are experts, l >= first_dense and l mod frequency = 0, else 0
//   [R1-059]
// Shapes: -> kind[L].
// Budget: none.
void layer_kind(Index first_dense, Index frequency, Index experts,
                TensorView<std::int64_t, 1> kind);

}  // namespace plumb::reference
