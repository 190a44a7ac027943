// SPDX-License-Identifier: Apache-2.0
// What earlier tokens leave for later ones, one entry a layer.
#pragma once

#include <vector>

#include "reference/tensor/any_tensor.h"

namespace plumb::reference::r1 {

// Expanded keys [B,NH,T,NO+RO] and values [B,NH,T,VD] (HF), or latents [B,1,T,KR] and rotary keys
// [B,1,T,RO] (INF's absorbed form). Empty before the first call.
struct LayerCache {
  AnyTensor keys;
  AnyTensor values;
};

struct Cache {
  explicit Cache(std::size_t layer_count) : layers(layer_count) {}
  std::vector<LayerCache> layers;
  Index length = 0;  // tokens held
};

}  // namespace plumb::reference::r1
