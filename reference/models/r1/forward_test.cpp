// SPDX-License-Identifier: Apache-2.0
// A small model of one dense and one expert layer: what its forward calls.
#include "reference/models/r1/forward.h"

#include <gtest/gtest.h>

#include <map>

#include "reference/registry/readings.h"
#include "reference/stages/executor.h"

namespace plumb::reference::r1 {
namespace {

R1Config small() {
  R1Config config;
  config.hidden_size = 8;
  config.vocab_size = 5;
  config.num_hidden_layers = 2;
  config.first_k_dense_replace = 1;
  config.num_attention_heads = config.num_key_value_heads = 2;
  config.q_lora_rank = 4;
  config.kv_lora_rank = 4;
  config.qk_nope_head_dim = 2;
  config.qk_rope_head_dim = 2;
  config.v_head_dim = 2;
  config.intermediate_size = 6;
  config.moe_intermediate_size = 6;
  config.n_routed_experts = 4;
  config.n_group = 2;
  config.topk_group = 1;
  config.num_experts_per_tok = 2;
  config.weight_block_size = 4;
  return config;
}

// Deterministic weights: matrices in FP8 with scales but for one, head and embedding in bf16.
class SmallWeights : public WeightSource {
 public:
  explicit SmallWeights(const R1Config& config) {
    for (const WeightSpec& spec : outer_weights(config)) add(spec, 4);
    for (int l = 0; l < 2; ++l) {
      for (const WeightSpec& spec : layer_weights(config, l)) add(spec, 4);
    }
  }
  AnyTensor find(std::string_view name) const override {
    const auto at = tensors_.find(std::string(name));
    return at == tensors_.end() ? AnyTensor() : at->second;
  }

 private:
  void add(const WeightSpec& spec, Index block) {
    const bool fp8 = spec.matrix && !spec.name.ends_with("o_proj.weight");
    AnyTensor t = AnyTensor::zeros(fp8 ? Dtype::kFp8E4m3fn : Dtype::kBf16, spec.shape);
    for (Index i = 0; i < t.size(); ++i) {
      const auto bits = static_cast<unsigned>(i * 37 + 11 * static_cast<Index>(spec.name.size()));
      if (fp8) t.data<Fp8E4m3fn>()[i].bits = static_cast<std::uint8_t>(0x20 + bits % 32);
      if (!fp8) t.data<Bf16>()[i].bits = static_cast<std::uint16_t>(0x3F00 + bits % 97);
    }
    tensors_[spec.name] = t;
    if (!fp8) return;
    const Shape squares{(spec.shape[0] + block - 1) / block, (spec.shape[1] + block - 1) / block};
    AnyTensor scale = AnyTensor::zeros(Dtype::kF32, squares);
    for (Index i = 0; i < scale.size(); ++i) {
      scale.data<float>()[i] = 0.5f + 0.25f * static_cast<float>(i);
    }
    tensors_[spec.name + "_scale_inv"] = scale;
  }

  std::map<std::string, AnyTensor> tensors_;
};

// Computes, and keeps the calls.
class CallsKept : public PlainExecutor {
 public:
  using PlainExecutor::PlainExecutor;
  void run(StageCall& call) override {
    PlainExecutor::run(call);
    calls.push_back(call);
  }
  std::vector<StageCall> calls;
};

std::vector<StageCall> calls_of(std::string_view stage, std::string_view reading,
                                Activations activations) {
  const R1Config config = small();
  const SmallWeights weights(config);
  CallsKept executor(*find_reading(reading));
  Cache cache(2);
  Forward(config, weights, executor, activations)
      .run({AnyTensor::of(std::vector<std::int64_t>{1, 4, 2}).reshaped({1, 3}), {}}, cache);
  std::erase_if(executor.calls, [&](const StageCall& call) { return call.stage != stage; });
  return executor.calls;
}

TEST(Forward, ScaledLinearsGetCodesAndScalesAndTheOthersDoNot) {
  const std::vector<StageCall> calls = calls_of("linear", "inf_fp8", Activations::kQuantised);
  int scaled = 0;
  for (const StageCall& call : calls) {
    const bool has_scale = call.find("weight_scale") != nullptr;
    scaled += has_scale ? 1 : 0;
    EXPECT_EQ(call.tensor("x").dtype(), has_scale ? Dtype::kFp8E4m3fn : Dtype::kBf16)
        << call.site.path;
    EXPECT_EQ(call.find("x_scale") != nullptr, has_scale) << call.site.path;
  }
  // In each layer four projections of attention and three of a dense MLP or the shared expert;
  // three of each expert that has rows.
  const auto experts = calls_of("expert_rows", "inf_fp8", Activations::kQuantised).size();
  EXPECT_EQ(scaled, 2 * 7 + 3 * static_cast<int>(experts));
  EXPECT_EQ(calls.back().site.path, "lm_head");
}

TEST(Forward, ExpertsTakeTheirRowsOneAfterAnother) {
  std::int64_t begin = 0;
  for (const StageCall& call : calls_of("expert_rows", "hf_bf16", Activations::kAsTheyAre)) {
    EXPECT_EQ(call.integer("begin"), begin) << call.site.path;
    begin += call.integer("M");
  }
  EXPECT_EQ(begin, 3 * 2);  // tokens times experts of each
}

TEST(Forward, OtherwiseTheyMeetTheActivationsAsTheyAre) {
  for (const StageCall& call : calls_of("linear", "inf_bf16", Activations::kAsTheyAre)) {
    EXPECT_EQ(call.tensor("x").dtype(), Dtype::kBf16) << call.site.path;
    EXPECT_EQ(call.find("x_scale"), nullptr) << call.site.path;
  }
}

}  // namespace
}  // namespace plumb::reference::r1
