// SPDX-License-Identifier: Apache-2.0
#include "reports/escape.h"

#include <fmt/format.h>

namespace plumb::reports {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

// The next code point of `text`, which loses it. Overlong forms, surrogates and stray bytes: one
// byte is taken and replaced.
char32_t take(std::string_view& text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const unsigned first = byte(0);
  const std::size_t length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  char32_t point = length == 1 ? first : first & (0xFFU >> (length + 1));
  bool valid = first < 0x80 || (first >= 0xC2 && first <= 0xF4);
  for (std::size_t i = 1; i < length && valid; ++i) {
    valid = (byte(i) & 0xC0) == 0x80;
    point = point << 6 | (byte(i) & 0x3F);
  }
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  valid = valid && point >= kLeast[length] && point <= 0x10FFFF &&
          !(point >= 0xD800 && point <= 0xDFFF);
  text.remove_prefix(valid ? length : 1);
  return valid ? point : kReplacement;
}

void put(std::string& out, char32_t point) {
  const auto add = [&](char32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (point < 0x80) {
    add(point);
  } else if (point < 0x800) {
    add(0xC0 | point >> 6);
    add(0x80 | (point & 0x3F));
  } else if (point < 0x10000) {
    add(0xE0 | point >> 12);
    add(0x80 | (point >> 6 & 0x3F));
    add(0x80 | (point & 0x3F));
  } else {
    add(0xF0 | point >> 18);
    add(0x80 | (point >> 12 & 0x3F));
    add(0x80 | (point >> 6 & 0x3F));
    add(0x80 | (point & 0x3F));
  }
}

bool is_control(char32_t c) { return c < 0x20 || (c >= 0x7F && c < 0xA0); }

// Marks that hide text or turn its direction, and line separators.
bool is_trickster(char32_t c) {
  return (c >= 0x200B && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) ||
         (c >= 0x2060 && c <= 0x206F) || c == 0x061C || c == 0xFEFF ||
         (c >= 0xFFF9 && c <= 0xFFFB) || (c >= 0xE0000 && c <= 0xE007F);
}

bool is_no_xml(char32_t c) {
  return (is_control(c) && c != '\t' && c != '\n' && c != '\r') || (c & 0xFFFE) == 0xFFFE;
}

std::string numbered(char32_t c) {
  return fmt::format("[U+{:04X}]", static_cast<std::uint32_t>(c));
}

const char* entity(char32_t c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return nullptr;
  }
}

}  // namespace

std::string html(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const char32_t c = take(text);
    if (const char* name = entity(c))
      out += name;
    else if (is_control(c) || is_trickster(c))
      out += numbered(c);
    else
      put(out, c);
  }
  return out;
}

std::string xml(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const char32_t c = take(text);
    if (const char* name = entity(c))
      out += name;
    else if (c == '\t' || c == '\n' || c == '\r')
      out += fmt::format("&#{};", static_cast<int>(c));
    else if (is_no_xml(c) || is_trickster(c))
      out += numbered(c);
    else
      put(out, c);
  }
  return out;
}

std::string terminal(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const char32_t c = take(text);
    if (is_control(c) || is_trickster(c))
      out += numbered(c);
    else
      put(out, c);
  }
  return out;
}

std::string shortened(std::string_view text, std::size_t most) {
  std::string out;
  for (std::size_t n = 0; !text.empty(); ++n) {
    const char32_t c = take(text);
    if (n + 1 == most && !text.empty()) return out + "\u2026";
    put(out, c);
  }
  return out;
}

}  // namespace plumb::reports
