// SPDX-License-Identifier: Apache-2.0
// Reading JSON that strangers wrote. nlohmann/json keeps the last of two equal keys without a word
// and nests without limit; this refuses both, and reads members with their types checked. For .cpp
// files only: headers stay free of nlohmann/json.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/result.h"

namespace plumb::conformance {

inline constexpr std::size_t kLargestJson = std::size_t{16} << 20;  // bytes
inline constexpr std::size_t kDeepestJson = 16;

// One JSON value and nothing after it. An error says where in the text.
Result<nlohmann::json> parse_strict_json(std::string_view text);

// The members of an object. Each reader returns a value of its kind; the first thing wrong is kept
// as the error, after which the values mean nothing.
class JsonMembers {
 public:
  // `path` is how errors call this object: "tensors[2]."
  JsonMembers(const nlohmann::json& object, std::string path);

  bool has(const char* name);  // counts as asked for
  bool is_null(const char* name) const;
  std::string text(const char* name);
  bool flag(const char* name);
  std::int64_t integer(const char* name, std::int64_t least, std::int64_t most);
  std::int64_t counter(const char* name) { return integer(name, 0, INT64_MAX); }
  // A finite number.
  double number(const char* name);
  // A number or one of the strings "nan", "inf", "-inf".
  double extended_number(const char* name);
  std::vector<std::string> texts(const char* name);
  std::vector<std::int64_t> counters(const char* name);
  // Objects inside an array; an object or null.
  std::vector<JsonMembers> objects(const char* name);
  std::optional<JsonMembers> object_or_null(const char* name);

  void fail(const char* name, std::string_view what);
  // Takes over the first error of an inner object.
  void adopt(const JsonMembers& inner);
  // Refuses members that nobody asked for.
  void refuse_unknown();
  const std::optional<std::string>& error() const { return error_; }

 private:
  const nlohmann::json* member(const char* name);

  const nlohmann::json* object_;
  std::string path_;
  std::vector<std::string> asked_;
  std::optional<std::string> error_;
};

}  // namespace plumb::conformance
