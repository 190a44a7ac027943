// SPDX-License-Identifier: Apache-2.0
// Facts that change without a change of the build's configuration; tools/cmake/PlumbBuildInfo.cmake
// writes their values at build time.
#pragma once

#include <string_view>

namespace plumb::tools::facts {

extern const std::string_view kCommit;          // twelve digits, or "unknown" outside a clone
extern const bool kDirty;                       // the tree differed from that commit
extern const std::string_view kRegistryDigest;  // SHA-256 over reference/registry

}  // namespace plumb::tools::facts
