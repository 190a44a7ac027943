// SPDX-License-Identifier: Apache-2.0
// A strict little reader of tags, for tests: what we write as HTML and XML closes every element,
// quotes every attribute and escapes every ampersand.
#pragma once

#include <string>
#include <string_view>

namespace plumb::reports {

// Empty when the text is well-formed; else what is wrong and where.
std::string well_formed_violation(std::string_view text);

}  // namespace plumb::reports
