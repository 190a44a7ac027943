// SPDX-License-Identifier: Apache-2.0
#include "reference/registry/schema.h"

namespace plumb {

StageSchema footprint_schema() {
  return {
      .name = "footprint",
      .sentence = "Bytes, parameters and multiply-adds of a configuration, in exact integers.",
      .formula =
          "values = (cache bytes of a token in a layer: latent, expanded, expanded with padded "
          "values; resident bytes without scales, their scales; payload of the main model, of the "
          "extra layer; parameters of the main model, stored, used by a token; routed expert "
          "evaluations, their bytes with scales and without; multiply-adds of the five linear "
          "terms, of the router, of a token of context expanded and absorbed, of the extra layer)",
      .tensors =
          {
              {.name = "values",
               .role = Role::kOut,
               .axes = {"entries"},
               .dtypes = {Dtype::kI64},
               .judge = Judge::kExact},
          },
      .params =
          {
              {"entries", std::int64_t{18}, "number of figures"},
              {"hidden_size", std::int64_t{7168}, "H"},
              {"vocab_size", std::int64_t{129280}, "V"},
              {"num_hidden_layers", std::int64_t{61}, "L"},
              {"first_k_dense_replace", std::int64_t{3}, "dense layers at the bottom"},
              {"num_nextn_predict_layers", std::int64_t{1}, "extra layers"},
              {"num_attention_heads", std::int64_t{128}, "NH"},
              {"q_lora_rank", std::int64_t{1536}, "QR"},
              {"kv_lora_rank", std::int64_t{512}, "KR"},
              {"qk_nope_head_dim", std::int64_t{128}, "NO"},
              {"qk_rope_head_dim", std::int64_t{64}, "RO"},
              {"v_head_dim", std::int64_t{128}, "VD"},
              {"intermediate_size", std::int64_t{18432}, "width of a dense layer"},
              {"moe_intermediate_size", std::int64_t{2048}, "width of an expert"},
              {"n_routed_experts", std::int64_t{256}, "E"},
              {"n_shared_experts", std::int64_t{1}, "experts every token runs through"},
              {"num_experts_per_tok", std::int64_t{8}, "K"},
              {"weight_block_size", std::int64_t{128}, "rows and columns that share a scale"},
          },
      .records = {"R1-117", "R1-126", "R1-127", "R1-128"},
  };
}

}  // namespace plumb
