// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/worker_spawn.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

#include "conformance/runner/worker_protocol.h"

namespace plumb::conformance {
namespace {

// Sanitizers leave signals to the kernel, so that a fault is seen as one, and turn their own
// findings into an abort.
constexpr std::string_view kSanitizers =
    "handle_segv=0:handle_sigbus=0:handle_abort=0:handle_sigill=0:handle_sigfpe=0:"
    "detect_leaks=0:abort_on_error=1:use_sigaltstack=0";

std::vector<std::string> environment() {
  std::vector<std::string> variables;
  std::string sanitizers = "ASAN_OPTIONS=";
  for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
    const std::string_view variable = *at;
    if (variable.starts_with(sanitizers.substr(0, 13))) {
      sanitizers = std::string(variable) + ":";
    } else {
      variables.emplace_back(variable);
    }
  }
  variables.push_back(sanitizers + std::string(kSanitizers));
  return variables;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

// posix_spawn's two objects with their ends.
struct SpawnPlan {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  SpawnPlan() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }

  void descriptors(int socket, int memory, int printed) {
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, printed, 1);
    posix_spawn_file_actions_adddup2(&actions, printed, 2);
    posix_spawn_file_actions_adddup2(&actions, socket, kWorkerSocket);
    posix_spawn_file_actions_adddup2(&actions, memory, kWorkerMemory);
    posix_spawn_file_actions_addclosefrom_np(&actions, kWorkerMemory + 1);
  }

  void own_group_and_default_signals() {
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes, &signals);
    sigfillset(&signals);
    posix_spawnattr_setsigdefault(&attributes, &signals);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
};

struct Relation {
  pid_t pid;
  pid_t parent;
};

// Every process of this system and its parent, from /proc/PID/stat: "PID (NAME) STATE PARENT ...".
std::vector<Relation> relations() {
  std::vector<Relation> all;
  std::error_code trouble;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", trouble)) {
    const pid_t pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 0) continue;
    std::ifstream file(entry.path() / "stat");
    std::string text;
    std::getline(file, text, '\0');
    const std::size_t name_end = text.rfind(')');
    if (name_end == std::string::npos || name_end + 4 > text.size()) continue;
    all.push_back({pid, std::atoi(text.c_str() + name_end + 4)});
  }
  return all;
}

}  // namespace

Result<pid_t> spawn_worker(const std::string& executable, const std::string& library,
                           const Descriptor& socket, const Descriptor& memory,
                           const Descriptor& printed) {
  SpawnPlan plan;
  plan.descriptors(socket.get(), memory.get(), printed.get());
  plan.own_group_and_default_signals();
  std::vector<std::string> words{executable, "worker", "--library", library};
  std::vector<std::string> variables = environment();
  pid_t pid = -1;
  const int code = posix_spawn(&pid, executable.c_str(), &plan.actions, &plan.attributes,
                               pointers(words).data(), pointers(variables).data());
  if (code != 0) {
    errno = code;
    return Error{executable + ": cannot be started as a worker" + because()};
  }
  return pid;
}

void kill_descendants(pid_t ancestor) {
  const std::vector<Relation> all = relations();
  std::vector<pid_t> found{ancestor};
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (const Relation& r : all) {
      if (r.parent == found[i]) found.push_back(r.pid);
    }
  }
  for (std::size_t i = 1; i < found.size(); ++i) kill(found[i], SIGKILL);
}

}  // namespace plumb::conformance
