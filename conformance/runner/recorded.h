// SPDX-License-Identifier: Apache-2.0
// A trace's tensors as the check executor asks for them.
#pragma once

#include "conformance/runner/check.h"
#include "fixtures/io/trace.h"

namespace plumb::conformance {

RecordedTensors recorded_in(const fixtures::Trace& trace);

}  // namespace plumb::conformance
