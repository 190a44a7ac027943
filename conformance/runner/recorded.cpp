// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/recorded.h"

#include <utility>

namespace plumb::conformance {

RecordedTensors recorded_in(const fixtures::Trace& trace, const Overlay* overlay) {
  return [&trace, overlay](std::string_view name) -> Recorded {
    const fixtures::TensorEntry* entry = trace.stored_name(name);
    if (entry == nullptr) return {};
    AnyTensor found;
    if (overlay != nullptr && overlay->trace.contains(entry->name)) {
      found = overlay->trace.at(entry->name);
    } else if (Result<AnyTensor> tensor = trace.tensor(name); tensor.ok()) {
      found = std::move(tensor).value();
    }
    // An alias has its target's elements, not its shape.
    if (!found.empty() && entry->name != name) found = found.reshaped({found.size()});
    return {std::move(found), entry->name};
  };
}

}  // namespace plumb::conformance
