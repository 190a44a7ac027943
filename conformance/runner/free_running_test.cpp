// SPDX-License-Identifier: Apache-2.0
// The reference runs on its own results from the token ids to the logits, beside what a public
// implementation in float32 recorded. Each lies about as far from exact arithmetic as the other, so
// that twice the recorded distance from float64 separates them from any wrong formula.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "conformance/runner/checkpoint_weights.h"
#include "conformance/runner/recording.h"
#include "fixtures/io/model_config.h"
#include "fixtures/io/trace.h"
#include "reference/formats/storage.h"
#include "reference/models/r1/forward.h"
#include "reference/registry/readings.h"
#include "reference/stages/executor.h"

namespace plumb::conformance::r1 {
namespace {

using fixtures::Trace;

AnyTensor given(const Trace& trace, const std::string& name) {
  return trace.contains(name) ? trace.tensor(name).value() : AnyTensor();
}

// A pass over a trace's ids in its own configuration and weights, step by step.
class FreeRun {
 public:
  explicit FreeRun(const std::string& name)
      : trace_(Trace::open(std::string(PLUMB_SOURCE_DIR) + "/fixtures/traces/" + name).value()),
        config_(fixtures::read_r1_config(*trace_.config_path()).value()),
        checkpoint_(trace_.weights().value()),
        weights_(checkpoint_),
        plain_(*find_reading("hf_f32")),
        recording_(plain_),
        forward_(config_, weights_, recording_),
        cache_(static_cast<std::size_t>(config_.num_hidden_layers)) {}

  void run() {
    const bool stepped = trace_.contains("decode_ids");
    step(given(trace_, "input_ids"), 0, stepped ? "step0." : "");
    if (!stepped) return;
    const AnyTensor more = given(trace_, "decode_ids");
    for (Index n = 0; n < more.size(); ++n) {
      const int number = static_cast<int>(n) + 1;
      step(more.sliced(0, n, n + 1).reshaped({1, 1}), number,
           "step" + std::to_string(number) + ".");
    }
  }

  int steps_compared() const { return compared_; }
  int routers_compared() const { return routers_; }

 private:
  void step(const AnyTensor& ids, int number, const std::string& prefix) {
    recording_.begin_step(prefix);
    const AnyTensor keep = given(trace_, "attention_mask_2d");
    const AnyTensor logits = forward_.run({ids, keep}, cache_, number);
    compare_logits(prefix + "logits", logits, keep);
    for (int l = 0; l < config_.num_hidden_layers; ++l) {
      compare_routing(prefix + "layers." + std::to_string(l) + ".mlp.gate.topk_idx", keep);
    }
  }

  static bool is_padding(const AnyTensor& keep, Index row) {
    return !keep.empty() && keep.data<std::int64_t>()[row] == 0;
  }

  void compare_logits(const std::string& name, const AnyTensor& got, const AnyTensor& keep) {
    const AnyTensor want = given(trace_, name);
    ASSERT_FALSE(want.empty()) << name;
    ASSERT_EQ(want.size(), got.size()) << name;
    ASSERT_EQ(got.dtype(), Dtype::kF32);
    const fixtures::Noise* noise = trace_.meta().noise_of(name);
    ASSERT_NE(noise, nullptr) << name;
    double worst = 0;
    for (Index i = 0; i < got.size(); ++i) {
      if (is_padding(keep, i / config_.vocab_size)) continue;
      const double difference =
          std::fabs(double{got.data<float>()[i]} - load(want.bytes(), want.dtype(), i));
      ASSERT_FALSE(std::isnan(difference)) << name << " " << i;
      worst = std::max(worst, difference);
    }
    EXPECT_LE(worst, 2 * noise->max_abs_err) << name;
    ++compared_;
  }

  // The same experts for each token; in which order they are listed is nobody's promise.
  void compare_routing(const std::string& name, const AnyTensor& keep) {
    const AnyTensor want = given(trace_, name);
    if (want.empty()) return;
    const AnyTensor* got = recording_.find(name);
    ASSERT_NE(got, nullptr) << name;
    ASSERT_EQ(want.size(), got->size()) << name;
    const Index k = config_.num_experts_per_tok;
    for (Index n = 0; n < got->size() / k; ++n) {
      if (is_padding(keep, n)) continue;
      EXPECT_EQ(chosen(*got, n, k), chosen(want, n, k)) << name << " token " << n;
    }
    ++routers_;
  }

  static std::set<std::int64_t> chosen(const AnyTensor& ids, Index row, Index k) {
    const std::int64_t* first = ids.data<std::int64_t>() + row * k;
    return {first, first + k};
  }

  Trace trace_;
  reference::r1::R1Config config_;
  fixtures::Checkpoint checkpoint_;
  CheckpointWeights weights_;
  PlainExecutor plain_;
  RecordingExecutor recording_;
  reference::r1::Forward forward_;
  reference::r1::Cache cache_;
  int compared_ = 0;
  int routers_ = 0;
};

void expect_agreement(const std::string& name, int steps, int routers) {
  FreeRun run(name);
  run.run();
  EXPECT_EQ(run.steps_compared(), steps);
  EXPECT_EQ(run.routers_compared(), routers);
}

TEST(FreeRunning, WholePass) { expect_agreement("r1-tiny-f32", 1, 3); }
TEST(FreeRunning, StretchedPositions) { expect_agreement("r1-tiny-f32-yarn64", 1, 3); }
TEST(FreeRunning, PaddedBatch) { expect_agreement("r1-tiny-padded", 1, 1); }
TEST(FreeRunning, StepByStepOnTheCache) { expect_agreement("r1-tiny-decode", 7, 7); }

}  // namespace
}  // namespace plumb::conformance::r1
