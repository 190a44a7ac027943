// SPDX-License-Identifier: Apache-2.0
// A verb of the command as data: main.cpp turns the rows into a parser and nothing else knows the
// parser. A verb is one file tools/plumb/<verb>.cpp that defines `const Verb <verb>_verb`, and a
// line plumb_verb(<verb>) in tools/CMakeLists.txt.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::tools {

enum Exit : int {
  kDone = 0,      // at least one case passed and none failed; of a verb that judges nothing: done
  kFailed = 1,    // something failed, or nothing passed, or all that was asked for was left out
  kWrongUse = 2,  // what the command line asks for does not exist
  kCouldNotRun = 3,  // a file, a plug-in or the machine did not let it
};

enum class OptionKind : std::uint8_t {
  kFlag,      // given or not
  kWord,      // --name VALUE; at most once
  kWords,     // the same, as often as one likes
  kInteger,   // a kWord that is a whole number
  kPosition,  // no dashes: the verb's object, at most one
  kRest,      // everything left on the line, unread
};

struct OptionSpec {
  std::string_view name;  // "--model", or "STAGE" for what has no dashes
  OptionKind kind = OptionKind::kWord;
  std::string_view value = {};  // what help calls the value: "NAME"
  std::string_view meaning;
  std::vector<std::string_view> choices = {};  // empty: any
  bool required = false;
};

// What the user gave, by the names of the OptionSpecs. `--json` is an option of every verb.
class Options {
 public:
  using Values = std::map<std::string, std::vector<std::string>, std::less<>>;

  explicit Options(Values given) : given_(std::move(given)) {}

  bool has(std::string_view name) const { return given_.contains(name); }
  // The value, or `fallback` when the option was not given.
  std::string word(std::string_view name, std::string_view fallback = {}) const;
  std::vector<std::string> words(std::string_view name) const;
  std::int64_t integer(std::string_view name, std::int64_t fallback) const;
  bool json() const { return has("--json"); }

 private:
  Values given_;
};

struct Verb {
  std::string_view name;
  std::string_view sentence;
  std::string_view example;  // a command line or more
  std::vector<OptionSpec> options;
  Exit (*run)(const Options&);
  bool judges = false;  // exit 0 and 1 speak of verdicts
  bool hidden = false;  // not for people: left out of help
};

// All verbs, in the order of tools/CMakeLists.txt.
const std::vector<const Verb*>& all_verbs();

// Writes "error: message" to the error stream and returns `exit`. Control characters are shown as
// escapes.
Exit report(Exit exit, std::string_view message);

}  // namespace plumb::tools
