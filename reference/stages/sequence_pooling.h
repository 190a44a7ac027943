// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "reference/exact/operand.h"

namespace plumb::reference {

// The column in front of a row's first pad token, or its last real token.
//   R1-D12 a: l[b] = the last t with ids[b,t] != pad; -1 where there is none
//   R1-D12 b: l[b] = argmax_t [ids[b,t] = pad] - 1, the first maximum: -1 where there is no pad
//   [R1-100]
void last_tokens(TensorView<const std::int64_t, 2> ids, std::int64_t pad, bool by_first_pad,
                 TensorView<std::int64_t, 1> last);

// The logits of each sequence's last token.
//   y[b,:] = z[b, l[b] mod S, :]; l = -1 without ids or pad                      [R1-062]
// Shapes: z[B,S,C], l[B] -> y[B,C].
// Types:  a copy; unlike the head of language models not widened.
// Needs:  -S <= l < S.    NaN: copied.
// Budget: none.
template <class T>
void sequence_pooling(const Operand<T>& z, TensorView<const std::int64_t, 1> last,
                      TensorView<T, 2> y) {
  const Index tokens = z.extent(1);
  for (Index b = 0; b < y.extent(0); ++b) {
    const Index at = (last(b) % tokens + tokens) % tokens;
    for (Index c = 0; c < y.extent(1); ++c) y(b, c) = z(b, at, c);
  }
}

// What a classifier returns: the pooled logits before the model's own outputs from the second on.
// [R1-094]
template <class Entry>
std::vector<Entry> classifier_output(const Entry& pooled, const std::vector<Entry>& of_model) {
  std::vector<Entry> output{pooled};
  for (std::size_t i = 1; i < of_model.size(); ++i) output.push_back(of_model[i]);
  return output;
}

// The loss, where there is one, before that.                                         [R1-095]
template <class Entry>
std::vector<Entry> with_loss(const Entry* loss, std::vector<Entry> output) {
  if (loss != nullptr) output.insert(output.begin(), *loss);
  return output;
}

}  // namespace plumb::reference
