// SPDX-License-Identifier: Apache-2.0
// PLUMB_REQUIRE: a promise that our own code makes to itself. Always on; aborts and prints the
// values.
#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>

namespace plumb::base {

// One value of a broken promise, already in words.
struct Printed {
  Printed(std::integral auto v) : text(std::to_string(v)) {}        // NOLINT
  Printed(std::floating_point auto v) : text(std::to_string(v)) {}  // NOLINT
  Printed(std::string_view v) : text(v) {}                          // NOLINT
  Printed(const char* v) : text(v) {}                               // NOLINT
  Printed(const std::string& v) : text(v) {}                        // NOLINT
  std::string text;
};

[[noreturn]] void require_failed(const char* file, int line, const char* condition,
                                 std::initializer_list<Printed> values);

}  // namespace plumb::base

#define PLUMB_REQUIRE(condition, ...)                                               \
  do {                                                                              \
    if (!(condition)) [[unlikely]]                                                  \
      ::plumb::base::require_failed(__FILE__, __LINE__, #condition, {__VA_ARGS__}); \
  } while (false)
