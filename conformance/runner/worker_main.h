// SPDX-License-Identifier: Apache-2.0
// The worker's side: the one place that opens a candidate library and calls it.
#pragma once

namespace plumb::conformance {

// `<program> worker --library L`, started by a Worker, which leaves a socket and the shared memory
// open. Serves until the socket closes; 2 when started by hand. Never returns into a candidate's
// destructors.
int worker_main(int argc, char** argv);

}  // namespace plumb::conformance
