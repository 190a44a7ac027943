// SPDX-License-Identifier: Apache-2.0
#include "tools/plumb/terminal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

namespace plumb::tools {
namespace {

struct Character {
  std::uint32_t code;
  std::size_t bytes;  // 0: no UTF-8 begins here
};

// The character at the front of `text`; overlong forms, surrogates and codes beyond U+10FFFF are
// refused.
Character decode(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return {lead, 0};
  std::uint32_t code = lead & (0xFFu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0) != 0x80) return {lead, 0};
    code = code << 6 | (next & 0x3Fu);
  }
  constexpr std::uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < kSmallest[bytes] || surrogate || code > 0x10FFFF) return {lead, 0};
  return {code, bytes};
}

// Characters that change how the text after them is shown.
bool turns(std::uint32_t code) {
  return (code >= 0x80 && code < 0xA0) || (code >= 0x200B && code <= 0x200F) ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;
}

const char* sequence(Colour colour) {
  switch (colour) {
    case Colour::kGreen:
      return "\x1b[32m";
    case Colour::kRed:
      return "\x1b[31m";
    case Colour::kYellow:
      return "\x1b[33m";
    case Colour::kBold:
      return "\x1b[1m";
    case Colour::kDim:
      return "\x1b[2m";
  }
  return "";
}

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

bool is_terminal(std::FILE* stream) { return isatty(fileno(stream)) == 1; }

bool is_dumb() {
  const char* term = std::getenv("TERM");
  return term != nullptr && std::string_view(term) == "dumb";
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto [code, bytes] = decode(text);
    const bool control = (code < 0x20 && code != '\n') || code == 0x7F;
    if (bytes == 0 || control) {
      out += fmt::format("\\x{:02x}", code);
    } else if (turns(code)) {
      out += fmt::format("\\u{{{:04x}}}", code);
    } else {
      out += text.substr(0, bytes);
    }
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  return out;
}

bool takes_colour(std::FILE* stream) {
  return is_terminal(stream) && !is_set("NO_COLOR") && !is_dumb();
}

std::string coloured(Colour colour, std::string_view text, bool on) {
  return on ? fmt::format("{}{}\x1b[0m", sequence(colour), text) : std::string(text);
}

std::string coloured(Colour colour, std::string_view text) {
  static const bool kOn = takes_colour(stdout);
  return coloured(colour, text, kOn);
}

Progress::Progress() : on_(is_terminal(stderr) && !is_dumb()) {}

Progress::~Progress() { show(""); }

void Progress::show(std::string_view text) {
  if (!on_) return;
  // To the start of the line, then clear what the last one left.
  fmt::print(stderr, "\r\x1b[K{}", escaped(text));
  std::fflush(stderr);
}

}  // namespace plumb::tools
