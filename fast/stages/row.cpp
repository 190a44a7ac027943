// SPDX-License-Identifier: Apache-2.0
#include "fast/stages/row.h"

#include <array>

namespace plumb::fast {
namespace {

thread_local const char* last = "";

}  // namespace

void set_last_target(const char* name) { last = name; }
const char* last_target() { return last; }

std::int64_t& supported_targets() {
  static std::int64_t targets = hwy::SupportedTargets();
  return targets;
}

const char* missing_target(std::int64_t target) {
  if (target == kScalarTarget || (supported_targets() & target) != 0) return nullptr;
  thread_local std::array<char, 80> reason;
  std::snprintf(reason.data(), reason.size(), "this processor lacks the instructions of %s",
                hwy::TargetName(target));
  return reason.data();
}

}  // namespace plumb::fast
