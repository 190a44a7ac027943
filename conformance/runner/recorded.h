// SPDX-License-Identifier: Apache-2.0
// A trace's tensors as the check executor asks for them.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "conformance/runner/check.h"
#include "fixtures/io/trace.h"

namespace plumb::conformance {

// Tensors that stand in for stored ones, by the name in the file.
struct Overlay {
  std::map<std::string, AnyTensor, std::less<>> trace, weights;
};

// `overlay` may be null.
RecordedTensors recorded_in(const fixtures::Trace& trace, const Overlay* overlay = nullptr);

}  // namespace plumb::conformance
