// SPDX-License-Identifier: Apache-2.0
// What this executable was made from: `plumb --version`, the head of every verdict file, "build" in
// every JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "conformance/verdict/verdict.h"

namespace plumb::tools {

const conformance::BuildInfo& build_info();
// Several lines for a person, the first one "plumb 0.1.0 (commit)".
std::string build_text();
nlohmann::ordered_json build_json();

// Prints {"schema": "plumb.<noun>/1", "build": {...}, "<noun>": rows} on standard output.
void print_json(const std::string& noun, nlohmann::ordered_json rows);

}  // namespace plumb::tools
