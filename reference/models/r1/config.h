// SPDX-License-Identifier: Apache-2.0
// The configuration of a model of DeepSeek-V3's architecture; the defaults are R1's. Names are the
// keys of Hugging Face's config.json.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "reference/base/result.h"

namespace plumb::reference::r1 {

struct RopeScaling {
  std::string type = "yarn";  // "linear", "dynamic" or "yarn"
  double factor = 40;
  std::int64_t original_max_position_embeddings = 4096;
  double beta_fast = 32;
  double beta_slow = 1;
  double mscale = 1.0;
  double mscale_all_dim = 1.0;
};

struct R1Config {
  std::int64_t hidden_size = 7168;
  std::int64_t vocab_size = 129280;
  std::int64_t num_hidden_layers = 61;
  std::int64_t first_k_dense_replace = 3;
  std::int64_t moe_layer_freq = 1;
  std::int64_t num_nextn_predict_layers = 1;
  std::int64_t num_attention_heads = 128;
  std::int64_t num_key_value_heads = 128;
  std::optional<std::int64_t> q_lora_rank = 1536;  // absent: one query projection, no low rank
  std::int64_t kv_lora_rank = 512;
  std::int64_t qk_nope_head_dim = 128;
  std::int64_t qk_rope_head_dim = 64;
  std::int64_t v_head_dim = 128;
  std::int64_t intermediate_size = 18432;
  std::int64_t moe_intermediate_size = 2048;
  std::int64_t n_routed_experts = 256;  // 0: no experts
  std::int64_t n_shared_experts = 1;
  std::int64_t num_experts_per_tok = 8;
  std::int64_t n_group = 8;
  std::int64_t topk_group = 4;
  double routed_scaling_factor = 2.5;
  bool norm_topk_prob = true;
  double rms_norm_eps = 1e-6;
  double rope_theta = 10000;
  std::int64_t max_position_embeddings = 163840;
  std::optional<RopeScaling> rope_scaling = RopeScaling{};
  std::optional<std::int64_t> pad_token_id;
  std::int64_t weight_block_size = 128;  // rows and columns that share an FP8 scale
};

// Refuses a configuration that no model can have: names the key, the value and what would be right.
Status check(const R1Config& config);
// The same with one layer more, which predicts the token after the next.
Status check_prediction(const R1Config& config);
// The same for a router alone: hidden_size, experts, groups, top-k and factor.
Status check_router(const R1Config& config);

}  // namespace plumb::reference::r1
