// SPDX-License-Identifier: Apache-2.0
// Where a forward pass gets its weights, and what a checkpoint must hold for it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reference/models/r1/config.h"
#include "reference/tensor/any_tensor.h"

namespace plumb::reference::r1 {

class WeightSource {
 public:
  virtual ~WeightSource() = default;
  // The tensor of that checkpoint name, or an empty one when there is none.
  virtual AnyTensor find(std::string_view name) const = 0;
};

struct WeightSpec {
  std::string name;  // as in the checkpoint
  Shape shape;
  bool matrix;  // may be FP8 with `name`_scale_inv beside it
};

// Embedding, final norm and head.
std::vector<WeightSpec> outer_weights(const R1Config& config);
// One decoder layer, dense or with experts.
std::vector<WeightSpec> layer_weights(const R1Config& config, int layer);

// The layer that predicts the token after the next: a decoder layer, its inputs and its own head.
std::vector<WeightSpec> prediction_weights(const R1Config& config);

bool has_experts(const R1Config& config, int layer);

// Fails when a tensor is missing, or has another shape or an inadmissible type; names both.
Status check_weights(const WeightSource& source, const std::vector<WeightSpec>& specs, Index block);

}  // namespace plumb::reference::r1
