// SPDX-License-Identifier: Apache-2.0
#include "tools/plumb/verb.h"

#include <fmt/format.h>

#include <cstdio>

#include "reference/base/require.h"
#include "tools/plumb/terminal.h"

namespace plumb::tools {

std::string Options::word(std::string_view name, std::string_view fallback) const {
  const auto found = given_.find(name);
  return found == given_.end() ? std::string(fallback) : found->second.back();
}

std::vector<std::string> Options::words(std::string_view name) const {
  const auto found = given_.find(name);
  return found == given_.end() ? std::vector<std::string>{} : found->second;
}

std::int64_t Options::integer(std::string_view name, std::int64_t fallback) const {
  const auto found = given_.find(name);
  return found == given_.end() ? fallback : std::stoll(found->second.back());
}

Exit report(Exit exit, std::string_view message) {
  fmt::print(stderr, "{}\n", escaped("error: " + std::string(message)));
  return exit;
}

}  // namespace plumb::tools
