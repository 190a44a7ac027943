// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/recorded.h"

#include <utility>

namespace plumb::conformance {

RecordedTensors recorded_in(const fixtures::Trace& trace) {
  return [&trace](std::string_view name) -> Recorded {
    const fixtures::TensorEntry* entry = trace.stored_name(name);
    if (entry == nullptr) return {};
    Result<AnyTensor> tensor = trace.tensor(name);
    if (!tensor.ok()) return {};
    return {std::move(tensor).value(), entry->name};
  };
}

}  // namespace plumb::conformance
