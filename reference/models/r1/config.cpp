// SPDX-License-Identifier: Apache-2.0
#include "reference/models/r1/config.h"

#include <cmath>
#include <utility>

namespace plumb::reference::r1 {
namespace {

// Wide enough for any model, narrow enough that the product of two fits 64 bits.
constexpr std::int64_t kWidest = std::int64_t{1} << 28;

// Keeps the first trouble.
class Checks {
 public:
  void range(const char* key, std::int64_t v, std::int64_t least, std::int64_t most = kWidest) {
    if (v >= least && v <= most) return;
    fail(key, std::to_string(v), "from " + std::to_string(least) + " to " + std::to_string(most));
  }
  void positive(const char* key, double v) {
    if (!(std::isfinite(v) && v > 0)) fail(key, std::to_string(v), "a finite number above 0");
  }
  void require(bool good, const char* key, std::int64_t v, const std::string& wanted) {
    if (!good) fail(key, std::to_string(v), wanted);
  }
  void fail(const char* key, const std::string& value, const std::string& wanted) {
    if (status_.ok()) status_ = Error{std::string(key) + ": " + value + " must be " + wanted};
  }
  Status status() const { return status_; }
  bool ok() const { return status_.ok(); }

 private:
  Status status_ = Nothing{};
};

void check_widths(const R1Config& c, Checks& checks) {
  checks.range("hidden_size", c.hidden_size, 1);
  checks.range("vocab_size", c.vocab_size, 1);
  checks.range("num_hidden_layers", c.num_hidden_layers, 1, 10'000);
  checks.range("num_nextn_predict_layers", c.num_nextn_predict_layers, 0);
  checks.range("num_attention_heads", c.num_attention_heads, 1);
  checks.range("num_key_value_heads", c.num_key_value_heads, 1);
  if (c.q_lora_rank) checks.range("q_lora_rank", *c.q_lora_rank, 1);
  checks.range("kv_lora_rank", c.kv_lora_rank, 1);
  checks.range("qk_nope_head_dim", c.qk_nope_head_dim, 1);
  checks.range("qk_rope_head_dim", c.qk_rope_head_dim, 2);
  checks.require(c.qk_rope_head_dim % 2 == 0, "qk_rope_head_dim", c.qk_rope_head_dim,
                 "even: it is rotated in pairs");
  checks.range("v_head_dim", c.v_head_dim, 1);
  checks.range("intermediate_size", c.intermediate_size, 1);
  checks.range("max_position_embeddings", c.max_position_embeddings, 1);
  checks.range("weight_block_size", c.weight_block_size, 1);
  checks.positive("rms_norm_eps", c.rms_norm_eps);
}

void check_rope(const R1Config& c, Checks& checks) {
  checks.positive("rope_theta", c.rope_theta);
  if (c.rope_theta <= 1) checks.fail("rope_theta", std::to_string(c.rope_theta), "above 1");
  if (!c.rope_scaling) return;
  const RopeScaling& s = *c.rope_scaling;
  checks.positive("rope_scaling.factor", s.factor);
  if (s.type == "dynamic") {
    // The base grows with the exponent dim / (dim - 2).
    checks.require(c.qk_rope_head_dim > 2, "qk_rope_head_dim", c.qk_rope_head_dim,
                   "above 2 with rope_scaling dynamic");
  } else if (s.type == "yarn") {
    checks.range("rope_scaling.original_max_position_embeddings",
                 s.original_max_position_embeddings, 1);
    checks.positive("rope_scaling.beta_slow", s.beta_slow);
    checks.positive("rope_scaling.beta_fast", s.beta_fast);
    if (s.beta_fast < s.beta_slow) {
      checks.fail("rope_scaling.beta_fast", std::to_string(s.beta_fast),
                  "at least beta_slow, " + std::to_string(s.beta_slow));
    }
    if (!std::isfinite(s.mscale) || s.mscale < 0) {
      checks.fail("rope_scaling.mscale", std::to_string(s.mscale), "a finite number from 0");
    }
    if (!std::isfinite(s.mscale_all_dim) || s.mscale_all_dim < 0) {
      checks.fail("rope_scaling.mscale_all_dim", std::to_string(s.mscale_all_dim),
                  "a finite number from 0");
    }
  } else if (s.type != "linear") {
    checks.fail("rope_scaling.type", s.type, "linear, dynamic or yarn");
  }
}

}  // namespace

Status check_router(const R1Config& c) {
  Checks checks;
  checks.range("hidden_size", c.hidden_size, 1);
  checks.range("n_routed_experts", c.n_routed_experts, 1);
  checks.range("n_group", c.n_group, 1, c.n_routed_experts);
  if (!checks.ok()) return checks.status();
  const std::int64_t group = c.n_routed_experts / c.n_group;
  checks.require(group * c.n_group == c.n_routed_experts, "n_group", c.n_group,
                 "a divisor of n_routed_experts, " + std::to_string(c.n_routed_experts));
  // A group's score is the sum of its two best experts [R1-105].
  checks.require(group >= 2, "n_group", c.n_group,
                 "at most half of n_routed_experts, " + std::to_string(c.n_routed_experts));
  checks.range("topk_group", c.topk_group, 1, c.n_group);
  // With one expert a token the released codes differ in whether its weight is normalised.
  checks.range("num_experts_per_tok", c.num_experts_per_tok, 2);
  if (!c.norm_topk_prob) checks.fail("norm_topk_prob", "false", "true");
  checks.require(
      c.num_experts_per_tok <= c.topk_group * group, "num_experts_per_tok", c.num_experts_per_tok,
      "at most the " + std::to_string(c.topk_group * group) + " experts of topk_group groups");
  checks.positive("routed_scaling_factor", c.routed_scaling_factor);
  return checks.status();
}

Status check(const R1Config& c) {
  Checks checks;
  check_widths(c, checks);
  check_rope(c, checks);
  checks.range("first_k_dense_replace", c.first_k_dense_replace, 0);
  checks.range("moe_layer_freq", c.moe_layer_freq, 1);
  checks.range("n_shared_experts", c.n_shared_experts, 0);
  checks.range("n_routed_experts", c.n_routed_experts, 0, 65'536);
  if (!checks.ok() || c.n_routed_experts == 0) return checks.status();
  checks.range("moe_intermediate_size", c.moe_intermediate_size, 1);
  return checks.ok() ? check_router(c) : checks.status();
}

Status check_prediction(const R1Config& c) {
  if (Status s = check(c); !s) return s;
  Checks checks;
  checks.require(c.num_nextn_predict_layers == 1, "num_nextn_predict_layers",
                 c.num_nextn_predict_layers, "1: one layer more, for one token more");
  return checks.status();
}

}  // namespace plumb::reference::r1
