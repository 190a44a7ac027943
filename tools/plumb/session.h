// SPDX-License-Identifier: Apache-2.0
// What every judging verb does with its verdicts: JSON lines on standard output with --json, else a
// summary for people; and with --out a folder with verdicts.jsonl, junit.xml and report.html.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "conformance/verdict/verdict.h"
#include "reference/base/result.h"
#include "tools/plumb/verb.h"

namespace plumb::tools {

class Session {
 public:
  // `command`: the line that was typed, for the file's head.
  Session(const Options& options, std::string command);

  void add(conformance::Verdict verdict);
  std::string& first_culprit() { return file_.summary->first_culprit; }

  // Writes everything and gives the exit code: kDone, kFailed, or kCouldNotRun when the folder
  // cannot be written.
  Exit finish();

 private:
  const Options& options_;
  conformance::VerdictFile file_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// The option that names the folder.
OptionSpec out_option();

// The path of this executable, and the kernel library that stands beside it or in ../lib.
std::string own_executable();
std::string own_library();

// Writes `text` aside and renames it to `path`.
Status write_text(const std::string& path, const std::string& text);

}  // namespace plumb::tools
