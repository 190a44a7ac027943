// SPDX-License-Identifier: Apache-2.0
// Text from strangers, made harmless for where it is printed. Invalid UTF-8 becomes U+FFFD
// everywhere.
#pragma once

#include <string>
#include <string_view>

namespace plumb::reports {

// Markup characters as entities; controls and characters that turn the direction of text are shown
// by their number, "[U+202E]". Fit for element content and quoted attributes.
std::string html(std::string_view text);

// As XML 1.0: markup as entities, line ends and tabs as character references (an attribute keeps
// them), and characters that XML cannot hold at all shown by their number.
std::string xml(std::string_view text);

// One line: controls (line ends and escape sequences above all) and direction marks shown by their
// number.
std::string terminal(std::string_view text);

// At most `most` code points, the last one an ellipsis when something was cut.
std::string shortened(std::string_view text, std::size_t most);

}  // namespace plumb::reports
