// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/worker_main.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "conformance/runner/worker_protocol.h"

namespace plumb::conformance {
namespace {

constexpr int kLostChannel = 70;  // EX_SOFTWARE
constexpr int kWrongUse = 2;

Control* control = nullptr;  // the first page of the shared memory

// Leaves where the fault was, then lets the signal do what it does.
void note_fault(int number, siginfo_t* info, void*) {
  control->address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  control->signal = number;
  signal(number, SIG_DFL);
  raise(number);  // delivered when the handler returns
}

void note_faults() {
  static std::array<std::byte, 65536> stack;  // a fault may be an overflow of the usual one
  stack_t alternate{};
  alternate.ss_sp = stack.data();
  alternate.ss_size = stack.size();
  sigaltstack(&alternate, nullptr);
  struct sigaction action {};
  action.sa_sigaction = note_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE}) sigaction(number, &action, nullptr);
}

// The memory of one run between its guards. The address space of the run before stays closed until
// the next is mapped, so that a pointer kept from it faults.
class Mapping {
 public:
  static std::optional<Mapping> of(const Layout& layout) {
    void* base = mmap(nullptr, layout.map_bytes, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) return std::nullopt;
    Mapping mapping(static_cast<std::byte*>(base), layout.map_bytes);
    bool all = mapping.map(layout.message);
    for (const PlacedTensor& tensor : layout.tensors) all = all && mapping.map(tensor.region);
    return all ? std::optional<Mapping>(std::move(mapping)) : std::nullopt;
  }
  Mapping(Mapping&& other) noexcept
      : base_(std::exchange(other.base_, nullptr)), bytes_(other.bytes_) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(base_, other.base_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Mapping() {
    if (base_ != nullptr) munmap(base_, bytes_);
  }

  std::byte* at(std::size_t offset) const { return base_ + offset; }
  void shut() {
    static_cast<void>(mmap(base_, bytes_, PROT_NONE,
                           MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  }

 private:
  Mapping(std::byte* base, std::size_t bytes) : base_(base), bytes_(bytes) {}
  bool map(const Region& region) const {
    const int protection = region.writable ? PROT_READ | PROT_WRITE : PROT_READ;
    return mmap(at(region.map_offset), region.bytes, protection, MAP_SHARED | MAP_FIXED,
                kWorkerMemory, static_cast<off_t>(region.file_offset)) != MAP_FAILED;
  }
  std::byte* base_;
  std::size_t bytes_;
};

// Reaps what has ended. Whether some child still lives; orphans of children count as children.
bool children_left() {
  for (;;) {
    const pid_t pid = waitpid(-1, nullptr, WNOHANG | __WALL);
    if (pid == 0) return true;
    if (pid < 0 && errno != EINTR) return false;
  }
}

Result<KernelCall> kernel_call(const CallRequest& request, const Mapping& mapping) {
  std::vector<KernelTensor> tensors;
  for (const PlacedTensor& t : request.layout.tensors) {
    tensors.push_back(
        {t.name, t.role, t.dtype, t.shape, t.strides, mapping.at(t.region.map_offset + t.offset)});
  }
  return KernelCall::make(request.stage, std::move(tensors), request.params, request.threads);
}

class Server {
 public:
  explicit Server(std::string file) : file_(std::move(file)), process_(getpid()) {}

  Bytes list() {
    load();
    if (!kernels_->ok()) return encode(Result<std::vector<KernelRow>>(kernels_->error()));
    std::vector<KernelRow> rows;
    for (const LoadedKernel& kernel : **kernels_) rows.push_back(kernel.row);
    return encode(Result<std::vector<KernelRow>>(std::move(rows)));
  }

  CallReply run(const CallRequest& request) {
    return with_call(request, [&](const LoadedKernel& kernel, const plumb_call& call, char* text) {
      return call_kernel(kernel, call, text);
    });
  }

  TimeReply time(const TimeRequest& request) {
    TimeReply reply;
    reply.seconds.reserve(request.samples);
    reply.run =
        with_call(request.run, [&](const LoadedKernel& kernel, const plumb_call& call, char* text) {
          return time_kernel(kernel, call, text, request, reply.seconds);
        });
    return reply;
  }

 private:
  void load() {
    if (!kernels_) kernels_.emplace(open_library(file_));
  }

  // Maps the tensors of a request, hands kernel, call and place for a message to `use`, and closes
  // the mapping.
  template <class Use>
  CallReply with_call(const CallRequest& request, const Use& use) {
    load();
    std::optional<Mapping> mapping = Mapping::of(request.layout);
    if (!kernels_->ok() || request.row >= (*kernels_)->size() || !mapping) {
      return {CallReply::Kind::kUnable, errno, 0};
    }
    const Result<KernelCall> call = kernel_call(request, *mapping);
    if (!call) return {CallReply::Kind::kUnable, 0, 0};
    control->base = reinterpret_cast<std::uintptr_t>(mapping->at(0));
    auto* message = reinterpret_cast<char*>(
        mapping->at(request.layout.message.map_offset + kMessageOffset % kPage));
    CallReply reply = use((**kernels_)[request.row], call->get(), message);
    mapping->shut();
    previous_ = std::move(mapping);
    return reply;
  }

  // noexcept: an exception of the candidate ends the process, and the runner sees it.
  CallReply call_kernel(const LoadedKernel& kernel, const plumb_call& call,
                        char* message) noexcept {
    CallReply reply;
    const char* reason = kernel.supports == nullptr ? nullptr : kernel.supports(&call);
    if (reason != nullptr) {
      std::memcpy(message, reason, strnlen(reason, kMessageSize - 1));
      reply.kind = CallReply::Kind::kDeclined;
    } else {
      reply.code = kernel.run(&call, message, kMessageSize);
    }
    settle(reply);
    return reply;
  }

  // The first call, which also finds the pages, is not timed. noexcept as call_kernel is.
  CallReply time_kernel(const LoadedKernel& kernel, const plumb_call& call, char* message,
                        const TimeRequest& request, std::vector<double>& seconds) noexcept {
    CallReply reply = call_kernel(kernel, call, message);
    if (reply.kind != CallReply::Kind::kReturned) return reply;
    while (reply.code == 0 && seconds.size() < request.samples) {
      const double taken = sample(kernel, call, message, request.seconds, reply.code);
      if (reply.code == 0) seconds.push_back(taken);
    }
    settle(reply);
    return reply;
  }

  // Seconds of a call, over as many as `least` seconds take. The clock is read seldom: a call may
  // take less than reading it does.
  static double sample(const LoadedKernel& kernel, const plumb_call& call, char* message,
                       double least, std::int32_t& code) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point begin = Clock::now();
    for (std::uint64_t calls = 0, next = 1;; next = calls) {
      for (std::uint64_t i = 0; i < next && code == 0; ++i) {
        code = kernel.run(&call, message, kMessageSize);
      }
      calls += next;
      const double taken = std::chrono::duration<double>(Clock::now() - begin).count();
      if (code != 0 || taken >= least) return taken / static_cast<double>(calls);
    }
  }

  void settle(CallReply& reply) const {
    while (getpid() != process_) pause();  // a child that came back from the call: left behind
    std::fflush(nullptr);
    if (children_left()) reply.children_left = 1;
  }

  std::string file_;
  pid_t process_;
  std::optional<Result<std::vector<LoadedKernel>>> kernels_;
  std::optional<Mapping> previous_;
};

bool receive(std::byte* to, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t n = recv(kWorkerSocket, to, bytes, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) _exit(kLostChannel);
    if (n == 0) return false;
    to += n;
    bytes -= static_cast<std::size_t>(n);
  }
  return true;
}

void answer(const Bytes& reply) {
  for (std::size_t sent = 0; sent < reply.size();) {
    const ssize_t n = send(kWorkerSocket, reply.data() + sent, reply.size() - sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) _exit(kLostChannel);
    sent += static_cast<std::size_t>(n);
  }
}

template <class Request>
Request decoded(ByteReader& reader) {
  Request request;
  if (!decode(reader, request)) _exit(kLostChannel);
  return request;
}

void serve(Server& server) {
  for (;;) {
    std::uint64_t length = 0;
    if (!receive(reinterpret_cast<std::byte*>(&length), sizeof length)) return;
    Bytes request(length);
    if (!receive(request.data(), request.size())) return;
    ByteReader reader(request);
    switch (reader.get<Verb>()) {
      case Verb::kList:
        answer(server.list());
        break;
      case Verb::kRun:
        answer(encode(server.run(decoded<CallRequest>(reader))));
        break;
      case Verb::kTime:
        answer(encode(server.time(decoded<TimeRequest>(reader))));
        break;
      default:
        _exit(kLostChannel);
    }
  }
}

bool set_up() {
  if (fcntl(kWorkerSocket, F_SETFD, FD_CLOEXEC) != 0 ||
      fcntl(kWorkerMemory, F_SETFD, FD_CLOEXEC) != 0) {
    return false;
  }
  void* page = mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_SHARED, kWorkerMemory, 0);
  if (page == MAP_FAILED) return false;
  control = static_cast<Control*>(page);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  note_faults();
  return true;
}

}  // namespace

int worker_main(int argc, char** argv) {
  const bool words = argc == 4 && std::string_view(argv[1]) == "worker" &&
                     std::string_view(argv[2]) == "--library";
  if (!words || !set_up()) {
    std::fputs("worker: started by plumb itself, not by hand; see plumb run --lib\n", stderr);
    return kWrongUse;
  }
  Server server(argv[3]);
  serve(server);
  _exit(0);
}

}  // namespace plumb::conformance
