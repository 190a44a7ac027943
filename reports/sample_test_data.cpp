// SPDX-License-Identifier: Apache-2.0
#include "reports/sample_test_data.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>

namespace plumb::reports {
namespace {

using namespace conformance;

constexpr double kInf = std::numeric_limits<double>::infinity();

constexpr std::array kStages{"embedding",      "rms_norm",          "linear",          "rope_table",
                             "rope_apply",     "mla_query",         "mla_latent",      "mla_expand",
                             "mla_absorb",     "attention_scores",  "attention_mask",  "softmax",
                             "attention",      "fused_attention",   "swiglu",          "moe_router",
                             "moe_dispatch",   "moe_combine",       "shared_expert",   "residual",
                             "quantise_block", "dequantise_weight", "expert_parallel", "head"};

class Maker {
 public:
  double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(random_()) / static_cast<double>(random_.max());
  }
  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(n));
  }

  TensorFinding finding(const std::string& tensor, double octave, double spread) {
    TensorFinding f;
    f.tensor = tensor;
    f.outcome = Outcome::kPass;
    f.judged = 1024 + below(100'000);
    f.loose = below(5) == 0 ? below(40) : 0;
    f.largest_want = std::exp2(uniform(-3, 6));
    f.worst_budget = f.largest_want * std::exp2(octave + uniform(-1.5, 1.5));
    f.median_budget = f.worst_budget * uniform(0.5, 1);
    f.worst_error_over_budget = std::exp2(-std::fabs(uniform(0.4, 3) + uniform(0, spread)));
    f.worst_error = f.worst_budget * f.worst_error_over_budget;
    f.worst_index = {below(24), below(256)};
    return f;
  }

  void break_it(TensorFinding& f) {
    f.outcome = Outcome::kFail;
    f.reason = "outside budget";
    f.failed = 1 + below(300);
    f.worst_error_over_budget = std::exp2(uniform(1, 9));
    f.worst_error = f.worst_budget * f.worst_error_over_budget;
    const double want = f.largest_want * uniform(-0.5, 0.5);
    f.failure = ElementFailure{f.worst_index, want + f.worst_error, want, f.worst_budget};
  }

 private:
  std::mt19937_64 random_{20240607};
};

RunHeader header(const std::string& command) {
  RunHeader h;
  h.build = {"0.1.0",
             "2a0f2e0c51b7",
             "g++ 12.2.0",
             "1",
             "sha256:5b1e0c9d",
             false,
             {"SSE4", "AVX2", "AVX3"},
             {}};
  h.command = command;
  h.machine = "Intel Xeon Platinum 8481C, 2 cores, Linux 6.1";
  for (const char* stage : kStages) {
    h.stages.push_back(
        {stage,
         "Scales each token to unit root mean square, then applies a gain per channel.",
         "y[t,d] = x[t,d] / sqrt(mean_d x[t,d]^2 + eps) * g[d]",
         {"R1-021", "R1-022", "R1-023"}});
  }
  return h;
}

void close(VerdictFile& file) {
  file.summary.emplace();
  file.summary->seconds = 74.2;
  for (const Verdict& v : file.verdicts)
    ++file.summary->counts[static_cast<std::size_t>(v.outcome)];
}

Verdict verdict(const std::string& stage, const std::string& kernel, const std::string& name) {
  Verdict v;
  v.stage = stage;
  v.kernel = kernel;
  v.model = "r1";
  v.reading = "hf_bf16";
  v.contract = "standard";
  v.case_name = name;
  v.outcome = Outcome::kPass;
  v.seconds = 0.021;
  return v;
}

void end(Verdict& v, Outcome outcome, const std::string& reason) {
  v.outcome = outcome;
  v.reason = reason;
  v.rerun =
      fmt::format("plumb run --stage {} --kernel {} --case {}", v.stage, v.kernel, v.case_name);
}

void skip(Verdict& v, SkipReason reason) {
  v.outcome = Outcome::kSkipped;
  v.skip = reason;
}

void add_tensors(Maker& make, Verdict& v, std::size_t stage) {
  const double octave = -24 + static_cast<double>(stage * 7 % 17);
  v.tensors.push_back(make.finding("y", octave, static_cast<double>(stage % 5) * 2));
  if (v.stage != "moe_router") return;
  TensorFinding ids = make.finding("ids", octave, 0);
  ids.selection = SelectionFinding{make.below(3), make.below(4), make.below(2),
                                   std::exp2(make.uniform(-18, -2))};
  if (make.below(6) == 0) ids.selection->smallest_margin = 0;
  ids.worst_error_over_budget = ids.worst_error = ids.worst_budget = 0;
  v.tensors.push_back(ids);
}

void spoil(Maker& make, Verdict& v, std::size_t stage, int number) {
  if (v.kernel == "linear.mine" && number % 5 == 2) {
    make.break_it(v.tensors[0]);
    end(v, Outcome::kFail,
        fmt::format("y[{}] outside budget", fmt::join(v.tensors[0].worst_index, ", ")));
  } else if (v.kernel == "swiglu.mine" && number == 3) {
    end(v, Outcome::kCrashed, "signal 11 (segmentation fault) in run");
    v.tensors.clear();
  } else if (v.kernel == "softmax.mine" && number == 4) {
    end(v, Outcome::kTimedOut, "no answer within 10 s");
    v.tensors.clear();
  } else if (v.kernel == "attention_mask.mine" && number == 0) {
    end(v, Outcome::kVacuous, "one value makes up nine tenths of what is wanted");
  } else if (stage % 6 == 5) {
    v.weaker_contract = v.kernel.ends_with("mine");
    if (v.weaker_contract) v.contract = "bf16 accumulators";
  }
}

}  // namespace

VerdictFile crowded_sample() {
  Maker make;
  VerdictFile file;
  file.header = header("plumb run --model r1 --quick --lib ./libmine.so");
  for (std::size_t stage = 0; stage < kStages.size(); ++stage) {
    for (const char* variant : {"scalar", "simd", "mine", "cuda_sm90"}) {
      if (stage % 3 == 1 && std::string(variant) == "simd") continue;
      for (int number = 0; number < 12; ++number) {
        Verdict v = verdict(kStages[stage], fmt::format("{}.{}", kStages[stage], variant),
                            fmt::format("{}-{}", number % 2 == 0 ? "uniform" : "outliers", number));
        if (std::string(variant) == "cuda_sm90") {
          skip(v, SkipReason::kNoDevice);
        } else {
          add_tensors(make, v, stage);
          spoil(make, v, stage, number);
        }
        file.verdicts.push_back(v);
      }
    }
  }
  file.verdicts[5].outcome = Outcome::kUnsupported;
  file.verdicts[5].reason = "width must be a multiple of 64";
  file.verdicts[5].tensors.clear();
  close(file);
  return file;
}

VerdictFile trace_sample() {
  Maker make;
  VerdictFile file;
  file.header = header("plumb check --trace traces/r1-tiny-f32");
  for (int layer = -1; layer < 4; ++layer) {
    for (std::size_t stage = 0; stage < kStages.size(); ++stage) {
      if ((layer < 0) != (stage == 0 || stage + 1 == kStages.size())) continue;
      Verdict v =
          verdict(kStages[stage], "trace", fmt::format("layers.{}.{}", layer, kStages[stage]));
      v.layer = layer;
      if (stage % 5 == 4)
        skip(v, SkipReason::kNotInTrace);
      else
        add_tensors(make, v, stage);
      if (layer == 2 && v.stage == "softmax") {
        make.break_it(v.tensors[0]);
        end(v, Outcome::kFail, "y[14, 9] outside budget");
        v.tensors[0].worst_index = v.tensors[0].failure->index = {14, 9};
      }
      file.verdicts.push_back(v);
    }
  }
  close(file);
  file.summary->first_culprit = "layer 2, softmax, token 14, element 9";
  return file;
}

VerdictFile empty_sample() {
  VerdictFile file;
  file.header = header("plumb run --stage nothing");
  file.header.stages.resize(1);
  close(file);
  return file;
}

VerdictFile hostile_sample() {
  const std::string attack = std::string("\x1b[5m<script>alert(1)</script>\"'>&\x1b[31m\n]]>") +
                             std::string(1, '\0') +
                             "\x07\xff\xc0\x80\xed\xa0\x80\u202e\u2028\ufeff\uffff\x7f\u009b"
                             "31m";
  VerdictFile file;
  file.header.build = {attack, attack, attack, attack, attack, true, {attack}, {attack}};
  file.header.command = file.header.machine = attack;
  // The second has no verdict.
  file.header.stages = {{attack, attack, attack, {attack}}, {attack + "2", attack, attack, {}}};
  for (std::size_t outcome = 0; outcome < kOutcomeCount; ++outcome) {
    Verdict v = verdict(attack, attack, attack);
    v.model = v.reading = v.contract = v.reason = v.rerun = attack;
    v.outcome = static_cast<Outcome>(outcome);
    v.skip = v.outcome == Outcome::kSkipped ? SkipReason::kNoDevice : SkipReason::kNone;
    v.seconds = std::nan("");
    TensorFinding f = Maker().finding(attack, -20, 2);
    f.reason = attack;
    f.outcome = v.outcome;
    f.failed = v.outcome == Outcome::kFail ? 1 : 0;
    f.failure = ElementFailure{{1, 2}, std::nan(""), -kInf, 0};
    f.selection = outcome % 2 == 0 ? std::optional(SelectionFinding{1, 1, 1, kInf}) : std::nullopt;
    f.worst_error_over_budget = outcome % 2 == 0 ? kInf : std::nan("");
    f.largest_want = outcome % 3 == 0 ? kInf : 1;
    v.tensors = {f, f};
    file.verdicts.push_back(v);
  }
  close(file);
  file.summary->first_culprit = attack;
  file.summary->seconds = kInf;
  return file;
}

}  // namespace plumb::reports
