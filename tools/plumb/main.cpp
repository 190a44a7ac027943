// SPDX-License-Identifier: Apache-2.0
// The command line: the only file that includes its parser. Verbs are rows (verb.h), each in a file
// of its own.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <deque>
#include <exception>

#include "tools/plumb/build_info.h"
#include "tools/plumb/verb.h"

namespace plumb::tools {
namespace {

constexpr std::string_view kJudging =
    "Exit:\n"
    "  0  at least one case passed and none failed\n"
    "  1  a case failed, or none passed, or all that was asked for by name was left out\n"
    "  2  wrong use\n"
    "  3  could not run: a file, a plug-in or the machine did not let it\n";
constexpr std::string_view kTelling =
    "Exit:\n"
    "  0  done\n"
    "  2  wrong use\n"
    "  3  could not run: a file, a plug-in or the machine did not let it\n";

// An option and what the line gave for it; a deque of these keeps addresses, which the parser holds
// on to.
struct Slot {
  OptionSpec spec;
  CLI::Option* option = nullptr;
  std::vector<std::string> values = {};
};

struct Command {
  const Verb* verb;
  CLI::App* app;
  std::deque<Slot> slots;
};

void add_value_option(CLI::App& app, Slot& slot) {
  const OptionSpec& spec = slot.spec;
  slot.option = app.add_option(std::string(spec.name), slot.values, std::string(spec.meaning));
  slot.option->expected(1)->type_name(std::string(spec.value));
  if (spec.kind == OptionKind::kWords) slot.option->expected(1)->take_all();
  if (spec.kind == OptionKind::kInteger) {
    slot.option->check(CLI::TypeValidator<std::int64_t>("INTEGER"));
  }
  if (!spec.choices.empty()) {
    slot.option->check(
        CLI::IsMember(std::vector<std::string>(spec.choices.begin(), spec.choices.end())));
  }
  slot.option->required(spec.required);
}

void add_option(CLI::App& app, Slot& slot) {
  switch (slot.spec.kind) {
    case OptionKind::kFlag:
      slot.option = app.add_flag(std::string(slot.spec.name));
      slot.option->description(std::string(slot.spec.meaning));
      return;
    case OptionKind::kRest:
      app.prefix_command();
      return;
    default:
      add_value_option(app, slot);
  }
}

void add_verb(CLI::App& plumb, Command& command) {
  const Verb& verb = *command.verb;
  command.app = plumb.add_subcommand(std::string(verb.name), std::string(verb.sentence));
  if (verb.hidden) command.app->group("");
  command.app->footer(
      fmt::format("Example:\n  {}\n\n{}", verb.example, verb.judges ? kJudging : kTelling));
  for (const OptionSpec& spec : verb.options) command.slots.push_back({spec});
  if (!verb.hidden) {
    command.slots.push_back({{.name = "--json",
                              .kind = OptionKind::kFlag,
                              .meaning = "Write JSON on standard output"}});
  }
  for (Slot& slot : command.slots) add_option(*command.app, slot);
}

Options options_of(const Command& command) {
  Options::Values given;
  for (const Slot& slot : command.slots) {
    const std::string name(slot.spec.name);
    if (slot.spec.kind == OptionKind::kRest) {
      given[name] = command.app->remaining();
    } else if (slot.option->count() > 0) {
      given[name] = slot.values;
    }
  }
  return Options(std::move(given));
}

// Runs the verb. What it did not foresee ends as "could not run", with words, and not as a crash.
Exit run(const Command& command) {
  try {
    const Exit exit = command.verb->run(options_of(command));
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
      return report(kCouldNotRun, "standard output cannot be written: is the disk full?");
    }
    return exit;
  } catch (const std::bad_alloc&) {
    return report(kCouldNotRun, "out of memory");
  } catch (const std::exception& e) {
    return report(kCouldNotRun, e.what());
  }
}

Exit command_line(int argc, char** argv) {
  CLI::App plumb(
      "Tells whether a kernel computes the equations of DeepSeek-R1, where it stops doing so, and "
      "by how much.",
      "plumb");
  plumb.set_version_flag("--version", build_text(), "Print what this program was built from");
  plumb.footer("plumb VERB --help says more, with an example.");
  plumb.require_subcommand(1);
  std::deque<Command> commands;
  for (const Verb* verb : all_verbs()) {
    commands.push_back({verb, nullptr, {}});
    add_verb(plumb, commands.back());
  }
  try {
    plumb.parse(argc, argv);
  } catch (const CLI::Success& help) {
    plumb.exit(help);
    return kDone;
  } catch (const CLI::ParseError& wrong) {
    plumb.exit(wrong);
    return kWrongUse;
  }
  for (const Command& command : commands) {
    if (command.app->parsed()) return run(command);
  }
  return kWrongUse;
}

}  // namespace
}  // namespace plumb::tools

int main(int argc, char** argv) {
  try {
    return plumb::tools::command_line(argc, argv);
  } catch (...) {
    std::fputs("error: could not start; is there enough memory?\n", stderr);
    return plumb::tools::kCouldNotRun;
  }
}
