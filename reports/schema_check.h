// SPDX-License-Identifier: Apache-2.0
// Does a JSON text conform to one of reports/schemas? For tests. Knows the keywords that our
// schemas use and refuses a schema that uses another, so that nothing is left unchecked in silence.
#pragma once

#include <string>
#include <string_view>

namespace plumb::reports {

// Empty when it conforms; else where it does not, and why: "/tensors/0/judged: must be of type
// integer".
std::string schema_violation(std::string_view schema, std::string_view text);

}  // namespace plumb::reports
