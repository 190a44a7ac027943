// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/footprint.h"

#include <utility>

#include "reference/stages/stage.h"
#include "reference/stages/swiglu.h"

namespace plumb::reference {
namespace {

Amount amount(const ModelSizes& sizes, const MatrixShape& shape) {
  return {shape.parameters(), shape.scales(sizes.weight_block_size).parameters()};
}

// eh_proj: two hidden states side by side to one.
std::int64_t joining_weights(const ModelSizes& sizes) {
  return 2 * sizes.hidden_size * sizes.hidden_size;
}

// The extra layer's own: one expert layer, eh_proj, and the norms of both its inputs and its head.
Amount extra_scaled(const ModelSizes& sizes) {
  return attention_amount(sizes) + shared_amount(sizes) +
         sizes.n_routed_experts * expert_amount(sizes);
}
std::int64_t extra_plain(const ModelSizes& sizes) {
  return router_weights(sizes) + layer_norm_weights(sizes) + 3 * sizes.hidden_size +
         joining_weights(sizes);
}

// FP8 weights of the main model.
Amount main_scaled(const ModelSizes& sizes) {
  return sizes.num_hidden_layers * attention_amount(sizes) +
         sizes.first_k_dense_replace * dense_amount(sizes) +
         sizes.expert_layers() *
             (shared_amount(sizes) + sizes.n_routed_experts * expert_amount(sizes));
}
// BF16 weights of the main model.
std::int64_t main_plain(const ModelSizes& sizes) {
  return sizes.expert_layers() * router_weights(sizes) + norm_weights(sizes) +
         2 * vocabulary_weights(sizes);
}

}  // namespace

Amount attention_amount(const ModelSizes& sizes) {
  const HeadShape heads = sizes.heads();
  return amount(sizes, {sizes.q_lora_rank, sizes.hidden_size}) +
         amount(sizes, query_weight(heads, sizes.q_lora_rank)) +
         amount(sizes, latent_weight(heads, sizes.kv_lora_rank, sizes.hidden_size)) +
         amount(sizes, expansion_weight(heads, sizes.kv_lora_rank)) +
         amount(sizes, output_weight(heads, sizes.hidden_size));
}

Amount mlp_amount(const ModelSizes& sizes, Index width) {
  return 2 * amount(sizes, {width, sizes.hidden_size}) + amount(sizes, {sizes.hidden_size, width});
}
Amount expert_amount(const ModelSizes& sizes) {
  return mlp_amount(sizes, sizes.moe_intermediate_size);
}
Amount shared_amount(const ModelSizes& sizes) {
  return mlp_amount(sizes, shared_width(sizes.moe_intermediate_size, sizes.n_shared_experts));
}
Amount dense_amount(const ModelSizes& sizes) { return mlp_amount(sizes, sizes.intermediate_size); }

std::int64_t router_weights(const ModelSizes& sizes) {
  return sizes.n_routed_experts * sizes.hidden_size;
}
std::int64_t vocabulary_weights(const ModelSizes& sizes) {
  return sizes.vocab_size * sizes.hidden_size;
}
std::int64_t layer_norm_weights(const ModelSizes& sizes) {
  return 2 * sizes.hidden_size + sizes.q_lora_rank + sizes.kv_lora_rank;
}
std::int64_t norm_weights(const ModelSizes& sizes) {
  return sizes.num_hidden_layers * layer_norm_weights(sizes) + sizes.hidden_size;
}
std::int64_t router_biases(const ModelSizes& sizes) {
  return sizes.expert_layers() * sizes.n_routed_experts;
}

CacheBytes cache_bytes(const ModelSizes& sizes) {
  const HeadShape heads = sizes.heads();
  return {2 * (sizes.kv_lora_rank + heads.rope), 2 * heads.heads * (heads.query() + heads.value),
          2 * heads.heads * (heads.query() + heads.query())};
}

Resident resident_bytes(const ModelSizes& sizes) {
  const Amount attention = sizes.num_hidden_layers * attention_amount(sizes);
  const Amount shared = sizes.expert_layers() * shared_amount(sizes);
  const Amount dense = sizes.first_k_dense_replace * dense_amount(sizes);
  return {.attention = attention.weights,
          .shared = shared.weights,
          .dense = dense.weights,
          .routers = 2 * sizes.expert_layers() * router_weights(sizes),
          .biases_and_norms = 4 * router_biases(sizes) + 2 * norm_weights(sizes),
          .embedding = 2 * vocabulary_weights(sizes),
          .head = 2 * vocabulary_weights(sizes),
          .scales = 4 * (attention + shared + dense).scales};
}

Payload payload_bytes(const ModelSizes& sizes) {
  const std::int64_t copies = 2 * 2 * vocabulary_weights(sizes);
  const std::int64_t extra =
      extra_scaled(sizes).bytes() + 2 * extra_plain(sizes) + 4 * sizes.n_routed_experts + copies;
  return {main_scaled(sizes).bytes() + 2 * main_plain(sizes) + 4 * router_biases(sizes),
          sizes.num_nextn_predict_layers * extra, sizes.num_nextn_predict_layers * copies};
}

Parameters parameter_counts(const ModelSizes& sizes) {
  const std::int64_t extra =
      sizes.num_nextn_predict_layers *
      (extra_scaled(sizes).weights + extra_plain(sizes) + sizes.n_routed_experts);
  const std::int64_t copies = sizes.num_nextn_predict_layers * 2 * vocabulary_weights(sizes);
  const std::int64_t linear = multiply_adds(sizes).with_router();
  const std::int64_t used = linear + norm_weights(sizes) + router_biases(sizes);
  return {.main = main_scaled(sizes).weights + main_plain(sizes) + router_biases(sizes),
          .extra_unique = extra,
          .extra_with_copies = extra + copies,
          .used_linear = linear,
          .used = used,
          .used_with_embedding = used + vocabulary_weights(sizes)};
}

Evaluations expert_evaluations(const ModelSizes& sizes) {
  const std::int64_t count = sizes.num_experts_per_tok * sizes.expert_layers();
  return {count, count + sizes.num_experts_per_tok * sizes.num_nextn_predict_layers,
          sizes.expert_layers() * sizes.n_routed_experts};
}

Traffic routed_traffic(const ModelSizes& sizes) {
  const Amount loaded = expert_evaluations(sizes).count * expert_amount(sizes);
  return {loaded.bytes(), loaded.weights};
}

MultiplyAdds multiply_adds(const ModelSizes& sizes) {
  const HeadShape heads = sizes.heads();
  const Index latent = sizes.kv_lora_rank;
  const std::int64_t extra_layer = attention_amount(sizes).weights +
                                   sizes.num_experts_per_tok * expert_amount(sizes).weights +
                                   shared_amount(sizes).weights + router_weights(sizes) +
                                   joining_weights(sizes) + vocabulary_weights(sizes);
  return {.attention = sizes.num_hidden_layers * attention_amount(sizes).weights,
          .dense = sizes.first_k_dense_replace * dense_amount(sizes).weights,
          .shared = sizes.expert_layers() * shared_amount(sizes).weights,
          .routed = expert_evaluations(sizes).count * expert_amount(sizes).weights,
          .head = vocabulary_weights(sizes),
          .router = sizes.expert_layers() * router_weights(sizes),
          // Scores over QH or KR + RO features, the weighted sum over VD or KR.
          .expanded_core = sizes.num_hidden_layers * heads.heads * (heads.query() + heads.value),
          .absorbed_core = sizes.num_hidden_layers * heads.heads * (latent + heads.rope + latent),
          .extra = sizes.num_nextn_predict_layers * extra_layer};
}

namespace {

ModelSizes sizes_of(const StageCall& call) {
  ModelSizes sizes;
  const std::pair<const char*, Index*> keys[] = {
      {"hidden_size", &sizes.hidden_size},
      {"vocab_size", &sizes.vocab_size},
      {"num_hidden_layers", &sizes.num_hidden_layers},
      {"first_k_dense_replace", &sizes.first_k_dense_replace},
      {"num_nextn_predict_layers", &sizes.num_nextn_predict_layers},
      {"num_attention_heads", &sizes.num_attention_heads},
      {"q_lora_rank", &sizes.q_lora_rank},
      {"kv_lora_rank", &sizes.kv_lora_rank},
      {"qk_nope_head_dim", &sizes.qk_nope_head_dim},
      {"qk_rope_head_dim", &sizes.qk_rope_head_dim},
      {"v_head_dim", &sizes.v_head_dim},
      {"intermediate_size", &sizes.intermediate_size},
      {"moe_intermediate_size", &sizes.moe_intermediate_size},
      {"n_routed_experts", &sizes.n_routed_experts},
      {"n_shared_experts", &sizes.n_shared_experts},
      {"num_experts_per_tok", &sizes.num_experts_per_tok},
      {"weight_block_size", &sizes.weight_block_size},
  };
  for (const auto& [key, size] : keys) *size = call.integer(key);
  return sizes;
}

// In the order that the schema's formula gives.
std::vector<std::int64_t> figures(const ModelSizes& sizes) {
  const CacheBytes cache = cache_bytes(sizes);
  const Resident resident = resident_bytes(sizes);
  const Payload payload = payload_bytes(sizes);
  const Parameters parameters = parameter_counts(sizes);
  const Evaluations evaluations = expert_evaluations(sizes);
  const Traffic traffic = routed_traffic(sizes);
  const MultiplyAdds mac = multiply_adds(sizes);
  return {cache.latent,
          cache.eager,
          cache.flash,
          resident.sum(),
          resident.scales,
          payload.main,
          payload.extra,
          parameters.main,
          parameters.stored(),
          parameters.used_with_embedding,
          evaluations.count,
          traffic.bytes,
          traffic.without_scales,
          mac.sum(),
          mac.router,
          mac.expanded_core,
          mac.absorbed_core,
          mac.extra};
}

}  // namespace

template <class T>
void call_footprint(const Arithmetic& arithmetic, StageCall& call) {
  static_cast<void>(arithmetic);
  const std::vector<std::int64_t> values = figures(sizes_of(call));
  const auto out = output<std::int64_t, 1>(call, "values", {static_cast<Index>(values.size())});
  for (Index i = 0; i < out.extent(0); ++i) out(i) = values[static_cast<std::size_t>(i)];
}

extern const StageReference footprint_reference;
const StageReference footprint_reference{"footprint", call_footprint<Real>,
                                         call_footprint<RealWide>, call_footprint<Tracked>,
                                         call_footprint<double>};

}  // namespace plumb::reference
