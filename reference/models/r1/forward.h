// SPDX-License-Identifier: Apache-2.0
// The forward pass of DeepSeek-V3's architecture as a list of stage calls.
//
//   x = embed[ids]
//   for each layer:  x = x + attention(norm(x));  x = x + feed_forward(norm(x))
//   logits = head(norm(x))
//
// No number is computed here: every value comes from a stage call, and what a call means (computed,
// judged, handed to a kernel, written to a trace) is its executor's business.
#pragma once

#include <string>

#include "reference/models/r1/cache.h"
#include "reference/models/r1/config.h"
#include "reference/models/r1/weights.h"
#include "reference/scalar/reading.h"
#include "reference/tensor/stage_call.h"

namespace plumb::reference::r1 {

// New tokens of one call.
struct Tokens {
  AnyTensor ids;   // [B,S] i64
  AnyTensor keep;  // [B,T] i64, 1 for real tokens, T = cached + S; empty: all are real
};

// What stands in front of a linear with FP8 weights (R1-D22).
enum class Activations {
  kAsTheyAre,  // the weights are dequantised
  kQuantised,  // E4M3 codes and scales, for a reading that rounds Slot::kQuantised: inf_fp8
};

// What a reading makes of the activations in front of FP8 linears.
inline Activations activations_of(const Reading& reading) {
  return reading.format(Slot::kQuantised) ? Activations::kQuantised : Activations::kAsTheyAre;
}

// What the cache holds and attention runs on.
enum class AttentionForm {
  kExpanded,  // every head's keys and values
  kAbsorbed,  // the latents and rotary keys, from which W_kvb would make them
};

class Forward {
 public:
  Forward(const R1Config& config, const WeightSource& weights, Executor& executor,
          Activations activations = Activations::kAsTheyAre,
          AttentionForm form = AttentionForm::kExpanded)
      : config_(config),
        weights_(weights),
        executor_(executor),
        activations_(activations),
        form_(form) {}

  // One call of the model; returns the logits [B*S, V] and extends the cache.
  AnyTensor run(const Tokens& tokens, Cache& cache, int step = 0);

  // Its parts, for those who hold only some of the layers.
  void begin(const Tokens& tokens, const Cache& cache,
             int step);  // positions, mask, rotary frequencies
  AnyTensor embed();     // x [B*S, H]
  AnyTensor layer(int l, const AnyTensor& x, LayerCache& cache);
  AnyTensor head(const AnyTensor& x);
  // What the head's matrix sees: the state after model.norm.
  AnyTensor final_norm(const AnyTensor& x);

  // The layer behind the last, which predicts the token after the next: from each new token's state
  // after model.norm [B*S, H] and the id of the token that follows it [B, S]; logits [B*S, V].
  AnyTensor predict_second(const AnyTensor& states, const AnyTensor& next_ids, LayerCache& cache);

 private:
  using Names = std::vector<std::pair<std::string, std::string>>;
  struct Parts {
    AnyTensor q_nope, q_rope, latent, k_rope;
  };
  struct Projected {
    AnyTensor query, key, value;
  };
  Parts parts(const std::string& path, const AnyTensor& x);
  AnyTensor expanded_context(const std::string& path, const AnyTensor& x, LayerCache& cache);
  AnyTensor absorbed_context(const std::string& path, const AnyTensor& x, LayerCache& cache);
  AnyTensor attention(const std::string& path, const AnyTensor& x, LayerCache& cache);
  Projected project(const std::string& path, const AnyTensor& x);
  struct HeadWidths {
    Index heads, first, second;
  };
  StageCall split(const std::string& path, const AnyTensor& x, const HeadWidths& widths,
                  const std::string& first, const std::string& second);
  AnyTensor query_projection(const std::string& path, const AnyTensor& x);
  AnyTensor feed_forward(int l, const std::string& path, const AnyTensor& x);
  AnyTensor mlp(const std::string& path, const AnyTensor& x, const std::string& handed_on_as);
  AnyTensor experts(const std::string& path, const AnyTensor& x);
  AnyTensor expert_outputs(const std::string& path, const AnyTensor& rows, const AnyTensor& counts);

  AnyTensor rms_norm(const std::string& path, const AnyTensor& x);
  AnyTensor linear(const std::string& path, const AnyTensor& x,
                   const std::string& handed_on_as = {});
  AnyTensor rope(const std::string& path, const AnyTensor& x, const AnyTensor& cos,
                 const AnyTensor& sin);
  AnyTensor residual(const std::string& path, const AnyTensor& r, const AnyTensor& u);

  StageCall call(std::string stage, std::string path, std::vector<NamedTensor> tensors,
                 std::vector<NamedParam> params = {}, Names names = {});
  AnyTensor weight(const std::string& name) const;

  const R1Config& config_;
  const WeightSource& weights_;
  Executor& executor_;
  Activations activations_;
  AttentionForm form_;

  // Of the current call.
  Tokens tokens_;
  Index batch_ = 0, new_tokens_ = 0, past_ = 0;
  int step_ = 0, layer_ = -1;
  AnyTensor positions_, table_positions_, mask_, inverse_frequencies_, table_scale_, sigma_;
};

}  // namespace plumb::reference::r1
