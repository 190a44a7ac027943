// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/forward_trace.h"

#include <utility>

#include "conformance/runner/checkpoint_weights.h"
#include "conformance/runner/recording.h"
#include "fixtures/generators/random_weights.h"
#include "fixtures/io/model_config.h"
#include "fixtures/io/trace.h"
#include "reference/formats/storage.h"
#include "reference/models/r1/forward.h"
#include "reference/registry/readings.h"
#include "reference/stages/executor.h"

namespace plumb::conformance {
namespace {

using fixtures::Path;
using reference::r1::R1Config;

constexpr const char* kTiny = "tiny";
constexpr const char* kWeights = "model.safetensors";

Result<R1Config> config_of(const ForwardRequest& request) {
  if (request.config == kTiny) return fixtures::tiny_config();
  return fixtures::read_r1_config(request.config);
}

Status check_ids(const ForwardRequest& request, const R1Config& config) {
  if (request.ids.empty()) return Error{"there are no token ids; give at least one"};
  for (std::size_t i = 0; i < request.ids.size(); ++i) {
    if (request.ids[i] >= 0 && request.ids[i] < config.vocab_size) continue;
    return Error{"token id " + std::to_string(request.ids[i]) + ", number " + std::to_string(i) +
                 " of the ids, is not among the vocabulary's 0.." +
                 std::to_string(config.vocab_size - 1)};
  }
  const auto count = static_cast<std::int64_t>(request.ids.size());
  if (count > config.max_position_embeddings) {
    return Error{std::to_string(count) + " token ids are more than max_position_embeddings, " +
                 std::to_string(config.max_position_embeddings)};
  }
  return Nothing{};
}

// Where the weights lie; made first for a model without a checkpoint.
Result<Path> weights_path(const ForwardRequest& request, const R1Config& config,
                          const Reading& reading) {
  if (request.checkpoint) return *request.checkpoint;
  if (request.config != kTiny) {
    return Error{request.config + " has no weights of its own; give --checkpoint"};
  }
  const auto& stored = reading.format(Slot::kActivation);
  const Dtype dtype = stored ? stored->dtype : Dtype::kF32;
  std::error_code code;
  std::filesystem::create_directories(request.folder, code);
  if (code) return Error{request.folder.string() + ": cannot make the folder: " + code.message()};
  const Path path = request.folder / kWeights;
  const Status s =
      fixtures::write_safetensors(path, fixtures::random_weights(config, dtype, kTiny));
  if (!s.ok()) return s.error();
  return path;
}

Status check_model(const reference::r1::WeightSource& weights, const R1Config& config) {
  Status s = check_weights(weights, outer_weights(config), config.weight_block_size);
  for (int l = 0; l < config.num_hidden_layers && s.ok(); ++l) {
    s = check_weights(weights, layer_weights(config, l), config.weight_block_size);
  }
  return s;
}

// The weights as seen from the trace's folder, in a form that meta.json takes for a path.
Result<std::string> relative_weights(const Path& weights, const Path& folder) {
  std::error_code code;
  const Path relative = std::filesystem::relative(weights, folder, code);
  if (code || relative.empty()) {
    return Error{weights.string() + ": has no path relative to " + folder.string()};
  }
  const std::string text = relative.generic_string();
  const bool a_path = text.ends_with(".safetensors") || text.find('/') != std::string::npos;
  return a_path ? text : "./" + text;
}

void note_next(const AnyTensor& logits, const R1Config& config, ForwardReport& report) {
  const Index first = logits.size() - config.vocab_size;
  for (Index v = 0; v < config.vocab_size; ++v) {
    const double logit = logits.dtype() == Dtype::kReal
                             ? logits.data<Real>()[first + v].to_double()
                             : load(logits.bytes(), logits.dtype(), first + v);
    if (report.next_id >= 0 && !(logit > report.next_logit)) continue;
    report.next_id = v;
    report.next_logit = logit;
  }
}

}  // namespace

Result<ForwardReport> write_forward_trace(const ForwardRequest& request) {
  if (request.model != "r1") {
    return Error{"model '" + request.model + "' has no forward pass here; r1 has"};
  }
  const Reading* reading = find_reading(request.reading);
  if (reading == nullptr) return Error{"there is no reading '" + request.reading + "'"};
  const Result<R1Config> config = config_of(request);
  if (!config.ok()) return config.error();
  if (Status s = check_ids(request, *config); !s) return s.error();
  const Result<Path> path = weights_path(request, *config, *reading);
  if (!path.ok()) return path.error();
  const Result<fixtures::Checkpoint> checkpoint = fixtures::Checkpoint::open(*path);
  if (!checkpoint.ok()) return checkpoint.error();
  const r1::CheckpointWeights weights(*checkpoint);
  if (Status s = check_model(weights, *config); !s) {
    return Error{path->string() + ": " + s.error().message};
  }

  PlainExecutor plain(*reading);
  RecordingExecutor recording(plain);
  reference::r1::Forward forward(*config, weights, recording,
                                 reference::r1::activations_of(*reading));
  reference::r1::Cache cache(static_cast<std::size_t>(config->num_hidden_layers));
  const AnyTensor ids =
      AnyTensor::of(request.ids).reshaped({1, static_cast<Index>(request.ids.size())});
  ForwardReport report;
  note_next(forward.run({ids, {}}, cache), *config, report);

  const Result<std::string> relative = relative_weights(*path, request.folder);
  if (!relative.ok()) return relative.error();
  fixtures::TraceMeta meta;
  meta.weights = *relative;
  meta.reading = std::string(reading->name);
  meta.source = "the reference of this program";
  meta.same_as = recording.aliases();
  std::vector<NamedTensor> tensors = recording.tensors();
  tensors.push_back({"input_ids", ids});
  report.tensors = tensors.size();
  const Status s =
      fixtures::write_trace(request.folder, tensors, meta, fixtures::r1_config_json(*config));
  if (!s.ok()) return s.error();
  return report;
}

}  // namespace plumb::conformance
