// SPDX-License-Identifier: Apache-2.0
// Verdict files made up for the tests of reports. Nothing in them was measured.
#pragma once

#include "conformance/verdict/verdict.h"

namespace plumb::reports {

// Two dozen stages by three kernels with every outcome in it; always the same.
conformance::VerdictFile crowded_sample();
// A judged trace of four layers, with one failure.
conformance::VerdictFile trace_sample();
// A header and a summary.
conformance::VerdictFile empty_sample();
// Every string is an attack on HTML, XML or the terminal.
conformance::VerdictFile hostile_sample();

}  // namespace plumb::reports
