// SPDX-License-Identifier: Apache-2.0
#include "reference/models/r1/weights.h"

namespace plumb::reference::r1 {
namespace {

void add_mlp(std::vector<WeightSpec>& specs, const std::string& path, Index hidden, Index width) {
  specs.push_back({path + ".gate_proj.weight", {width, hidden}, true});
  specs.push_back({path + ".up_proj.weight", {width, hidden}, true});
  specs.push_back({path + ".down_proj.weight", {hidden, width}, true});
}

void add_attention(std::vector<WeightSpec>& specs, const std::string& path, const R1Config& c) {
  const Index heads = c.num_attention_heads;
  const Index query = heads * (c.qk_nope_head_dim + c.qk_rope_head_dim);
  if (c.q_lora_rank) {
    specs.push_back({path + ".q_a_proj.weight", {*c.q_lora_rank, c.hidden_size}, true});
    specs.push_back({path + ".q_a_layernorm.weight", {*c.q_lora_rank}, false});
    specs.push_back({path + ".q_b_proj.weight", {query, *c.q_lora_rank}, true});
  } else {
    specs.push_back({path + ".q_proj.weight", {query, c.hidden_size}, true});
  }
  specs.push_back({path + ".kv_a_proj_with_mqa.weight",
                   {c.kv_lora_rank + c.qk_rope_head_dim, c.hidden_size},
                   true});
  specs.push_back({path + ".kv_a_layernorm.weight", {c.kv_lora_rank}, false});
  specs.push_back({path + ".kv_b_proj.weight",
                   {heads * (c.qk_nope_head_dim + c.v_head_dim), c.kv_lora_rank},
                   true});
  specs.push_back({path + ".o_proj.weight", {c.hidden_size, heads * c.v_head_dim}, true});
}

void add_experts(std::vector<WeightSpec>& specs, const std::string& path, const R1Config& c) {
  specs.push_back({path + ".gate.weight", {c.n_routed_experts, c.hidden_size}, false});
  specs.push_back({path + ".gate.e_score_correction_bias", {c.n_routed_experts}, false});
  for (Index e = 0; e < c.n_routed_experts; ++e) {
    add_mlp(specs, path + ".experts." + std::to_string(e), c.hidden_size, c.moe_intermediate_size);
  }
  add_mlp(specs, path + ".shared_experts", c.hidden_size,
          c.moe_intermediate_size * c.n_shared_experts);
}

Status check_one(const WeightSource& source, const std::string& name, const Shape& shape,
                 bool may_be_fp8) {
  const AnyTensor tensor = source.find(name);
  if (tensor.empty()) return Error{"the checkpoint lacks the tensor '" + name + "'"};
  if (tensor.shape() != shape) {
    return Error{"tensor '" + name + "' has shape " + to_string(tensor.shape()) +
                 "; the configuration needs " + to_string(shape)};
  }
  const Dtype dtype = tensor.dtype();
  const bool admissible =
      dtype == Dtype::kBf16 || dtype == Dtype::kF32 || (may_be_fp8 && dtype == Dtype::kFp8E4m3fn);
  if (!admissible) {
    return Error{"tensor '" + name + "' has type " + std::string(plumb::name_of(dtype)) +
                 "; bf16, f32" + (may_be_fp8 ? " or f8_e4m3fn with scales" : "") +
                 " are admissible"};
  }
  return Nothing{};
}

}  // namespace

bool has_experts(const R1Config& config, int layer) {
  return config.n_routed_experts > 0 && layer >= config.first_k_dense_replace &&
         layer % config.moe_layer_freq == 0;
}

std::vector<WeightSpec> outer_weights(const R1Config& config) {
  return {{"model.embed_tokens.weight", {config.vocab_size, config.hidden_size}, false},
          {"model.norm.weight", {config.hidden_size}, false},
          {"lm_head.weight", {config.vocab_size, config.hidden_size}, false}};
}

std::vector<WeightSpec> layer_weights(const R1Config& config, int layer) {
  const std::string path = "model.layers." + std::to_string(layer);
  std::vector<WeightSpec> specs{
      {path + ".input_layernorm.weight", {config.hidden_size}, false},
      {path + ".post_attention_layernorm.weight", {config.hidden_size}, false}};
  add_attention(specs, path + ".self_attn", config);
  if (has_experts(config, layer)) {
    add_experts(specs, path + ".mlp", config);
  } else {
    add_mlp(specs, path + ".mlp", config.hidden_size, config.intermediate_size);
  }
  return specs;
}

std::vector<WeightSpec> prediction_weights(const R1Config& config) {
  const auto layer = static_cast<int>(config.num_hidden_layers);
  const std::string path = "model.layers." + std::to_string(layer);
  const Index hidden = config.hidden_size;
  std::vector<WeightSpec> specs = layer_weights(config, layer);
  specs.push_back({path + ".embed_tokens.weight", {config.vocab_size, hidden}, false});
  specs.push_back({path + ".enorm.weight", {hidden}, false});
  specs.push_back({path + ".hnorm.weight", {hidden}, false});
  specs.push_back({path + ".eh_proj.weight", {hidden, 2 * hidden}, true});
  specs.push_back({path + ".shared_head.norm.weight", {hidden}, false});
  specs.push_back({path + ".shared_head.head.weight", {config.vocab_size, hidden}, false});
  return specs;
}

Status check_weights(const WeightSource& source, const std::vector<WeightSpec>& specs,
                     Index block) {
  for (const WeightSpec& spec : specs) {
    if (Status s = check_one(source, spec.name, spec.shape, spec.matrix); !s) return s;
    if (source.find(spec.name).dtype() != Dtype::kFp8E4m3fn) continue;
    const Shape scales{(spec.shape[0] + block - 1) / block, (spec.shape[1] + block - 1) / block};
    if (Status s = check_one(source, spec.name + "_scale_inv", scales, false); !s) return s;
  }
  return Nothing{};
}

}  // namespace plumb::reference::r1
