// SPDX-License-Identifier: Apache-2.0
// A pass cut anywhere, its second part run on the cache of the first, gives what the whole pass
// gives: all sums are exact, so to the last bit where a reading stores values.
#include <gtest/gtest.h>

#include <cmath>

#include "fixtures/generators/counter_random.h"
#include "fixtures/generators/random_weights.h"
#include "reference/models/r1/forward.h"
#include "reference/registry/readings.h"
#include "reference/scalar/real.h"
#include "reference/stages/executor.h"

namespace plumb::conformance::r1 {
namespace {

using reference::r1::Activations;
using reference::r1::AttentionForm;
using reference::r1::Cache;
using reference::r1::Forward;
using reference::r1::R1Config;

constexpr Index kTokens = 6;

AnyTensor some_ids(const R1Config& config, Index batch) {
  const fixtures::CounterRandom random({"decode", "ids"}, 0);
  AnyTensor ids = AnyTensor::zeros(Dtype::kI64, {batch, kTokens});
  for (Index i = 0; i < ids.size(); ++i) {
    ids.data<std::int64_t>()[i] = random.integer(static_cast<std::uint64_t>(i), config.vocab_size);
  }
  return ids;
}

// One model, weighed once.
class Model {
 public:
  Model(const R1Config& config, std::string_view reading,
        AttentionForm form = AttentionForm::kExpanded)
      : config_(config),
        form_(form),
        tensors_(fixtures::random_weights(config, Dtype::kF32, "decode")),
        weights_(tensors_),
        executor_(*find_reading(reading)) {}

  // Logits [B, tokens, V] of the ids in parts that end at `cuts`, the last of which is the end.
  std::vector<AnyTensor> run(const AnyTensor& ids, const std::vector<Index>& cuts) {
    Forward forward(config_, weights_, executor_, Activations::kAsTheyAre, form_);
    Cache cache(static_cast<std::size_t>(config_.num_hidden_layers));
    std::vector<AnyTensor> parts;
    Index begin = 0;
    for (Index end : cuts) {
      const AnyTensor part = ids.sliced(1, begin, end).copied();
      const AnyTensor logits = forward.run({part, {}}, cache, static_cast<int>(parts.size()));
      parts.push_back(logits.reshaped({ids.extent(0), end - begin, config_.vocab_size}));
      begin = end;
    }
    return parts;
  }

 private:
  R1Config config_;
  AttentionForm form_;
  std::vector<NamedTensor> tensors_;
  fixtures::NamedWeights weights_;
  PlainExecutor executor_;
};

// Distance of two elements relative to the size of the second, in the type's own digits.
double distance(const AnyTensor& a, Index i, const AnyTensor& b, Index j) {
  if (a.dtype() == Dtype::kF32) return a.data<float>()[i] == b.data<float>()[j] ? 0 : 1;
  const Real& x = a.data<Real>()[i];
  const Real& y = b.data<Real>()[j];
  return (abs(x - y) / abs(y)).to_double();
}

void expect_equal(const std::vector<AnyTensor>& parts, const AnyTensor& whole, double tolerance) {
  const Index batch = whole.extent(0);
  const Index vocabulary = whole.extent(2);
  Index begin = 0;
  for (const AnyTensor& part : parts) {
    ASSERT_EQ(part.dtype(), whole.dtype());
    for (Index b = 0; b < batch; ++b) {
      for (Index i = 0; i < part.extent(1) * vocabulary; ++i) {
        const Index at = b * part.extent(1) * vocabulary + i;
        const Index there = (b * whole.extent(1) + begin) * vocabulary + i;
        const double d = distance(part, at, whole, there);
        ASSERT_TRUE(d <= tolerance)
            << "token " << begin + i / vocabulary << " of sequence " << b << ": " << d;
      }
    }
    begin += part.extent(1);
  }
  EXPECT_EQ(begin, whole.extent(1));
}

// Every cut into two, then token by token.
void expect_cuts_agree(const R1Config& config, std::string_view reading, Index batch,
                       double tolerance) {
  Model model(config, reading);
  const AnyTensor ids = some_ids(config, batch);
  const AnyTensor whole = model.run(ids, {kTokens})[0];
  for (Index cut = 1; cut < kTokens; ++cut) {
    SCOPED_TRACE(cut);
    expect_equal(model.run(ids, {cut, kTokens}), whole, tolerance);
  }
  expect_equal(model.run(ids, {1, 2, 3, 4, 5, 6}), whole, tolerance);
}

// No low-rank query, all experts in one group, seven heads, no shared expert's share of two.
R1Config plain_config() {
  R1Config c = fixtures::tiny_config();
  c.num_attention_heads = c.num_key_value_heads = 7;
  c.q_lora_rank.reset();
  c.n_routed_experts = 5;
  c.n_group = 1;
  c.topk_group = 1;
  c.num_experts_per_tok = 3;
  c.n_shared_experts = 2;
  c.rope_scaling.reset();
  return c;
}

TEST(Decode, EqualsPrefillBitForBitInFloat32) {
  expect_cuts_agree(fixtures::tiny_config(), "hf_f32", 2, 0);
}
TEST(Decode, EqualsPrefillBitForBitInFloat32WithoutRanksAndGroups) {
  expect_cuts_agree(plain_config(), "hf_f32", 1, 0);
}
TEST(Decode, EqualsPrefillTo45DigitsUnrounded) {
  expect_cuts_agree(fixtures::tiny_config(), "real", 1, 1e-45);
}
TEST(Decode, EqualsPrefillTo45DigitsUnroundedWithoutRanksAndGroups) {
  expect_cuts_agree(plain_config(), "real", 1, 1e-45);
}

// W_kvb absorbed into the query instead of every latent expanded: the same finite sums in another
// order.
void expect_absorbed_agrees(const R1Config& config) {
  const AnyTensor ids = some_ids(config, 2);
  const AnyTensor whole = Model(config, "real").run(ids, {kTokens})[0];
  Model absorbed(config, "real", AttentionForm::kAbsorbed);
  expect_equal(absorbed.run(ids, {kTokens}), whole, 1e-45);
  expect_equal(absorbed.run(ids, {2, kTokens}), whole, 1e-45);
  expect_equal(absorbed.run(ids, {1, 2, 3, 4, 5, 6}), whole, 1e-45);
}
TEST(Decode, AbsorbedEqualsExpandedTo45DigitsUnrounded) {
  expect_absorbed_agrees(fixtures::tiny_config());
  expect_absorbed_agrees(plain_config());
}
TEST(Decode, AbsorbedCachesTheLatentsAlone) {
  const R1Config config = fixtures::tiny_config();
  const std::vector<NamedTensor> tensors = fixtures::random_weights(config, Dtype::kF32, "decode");
  const fixtures::NamedWeights weights(tensors);
  PlainExecutor executor(*find_reading("hf_f32"));
  Forward forward(config, weights, executor, Activations::kAsTheyAre, AttentionForm::kAbsorbed);
  Cache cache(static_cast<std::size_t>(config.num_hidden_layers));
  forward.run({some_ids(config, 2), {}}, cache);
  EXPECT_EQ(cache.layers[1].keys.shape(), (Shape{2, 1, kTokens, config.kv_lora_rank}));
  EXPECT_EQ(cache.layers[1].values.shape(), (Shape{2, 1, kTokens, config.qk_rope_head_dim}));
}

// What the tests above cannot see: that the pass does not simply ignore its cache.
TEST(Decode, DependsOnEveryEarlierToken) {
  const R1Config config = fixtures::tiny_config();
  Model model(config, "hf_f32");
  const AnyTensor ids = some_ids(config, 1);
  const AnyTensor last = model.run(ids, {kTokens - 1, kTokens})[1];
  for (Index t = 0; t + 1 < kTokens; ++t) {
    AnyTensor other = ids.copied();
    std::int64_t& id = other.data<std::int64_t>()[t];
    id = (id + 1) % config.vocab_size;
    const AnyTensor changed = model.run(other, {kTokens - 1, kTokens})[1];
    bool differs = false;
    for (Index i = 0; i < last.size(); ++i) {
      differs = differs || distance(last, i, changed, i) > 0;
    }
    EXPECT_TRUE(differs) << t;
  }
}

}  // namespace
}  // namespace plumb::conformance::r1
