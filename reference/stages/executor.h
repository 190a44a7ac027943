// SPDX-License-Identifier: Apache-2.0
// The plain executor: computes each call with the reference and stores its outputs as the reading
// says.
#pragma once

#include "reference/registry/schema.h"
#include "reference/stages/stage.h"

namespace plumb {

// Completes a call: parameters left out get their defaults, and each side that the schema names
// becomes a word parameter, as the reading decides.
void complete(const StageSchema& schema, const Reading& reading, StageCall& call);

// The values of a wide tensor in a storage type. Values that it does not hold exactly are a broken
// promise.
AnyTensor packed(const AnyTensor& wide, Dtype dtype);

// The element type in which a reading stores a tensor of a stage, or none where it flows on
// unrounded.
std::optional<Dtype> storage_of(const Reading& reading, const TensorSchema& tensor);

class PlainExecutor : public Executor {
 public:
  explicit PlainExecutor(const Reading& reading) : reading_(reading) {}
  // Fills the outputs: stored where the reading stores them, else at 50 digits.
  void run(StageCall& call) override;

 private:
  const Reading& reading_;
};

}  // namespace plumb
