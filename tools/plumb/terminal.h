// SPDX-License-Identifier: Apache-2.0
// What a terminal gets and a pipe does not: colour and a progress line; and text from files made
// safe for both.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace plumb::tools {

enum class Colour { kGreen, kRed, kYellow, kBold, kDim };

// `text` escaped from a file or plug-in: control characters, C1 codes, the characters that turn the
// writing direction, and bytes that are no UTF-8 become \xNN or \u{NNNN}; a line break stays one.
std::string escaped(std::string_view text);

// Whether `stream` takes colour: a terminal, NO_COLOR unset or empty, TERM not "dumb".
bool takes_colour(std::FILE* stream);
// `text` in a colour when standard output takes it, else as it is.
std::string coloured(Colour colour, std::string_view text);
// The same, for a decision already made.
std::string coloured(Colour colour, std::string_view text, bool on);

// One line on the error stream that is written over and in the end gone; nothing when it is no
// terminal.
class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void show(std::string_view text);

 private:
  bool on_;
};

}  // namespace plumb::tools
