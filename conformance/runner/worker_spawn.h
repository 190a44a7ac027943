// SPDX-License-Identifier: Apache-2.0
// What a worker's process gets when it starts, and the end of what it started itself.
#pragma once

#include <sys/types.h>

#include <string>

#include "conformance/runner/shared_memory.h"

namespace plumb::conformance {

// Starts `<executable> worker --library <library>` in a process group of its own, with default
// signals, no input, both outputs to `printed`, and no other descriptor than the socket and the
// memory. Never forks alone: the runner may have threads. Descriptors lie above those that the
// worker gets (above 9).
Result<pid_t> spawn_worker(const std::string& executable, const std::string& library,
                           const Descriptor& socket, const Descriptor& memory,
                           const Descriptor& printed);

// Kills every process that descends from `ancestor`, in whatever group or session, and not itself.
// Orphans of a worker become its own children, so none is missed while it exists.
void kill_descendants(pid_t ancestor);

}  // namespace plumb::conformance
