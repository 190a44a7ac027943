// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/softmax_scale.h"

#include "reference/stages/rope_frequencies.h"
#include "reference/stages/rotary.h"
#include "reference/stages/stage.h"

namespace plumb::reference {

template <class T>
T plain_softmax_scale(const Arithmetic& arithmetic, Index width) {
  const auto reciprocal_root = [](const T& v) { return T(rsqrt(v)); };
  return stored(
      arithmetic, Slot::kScalar, "R1-049",
      evaluated(arithmetic, Slot::kScalar, reciprocal_root, T(static_cast<double>(width))));
}

template <class T>
T yarn_softmax_scale(const Arithmetic& arithmetic, const T& plain, double factor,
                     double mscale_all_dim) {
  const auto step = [&](const T& v) { return stored(arithmetic, Slot::kScalar, "R1-097", v); };
  const T m = magnitude<T>(arithmetic, factor, mscale_all_dim);
  return step(step(plain * m) * m);
}

template <class T>
void call_softmax_scale(const Arithmetic& arithmetic, StageCall& call) {
  const Index width = head_width(call.integer("nope_dim"), call.integer("rope_dim"));
  const T plain = plain_softmax_scale<T>(arithmetic, width);
  const bool yarn =
      call.integer("yarn") != 0 &&
      yarn_applies(arithmetic, call.integer("max_length"), call.integer("original_length"));
  const TensorView<T, 1> sigma = output<T, 1>(call, "sigma", {1});
  sigma(0) = yarn ? yarn_softmax_scale(arithmetic, plain, call.number("factor"),
                                       call.number("mscale_all_dim"))
                  : plain;
}

extern const StageReference softmax_scale_reference;
const StageReference softmax_scale_reference{
    "softmax_scale", call_softmax_scale<Real>, call_softmax_scale<RealWide>,
    call_softmax_scale<Tracked>, call_softmax_scale<double>};

}  // namespace plumb::reference
