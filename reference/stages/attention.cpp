// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/attention.h"

#include "reference/stages/composed.h"

namespace plumb::reference {

template <class T>
Attended attention(const Arithmetic& arithmetic, const StageCall& call) {
  Attended a;
  // s = sigma Q K + M
  a.scores = result_of<T>(arithmetic, "attention_scores",
                          {{"query", call.tensor("query")},
                           {"key", call.tensor("key")},
                           {"sigma", call.tensor("sigma")}},
                          "scores");
  if (const AnyTensor* mask = call.find("mask")) {
    a.scores = result_of<T>(arithmetic, "attention_mask_add",
                            {{"scores", a.scores}, {"mask", *mask}}, "masked");
  }
  // a = softmax(s)
  a.weights = result_of<T>(arithmetic, "softmax", {{"scores", a.scores}}, "weights");
  // o = a V
  a.context = result_of<T>(arithmetic, "attention_context",
                           {{"weights", a.weights}, {"value", call.tensor("value")}}, "context");
  return a;
}

template <class T>
void call_attention(const Arithmetic& arithmetic, StageCall& call) {
  const Attended a = attention<T>(arithmetic, call);
  call.set("scores", a.scores);
  call.set("weights", a.weights);
  call.set("context", a.context);
}

extern const StageReference attention_reference;
const StageReference attention_reference{"attention", call_attention<Real>,
                                         call_attention<RealWide>, call_attention<Tracked>,
                                         call_attention<double>};

}  // namespace plumb::reference
