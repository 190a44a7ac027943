// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/layer_kind.h"

#include "reference/stages/stage.h"

namespace plumb::reference {

void layer_kind(Index first_dense, Index frequency, Index experts,
                TensorView<std::int64_t, 1> kind) {
  for (Index l = 0; l < kind.extent(0); ++l) {
    kind(l) = experts > 0 && l >= first_dense && l % frequency == 0 ? 1 : 0;
  }
}

template <class T>
void call_layer_kind(const Arithmetic& arithmetic, StageCall& call) {
  static_cast<void>(arithmetic);
  layer_kind(call.integer("first_dense"), call.integer("frequency"), call.integer("experts"),
             output<std::int64_t, 1>(call, "kind", {call.integer("layers")}));
}

extern const StageReference layer_kind_reference;
const StageReference layer_kind_reference{"layer_kind", call_layer_kind<Real>,
                                          call_layer_kind<RealWide>, call_layer_kind<Tracked>,
                                          call_layer_kind<double>};

}  // namespace plumb::reference
