// SPDX-License-Identifier: Apache-2.0
// Has another executor do each call and keeps what it gave, under the names that traces use. What a
// reading does not store is rounded to a type that a trace can hold, and goes on so: a stage's
// inputs are then the recorded ones.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/registry/schema.h"
#include "reference/tensor/stage_call.h"

namespace plumb::conformance {

// Names under which a trace may hold an output of a call, the preferred one first: the call's own,
// then path + suffix. None for an output that traces cannot tell from another of the same call.
std::vector<std::string> trace_names(const StageSchema& schema, const StageCall& call,
                                     const TensorSchema& output);

class RecordingExecutor : public Executor {
 public:
  explicit RecordingExecutor(Executor& inner) : inner_(inner) {}

  // What the names of the following calls begin with: "step3." or nothing.
  void begin_step(std::string prefix) { prefix_ = std::move(prefix); }

  void run(StageCall& call) override;

  // In order of execution. A name that a later call gives anew holds the later tensor.
  const std::vector<NamedTensor>& tensors() const { return tensors_; }
  // Further names -> the name under which the tensor stands in `tensors`.
  const std::map<std::string, std::string, std::less<>>& aliases() const { return aliases_; }
  // The tensor of that name, or null.
  const AnyTensor* find(std::string_view name) const;

 private:
  void keep(const std::string& name, const AnyTensor& tensor);

  Executor& inner_;
  std::string prefix_;
  std::vector<NamedTensor> tensors_;
  std::map<std::string, std::size_t, std::less<>> places_;
  std::map<std::string, std::string, std::less<>> aliases_;
};

}  // namespace plumb::conformance
