// SPDX-License-Identifier: Apache-2.0
// Goldens of the rotary stages and of the softmax scale.
#include <gtest/gtest.h>

#include "oracles/agreement/golden/golden_record.h"
#include "reference/registry/readings.h"
#include "reference/registry/schema.h"
#include "reference/stages/rope.h"
#include "reference/stages/rope_table.h"
#include "reference/stages/rotary.h"
#include "reference/stages/softmax_scale.h"
#include "reference/stages/stage.h"

namespace plumb::oracles {
namespace {

using namespace plumb::reference;

const Contract kContract;

Arithmetic in(std::string_view reading) { return {*find_reading(reading), kContract}; }
Arithmetic real() { return in("real"); }

std::vector<Real> reals(const std::vector<GoldenNumber>& numbers) {
  std::vector<Real> values;
  for (const GoldenNumber& n : numbers) values.push_back(n.real());
  return values;
}
std::vector<Real> reals(const StageCall& call, std::string_view tensor) {
  const AnyTensor& t = call.tensor(tensor);
  return {t.data<Real>(), t.data<Real>() + t.size()};
}

AnyTensor tensor(const std::vector<Real>& values, const Shape& shape) {
  AnyTensor t = new_tensor<Real>(shape);
  std::copy(values.begin(), values.end(), t.data<Real>());
  return t;
}

// Every parameter but these at its default: R1's own.
StageCall called(std::string_view stage, const std::vector<NamedParam>& params,
                 const std::vector<NamedTensor>& tensors, const Arithmetic& arithmetic = real()) {
  StageCall call{std::string(stage), tensors, params, {}};
  for (const ParamSchema& p : find_stage(stage)->params) {
    if (call.find_param(p.name) == nullptr) {
      call.params.push_back({std::string(p.name), p.default_value});
    }
  }
  find_reference(stage)->run<Real>(arithmetic, call);
  return call;
}

StageCall r1_frequencies(std::string_view kind = "yarn", const Arithmetic& arithmetic = real()) {
  return called("rope_frequencies", {{"kind", std::string(kind)}}, {}, arithmetic);
}

// --- YaRN's scalars

void correction_indices(std::string_view id) {
  GoldenRecord golden(id);
  const auto index = [](const Real& rotations) {
    return correction_index<Real>(real(), 64, Real(10000), 4096, rotations);
  };
  golden.expect("/rho=32", index(32));
  golden.expect("/rho=1", index(1));
  golden.expect("/difference", index(1) - index(32));
  // The printed count is off by up to half a digit of its last place, 2e-25 of it.
  const Real none = index(golden.input("/zero_at_rho").real());
  EXPECT_LT(abs(none).to_double(), 1e-24);
}
TEST(RopeGolden, Record007) { correction_indices("R1-007"); }
TEST(RopeGolden, Record118) { correction_indices("R1-118"); }

TEST(RopeGolden, Record008) {
  GoldenRecord golden("R1-008");
  golden.expect("/low", ramp_low(golden.input("/from").real()));
}

TEST(RopeGolden, Record009) {
  GoldenRecord golden("R1-009");
  golden.expect("/high", ramp_high(golden.input("/from").real()));
}

TEST(RopeGolden, Record010) {
  GoldenRecord golden("R1-010");
  const StageCall r1 = r1_frequencies();
  const std::int64_t* bounds = r1.tensor("bounds").data<std::int64_t>();
  golden.expect("/r1/0", bounds[0]);
  golden.expect("/r1/1", bounds[1]);
  for (const std::string at : {"/cases/0", "/cases/1"}) {
    const RampBounds clamp =
        clamped(real(), golden.input(at + "/dim").integer(),
                {golden.input(at + "/low").integer(), golden.input(at + "/high").integer()});
    golden.expect(at + "/out/0", clamp.low);
    golden.expect(at + "/out/1", clamp.high);
  }
}

void magnitudes(std::string_view id) {
  GoldenRecord golden(id);
  golden.expect("/m(40,1)", magnitude<Real>(real(), 40, 1));
  golden.expect("/m(2,1)", magnitude<Real>(real(), 2, 1));
  golden.expect("/m(40,0.707)", magnitude<Real>(real(), 40, 0.707));
  golden.expect("/m(1,1)", magnitude<Real>(real(), 1, 1));
  golden.expect_float64("/float64 m(40,1)", magnitude<Real>(in("hf_bf16"), 40, 1));
}
TEST(RopeGolden, Record011) { magnitudes("R1-011"); }
TEST(RopeGolden, Record122) { magnitudes("R1-122"); }

TEST(RopeGolden, Record029) {
  GoldenRecord golden("R1-029");
  golden.expect("/m(1,1)", magnitude<Real>(real(), 1, 1));
  golden.expect("/m(0.5,7)", magnitude<Real>(real(), 0.5, 7));
}

TEST(RopeGolden, Record123) {
  GoldenRecord golden("R1-123");
  golden.expect("/exact", magnitude<Real>(real(), 40, 1));
  golden.expect_float64("/float64", magnitude<Real>(in("hf_f32"), 40, 1));
  golden.expect("/exact_minus_printed",
                magnitude<Real>(real(), 40, 1) - Real::from_decimal("1.3688879"));
}

TEST(RopeGolden, Record037) {
  GoldenRecord golden("R1-037");
  golden.expect("/r1", r1_frequencies().tensor("table_scale").data<Real>()[0]);
  golden.expect("/a(40,1,0)", magnitude_ratio<Real>(real(), 40, 1, 0));
  golden.expect("/a(40,0.707,1)", magnitude_ratio<Real>(real(), 40, 0.707, 1));
}

// --- YaRN's ramp

TEST(RopeGolden, Record012) {
  GoldenRecord golden("R1-012");
  std::vector<Real> line;
  for (Index i = 0; i < 32; ++i) line.push_back(ramp_line<Real>(real(), {10, 23}, i));
  golden.expect_all("/l", line);
}

TEST(RopeGolden, Record013) {
  GoldenRecord golden("R1-013");
  golden.expect_all("/rho", reals(r1_frequencies(), "ramp"));
}

TEST(RopeGolden, Record030) {
  GoldenRecord golden("R1-030");
  for (const std::string at : {"/cases/0", "/cases/1"}) {
    golden.expect(at + "/out", ramp_end<Real>(real(), {golden.input(at + "/lo").integer(),
                                                       golden.input(at + "/hi").integer()}));
  }
  std::vector<Real> step;
  for (Index i = 0; i < 5; ++i) step.push_back(ramp(ramp_line<Real>(real(), {2, 2}, i)));
  golden.expect_all("/step_ramp_lo=hi=2_n=5", step);
}

TEST(RopeGolden, Record033) {
  GoldenRecord golden("R1-033");
  std::vector<Real> mu;
  for (const Real& rho : reals(r1_frequencies(), "ramp")) {
    mu.push_back(share_of_original(real(), rho));
  }
  golden.expect_all("/mu", mu);
}

// --- frequencies

TEST(RopeGolden, Record024) {
  GoldenRecord golden("R1-024");
  golden.expect_all("/f", reals(r1_frequencies("plain"), "inv_freq"));
}
TEST(RopeGolden, Record031) {
  GoldenRecord golden("R1-031");
  golden.expect_all("/fe", reals(r1_frequencies(), "freq_extra"));
}
TEST(RopeGolden, Record120) {
  GoldenRecord golden("R1-120");
  golden.expect_all("/fe", reals(r1_frequencies(), "freq_extra"));
}
TEST(RopeGolden, Record032) {
  GoldenRecord golden("R1-032");
  golden.expect_all("/fi", reals(r1_frequencies(), "freq_inter"));
}
TEST(RopeGolden, Record119) {
  GoldenRecord golden("R1-119");
  golden.expect_all("/fi", reals(r1_frequencies(), "freq_inter"));
}
TEST(RopeGolden, Record034) {
  GoldenRecord golden("R1-034");
  golden.expect_all("/f", reals(r1_frequencies(), "inv_freq"));
}

TEST(RopeGolden, Record121TakesTheSideOfTheProse) {
  GoldenRecord golden("R1-121");
  Reading prose = *find_reading("real");
  for (auto& [id, side] : prose.sides) {
    if (id == "R1-D02") side = Side::kA;
  }
  golden.expect_all("/f_rev", reals(r1_frequencies("yarn", {prose, kContract}), "inv_freq"));
}

TEST(RopeGolden, Record063) {
  GoldenRecord golden("R1-063");
  const Real base = golden.input("/base").real();
  const Index dim = golden.input("/dim").integer();
  const double s = golden.input("/s").nearest_double();
  const Index length = golden.input("/L").integer();
  const Index trained = golden.input("/Lmax").integer();
  golden.expect("/stretch", context_stretch<Real>(real(), s, length, trained));
  golden.expect("/base'", stretched_base(real(), dim, base, s, length, trained));
}

TEST(RopeGolden, Record064) {
  GoldenRecord golden("R1-064");
  const StageCall call = called("rope_frequencies",
                                {{"kind", std::string("dynamic")},
                                 {"half", golden.input("/dim").integer() / 2},
                                 {"base", golden.input("/base").nearest_double()},
                                 {"factor", golden.input("/s").nearest_double()},
                                 {"length", golden.input("/L").integer()},
                                 {"original_length", golden.input("/Lmax").integer()}},
                                {});
  golden.expect_all("/f", reals(call, "inv_freq"));
}

// --- tables

StageCall table(const std::vector<GoldenNumber>& positions, const std::vector<Real>& frequencies,
                double stretch = 1) {
  std::vector<std::int64_t> p;
  for (const GoldenNumber& n : positions) p.push_back(n.integer());
  const auto half = static_cast<Index>(frequencies.size());
  return called("rope_table", {{"dim", std::int64_t{2 * half}}, {"stretch", stretch}},
                {{"positions", AnyTensor::of(p)},
                 {"inv_freq", tensor(frequencies, {half})},
                 {"table_scale", AnyTensor::of(std::vector<double>{1})}});
}

TEST(RopeGolden, Record026) {
  GoldenRecord golden("R1-026");
  golden.expect_all("/phi",
                    reals(table(golden.inputs("/t"), reals(golden.inputs("/f"))), "angles"));
}

TEST(RopeGolden, Record027) {
  GoldenRecord golden("R1-027");
  const double s = golden.input("/s").nearest_double();
  std::vector<Real> t;
  for (const GoldenNumber& p : golden.inputs("/p")) {
    t.push_back(stretched_position<Real>(real(), p.integer(), s));
  }
  golden.expect_all("/t", t);
}

TEST(RopeGolden, Record028) {
  GoldenRecord golden("R1-028");
  const double s = golden.input("/s").nearest_double();
  golden.expect_all("/phi",
                    reals(table(golden.inputs("/p"), reals(golden.inputs("/f")), s), "angles"));
}

TEST(RopeGolden, Record036) {
  GoldenRecord golden("R1-036");
  const std::vector<Real> f = reals(r1_frequencies(), "inv_freq");
  const std::vector<Real> angles =
      reals(table({GoldenNumber("1"), GoldenNumber("163839")}, f), "angles");
  golden.expect_all("/p=1", {angles[0], angles[1], angles[2], angles[3]});
  golden.expect("/p=163839,i=3 exact", angles[32 + 3]);
}

// --- rotation

TEST(RopeGolden, Record014) {
  GoldenRecord golden("R1-014");
  const std::vector<Real> x = reals(golden.inputs("/x"));
  const auto x1 = first_half<Real>(x);
  golden.expect_all("/x1", {x1.begin(), x1.end()});
  golden.expect_all("/rotate_half", rotate_half<Real>(x));
}

TEST(RopeGolden, Record015) {
  GoldenRecord golden("R1-015");
  const std::vector<Real> x = reals(golden.inputs("/x"));
  const auto x2 = second_half<Real>(x);
  golden.expect_all("/x2", {x2.begin(), x2.end()});
}

TEST(RopeGolden, Record016) {
  GoldenRecord golden("R1-016");
  golden.expect_all("/q'", deinterleaved<Real>(reals(golden.inputs("/q"))));
  // The printed map says where each source goes.
  std::vector<Real> sources;
  for (int j = 0; j < 64; ++j) sources.emplace_back(j);
  const std::vector<Real> halves = deinterleaved<Real>(sources);
  std::vector<Real> target(64);
  for (int j = 0; j < 64; ++j) {
    target[static_cast<std::size_t>(halves[static_cast<std::size_t>(j)].to_double())] = Real(j);
  }
  golden.expect_all("/source_index_to_target_d64", target);
}

TEST(RopeGolden, Record017) {
  GoldenRecord golden("R1-017");
  golden.expect_all("/k'", deinterleaved<Real>(reals(golden.inputs("/k"))));
}

void rotation(std::string_view id) {
  GoldenRecord golden(id);
  const Index d = golden.input("/d").integer();
  const StageCall frequencies = called("rope_frequencies",
                                       {{"kind", std::string("plain")},
                                        {"half", d / 2},
                                        {"base", golden.input("/base").nearest_double()}},
                                       {});
  golden.expect_all("/frequencies", reals(frequencies, "inv_freq"));
  const StageCall waves = table({golden.input("/position")}, reals(frequencies, "inv_freq"));
  const std::vector<Real> cos = reals(waves, "cos");
  const std::vector<Real> sin = reals(waves, "sin");
  golden.expect_all("/cos", {cos[0], cos[1]});
  golden.expect_all("/sin", {sin[0], sin[1]});
  const std::vector<Real> q = reals(golden.inputs("/q_interleaved"));
  golden.expect_all("/q'", deinterleaved<Real>(q));
  const StageCall rotated = called("rope", {},
                                   {{"x", tensor(q, {1, 1, 1, d})},
                                    {"cos", waves.tensor("cos")},
                                    {"sin", waves.tensor("sin")},
                                    {"positions", AnyTensor::zeros(Dtype::kI64, {1, 1})}});
  golden.expect_all("/q_embed", reals(rotated, "y"));
}
TEST(RopeGolden, Record018) { rotation("R1-018"); }
TEST(RopeGolden, Record019) { rotation("R1-019"); }
TEST(RopeGolden, Record125) { rotation("R1-125"); }

// --- softmax scale

Real sigma(std::string_view reading, std::int64_t yarn = 1) {
  return called("softmax_scale", {{"yarn", yarn}}, {}, in(reading)).tensor("sigma").data<Real>()[0];
}

TEST(RopeGolden, Record045) {
  GoldenRecord golden("R1-045");
  golden.expect("/QH", head_width(128, 64));
}

TEST(RopeGolden, Record049) {
  GoldenRecord golden("R1-049");
  golden.expect("/sigma0", sigma("real", 0));
  golden.expect_float64("/float64", sigma("hf_f32", 0));
}

Real magnitude_squared() {
  const Real m = magnitude<Real>(real(), 40, 1);
  return m * m;
}

TEST(RopeGolden, Record097) {
  GoldenRecord golden("R1-097");
  golden.expect("/sigma", sigma("real"));
  golden.expect_float64("/float64", sigma("hf_bf16"));
  golden.expect("/m_squared", sigma("real") / sigma("real", 0));
}

TEST(RopeGolden, Record124) {
  GoldenRecord golden("R1-124");
  golden.expect("/sigma", sigma("real"));
  golden.expect("/m_squared", magnitude_squared());
  golden.expect("/factor_printed_minus_exact",
                Real::from_decimal("1.8738542071") - magnitude_squared());
}

}  // namespace
}  // namespace plumb::oracles
