// SPDX-License-Identifier: Apache-2.0
// Goldens of bytes, expert evaluations and multiply-adds.
#include <gtest/gtest.h>

#include "oracles/agreement/golden/golden_call.h"
#include "reference/stages/footprint.h"

namespace plumb::oracles {
namespace {

using namespace plumb::reference;

const ModelSizes kR1;

Real quotient(std::int64_t a, std::int64_t b) {
  return Real(static_cast<long long>(a)) / Real(static_cast<long long>(b));
}

void forms(GoldenRecord& golden, const std::string& at, const CacheBytes& bytes) {
  golden.expect(at + "/latent", bytes.latent);
  golden.expect(at + "/eager", bytes.eager);
  golden.expect(at + "/flash", bytes.flash);
}

TEST(FootprintGolden, Record117) {
  GoldenRecord golden("R1-117");
  const CacheBytes one = cache_bytes(kR1);
  forms(golden, "/per_layer", one);
  forms(golden, "/per_token_61_layers", kR1.num_hidden_layers * one);
  forms(golden, "/at_163840_tokens", 163840 * kR1.num_hidden_layers * one);
  golden.expect("/ratio_eager", quotient(one.eager, one.latent));
  golden.expect("/ratio_flash", quotient(one.flash, one.latent));
}

TEST(FootprintGolden, Record126) {
  GoldenRecord golden("R1-126");
  const Evaluations evaluations = expert_evaluations(kR1);
  golden.expect("/count", evaluations.count);
  golden.expect("/with_mtp", evaluations.with_extra);
  golden.expect("/all_layer_expert_pairs", evaluations.pairs);
}

TEST(FootprintGolden, Record127) {
  GoldenRecord golden("R1-127");
  const Traffic traffic = routed_traffic(kR1);
  golden.expect("/bytes", traffic.bytes);
  golden.expect("/GiB", gibibytes(traffic.bytes));
  golden.expect("/without_scales", traffic.without_scales);
  golden.expect("/without_scales_GiB", gibibytes(traffic.without_scales));
}

TEST(FootprintGolden, Record128) {
  GoldenRecord golden("R1-128");
  const MultiplyAdds mac = multiply_adds(kR1);
  golden.expect("/terms/attention", mac.attention);
  golden.expect("/terms/dense", mac.dense);
  golden.expect("/terms/shared", mac.shared);
  golden.expect("/terms/routed", mac.routed);
  golden.expect("/terms/lm_head", mac.head);
  golden.expect("/sum", mac.sum());
  golden.expect("/flop", mac.operations());
  golden.expect("/router", mac.router);
  golden.expect("/with_router", mac.with_router());
  golden.expect("/attention_core_per_context_token/expanded", mac.expanded_core);
  golden.expect("/attention_core_per_context_token/absorbed", mac.absorbed_core);
}

}  // namespace
}  // namespace plumb::oracles
