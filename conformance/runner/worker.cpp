// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/worker.h"

#include <cstring>
#include <numeric>
#include <optional>
#include <utility>

#include "conformance/runner/worker_guard.h"
#include "conformance/runner/worker_process.h"

namespace plumb::conformance {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kKeptMemory = std::size_t{64} << 20;  // between cases

constexpr std::string_view kSanitizerReport = "ERROR: AddressSanitizer";

// One case on its way through a worker.
struct Case {
  std::size_t row;
  const StageCall& call;
  std::span<const plumb_role> roles;
  std::size_t alignment;
  Clock::duration time_left;
  CaseResult result;
};

// Why there are no times, given what the kernel wrote; empty when there are.
std::string why_untimed(const CallReply& reply, const std::string& message) {
  if (reply.kind == CallReply::Kind::kUnable) return "its worker could not map the case";
  if (reply.kind == CallReply::Kind::kDeclined) return "declined: " + message;
  if (reply.code != 0) return "returned " + std::to_string(reply.code) + ": " + message;
  return reply.children_left != 0 ? "left a child process behind" : "";
}

}  // namespace

class Worker::Implementation {
 public:
  explicit Implementation(WorkerOptions options) : options_(std::move(options)) {}

  Result<std::vector<KernelRow>> rows() {
    if (const Status status = ensure_started(); !status.ok()) return status.error();
    return *rows_;
  }
  Result<CaseResult> run(std::size_t row, const StageCall& call, std::span<const plumb_role> roles);
  Result<std::vector<double>> time(std::size_t row, const StageCall& call,
                                   std::span<const plumb_role> roles, const Sampling& sampling);

 private:
  Status ensure_started();
  Status check_row(std::size_t row);
  Status start();
  Result<std::vector<KernelRow>> ask_for_rows();

  // Both runs; afterwards result.outcome says whether there is anything to compare.
  Status run_twice(Case& c);
  // Lays the tensors out, in memory that a running worker shares.
  Result<Layout> place(const Case& c, Pass pass, bool pad_rows);
  CallRequest request_of(const Case& c, const Layout& layout) const;
  // Places, runs, inspects.
  Result<Layout> run_once(Case& c, Pass pass, bool pad_rows);
  void end_badly(WorkerProcess::Answer answer, const Layout& layout, CaseResult& result);
  void take_outputs(const Layout& layout, Pass pass, CaseResult& result) const;

  // What the kernel wrote as a reason.
  std::string message() const;
  // ", at 12 byte(s) behind the last of out tensor 'y'", or nothing.
  std::string fault_place(const Layout& layout) const;

  WorkerOptions options_;
  std::optional<SharedMemory> memory_;
  std::unique_ptr<WorkerProcess> process_;
  std::optional<std::vector<KernelRow>> rows_;
  std::optional<Ending> ended_between_;
};

Status Worker::Implementation::ensure_started() {
  if (process_ && process_->ended()) {
    ended_between_ = process_->end();
    process_.reset();
  }
  return process_ ? Status(Nothing{}) : start();
}

Status Worker::Implementation::check_row(std::size_t row) {
  if (Status status = ensure_started(); !status.ok()) return status;
  if (row < rows_->size()) return Nothing{};
  return Error{options_.library + ": has no row " + std::to_string(row) + ", only " +
               std::to_string(rows_->size())};
}

Status Worker::Implementation::start() {
  if (!memory_) {
    Result<SharedMemory> memory = SharedMemory::create();
    if (!memory) return memory.error();
    memory_.emplace(std::move(memory).value());
  }
  if (Status status = memory_->reserve(2 * kPage); !status.ok()) return status;
  std::memset(memory_->data(), 0, kPage);
  auto process = WorkerProcess::start(options_.executable, options_.library, *memory_);
  if (!process) return process.error();
  process_ = std::move(process).value();
  Result<std::vector<KernelRow>> rows = ask_for_rows();
  if (!rows) {
    process_.reset();
    return rows.error();
  }
  if (rows_ && *rows_ != *rows) {
    process_.reset();
    return Error{options_.library + ": gives other rows than when it was opened first"};
  }
  rows_ = std::move(rows).value();
  return Nothing{};
}

Result<std::vector<KernelRow>> Worker::Implementation::ask_for_rows() {
  Bytes reply;
  const auto answer =
      process_->exchange(list_request(), Clock::now() + options_.start_limit, reply);
  switch (answer) {
    case WorkerProcess::Answer::kReply:
      return decode_rows(reply, options_.library);
    case WorkerProcess::Answer::kNonsense:
      return Error{options_.library + ": its worker answered with bytes that are no reply"};
    case WorkerProcess::Answer::kTimedOut:
      return Error{options_.library + ": opening it took more than " +
                   std::to_string(options_.start_limit.count()) + " ms"};
    case WorkerProcess::Answer::kEnded:
      break;
  }
  const Ending ending = process_->end();
  const std::string& printed = process_->output();
  return Error{options_.library + ": opening it ended the worker: " + to_string(ending) +
               (printed.empty() ? "" : "; it printed: " + printed)};
}

std::string Worker::Implementation::message() const {
  const auto* text = reinterpret_cast<const char*>(memory_->data() + kMessageOffset);
  return {text, strnlen(text, kMessageSize - 1)};
}

std::string Worker::Implementation::fault_place(const Layout& layout) const {
  Control c{};
  std::memcpy(&c, memory_->data(), sizeof c);
  const bool near =
      c.signal != 0 && c.base != 0 && c.address >= c.base && c.address - c.base < layout.map_bytes;
  const std::string where = near ? describe(layout, c.address - c.base) : "";
  return where.empty() ? "" : ", at " + where;
}

void Worker::Implementation::end_badly(WorkerProcess::Answer answer, const Layout& layout,
                                       CaseResult& result) {
  const Ending ending = process_->end();
  result.output = process_->output();
  result.code = ending.code;
  const bool sanitizer = result.output.find(kSanitizerReport) != std::string::npos;
  if (answer == WorkerProcess::Answer::kTimedOut) {
    result.outcome = RunOutcome::kTimedOut;
    result.message = "no answer within " + std::to_string(options_.time_limit.count()) + " ms";
  } else if (answer == WorkerProcess::Answer::kNonsense) {
    result.outcome = RunOutcome::kFailed;
    result.message = "its worker answered with bytes that are no reply";
  } else if (ending.by_signal || sanitizer) {
    result.outcome = RunOutcome::kCrashed;
    result.message = to_string(ending) + fault_place(layout);
  } else {
    result.outcome = RunOutcome::kExited;
    result.message = "ended its process: " + to_string(ending);
  }
  process_.reset();
}

Result<Layout> Worker::Implementation::place(const Case& c, Pass pass, bool pad_rows) {
  Result<Layout> layout = lay_out(c.call, c.roles, c.alignment, pass, pad_rows);
  if (!layout) return layout;
  if (const Status status = ensure_started(); !status.ok()) return status.error();
  if (const Status status = memory_->reserve(layout->file_bytes); !status.ok()) {
    return status.error();
  }
  std::memset(memory_->data(), 0, sizeof(Control));
  fill(*layout, c.call, pass, memory_->data());
  return layout;
}

CallRequest Worker::Implementation::request_of(const Case& c, const Layout& layout) const {
  return {static_cast<std::uint32_t>(c.row), options_.threads, c.call.stage, c.call.params, layout};
}

Result<Layout> Worker::Implementation::run_once(Case& c, Pass pass, bool pad_rows) {
  Result<Layout> layout = place(c, pass, pad_rows);
  if (!layout) return layout;
  const Bytes request = encode(request_of(c, *layout));
  Bytes bytes;
  const Clock::time_point begin = Clock::now();
  auto answer = process_->exchange(request, begin + c.time_left, bytes);
  const Clock::duration taken = Clock::now() - begin;
  c.time_left -= taken;
  c.result.seconds += std::chrono::duration<double>(taken).count();
  CallReply reply;
  if (answer == WorkerProcess::Answer::kReply && !decode(bytes, reply)) {
    answer = WorkerProcess::Answer::kNonsense;
  }
  if (answer != WorkerProcess::Answer::kReply) {
    end_badly(answer, *layout, c.result);
    return layout;
  }
  if (reply.kind == CallReply::Kind::kUnable) {
    process_.reset();
    return Error{options_.library + ": its worker could not map the case"};
  }
  const bool declined = reply.kind == CallReply::Kind::kDeclined;
  c.result.outcome = declined          ? RunOutcome::kDeclined
                     : reply.code != 0 ? RunOutcome::kFailed
                                       : RunOutcome::kRan;
  c.result.code = reply.code;
  c.result.message = c.result.outcome == RunOutcome::kRan ? "" : message();
  inspect(*layout, c.call, pass, memory_->data(), c.result.faults);
  if (c.result.outcome == RunOutcome::kRan) take_outputs(*layout, pass, c.result);
  if (reply.children_left != 0) {
    c.result.faults.push_back(
        {FaultKind::kProcessLeft,
         {},
         number_of(pass),
         1,
         0,
         "run " + std::to_string(number_of(pass)) + " left a child process behind; it was killed"});
    c.result.output = process_->output();
    process_.reset();  // with all that it started
  }
  return layout;
}

void Worker::Implementation::take_outputs(const Layout& layout, Pass pass,
                                          CaseResult& result) const {
  for (const PlacedTensor& t : layout.tensors) {
    if (t.role == PLUMB_IN || t.role == PLUMB_SCRATCH) continue;
    result.outputs[pass == Pass::kFirst ? 0 : 1].push_back({t.name, take(t, memory_->data())});
  }
}

Status Worker::Implementation::run_twice(Case& c) {
  const Result<Layout> first = run_once(c, Pass::kFirst, false);
  if (!first) return first.error();
  if (c.result.outcome != RunOutcome::kRan) return Nothing{};
  Result<Layout> second = run_once(c, Pass::kSecond, options_.pad_rows);
  if (second.ok() && c.result.outcome == RunOutcome::kDeclined && options_.pad_rows) {
    c.result.padding_declined = true;
    second = run_once(c, Pass::kSecond, false);
  }
  return second.ok() ? Status(Nothing{}) : second.error();
}

Result<CaseResult> Worker::Implementation::run(std::size_t row, const StageCall& call,
                                               std::span<const plumb_role> roles) {
  if (const Status status = check_row(row); !status.ok()) return status.error();
  Case c{row, call, roles, (*rows_)[row].alignment, options_.time_limit, {}};
  process_->forget_output();
  if (ended_between_) {
    c.result.faults.push_back(
        {FaultKind::kEndedBetween,
         {},
         0,
         1,
         0,
         "the worker ended after the case before: " + to_string(*ended_between_)});
    ended_between_.reset();
  }
  if (const Status status = run_twice(c); !status.ok()) return status.error();
  if (c.result.outcome == RunOutcome::kRan) {
    compare_runs(call, roles, c.result);
  } else {
    c.result.outputs = {};
  }
  if (process_) c.result.output += process_->output();
  memory_->release_behind(kKeptMemory);
  return std::move(c.result);
}

Result<std::vector<double>> Worker::Implementation::time(std::size_t row, const StageCall& call,
                                                         std::span<const plumb_role> roles,
                                                         const Sampling& sampling) {
  if (const Status status = check_row(row); !status.ok()) return status.error();
  Case c{row, call, roles, (*rows_)[row].alignment, options_.time_limit, {}};
  const Result<Layout> layout = place(c, Pass::kFirst, false);
  if (!layout) return layout.error();
  const Bytes request = encode(TimeRequest{
      request_of(c, *layout), static_cast<std::uint32_t>(sampling.samples), sampling.seconds});
  const auto failed = [&](const std::string& why) {
    const KernelRow& kernel = (*rows_)[row];
    return Error{options_.library + ": " + kernel.stage + "." + kernel.variant +
                 ", while it was timed: " + why};
  };
  Bytes bytes;
  const Clock::time_point begin = Clock::now();
  auto answer = process_->exchange(request, begin + options_.time_limit, bytes);
  const double taken = std::chrono::duration<double>(Clock::now() - begin).count();
  TimeReply reply;
  const bool is_reply = answer == WorkerProcess::Answer::kReply &&
                        decode(bytes, sampling.samples, reply) &&
                        std::accumulate(reply.seconds.begin(), reply.seconds.end(), 0.0) <= taken;
  if (answer == WorkerProcess::Answer::kReply && !is_reply) {
    answer = WorkerProcess::Answer::kNonsense;
  }
  if (answer != WorkerProcess::Answer::kReply) {
    end_badly(answer, *layout, c.result);
    return failed(c.result.message);
  }
  const std::string why = why_untimed(reply.run, message());
  if (reply.run.children_left != 0 || reply.run.kind == CallReply::Kind::kUnable) process_.reset();
  memory_->release_behind(kKeptMemory);
  if (!why.empty()) return failed(why);
  return std::move(reply.seconds);
}

Worker::Worker(WorkerOptions options)
    : implementation_(std::make_unique<Implementation>(std::move(options))) {}
Worker::Worker(Worker&&) noexcept = default;
Worker& Worker::operator=(Worker&&) noexcept = default;
Worker::~Worker() = default;

Result<std::vector<KernelRow>> Worker::rows() { return implementation_->rows(); }

Result<CaseResult> Worker::run(std::size_t row, const StageCall& call,
                               std::span<const plumb_role> roles) {
  return implementation_->run(row, call, roles);
}

Result<std::vector<double>> Worker::time(std::size_t row, const StageCall& call,
                                         std::span<const plumb_role> roles,
                                         const Sampling& sampling) {
  return implementation_->time(row, call, roles, sampling);
}

}  // namespace plumb::conformance
