// SPDX-License-Identifier: Apache-2.0
// One token through one layer of DeepSeek-R1 at its real size: 7168 wide, 256 experts, FP8 weights.
// The checkpoint is a sparse file in which only the tensors that the token's routing touches are
// ever written: 0.6 GB of 12.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <fstream>
#include <iostream>
#include <set>

#include "conformance/runner/checkpoint_weights.h"
#include "fixtures/generators/counter_random.h"
#include "fixtures/generators/random_weights.h"
#include "fixtures/generators/store.h"
#include "fixtures/io/test_folder.h"
#include "reference/formats/storage.h"
#include "reference/models/r1/forward.h"
#include "reference/registry/readings.h"
#include "reference/stages/executor.h"

namespace plumb::conformance::r1 {
namespace {

using reference::r1::R1Config;
using reference::r1::WeightSpec;

constexpr int kLayer = 3;
constexpr std::uint64_t kBytesToWrite = 700'000'000;
constexpr double kMebibyte = 1 << 20;

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// Memory of this process that no file backs.
double anonymous_mebibytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double kibibytes = 0;
    if (word == "RssAnon:" && status >> kibibytes) return kibibytes / 1024;
  }
  return -1;
}

// A layer's tensors, written the first time that somebody asks for them.
class SparseLayer : public reference::r1::WeightSource {
 public:
  static std::vector<fixtures::TensorPlan> plan(const std::vector<WeightSpec>& specs, Index block) {
    std::vector<fixtures::TensorPlan> plan;
    for (const WeightSpec& s : specs) {
      plan.push_back({s.name, s.matrix ? Dtype::kFp8E4m3fn : Dtype::kF32, s.shape});
      if (!s.matrix) continue;
      plan.push_back({s.name + "_scale_inv",
                      Dtype::kF32,
                      {(s.shape[0] + block - 1) / block, (s.shape[1] + block - 1) / block}});
    }
    return plan;
  }

  SparseLayer(std::vector<WeightSpec> specs, Index block, fixtures::SparseWriter& writer,
              const fixtures::Checkpoint& checkpoint)
      : specs_(std::move(specs)), block_(block), writer_(writer), weights_(checkpoint) {}

  AnyTensor find(std::string_view name) const override {
    for (const WeightSpec& spec : specs_) {
      if (spec.name == name && written_.insert(spec.name).second) write(spec);
    }
    return weights_.find(name);
  }

  double written_bytes() const { return bytes_; }
  std::size_t experts_touched() const {
    return static_cast<std::size_t>(std::ranges::count_if(written_, [](const std::string& name) {
      return name.find(".experts.") != std::string::npos && name.ends_with(".up_proj.weight");
    }));
  }

 private:
  void write(const WeightSpec& spec) const {
    for (const NamedTensor& t :
         fixtures::random_weights({spec}, Dtype::kFp8E4m3fn, block_, "full layer")) {
      const Status s = writer_.write(t.name, t.tensor);
      ASSERT_TRUE(s.ok()) << s.error().message;
      bytes_ += static_cast<double>(t.tensor.byte_size());
    }
  }

  std::vector<WeightSpec> specs_;
  Index block_;
  fixtures::SparseWriter& writer_;
  CheckpointWeights weights_;
  mutable std::set<std::string> written_;
  mutable double bytes_ = 0;
};

// Computes, watches the memory, and recomputes a few outputs of each linear in plain double.
class WatchingExecutor : public Executor {
 public:
  explicit WatchingExecutor(const Reading& reading) : plain_(reading) {}
  void run(StageCall& call) override {
    plain_.run(call);
    peak_ = std::max(peak_, anonymous_mebibytes());
    if (call.stage == "linear") spot_check(call);
  }
  double peak() const { return peak_; }
  int checked() const { return checked_; }

 private:
  void spot_check(const StageCall& call) {
    const AnyTensor& weight = call.tensor("weight");
    const Index rows = weight.extent(0);
    // The first block, an inner row, the last block.
    for (const Index row : {Index{0}, rows / 2 + 77, rows - 1}) {
      double sum = 0;
      double magnitudes = 0;
      for (Index i = 0; i < weight.extent(1); ++i) {
        const double product = loaded(call, row, i) * value(call.tensor("x"), i);
        sum += product;
        magnitudes += std::fabs(product);
      }
      const double got = value(call.tensor("y"), row);
      EXPECT_LE(std::fabs(got - sum), std::fabs(sum) * 0x1p-8 + magnitudes * 0x1p-40)
          << call.site.path << " row " << row << ": " << got << " where " << sum << " is near";
      ++checked_;
    }
  }
  static double value(const AnyTensor& t, Index i) { return load(t.bytes(), t.dtype(), i); }
  // bf16(code * scale)
  static double loaded(const StageCall& call, Index row, Index column) {
    const AnyTensor& weight = call.tensor("weight");
    const AnyTensor& scale = call.tensor("weight_scale");
    const Index block = call.integer("block");
    return round_to(kBf16, value(weight, row * weight.extent(1) + column) *
                               value(scale, row / block * scale.extent(1) + column / block));
  }

  PlainExecutor plain_;
  double peak_ = 0;
  int checked_ = 0;
};

AnyTensor one_token(Index width) {
  const fixtures::CounterRandom random({"full layer", "token"}, 0);
  AnyTensor x = AnyTensor::zeros(Dtype::kBf16, {1, width});
  for (Index i = 0; i < width; ++i) {
    fixtures::store_rounded(x, i, random.normal(static_cast<std::uint64_t>(i)));
  }
  return x;
}

AnyTensor run_layer(const R1Config& config, const SparseLayer& weights, Executor& executor) {
  reference::r1::Forward forward(config, weights, executor);
  reference::r1::Cache cache(static_cast<std::size_t>(config.num_hidden_layers));
  forward.begin({AnyTensor::zeros(Dtype::kI64, {1, 1}), {}}, cache, 0);
  return forward.layer(kLayer, one_token(config.hidden_size), cache.layers[kLayer]);
}

using FullLayer = fixtures::TestFolder;

TEST_F(FullLayer, TakesSecondsAndLittleMemory) {
  const R1Config config;
  const std::vector<WeightSpec> specs = layer_weights(config, kLayer);
  const fixtures::Path path = folder_ / "layer.safetensors";
  if (const Status s = fixtures::check_free_space(folder_, kBytesToWrite); !s.ok()) {
    GTEST_SKIP() << s.error().message;
  }
  auto created = fixtures::SparseWriter::create(
      path, SparseLayer::plan(specs, config.weight_block_size), kBytesToWrite);
  ASSERT_TRUE(created.ok()) << created.error().message;
  fixtures::SparseWriter writer = std::move(created).value();
  const auto checkpoint = fixtures::Checkpoint::open(path);
  ASSERT_TRUE(checkpoint.ok()) << checkpoint.error().message;
  const SparseLayer weights(specs, config.weight_block_size, writer, *checkpoint);

  // The first run writes the weights as it meets them; the second is the one that counts.
  const Reading& reading = *find_reading("hf_bf16");
  WatchingExecutor watching(reading);
  const AnyTensor first = run_layer(config, weights, watching);
  EXPECT_EQ(weights.experts_touched(), 8u);
  EXPECT_EQ(watching.checked(), 3 * (5 + 3 * 9)) << "5 of the attention, 3 of each expert";

  PlainExecutor plain(reading);
  const auto start = std::chrono::steady_clock::now();
  const double cpu_start = cpu_seconds();
  const AnyTensor again = run_layer(config, weights, plain);
  const double cpu = cpu_seconds() - cpu_start;
  const double wall =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (Index i = 0; i < first.size(); ++i) {
    ASSERT_EQ(load(first.bytes(), first.dtype(), i), load(again.bytes(), again.dtype(), i)) << i;
  }
  std::cout << "one token, one layer: " << wall << " s, " << cpu << " s of processor; "
            << watching.peak() << " MiB anonymous at most; "
            << static_cast<double>(writer.file_bytes()) / kMebibyte << " MiB laid out, "
            << weights.written_bytes() / kMebibyte << " MiB written\n";
  EXPECT_LT(cpu, 20) << "ten seconds on two cores";
  EXPECT_GT(watching.peak(), 0);
  EXPECT_LT(watching.peak(), 3 * 1024);
}

}  // namespace
}  // namespace plumb::conformance::r1
