// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/check_r1.h"

#include <utility>

#include "conformance/runner/checkpoint_weights.h"
#include "conformance/runner/recorded.h"
#include "reference/models/r1/forward.h"

namespace plumb::conformance::r1 {
namespace {

using fixtures::Trace;
using reference::r1::Cache;
using reference::r1::Forward;
using reference::r1::LayerCache;
using reference::r1::R1Config;

AnyTensor tensor_or_none(const Trace& trace, const std::string& name) {
  if (!trace.contains(name)) return {};
  Result<AnyTensor> tensor = trace.tensor(name);
  return tensor.ok() ? std::move(tensor).value() : AnyTensor();
}

// A forward pass, step by step.
class ForwardCheck {
 public:
  ForwardCheck(const Trace& trace, const R1Config& config, const fixtures::Checkpoint& checkpoint,
               const Reading& reading, const CheckOptions& options)
      : trace_(trace),
        config_(config),
        weights_(checkpoint, options.overlay),
        executor_(reading, recorded_in(trace, options.overlay), options),
        forward_(config, weights_, executor_, reference::r1::activations_of(reading)),
        cache_(static_cast<std::size_t>(config.num_hidden_layers)) {}

  Result<Checked> run() {
    const AnyTensor ids = tensor_or_none(trace_, "input_ids");
    if (ids.empty() || ids.rank() != 2 || ids.dtype() != Dtype::kI64) {
      return Error{trace_.folder().string() +
                   ": no input_ids [batch, tokens] of type I64 in the trace"};
    }
    if (Status s = check_ids("input_ids", ids); !s) return s.error();
    if (Status s = check_layers(); !s) return s.error();
    checked_.inputs.insert("input_ids");
    const bool stepped = trace_.contains("step0.embed_tokens.out");
    if (Status s = step(ids, 0, stepped ? "step0." : ""); !s) return s.error();
    const AnyTensor more = stepped ? tensor_or_none(trace_, "decode_ids") : AnyTensor();
    if (!more.empty()) {
      if (Status s = check_ids("decode_ids", more); !s) return s.error();
      if (more.rank() != 1 || ids.extent(0) != 1) {
        return Error{trace_.folder().string() + ": decode_ids has shape " +
                     to_string(more.shape()) + "; [steps] and a batch of 1 are needed"};
      }
      checked_.inputs.insert("decode_ids");
    }
    for (Index n = 0; !more.empty() && n < more.size(); ++n) {
      const AnyTensor next = more.sliced(0, n, n + 1).reshaped({1, 1});
      const int number = static_cast<int>(n) + 1;
      if (Status s = step(next, number, "step" + std::to_string(number) + "."); !s)
        return s.error();
    }
    checked_.verdicts = executor_.verdicts();
    checked_.judged = executor_.judged();
    checked_.unrecorded = executor_.unrecorded();
    return std::move(checked_);
  }

 private:
  Status check_ids(const std::string& name, const AnyTensor& ids) const {
    for (Index i = 0; i < ids.size(); ++i) {
      const std::int64_t id = ids.dtype() == Dtype::kI64 ? ids.data<std::int64_t>()[i] : -1;
      if (id < 0 || id >= config_.vocab_size) {
        return Error{trace_.folder().string() + ": tensor '" + name + "': element " +
                     std::to_string(i) + " is " + std::to_string(id) +
                     "; token ids of type I64 in 0.." + std::to_string(config_.vocab_size - 1) +
                     " are needed"};
      }
    }
    return Nothing{};
  }

  // Every layer of which anything is there must be there whole.
  Status check_layers() const {
    for (int l = 0; l < config_.num_hidden_layers; ++l) {
      if (weights_.find("model.layers." + std::to_string(l) + ".input_layernorm.weight").empty())
        continue;
      const Status s =
          check_weights(weights_, layer_weights(config_, l), config_.weight_block_size);
      if (!s.ok()) return s;
    }
    return Nothing{};
  }

  Status step(const AnyTensor& ids, int number, const std::string& prefix) {
    AnyTensor keep;
    for (const std::string& name :
         {prefix + "attention_mask_2d", std::string("attention_mask_2d")}) {
      if (!keep.empty() || !trace_.contains(name)) continue;
      keep = tensor_or_none(trace_, name);
      checked_.inputs.insert(name);
    }
    const Shape whole{ids.extent(0), cache_.length + ids.extent(1)};
    if (!keep.empty() && (keep.shape() != whole || keep.dtype() != Dtype::kI64)) {
      return Error{trace_.folder().string() + ": attention_mask_2d of step " +
                   std::to_string(number) + " has shape " + to_string(keep.shape()) + "; " +
                   to_string(whole) + " of type I64 is needed"};
    }
    executor_.begin_step(prefix, padding(keep, ids));
    forward_.begin({ids, keep}, cache_, number);
    AnyTensor x = weights_.find("model.embed_tokens.weight").empty()
                      ? given_input(prefix + "layers.0.in", ids)
                      : forward_.embed();
    for (int l = 0; l < config_.num_hidden_layers; ++l) x = layer(l, x, ids, prefix);
    cache_.length += ids.extent(1);
    const bool headed =
        !weights_.find("model.norm.weight").empty() && !weights_.find("lm_head.weight").empty();
    if (x.empty()) x = given_input(prefix + "norm.in", ids);
    if (headed && !x.empty()) forward_.head(x);
    return Nothing{};
  }

  // One layer, from the trace's own input where the layer below was not run; none without weights
  // or input.
  AnyTensor layer(int l, AnyTensor x, const AnyTensor& ids, const std::string& prefix) {
    const std::string path = "layers." + std::to_string(l);
    if (x.empty()) x = given_input(prefix + path + ".in", ids);
    LayerCache& cache = cache_.layers[static_cast<std::size_t>(l)];
    const Index held = cache.keys.empty() ? 0 : cache.keys.extent(2);
    const bool weighted = !weights_.find("model." + path + ".input_layernorm.weight").empty();
    if (x.empty() || !weighted || held != cache_.length || !records_inside(prefix + path + ".")) {
      checked_.missing_layers.insert(l);
      return given_input(prefix + path + ".out", ids);
    }
    return forward_.layer(l, x, cache);
  }

  // Whether more of a layer is stored than the streams between the layers: without that its error
  // bound would say nothing of its output.
  bool records_inside(const std::string& prefix) const {
    for (const fixtures::TensorEntry& entry : trace_.stored()) {
      if (entry.name.starts_with(prefix) && entry.name != prefix + "in" &&
          entry.name != prefix + "out") {
        return true;
      }
    }
    return false;
  }

  // A recorded stream from which the pass goes on where a layer is missing; none when it does not
  // fit.
  AnyTensor given_input(const std::string& name, const AnyTensor& ids) {
    const AnyTensor x = tensor_or_none(trace_, name);
    const bool fits = !x.empty() && x.size() == ids.size() * config_.hidden_size &&
                      (x.dtype() == Dtype::kF32 || x.dtype() == Dtype::kBf16);
    if (!fits) return {};
    checked_.inputs.insert(trace_.stored_name(name)->name);
    return x.reshaped({ids.size(), config_.hidden_size});
  }

  // Tokens that the mask closes, over the new columns.
  static LeftOut padding(const AnyTensor& keep, const AnyTensor& ids) {
    if (keep.empty()) return {};
    LeftOut left_out;
    const auto mask = keep.view<const std::int64_t, 2>();
    const Index first = mask.extent(1) - ids.extent(1);
    bool any = false;
    for (Index b = 0; b < mask.extent(0); ++b) {
      for (Index t = first; t < mask.extent(1); ++t) {
        left_out.push_back(mask(b, t) == 0);
        any = any || mask(b, t) == 0;
      }
    }
    return any ? left_out : LeftOut{};
  }

  const Trace& trace_;
  const R1Config& config_;
  CheckpointWeights weights_;
  CheckExecutor executor_;
  Forward forward_;
  Cache cache_;
  Checked checked_;
};

}  // namespace

Result<Checked> check_forward(const Trace& trace, const R1Config& config, const Reading& reading,
                              const CheckOptions& options) {
  Result<fixtures::Checkpoint> checkpoint = trace.weights();
  if (!checkpoint.ok()) return checkpoint.error();
  return ForwardCheck(trace, config, checkpoint.value(), reading, options).run();
}

}  // namespace plumb::conformance::r1
