// SPDX-License-Identifier: Apache-2.0
// Where a forward pass gets its weights: a checkpoint, a generator, a test.
#pragma once

#include <string_view>

#include "reference/tensor/any_tensor.h"

namespace plumb::reference::r1 {

class WeightSource {
 public:
  virtual ~WeightSource() = default;
  // The tensor of that checkpoint name, or an empty one when there is none.
  virtual AnyTensor find(std::string_view name) const = 0;
};

}  // namespace plumb::reference::r1
