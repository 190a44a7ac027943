// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/worker_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "conformance/runner/worker_spawn.h"

namespace plumb::conformance {
namespace {

constexpr std::size_t kOutputBytes = 4096;
constexpr int kReapMilliseconds = 10'000;
constexpr int kLowestDescriptor = 10;  // above those that a worker gets

Descriptor lifted(int fd) {
  const int high = fcntl(fd, F_DUPFD_CLOEXEC, kLowestDescriptor);
  close(fd);
  return Descriptor(high);
}

int milliseconds_until(Deadline deadline) {
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 3'600'000));
}

}  // namespace

std::string to_string(const Ending& ending) {
  if (!ending.by_signal) return "exit status " + std::to_string(ending.code);
  const char* name = sigdescr_np(ending.code);
  return std::string(name == nullptr ? "killed" : name) + " (signal " +
         std::to_string(ending.code) + ")";
}

Result<std::unique_ptr<WorkerProcess>> WorkerProcess::start(const std::string& executable,
                                                            const std::string& library,
                                                            const SharedMemory& memory) {
  std::array<int, 2> sockets{};
  std::array<int, 2> pipes{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, sockets.data()) != 0) {
    return Error{"no socket for a worker" + because()};
  }
  std::unique_ptr<WorkerProcess> worker(new WorkerProcess);
  worker->socket_ = lifted(sockets[0]);
  const Descriptor its_socket = lifted(sockets[1]);
  if (pipe2(pipes.data(), O_CLOEXEC) != 0) return Error{"no pipe for a worker" + because()};
  worker->printed_ = lifted(pipes[0]);
  const Descriptor its_output = lifted(pipes[1]);
  const Descriptor its_memory(fcntl(memory.descriptor(), F_DUPFD_CLOEXEC, kLowestDescriptor));
  if (!worker->socket_.valid() || !its_socket.valid() || !worker->printed_.valid() ||
      !its_output.valid() || !its_memory.valid()) {
    return Error{"no descriptor for a worker" + because()};
  }
  fcntl(worker->printed_.get(), F_SETFL, O_NONBLOCK);
  fcntl(its_socket.get(), F_SETFL, 0);  // the worker waits in recv

  const Result<pid_t> pid = spawn_worker(executable, library, its_socket, its_memory, its_output);
  if (!pid) return pid.error();
  worker->pid_ = *pid;
  worker->handle_ = Descriptor(static_cast<int>(syscall(SYS_pidfd_open, *pid, 0)));
  if (!worker->handle_.valid())
    return Error{"no handle of a worker; Linux 5.3 is needed" + because()};
  return worker;
}

WorkerProcess::~WorkerProcess() { end(); }

bool WorkerProcess::send_some(const Bytes& request, std::size_t& sent) {
  const ssize_t n = send(socket_.get(), request.data() + sent, request.size() - sent,
                         MSG_NOSIGNAL | MSG_DONTWAIT);
  if (n > 0) sent += static_cast<std::size_t>(n);
  return n >= 0 || errno == EAGAIN || errno == EINTR;
}

bool WorkerProcess::receive_some(Bytes& received, bool& nonsense) {
  std::array<std::byte, 16384> chunk;
  const ssize_t n = recv(socket_.get(), chunk.data(), chunk.size(), MSG_DONTWAIT);
  if (n < 0) return errno == EAGAIN || errno == EINTR;
  received.insert(received.end(), chunk.begin(), chunk.begin() + n);
  std::uint64_t length = 0;
  if (received.size() >= kLengthBytes) std::memcpy(&length, received.data(), kLengthBytes);
  nonsense = length > kMaxMessageBytes ||
             (received.size() >= kLengthBytes && received.size() - kLengthBytes > length);
  return n > 0 && !nonsense;
}

void WorkerProcess::read_output() {
  std::array<char, 4096> chunk;
  // A bounded number of chunks: a candidate may print faster than we read.
  for (int i = 0; i < 64; ++i) {
    const ssize_t n = read(printed_.get(), chunk.data(), chunk.size());
    if (n <= 0) return;
    output_.append(chunk.data(), static_cast<std::size_t>(n));
    if (output_.size() > kOutputBytes) output_.erase(0, output_.size() - kOutputBytes);
  }
}

const std::string& WorkerProcess::output() {
  read_output();
  return output_;
}

WorkerProcess::Answer WorkerProcess::exchange(const Bytes& request, Deadline deadline,
                                              Bytes& reply) {
  Bytes received;
  std::size_t sent = 0;
  bool nonsense = false;
  bool talking = true;  // false once the socket is of no more use
  for (;;) {
    const bool sending = talking && sent < request.size();
    std::array<pollfd, 3> on{
        {{talking ? socket_.get() : -1, static_cast<short>(sending ? POLLIN | POLLOUT : POLLIN), 0},
         {printed_.get(), POLLIN, 0},
         {handle_.get(), POLLIN, 0}}};
    const int wait = milliseconds_until(deadline);
    const int ready = poll(on.data(), on.size(), wait);
    if (on[1].revents != 0) read_output();
    if ((on[0].revents & POLLOUT) != 0) talking = send_some(request, sent);
    if ((on[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0) {
      talking = receive_some(received, nonsense);
    }
    if (nonsense) return Answer::kNonsense;
    std::uint64_t length = 0;
    if (received.size() >= kLengthBytes) std::memcpy(&length, received.data(), kLengthBytes);
    if (received.size() >= kLengthBytes && received.size() == kLengthBytes + length) {
      reply.assign(received.begin() + kLengthBytes, received.end());
      return sent == request.size() ? Answer::kReply : Answer::kNonsense;
    }
    if (on[2].revents != 0 && (on[0].revents & POLLIN) == 0) return Answer::kEnded;
    // The rest of a closed pipe would keep poll from waiting.
    if ((on[1].revents & POLLHUP) != 0 && (on[1].revents & POLLIN) == 0) printed_.reset();
    if (ready == 0 && wait == 0) return Answer::kTimedOut;
  }
}

bool WorkerProcess::ended() {
  pollfd on{handle_.get(), POLLIN, 0};
  return poll(&on, 1, 0) == 1;
}

Ending WorkerProcess::end() {
  if (ending_ || pid_ < 0) return ending_.value_or(Ending{});
  const bool alive = handle_.valid() && !ended();
  if (alive) {
    kill(pid_, SIGSTOP);  // so that no descendant appears while they are looked for
    kill_descendants(pid_);
  }
  kill(-pid_, SIGKILL);
  pollfd on{handle_.get(), POLLIN, 0};
  if (handle_.valid()) poll(&on, 1, kReapMilliseconds);
  siginfo_t info{};
  if (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG) == 0 &&
      info.si_pid == pid_) {
    ending_ = Ending{info.si_code != CLD_EXITED, info.si_status};
  } else {
    ending_ = Ending{true, SIGKILL};
  }
  read_output();
  return *ending_;
}

}  // namespace plumb::conformance
