// SPDX-License-Identifier: Apache-2.0
// The outcome of something that may fail for reasons outside the program: a file, a plug-in, a
// device.
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "reference/base/require.h"

namespace plumb {

// What went wrong, for a person: names the file, the tensor and both values, and the remedy.
struct Error {
  std::string message;
};

// Either a value or an Error. Asking for the one that is not there is a broken promise and aborts.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return std::holds_alternative<T>(state_); }
  explicit operator bool() const { return ok(); }

  const T& value() const& {
    PLUMB_REQUIRE(ok(), message());
    return std::get<T>(state_);
  }
  T& value() & {
    PLUMB_REQUIRE(ok(), message());
    return std::get<T>(state_);
  }
  T&& value() && {
    PLUMB_REQUIRE(ok(), message());
    return std::get<T>(std::move(state_));
  }
  const T* operator->() const { return &value(); }
  const T& operator*() const { return value(); }

  const Error& error() const {
    PLUMB_REQUIRE(!ok(), "a value was returned, not an error");
    return std::get<Error>(state_);
  }

 private:
  const char* message() const { return ok() ? "" : std::get<Error>(state_).message.c_str(); }

  std::variant<T, Error> state_;
};

struct Nothing {};
using Status = Result<Nothing>;

}  // namespace plumb
