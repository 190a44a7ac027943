// SPDX-License-Identifier: Apache-2.0
// The table of references: for each stage, its adapter from a StageCall in the four number types.
#pragma once

#include <string_view>
#include <vector>

#include "reference/exact/operand.h"
#include "reference/tensor/stage_call.h"

namespace plumb {

struct StageReference {
  std::string_view name;
  // Computes the outputs of a call whose tensors and parameters the schema has checked.
  void (*real)(const Arithmetic&, StageCall&);
  void (*real_wide)(const Arithmetic&, StageCall&);
  void (*tracked)(const Arithmetic&, StageCall&);
  void (*quick)(const Arithmetic&, StageCall&);  // in double

  template <class T>
  void run(const Arithmetic& arithmetic, StageCall& call) const {
    if constexpr (std::is_same_v<T, Real>) real(arithmetic, call);
    if constexpr (std::is_same_v<T, RealWide>) real_wide(arithmetic, call);
    if constexpr (std::is_same_v<T, Tracked>) tracked(arithmetic, call);
    if constexpr (std::is_same_v<T, double>) quick(arithmetic, call);
  }
};

// The tensor of that name, or an empty one: a handle, which stays good when outputs join the call.
inline AnyTensor optional_tensor(const StageCall& call, std::string_view name) {
  const AnyTensor* tensor = call.find(name);
  return tensor == nullptr ? AnyTensor() : *tensor;
}

const std::vector<StageReference>& all_references();
const StageReference* find_reference(std::string_view stage);

}  // namespace plumb
