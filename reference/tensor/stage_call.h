// SPDX-License-Identifier: Apache-2.0
// StageCall: one invocation of one stage, its tensors and parameters by name. Everything that runs
// a stage (a reference, a kernel, a trace check, a test) does so through this shape.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "reference/tensor/any_tensor.h"

namespace plumb {

struct NamedTensor {
  std::string name;  // as the stage's schema spells it
  AnyTensor tensor;  // empty: an output not computed yet, or an optional tensor left out
};

using ParamValue = std::variant<std::int64_t, double, std::string>;

struct NamedParam {
  std::string name;
  ParamValue value;
};

// Where in a forward pass a call stands. `path` is the module path that checkpoints and traces use,
// without the leading "model.": "layers.1.input_layernorm".
struct Site {
  std::string path;
  int layer = -1;  // -1: outside the layers
  int step = 0;    // 0: prefill
  // Names of outputs in traces where they are not `path` + the schema's suffix, as {tensor, name}.
  std::vector<std::pair<std::string, std::string>> names = {};
};

struct StageCall {
  std::string stage;
  std::vector<NamedTensor> tensors;
  std::vector<NamedParam> params;
  Site site;

  // The tensor or parameter of that name, or null.
  const AnyTensor* find(std::string_view name) const;
  AnyTensor* find(std::string_view name);
  const ParamValue* find_param(std::string_view name) const;

  // For names that the schema guarantees: absence is a broken promise.
  const AnyTensor& tensor(std::string_view name) const;
  AnyTensor& tensor(std::string_view name);
  std::int64_t integer(std::string_view name) const;
  double number(std::string_view name) const;
  const std::string& word(std::string_view name) const;

  // Adds a tensor or replaces the one of that name.
  void set(std::string_view name, AnyTensor tensor);
};

// Does one call: fills the output tensors of `call`. A forward pass calls stages through nothing
// else.
class Executor {
 public:
  virtual ~Executor() = default;
  virtual void run(StageCall& call) = 0;
};

}  // namespace plumb
