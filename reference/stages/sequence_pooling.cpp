// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/sequence_pooling.h"

#include "reference/stages/stage.h"

namespace plumb::reference {
namespace {

// argmax_t [ids[b,t] = pad], the first maximum
Index first_pad(TensorView<const std::int64_t, 2> ids, Index b, std::int64_t pad) {
  for (Index t = 0; t < ids.extent(1); ++t) {
    if (ids(b, t) == pad) return t;
  }
  return 0;
}

Index last_real(TensorView<const std::int64_t, 2> ids, Index b, std::int64_t pad) {
  Index t = ids.extent(1) - 1;
  while (t >= 0 && ids(b, t) == pad) --t;
  return t;
}

}  // namespace

void last_tokens(TensorView<const std::int64_t, 2> ids, std::int64_t pad, bool by_first_pad,
                 TensorView<std::int64_t, 1> last) {
  for (Index b = 0; b < last.extent(0); ++b) {
    last(b) = by_first_pad ? first_pad(ids, b, pad) - 1 : last_real(ids, b, pad);
  }
}

template <class T>
void call_sequence_pooling(const Arithmetic& arithmetic, StageCall& call) {
  const Operand<T> z(arithmetic, call.tensor("z"));
  const AnyTensor ids = optional_tensor(call, "ids");
  const std::int64_t pad = call.integer("pad");
  const auto last = output<std::int64_t, 1>(call, "last", {z.extent(0)});
  if (!ids.empty() && pad >= 0) {
    last_tokens(ids.view<const std::int64_t, 2>(), pad, arithmetic.takes("R1-D12", Side::kB), last);
  } else {
    for (Index b = 0; b < last.extent(0); ++b) last(b) = -1;
  }
  sequence_pooling<T>(z, last, output<T, 2>(call, "y", {z.extent(0), z.extent(2)}));
}

extern const StageReference sequence_pooling_reference;
const StageReference sequence_pooling_reference{
    "sequence_pooling", call_sequence_pooling<Real>, call_sequence_pooling<RealWide>,
    call_sequence_pooling<Tracked>, call_sequence_pooling<double>};

}  // namespace plumb::reference
