// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/fp8_dequant.h"

#include "reference/stages/stage.h"

namespace plumb::reference {

template <class T>
void fp8_dequant(const Arithmetic& arithmetic, const Operand<T>& codes, const Operand<T>& scale,
                 Index block, TensorView<T, 2> y) {
  for (Index r = 0; r < y.extent(0); ++r) {
    for (Index c = 0; c < y.extent(1); ++c) {
      y(r, c) = dequantised<T>(arithmetic, codes(r, c), scale(r / block, c / block));
    }
  }
}

template <class T>
void call_fp8_dequant(const Arithmetic& arithmetic, StageCall& call) {
  const Operand<T> codes(arithmetic, call.tensor("codes"));
  fp8_dequant(arithmetic, codes, Operand<T>(arithmetic, call.tensor("scale")),
              call.integer("block"), output<T, 2>(call, "y", {codes.extent(0), codes.extent(1)}));
}

extern const StageReference fp8_dequant_reference;
const StageReference fp8_dequant_reference{"fp8_dequant", call_fp8_dequant<Real>,
                                           call_fp8_dequant<RealWide>, call_fp8_dequant<Tracked>,
                                           call_fp8_dequant<double>};

}  // namespace plumb::reference
