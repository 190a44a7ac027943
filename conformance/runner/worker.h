// SPDX-License-Identifier: Apache-2.0
// Worker: a candidate library in a process of its own, and one case at a time run in it.
//
// Guarded: the runner survives whatever the library does. A case runs twice, with other poison,
// alignment and strides. Seen are writes outside a writable tensor (by a guard page or a canary),
// changed inputs, unwritten elements, outputs that differ between the runs, child processes left
// behind, crashes, exits and calls that do not end. A read outside a tensor faults at a guard page,
// or meets other bytes in the second run.
//
// Not guarded: a candidate that means to cheat (it shares a process with the code that answers for
// it); writes that land in the worker's own heap and stay there; writes of a thread after the call
// has returned; a write that puts back the canary that was there; device memory, of which only what
// is copied back to host memory is seen; files, network, other processes.
//
// Use one Worker from one thread, which must outlive it: the process dies with the thread that
// started it.
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "conformance/abi/kernel.h"
#include "conformance/runner/library.h"
#include "conformance/runner/worker_result.h"

namespace plumb::conformance {

struct WorkerOptions {
  std::string executable;  // runs worker_main for the arguments `worker --library L`
  std::string library;
  std::chrono::milliseconds time_limit{10'000};  // of one case, both runs
  std::chrono::milliseconds start_limit{
      60'000};           // of starting a process and opening the library in it
  int threads = 1;       // how many the kernel is told it may use
  bool pad_rows = true;  // pads the rows of outputs in the second run
};

// How a call is timed.
struct Sampling {
  std::size_t samples = 5;
  double seconds = 0.05;  // that the calls of a sample take together, at least
};

class Worker {
 public:
  explicit Worker(WorkerOptions options);
  Worker(Worker&&) noexcept;
  Worker& operator=(Worker&&) noexcept;
  ~Worker();  // ends the process and whatever it started

  // The library's rows. An error when it cannot be opened, crashes or hangs doing so, or has a bad
  // table.
  Result<std::vector<KernelRow>> rows();

  // Runs row `row` on `call`; one role a tensor, as the stage's schema says. Outputs, taps and
  // scratch must be allocated for their shape and type; what they hold is neither passed on nor
  // changed. Empty tensors are left out of the call. After kCrashed, kTimedOut and kExited the next
  // case gets a new process, and so does what follows a child process left behind.
  //
  // An Error means that the case was not run, for a reason that is not the kernel's.
  Result<CaseResult> run(std::size_t row, const StageCall& call, std::span<const plumb_role> roles);

  // Seconds of a call, one number a sample, on tensors as the first run of a case has them; what
  // the calls write is neither looked at nor put back in between. The time limit is that of a case.
  // Time what has passed a case: anything but success, of the kernel or the worker, is an Error.
  Result<std::vector<double>> time(std::size_t row, const StageCall& call,
                                   std::span<const plumb_role> roles, const Sampling& sampling);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace plumb::conformance
