// SPDX-License-Identifier: Apache-2.0
// plumb worker: the process in which a candidate library lives. Started by `plumb run`, not by
// hand.
#include <string>
#include <vector>

#include "conformance/runner/worker_main.h"
#include "tools/plumb/verb.h"

namespace plumb::tools {
namespace {

Exit run_worker(const Options& options) {
  std::vector<std::string> words{"plumb", "worker"};
  for (const std::string& word : options.words("ARGUMENTS")) words.push_back(word);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  return static_cast<Exit>(
      conformance::worker_main(static_cast<int>(arguments.size()), arguments.data()));
}

}  // namespace

extern const Verb worker_verb;
const Verb worker_verb{
    .name = "worker",
    .sentence = "Serve one candidate library to the process that started this one",
    .example = "plumb worker --library ./mine.so",
    .options = {{.name = "ARGUMENTS", .kind = OptionKind::kRest, .meaning = "For the worker"}},
    .run = run_worker,
    .hidden = true,
};

}  // namespace plumb::tools
