// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/fp8_quant.h"

#include <algorithm>

#include "reference/stages/stage.h"

namespace plumb::reference {
namespace {

// The maximum moves no farther than its operands do. NaN in b is passed over.
template <class T>
T larger(const T& a, const T& b) {
  bool open = false;
  const bool takes_b = less(a, b, &open);
  T r = takes_b ? b : a;
  if constexpr (std::is_same_v<T, Tracked>) {
    if (open) {
      r.error = std::max(a.error, b.error);
      r.inherited = -1;
    }
    r.slack = std::max(a.slack, b.slack);
  }
  return r;
}

template <class T>
T magnitude(const T& v) {
  return larger<T>(v, -v);
}

// amax over channels begin .. end-1 of token n
template <class T>
T largest_magnitude(const Arithmetic& arithmetic, const Operand<T>& x, Index n, Index begin,
                    Index end) {
  T largest = lifted<T>(arithmetic, 0);
  for (Index c = begin; c < end; ++c) largest = larger<T>(largest, magnitude<T>(x(n, c)));
  return largest;
}

template <class T>
T block_scale(const Arithmetic& arithmetic, const T& largest) {
  const bool clamps = arithmetic.takes("R1-D37", Side::kB);
  const T floored = clamps ? larger<T>(largest, constant<T>(arithmetic, 1e-4)) : largest;
  return stored(arithmetic, Slot::kConstant, "", floored / T(448));
}

template <class T>
T code_of(const Arithmetic& arithmetic, const T& v, const T& scale) {
  const T quotient = stored(arithmetic, Slot::kConstant, "", v / scale);
  if (!arithmetic.reading.format(Slot::kQuantised)) return quotient;
  const bool host = arithmetic.takes("R1-D38", Side::kA);
  return round_to(host ? kE4m3Host : kE4m3Saturating, quotient);
}

}  // namespace

template <class T>
void fp8_quant(const Arithmetic& arithmetic, const Operand<T>& x, Index block,
               TensorView<T, 2> codes, TensorView<T, 2> scale) {
  for (Index n = 0; n < codes.extent(0); ++n) {
    for (Index run = 0; run < scale.extent(1); ++run) {
      const Index begin = run * block;
      const Index end = std::min(begin + block, codes.extent(1));
      scale(n, run) =
          block_scale<T>(arithmetic, largest_magnitude<T>(arithmetic, x, n, begin, end));
      for (Index c = begin; c < end; ++c) {
        codes(n, c) = code_of<T>(arithmetic, x(n, c), scale(n, run));
      }
    }
  }
}

template <class T>
void call_fp8_quant(const Arithmetic& arithmetic, StageCall& call) {
  const Operand<T> x(arithmetic, call.tensor("x"));
  const Index block = call.integer("block");
  const Index runs = (x.extent(1) + block - 1) / block;
  const auto codes = output<T, 2>(call, "codes", {x.extent(0), x.extent(1)});
  fp8_quant(arithmetic, x, block, codes, output<T, 2>(call, "scale", {x.extent(0), runs}));
}

extern const StageReference fp8_quant_reference;
const StageReference fp8_quant_reference{"fp8_quant", call_fp8_quant<Real>,
                                         call_fp8_quant<RealWide>, call_fp8_quant<Tracked>,
                                         call_fp8_quant<double>};

}  // namespace plumb::reference
