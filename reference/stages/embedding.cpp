// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/embedding.h"

#include "reference/stages/stage.h"

namespace plumb::reference {

template <class T>
void embedding(const Arithmetic& arithmetic, const Operand<T>& table,
               TensorView<const std::int64_t, 1> ids, TensorView<T, 2> y) {
  for (Index n = 0; n < y.extent(0); ++n) {
    for (Index j = 0; j < y.extent(1); ++j) {
      y(n, j) = stored(arithmetic, Slot::kActivation, "", table(ids(n), j));
    }
  }
}

template <class T>
void call_embedding(const Arithmetic& arithmetic, StageCall& call) {
  const Operand<T> table(arithmetic, call.tensor("table"));
  const auto ids = call.tensor("ids").view<const std::int64_t, 1>();
  embedding(arithmetic, table, ids, output<T, 2>(call, "y", {ids.extent(0), table.extent(1)}));
}

extern const StageReference embedding_reference;
const StageReference embedding_reference{"embedding", call_embedding<Real>,
                                         call_embedding<RealWide>, call_embedding<Tracked>,
                                         call_embedding<double>};

}  // namespace plumb::reference
