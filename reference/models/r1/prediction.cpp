// SPDX-License-Identifier: Apache-2.0
// The multi-token prediction layer of DeepSeek-V3's report, of depth one, as the checkpoint names
// and deployed engines order its parts:
//   x = eh_proj [ norm(embed[next]; enorm) ; norm(state; hnorm) ]      (R1-D34: embedding first)
//   logits = head(norm(layer(x); shared_head.norm))     (R1-D48: the state is that after
//   model.norm)
#include "reference/models/r1/forward.h"

namespace plumb::reference::r1 {

AnyTensor Forward::predict_second(const AnyTensor& states, const AnyTensor& next_ids,
                                  LayerCache& cache) {
  const auto l = static_cast<int>(config_.num_hidden_layers);
  const std::string path = "layers." + std::to_string(l);
  const Index tokens = batch_ * new_tokens_;
  const Index width = config_.hidden_size;
  layer_ = l;
  const AnyTensor embedded = call("embedding", path + ".embed_tokens",
                                  {{"table", weight("model." + path + ".embed_tokens.weight")},
                                   {"ids", next_ids.reshaped({tokens})}})
                                 .tensor("y");
  // Two halves of one head.
  const Shape half{1, 1, tokens, width};
  const AnyTensor joined = call("join_heads", path + ".eh_proj",
                                {{"nope", rms_norm(path + ".enorm", embedded).reshaped(half)},
                                 {"rope", rms_norm(path + ".hnorm", states).reshaped(half)}},
                                {{"dim", 2 * width}}, {{"y", path + ".eh_proj.in"}})
                               .tensor("y");
  const AnyTensor x = linear(path + ".eh_proj", joined.reshaped({tokens, 2 * width}));
  const AnyTensor out = layer(l, x, cache);
  layer_ = l;
  const AnyTensor projected =
      linear(path + ".shared_head.head", rms_norm(path + ".shared_head.norm", out));
  const AnyTensor logits = call("logits", path + ".", {{"x", projected}}).tensor("logits");
  layer_ = -1;
  return logits;
}

}  // namespace plumb::reference::r1
