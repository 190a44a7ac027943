// SPDX-License-Identifier: Apache-2.0
// Goldens of the norms.
#include <gtest/gtest.h>

#include "oracles/agreement/golden/golden_call.h"
#include "reference/stages/rms_norm.h"

namespace plumb::oracles {
namespace {

using Reals = std::vector<Real>;

Reals normed(const Reals& x, const Reals& gain, double eps = 1e-6,
             const Arithmetic& arithmetic = in_reading("real")) {
  const auto width = static_cast<Index>(x.size());
  return outputs(called("rms_norm", {{"x", tensor(x, {1, width})}, {"gain", tensor(gain, {width})}},
                        {{"eps", eps}}, arithmetic),
                 "y");
}

// v, for comparison with which the mean of squares is told from a variance.
Real mean_square(const Reals& x) {
  const Arithmetic arithmetic = in_reading("real");
  const AnyTensor row = tensor(x, {1, static_cast<Index>(x.size())});
  return reference::mean_square<Real>(arithmetic, Operand<Real>(arithmetic, row).row(0));
}
Real squared_mean(const Reals& x) {
  Real sum(0);
  for (const Real& v : x) sum += v;
  const Real mean = sum / Real(static_cast<double>(x.size()));
  return mean * mean;
}

TEST(NormGolden, Record021) {
  GoldenRecord golden("R1-021");
  const Reals x = reals(golden.inputs("/x"));
  golden.expect("/v", mean_square(x));
  golden.expect("/mean_squared", squared_mean(x));
  golden.expect("/population_variance", mean_square(x) - squared_mean(x));
  const Reals constant = reals(golden.inputs("/constant_input/x"));
  golden.expect("/constant_input/v", mean_square(constant));
  golden.expect("/constant_input/population_variance",
                mean_square(constant) - squared_mean(constant));
}

TEST(NormGolden, Record022) {
  GoldenRecord golden("R1-022");
  const Reals x = reals(golden.inputs("/x"));
  const Reals u = normed(x, Reals(x.size(), Real(1)));
  golden.expect_all("/u", u);
  golden.expect("/mean_u_squared", mean_square(u));
}

TEST(NormGolden, Record023) {
  GoldenRecord golden("R1-023");
  golden.expect_all("/y_exact", normed(reals(golden.inputs("/x")), reals(golden.inputs("/g"))));
  const std::string example = "/bf16_order_example";
  const Reals x = reals(golden.inputs(example + "/x"));
  const Reals gain(x.size(), golden.input(example + "/g").real());
  const double eps = golden.input(example + "/eps").nearest_double();
  golden.expect_all(example + "/released_order", normed(x, gain, eps, in_reading("hf_bf16")));
  const Reading gain_first = on_side("hf_bf16", "R1-D18", Side::kB);
  golden.expect_all(example + "/gain_before_downcast",
                    normed(x, gain, eps, {gain_first, in_reading("real").contract}));
}

TEST(NormGolden, Record061) {
  GoldenRecord golden("R1-061");
  EXPECT_EQ(golden.structure("/same_as"), R"(["R1-021","R1-022","R1-023"])");
  EXPECT_EQ(golden.structure("/D"), "\"len(x)\"");
  golden.expect_all("/y_exact", normed(reals(golden.inputs("/x")), reals(golden.inputs("/g"))));
}

}  // namespace
}  // namespace plumb::oracles
