// SPDX-License-Identifier: Apache-2.0
// Bytes, parameters and multiply-adds of a model of DeepSeek-V3's architecture, in exact integers.
//   weights FP8 with one F32 scale a block, but for the router, the norms, the embedding and the
//   head (BF16) and the router's bias (F32). A scale is 4 bytes, a BF16 number 2.
#pragma once

#include <cstdint>

#include "reference/scalar/real.h"
#include "reference/stages/linear.h"

namespace plumb::reference {

// Keys of config.json; the defaults are R1's.
struct ModelSizes {
  Index hidden_size = 7168;
  Index vocab_size = 129280;
  Index num_hidden_layers = 61;
  Index first_k_dense_replace = 3;
  Index num_nextn_predict_layers = 1;
  Index num_attention_heads = 128;
  Index q_lora_rank = 1536;
  Index kv_lora_rank = 512;
  Index qk_nope_head_dim = 128;
  Index qk_rope_head_dim = 64;
  Index v_head_dim = 128;
  Index intermediate_size = 18432;
  Index moe_intermediate_size = 2048;
  Index n_routed_experts = 256;
  Index n_shared_experts = 1;
  Index num_experts_per_tok = 8;
  Index weight_block_size = 128;

  HeadShape heads() const {
    return {num_attention_heads, qk_nope_head_dim, qk_rope_head_dim, v_head_dim};
  }
  Index expert_layers() const { return num_hidden_layers - first_k_dense_replace; }
};

// Numbers of one block's weights, and of their scales.
struct Amount {
  std::int64_t weights = 0, scales = 0;

  friend Amount operator+(const Amount& a, const Amount& b) {
    return {a.weights + b.weights, a.scales + b.scales};
  }
  friend Amount operator*(std::int64_t n, const Amount& a) { return {n * a.weights, n * a.scales}; }
  std::int64_t bytes() const { return weights + 4 * scales; }  // FP8 and F32
};
Amount attention_amount(const ModelSizes& sizes);          // one layer's five projections
Amount mlp_amount(const ModelSizes& sizes, Index width);   // gate, up and down
Amount expert_amount(const ModelSizes& sizes);             // one routed expert
Amount shared_amount(const ModelSizes& sizes);             // one layer's shared experts
Amount dense_amount(const ModelSizes& sizes);              // one dense layer's MLP
std::int64_t router_weights(const ModelSizes& sizes);      // one layer's
std::int64_t vocabulary_weights(const ModelSizes& sizes);  // of the embedding, and of the head
std::int64_t layer_norm_weights(const ModelSizes& sizes);  // one layer's four norms
std::int64_t norm_weights(const ModelSizes& sizes);        // of all layers, and the final one
std::int64_t router_biases(const ModelSizes& sizes);       // of all layers

// Bytes that a token keeps in one layer, BF16: latent (KR + RO) 2, eager NH (QH + VD) 2 and, with
// values padded to the width of keys, flash NH (QH + QH) 2                            [R1-117]
struct CacheBytes {
  std::int64_t latent, eager, flash;

  friend CacheBytes operator*(std::int64_t n, const CacheBytes& b) {
    return {n * b.latent, n * b.eager, n * b.flash};
  }
};
CacheBytes cache_bytes(const ModelSizes& sizes);

// What a chip holds of the main model but its routed experts, row by row; F32 scales apart.
struct Resident {
  std::int64_t attention, shared, dense, routers, biases_and_norms, embedding, head;
  std::int64_t scales;  // of attention, shared and dense

  std::int64_t sum() const {
    return attention + shared + dense + routers + biases_and_norms + embedding + head;
  }
};
Resident resident_bytes(const ModelSizes& sizes);

// Bytes of the tensors of a checkpoint: the main model, and the extra layer with its own copies of
// embedding and head.
struct Payload {
  std::int64_t main, extra, copies;

  std::int64_t total() const { return main + extra; }
};
Payload payload_bytes(const ModelSizes& sizes);

// Numbers that are parameters; scales are not.
struct Parameters {
  std::int64_t main, extra_unique, extra_with_copies;
  std::int64_t
      used_linear;    // by one token, in linear maps: with the router, without the extra layer
  std::int64_t used;  // with norms and router biases
  std::int64_t used_with_embedding;

  std::int64_t stored() const { return main + extra_with_copies; }
};
Parameters parameter_counts(const ModelSizes& sizes);

// Routed experts that one token runs through: K in each expert layer, and with the extra layer;
// out of how many                                                                     [R1-126]
struct Evaluations {
  std::int64_t count, with_extra, pairs;
};
Evaluations expert_evaluations(const ModelSizes& sizes);

// Bytes of their weights, if each is loaded: with F32 scales and without              [R1-127]
struct Traffic {
  std::int64_t bytes, without_scales;
};
Traffic routed_traffic(const ModelSizes& sizes);

// Multiply-adds of one token in five linear terms; two floating-point operations each. The router,
// and what depends on the context, stand apart                                        [R1-128]
struct MultiplyAdds {
  std::int64_t attention, dense, shared, routed, head;
  std::int64_t router;
  std::int64_t expanded_core, absorbed_core;  // for each token of the context
  std::int64_t extra;                         // one pass of the extra layer, its head included

  std::int64_t sum() const { return attention + dense + shared + routed + head; }
  std::int64_t operations() const { return 2 * sum(); }
  std::int64_t with_router() const { return sum() + router; }
};
MultiplyAdds multiply_adds(const ModelSizes& sizes);

// In units of 2^30 bytes.
inline Real gibibytes(std::int64_t bytes) {
  return Real(static_cast<long long>(bytes)).scaled_by_power_of_two(-30);
}

}  // namespace plumb::reference
