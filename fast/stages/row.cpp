// SPDX-License-Identifier: Apache-2.0
#include "fast/stages/row.h"

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
  thread_local std::string reason;
  reason = std::string("this processor lacks the instructions of ") + hwy::TargetName(target);
  return reason.c_str();
}

}  // namespace plumb::fast
