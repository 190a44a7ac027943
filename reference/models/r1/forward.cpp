// SPDX-License-Identifier: Apache-2.0
#include "reference/models/r1/forward.h"

#include <algorithm>
#include <utility>

#include "reference/stages/expert_parallel.h"
#include "reference/stages/position_ids.h"

namespace plumb::reference::r1 {
namespace {

NamedParam param(std::string name, std::int64_t value) { return {std::move(name), value}; }
NamedParam param(std::string name, double value) { return {std::move(name), value}; }
std::vector<NamedParam> frequency_params(const R1Config& config, Index length) {
  const RopeScaling scaling = config.rope_scaling.value_or(RopeScaling{});
  return {param("half", config.qk_rope_head_dim / 2),
          {"kind", config.rope_scaling ? scaling.type : std::string("plain")},
          param("base", config.rope_theta),
          param("factor", scaling.factor),
          param("max_length", config.max_position_embeddings),
          param("original_length", config.rope_scaling && scaling.type == "yarn"
                                       ? scaling.original_max_position_embeddings
                                       : config.max_position_embeddings),
          param("beta_fast", scaling.beta_fast),
          param("beta_slow", scaling.beta_slow),
          param("mscale", scaling.mscale),
          param("mscale_all_dim", scaling.mscale_all_dim),
          param("length", length)};
}

std::vector<NamedParam> scale_params(const R1Config& config) {
  const RopeScaling scaling = config.rope_scaling.value_or(RopeScaling{});
  return {param("nope_dim", config.qk_nope_head_dim),
          param("rope_dim", config.qk_rope_head_dim),
          param("yarn", std::int64_t{config.rope_scaling.has_value()}),
          param("factor", scaling.factor),
          param("mscale_all_dim", scaling.mscale_all_dim),
          param("max_length", config.max_position_embeddings),
          param("original_length", scaling.original_max_position_embeddings)};
}

// The module above may hand the output on under its own name.
std::vector<std::pair<std::string, std::string>> handed_on(const std::string& name) {
  if (name.empty()) return {};
  return {{"y", name}};
}

std::string layer_path(int l) { return "layers." + std::to_string(l); }

}  // namespace

AnyTensor Forward::run(const Tokens& tokens, Cache& cache, int step) {
  begin(tokens, cache, step);
  AnyTensor x = embed();
  for (int l = 0; l < config_.num_hidden_layers; ++l) {
    x = layer(l, x, cache.layers[static_cast<std::size_t>(l)]);
  }
  cache.length += new_tokens_;
  return head(x);
}

void Forward::begin(const Tokens& tokens, const Cache& cache, int step) {
  tokens_ = tokens;
  batch_ = tokens.ids.extent(0);
  new_tokens_ = tokens.ids.extent(1);
  past_ = cache.length;
  step_ = step;
  layer_ = -1;
  const Index length = past_ + new_tokens_;
  const std::vector<NamedParam> batch{param("B", batch_), param("S", new_tokens_),
                                      param("past", past_)};
  positions_ = call("position_ids", "", {{"keep", tokens.keep}}, batch).tensor("positions");
  std::vector<NamedParam> square = batch;
  square.push_back(param("T", length));
  mask_ = call("attention_mask", "", {{"keep", tokens.keep}}, square).tensor("mask");
  const StageCall frequencies =
      call("rope_frequencies", "rotary_emb", {}, frequency_params(config_, length));
  inverse_frequencies_ = frequencies.tensor("inv_freq");
  table_scale_ = frequencies.tensor("table_scale");
  table_positions_ = table_positions(length);
  sigma_ = call("softmax_scale", "softmax_scale", {}, scale_params(config_)).tensor("sigma");
}

AnyTensor Forward::embed() {
  return call("embedding", "embed_tokens",
              {{"table", weight("model.embed_tokens.weight")},
               {"ids", tokens_.ids.reshaped({batch_ * new_tokens_})}})
      .tensor("y");
}

AnyTensor Forward::layer(int l, const AnyTensor& x, LayerCache& cache) {
  layer_ = l;
  const std::string path = layer_path(l);
  const AnyTensor attended =
      attention(path + ".self_attn", rms_norm(path + ".input_layernorm", x), cache);
  const AnyTensor middle = residual(path + ".hidden_states.post_attn", x, attended);
  const AnyTensor fed =
      feed_forward(l, path + ".mlp", rms_norm(path + ".post_attention_layernorm", middle));
  const AnyTensor out = residual(path + ".out", middle, fed);
  layer_ = -1;
  return out;
}

AnyTensor Forward::final_norm(const AnyTensor& x) { return rms_norm("norm", x); }

AnyTensor Forward::head(const AnyTensor& x) {
  const AnyTensor projected =
      call("linear", "lm_head", {{"x", final_norm(x)}, {"weight", weight("lm_head.weight")}})
          .tensor("y");
  return call("logits", "", {{"x", projected}}).tensor("logits");
}

// --- attention
// ------------------------------------------------------------------------------------------

AnyTensor Forward::attention(const std::string& path, const AnyTensor& x, LayerCache& cache) {
  const AnyTensor context = form_ == AttentionForm::kAbsorbed ? absorbed_context(path, x, cache)
                                                              : expanded_context(path, x, cache);
  const AnyTensor merged = call("merge_heads", path, {{"context", context}},
                                {param("N", batch_ * new_tokens_),
                                 param("width", config_.num_attention_heads * config_.v_head_dim)})
                               .tensor("y");
  return linear(path + ".o_proj", merged, path + ".out");
}

AnyTensor Forward::expanded_context(const std::string& path, const AnyTensor& x,
                                    LayerCache& cache) {
  const Projected p = project(path, x);
  const Index length = past_ + new_tokens_;
  cache.keys = call("append_tokens", path + ".key_states", {{"past", cache.keys}, {"next", p.key}},
                    {param("T", length)})
                   .tensor("y");
  cache.values = call("append_tokens", path + ".value_states",
                      {{"past", cache.values}, {"next", p.value}}, {param("T", length)})
                     .tensor("y");
  const AnyTensor scores =
      call("attention_scores", path, {{"query", p.query}, {"key", cache.keys}, {"sigma", sigma_}})
          .tensor("scores");
  const AnyTensor masked =
      call("attention_mask_add", path, {{"scores", scores}, {"mask", mask_}}).tensor("masked");
  const AnyTensor weights = call("softmax", path, {{"scores", masked}}).tensor("weights");
  return call("attention_context", path, {{"weights", weights}, {"value", cache.values}})
      .tensor("context");
}

AnyTensor Forward::absorbed_context(const std::string& path, const AnyTensor& x,
                                    LayerCache& cache) {
  const Parts p = parts(path, x);
  const Index length = past_ + new_tokens_;
  const auto extended = [&](const std::string& name, const AnyTensor& past, const AnyTensor& next) {
    return call("append_tokens", path + name, {{"past", past}, {"next", next}},
                {param("T", length)})
        .tensor("y");
  };
  cache.keys = extended(".latent", cache.keys,
                        p.latent.reshaped({batch_, 1, new_tokens_, config_.kv_lora_rank}));
  cache.values = extended(".k_pe", cache.values, p.k_rope);
  const std::string kv_b = "model." + path + ".kv_b_proj.weight";
  return call("attention_absorbed", path,
              {{"q_nope", p.q_nope},
               {"q_rope", p.q_rope},
               {"latent", cache.keys.reshaped({batch_, length, config_.kv_lora_rank})},
               {"k_rope", cache.values.reshaped({batch_, length, config_.qk_rope_head_dim})},
               {"kv_b", weight(kv_b)},
               {"kv_b_scale", weights_.find(kv_b + "_scale_inv")},
               {"mask", mask_},
               {"sigma", sigma_}},
              {param("value_dim", config_.v_head_dim), param("block", config_.weight_block_size)})
      .tensor("context");
}

AnyTensor Forward::query_projection(const std::string& path, const AnyTensor& x) {
  if (!config_.q_lora_rank) return linear(path + ".q_proj", x);
  const AnyTensor compressed = linear(path + ".q_a_proj", x);
  return linear(path + ".q_b_proj", rms_norm(path + ".q_a_layernorm", compressed));
}

Forward::Parts Forward::parts(const std::string& path, const AnyTensor& x) {
  const Index heads = config_.num_attention_heads;
  const StageCall query = split(path, query_projection(path, x),
                                {heads, config_.qk_nope_head_dim, config_.qk_rope_head_dim},
                                ".q_nope", ".q_pe.pre_rope");
  const StageCall latent = split(path, linear(path + ".kv_a_proj_with_mqa", x),
                                 {1, config_.kv_lora_rank, config_.qk_rope_head_dim},
                                 ".compressed_kv", ".k_pe.pre_rope");
  const AnyTensor compressed =
      latent.tensor("first").reshaped({batch_ * new_tokens_, config_.kv_lora_rank});
  const AnyTensor normed = rms_norm(path + ".kv_a_layernorm", compressed);
  const StageCall table =
      call("rope_table", path + ".rotary_emb",
           {{"positions", table_positions_},
            {"inv_freq", inverse_frequencies_},
            {"table_scale", table_scale_}},
           {param("dim", config_.qk_rope_head_dim),
            param("stretch", config_.rope_scaling && config_.rope_scaling->type == "linear"
                                 ? config_.rope_scaling->factor
                                 : 1.0)});
  const AnyTensor& cos = table.tensor("cos");
  const AnyTensor& sin = table.tensor("sin");
  const AnyTensor q_rope = rope(path + ".q_pe", query.tensor("second"), cos, sin);
  const AnyTensor k_rope = rope(path + ".k_pe", latent.tensor("second"), cos, sin);
  return {query.tensor("first"), q_rope, normed, k_rope};
}

Forward::Projected Forward::project(const std::string& path, const AnyTensor& x) {
  const Parts p = parts(path, x);
  const StageCall key_value =
      split(path, linear(path + ".kv_b_proj", p.latent),
            {config_.num_attention_heads, config_.qk_nope_head_dim, config_.v_head_dim}, ".k_nope",
            ".value_states");
  const NamedParam width = param("dim", config_.qk_nope_head_dim + config_.qk_rope_head_dim);
  return {call("join_heads", path + ".query", {{"nope", p.q_nope}, {"rope", p.q_rope}}, {width})
              .tensor("y"),
          call("join_heads", path + ".key",
               {{"nope", key_value.tensor("first")}, {"rope", p.k_rope}}, {width})
              .tensor("y"),
          key_value.tensor("second")};
}

StageCall Forward::split(const std::string& path, const AnyTensor& x, const HeadWidths& widths,
                         const std::string& first, const std::string& second) {
  return call("split_heads", path, {{"x", x}},
              {param("B", batch_), param("S", new_tokens_), param("heads", widths.heads),
               param("n", widths.first), param("m", widths.second)},
              {{"first", path + first}, {"second", path + second}});
}

// --- feed-forward
// ---------------------------------------------------------------------------------------

AnyTensor Forward::feed_forward(int l, const std::string& path, const AnyTensor& x) {
  const StageCall kind = call(
      "layer_kind", "layer_kind", {},
      {param("layers", std::max<Index>(config_.num_hidden_layers, l + 1)),
       param("first_dense", config_.first_k_dense_replace),
       param("frequency", config_.moe_layer_freq), param("experts", config_.n_routed_experts)});
  const bool has_experts = kind.tensor("kind").data<std::int64_t>()[l] == 1;
  return has_experts ? experts(path, x) : mlp(path, x, path + ".out");
}

AnyTensor Forward::mlp(const std::string& path, const AnyTensor& x,
                       const std::string& handed_on_as) {
  const AnyTensor gate = linear(path + ".gate_proj", x);
  const AnyTensor up = linear(path + ".up_proj", x);
  const AnyTensor hidden = call("swiglu", path, {{"gate", gate}, {"up", up}}).tensor("y");
  return linear(path + ".down_proj", hidden, handed_on_as);
}

AnyTensor Forward::experts(const std::string& path, const AnyTensor& x) {
  const StageCall router = call(
      "moe_router", path + ".gate",
      {{"h", x},
       {"weight", weight("model." + path + ".gate.weight")},
       {"bias", weight("model." + path + ".gate.e_score_correction_bias")}},
      {param("top_k", config_.num_experts_per_tok), param("groups", config_.n_group),
       param("top_groups", config_.topk_group), param("scale", config_.routed_scaling_factor)});
  const AnyTensor& ids = router.tensor("ids");
  const StageCall dispatch =
      call("moe_dispatch", path, {{"x", x}, {"ids", ids}},
           {param("experts", config_.n_routed_experts), param("slots", ids.size())});
  const AnyTensor outputs =
      expert_outputs(path, dispatch.tensor("rows"), dispatch.tensor("counts"));
  const AnyTensor routed = call("moe_combine", path,
                                {{"outputs", outputs},
                                 {"order", dispatch.tensor("order")},
                                 {"ids", ids},
                                 {"weights", router.tensor("weights")}},
                                {param("experts", config_.n_routed_experts)})
                               .tensor("y");
  const AnyTensor shared = mlp(path + ".shared_experts", x, path + ".shared_experts.out");
  return residual(path + ".out", routed, shared);
}

AnyTensor Forward::expert_outputs(const std::string& path, const AnyTensor& rows,
                                  const AnyTensor& counts) {
  const std::int64_t* first = counts.data<std::int64_t>();
  const std::vector<RowRange> ranges = row_ranges({first, first + counts.size()});
  AnyTensor outputs;
  for (std::size_t e = 0; e < ranges.size(); ++e) {
    const auto [begin, end] = ranges[e];
    if (begin == end) continue;
    const std::string expert = path + ".experts." + std::to_string(e);
    const AnyTensor x = call("expert_rows", expert, {{"rows", rows}},
                             {param("begin", begin), param("M", end - begin)})
                            .tensor("y");
    const AnyTensor y = mlp(expert, x, expert + ".out");
    // The outputs of the experts, one after another.
    outputs =
        call("append_tokens", expert,
             {{"past", outputs}, {"next", y.reshaped({1, 1, end - begin, config_.hidden_size})}},
             {param("T", end)})
            .tensor("y");
  }
  return outputs.reshaped({ranges.back().end, config_.hidden_size});
}

// --- calls
// ----------------------------------------------------------------------------------------------

AnyTensor Forward::rms_norm(const std::string& path, const AnyTensor& x) {
  return call("rms_norm", path, {{"x", x}, {"gain", weight("model." + path + ".weight")}},
              {param("eps", config_.rms_norm_eps)})
      .tensor("y");
}

AnyTensor Forward::linear(const std::string& path, const AnyTensor& x,
                          const std::string& handed_on_as) {
  const std::string name = "model." + path + ".weight";
  const AnyTensor weight_scale = weights_.find(name + "_scale_inv");
  const NamedParam block = param("block", config_.weight_block_size);
  std::vector<NamedTensor> tensors{{"weight", weight(name)}, {"weight_scale", weight_scale}};
  if (activations_ == Activations::kQuantised && !weight_scale.empty()) {
    const StageCall quantised = call("fp8_quant", path, {{"x", x}}, {block});
    tensors.push_back({"x", quantised.tensor("codes")});
    tensors.push_back({"x_scale", quantised.tensor("scale")});
  } else {
    tensors.push_back({"x", x});
  }
  return call("linear", path, std::move(tensors), {block}, handed_on(handed_on_as)).tensor("y");
}

AnyTensor Forward::rope(const std::string& path, const AnyTensor& x, const AnyTensor& cos,
                        const AnyTensor& sin) {
  return call("rope", path, {{"x", x}, {"cos", cos}, {"sin", sin}, {"positions", positions_}})
      .tensor("y");
}

AnyTensor Forward::residual(const std::string& path, const AnyTensor& r, const AnyTensor& u) {
  return call("residual", path, {{"r", r}, {"u", u}}).tensor("y");
}

StageCall Forward::call(std::string stage, std::string path, std::vector<NamedTensor> tensors,
                        std::vector<NamedParam> params, Names names) {
  StageCall c{std::move(stage),
              std::move(tensors),
              std::move(params),
              {std::move(path), layer_, step_, std::move(names)}};
  executor_.run(c);
  return c;
}

AnyTensor Forward::weight(const std::string& name) const {
  AnyTensor w = weights_.find(name);
  PLUMB_REQUIRE(!w.empty(), "the checkpoint lacks", name);
  return w;
}

}  // namespace plumb::reference::r1
