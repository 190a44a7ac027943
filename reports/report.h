// SPDX-License-Identifier: Apache-2.0
// What a verdict file tells people. Pure functions from a file that was read to a text; every
// string that came from a file or a plug-in is escaped for where it goes.
#pragma once

#include <string>

#include "conformance/verdict/verdict.h"

namespace plumb::reports {

// For a terminal: a row a stage and kernel, each failure with the line that runs it again, what was
// skipped, the totals. ANSI colours when asked for.
std::string terminal_summary(const conformance::VerdictFile& file, bool colour);

// JUnit XML: a suite a stage, a test a verdict. A run that was cut short, or in which nothing
// passed, is a failing test of its own.
std::string junit_xml(const conformance::VerdictFile& file);

// One HTML page without external resources or scripts.
std::string html_page(const conformance::VerdictFile& file);

}  // namespace plumb::reports
