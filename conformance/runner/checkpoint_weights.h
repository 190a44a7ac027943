// SPDX-License-Identifier: Apache-2.0
// A checkpoint's tensors as a forward pass asks for them.
#pragma once

#include <utility>

#include "conformance/runner/recorded.h"
#include "fixtures/io/checkpoint.h"
#include "reference/models/r1/weights.h"

namespace plumb::conformance::r1 {

class CheckpointWeights : public reference::r1::WeightSource {
 public:
  // Both must outlive this; `overlay` may be null.
  explicit CheckpointWeights(const fixtures::Checkpoint& checkpoint,
                             const Overlay* overlay = nullptr)
      : checkpoint_(checkpoint), overlay_(overlay) {}
  AnyTensor find(std::string_view name) const override {
    if (overlay_ != nullptr) {
      const auto instead = overlay_->weights.find(name);
      if (instead != overlay_->weights.end()) return instead->second;
    }
    if (!checkpoint_.contains(name)) return {};
    Result<AnyTensor> tensor = checkpoint_.tensor(name);
    return tensor.ok() ? std::move(tensor).value() : AnyTensor();
  }

 private:
  const fixtures::Checkpoint& checkpoint_;
  const Overlay* overlay_;
};

}  // namespace plumb::conformance::r1
