// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/expert_rows.h"

#include "reference/stages/stage.h"

namespace plumb::reference {

template <class T>
void expert_rows(const Operand<T>& rows, Index begin, TensorView<T, 2> y) {
  for (Index i = 0; i < y.extent(0); ++i) {
    for (Index j = 0; j < y.extent(1); ++j) y(i, j) = rows(begin + i, j);
  }
}

template <class T>
void call_expert_rows(const Arithmetic& arithmetic, StageCall& call) {
  const Operand<T> rows(arithmetic, call.tensor("rows"));
  expert_rows(rows, call.integer("begin"),
              output<T, 2>(call, "y", {call.integer("M"), rows.extent(1)}));
}

extern const StageReference expert_rows_reference;
const StageReference expert_rows_reference{"expert_rows", call_expert_rows<Real>,
                                           call_expert_rows<RealWide>, call_expert_rows<Tracked>,
                                           call_expert_rows<double>};

}  // namespace plumb::reference
