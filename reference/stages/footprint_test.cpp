// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/footprint.h"

#include <gtest/gtest.h>

#include "reference/stages/stage_test.h"

namespace plumb::reference {
namespace {

const ModelSizes kR1;

TEST(Footprint, CountsOfOneLayer) {
  EXPECT_EQ(attention_amount(kR1).weights, 187'105'280);
  EXPECT_EQ(attention_amount(kR1).scales, 11'448);
  EXPECT_EQ(expert_amount(kR1).weights, 44'040'192);
  EXPECT_EQ(expert_amount(kR1).scales, 2'688);
  EXPECT_EQ(expert_amount(kR1).bytes(), 44'050'944);
  EXPECT_EQ(dense_amount(kR1).weights, 396'361'728);
  EXPECT_EQ(dense_amount(kR1).scales, 24'192);
  EXPECT_EQ(router_weights(kR1), 1'835'008);
  EXPECT_EQ(layer_norm_weights(kR1), 16'384);
  EXPECT_EQ(router_biases(kR1), 14'848);
}

TEST(Footprint, Resident) {
  const Resident rows = resident_bytes(kR1);
  EXPECT_EQ(rows.attention, 11'413'422'080);
  EXPECT_EQ(rows.shared, 2'554'331'136);
  EXPECT_EQ(rows.dense, 1'189'085'184);
  EXPECT_EQ(rows.routers, 212'860'928);
  EXPECT_EQ(rows.biases_and_norms, 2'072'576);
  EXPECT_EQ(rows.embedding, 1'853'358'080);
  EXPECT_EQ(rows.head, 1'853'358'080);
  EXPECT_EQ(rows.sum(), 19'078'488'064);
  EXPECT_EQ(rows.scales, 2'793'312 + 623'616 + 290'304);
  EXPECT_EQ(rows.sum() + rows.scales, 19'082'195'296);
  EXPECT_EQ(gibibytes(rows.sum()).to_string(20), "17.76822662353515625");
}

TEST(Footprint, Payload) {
  const Payload payload = payload_bytes(kR1);
  EXPECT_EQ(payload.main, 673'150'611'808);
  EXPECT_EQ(payload.extra, 15'424'227'552);
  EXPECT_EQ(payload.copies, 3'706'716'160);
  EXPECT_EQ(payload.total(), 688'574'839'360);
}

TEST(Footprint, Parameters) {
  const Parameters counts = parameter_counts(kR1);
  EXPECT_EQ(counts.main, 671'026'419'200);
  EXPECT_EQ(counts.extra_unique, 11'610'068'224);
  EXPECT_EQ(counts.extra_with_copies, 13'463'426'304);
  EXPECT_EQ(counts.stored(), 684'489'845'504);
  EXPECT_EQ(counts.used_linear, 36'624'596'992);
  EXPECT_EQ(counts.used, 36'625'618'432);
  EXPECT_EQ(counts.used_with_embedding, 37'552'297'472);
}

TEST(Footprint, CacheInThreeForms) {
  const CacheBytes bytes = cache_bytes(kR1);
  EXPECT_EQ(bytes.latent, 1'152);
  EXPECT_EQ(bytes.eager, 81'920);
  EXPECT_EQ(bytes.flash, 98'304);
  // Eight sequences of 16,384 positions, allocated up front.
  const CacheBytes up_front = kR1.num_hidden_layers * 8 * 16384 * bytes;
  EXPECT_EQ(up_front.latent, 9'210'691'584);
  EXPECT_EQ(up_front.eager, 654'982'512'640);
  const CacheBytes full = kR1.num_hidden_layers * 163840 * bytes;
  EXPECT_EQ(gibibytes(full.latent).to_string(20), "10.72265625");
  EXPECT_EQ(gibibytes(full.eager).to_string(20), "762.5");
  EXPECT_EQ(gibibytes(full.flash).to_string(20), "915");
}

TEST(Footprint, RoutedTrafficAndMultiplyAdds) {
  EXPECT_EQ(expert_evaluations(kR1).count, 464);
  EXPECT_EQ(expert_evaluations(kR1).with_extra, 472);
  EXPECT_EQ(routed_traffic(kR1).bytes, 20'439'638'016);
  EXPECT_EQ(routed_traffic(kR1).without_scales, 20'434'649'088);
  const MultiplyAdds mac = multiply_adds(kR1);
  EXPECT_EQ(mac.sum(), 36'518'166'528);
  EXPECT_EQ(mac.operations(), 73'036'333'056);
  EXPECT_EQ(mac.router, 106'430'464);
  EXPECT_EQ(mac.with_router(), 36'624'596'992);
  EXPECT_EQ(mac.expanded_core, 2'498'560);
  EXPECT_EQ(mac.absorbed_core, 8'495'104);
  EXPECT_EQ(mac.extra, 1'614'741'504);
  EXPECT_EQ(4096 * mac.expanded_core, 10'234'101'760);
}

TEST(Footprint, TheStageListsWhatItsParametersSay) {
  const StageCall r1 = computed(stage_call("footprint", {}), "real");
  EXPECT_EQ(integers(r1, "values"),
            (std::vector<std::int64_t>{
                1'152, 81'920, 98'304, 19'078'488'064, 3'707'232, 673'150'611'808, 15'424'227'552,
                671'026'419'200, 684'489'845'504, 37'552'297'472, 464, 20'439'638'016,
                20'434'649'088, 36'518'166'528, 106'430'464, 2'498'560, 8'495'104, 1'614'741'504}));
  const StageCall other =
      computed(stage_call("footprint", {}, {{"kv_lora_rank", std::int64_t{256}}}), "real");
  EXPECT_EQ(integers(other, "values")[0], 2 * (256 + 64));
}

}  // namespace
}  // namespace plumb::reference
