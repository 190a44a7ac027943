// SPDX-License-Identifier: Apache-2.0
// The readings, one row each.
#pragma once

#include <string_view>
#include <vector>

#include "reference/scalar/reading.h"

namespace plumb {

const std::vector<Reading>& all_readings();
// Null when there is none of that name.
const Reading* find_reading(std::string_view name);

}  // namespace plumb
