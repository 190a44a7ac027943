// SPDX-License-Identifier: Apache-2.0
// One worker process: started, spoken to, ended together with whatever it started.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "conformance/runner/shared_memory.h"
#include "conformance/runner/worker_protocol.h"

namespace plumb::conformance {

using Deadline = std::chrono::steady_clock::time_point;

// How a process ended: by a signal, or with a status.
struct Ending {
  bool by_signal = false;
  int code = 0;
};
// "segmentation fault (signal 11)", "exit status 3"
std::string to_string(const Ending& ending);

class WorkerProcess {
 public:
  // Runs `<executable> worker --library <library>` in a process group of its own.
  static Result<std::unique_ptr<WorkerProcess>> start(const std::string& executable,
                                                      const std::string& library,
                                                      const SharedMemory& memory);
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;
  ~WorkerProcess();

  enum class Answer { kReply, kNonsense, kEnded, kTimedOut };
  // Sends a message and waits for the answer. After anything but kReply the process is of no more
  // use.
  Answer exchange(const Bytes& request, Deadline deadline, Bytes& reply);

  // Whether it has ended by itself.
  bool ended();
  // Kills the process, its group and its descendants, and reaps it. How it ended if that was
  // before.
  Ending end();

  // What it printed last, at most 4 KiB, since the last call of forget_output.
  const std::string& output();
  void forget_output() { output_.clear(); }

 private:
  WorkerProcess() = default;
  bool send_some(const Bytes& request, std::size_t& sent);
  // False when the peer is gone or talks nonsense.
  bool receive_some(Bytes& received, bool& nonsense);
  void read_output();

  pid_t pid_ = -1;
  Descriptor handle_;  // pidfd: readable when the process has ended
  Descriptor socket_;
  Descriptor printed_;
  std::string output_;
  std::optional<Ending> ending_;
};

}  // namespace plumb::conformance
