// SPDX-License-Identifier: Apache-2.0
// A stage that consists of other stages calls them by this.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reference/stages/stage.h"

namespace plumb::reference {

// The output `name` of a stage without parameters.
template <class T>
AnyTensor result_of(const Arithmetic& arithmetic, std::string stage,
                    std::vector<NamedTensor> tensors, std::string_view name) {
  StageCall part{std::move(stage), std::move(tensors), {}, {}};
  find_reference(part.stage)->run<T>(arithmetic, part);
  return part.tensor(name);
}

}  // namespace plumb::reference
