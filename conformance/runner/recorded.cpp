// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/recorded.h"

#include <utility>

namespace plumb::conformance {

RecordedTensors recorded_in(const fixtures::Trace& trace, const Overlay* overlay) {
  return [&trace, overlay](std::string_view name) -> Recorded {
    const fixtures::TensorEntry* entry = trace.stored_name(name);
    if (entry == nullptr) return {};
    if (overlay != nullptr) {
      const auto instead = overlay->trace.find(entry->name);
      if (instead != overlay->trace.end()) return {instead->second, entry->name};
    }
    Result<AnyTensor> tensor = trace.tensor(name);
    if (!tensor.ok()) return {};
    return {std::move(tensor).value(), entry->name};
  };
}

}  // namespace plumb::conformance
