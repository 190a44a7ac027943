// SPDX-License-Identifier: Apache-2.0
// A checkpoint's tensors as a forward pass asks for them.
#pragma once

#include <utility>

#include "fixtures/io/checkpoint.h"
#include "reference/models/r1/weights.h"

namespace plumb::conformance::r1 {

class CheckpointWeights : public reference::r1::WeightSource {
 public:
  // The checkpoint must outlive this.
  explicit CheckpointWeights(const fixtures::Checkpoint& checkpoint) : checkpoint_(checkpoint) {}
  AnyTensor find(std::string_view name) const override {
    if (!checkpoint_.contains(name)) return {};
    Result<AnyTensor> tensor = checkpoint_.tensor(name);
    return tensor.ok() ? std::move(tensor).value() : AnyTensor();
  }

 private:
  const fixtures::Checkpoint& checkpoint_;
};

}  // namespace plumb::conformance::r1
