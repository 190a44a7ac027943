// SPDX-License-Identifier: Apache-2.0
#include "conformance/contract/strict_json.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>

namespace plumb::conformance {
namespace {

using nlohmann::json;

// Watches a parse and stops it by throwing, which is the only way that the parser offers.
class Watch {
 public:
  bool operator()(json::parse_event_t event, json& parsed) {
    using Event = json::parse_event_t;
    if (event == Event::object_start || event == Event::array_start) {
      if (keys_.size() == kDeepestJson) {
        throw std::runtime_error("nested deeper than " + std::to_string(kDeepestJson) + " levels");
      }
      keys_.emplace_back();
    } else if (event == Event::object_end || event == Event::array_end) {
      keys_.pop_back();
    } else if (event == Event::key) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (!keys_.back().insert(key).second) {
        throw std::runtime_error("member \"" + key + "\" appears twice");
      }
    }
    return true;
  }

 private:
  std::vector<std::set<std::string>> keys_;
};

// As text for a message: short, whatever it holds.
std::string shown(const json& value) {
  std::string text = value.is_structured()
                         ? (value.is_array() ? "an array" : "an object")
                         : value.dump(-1, ' ', true, json::error_handler_t::replace);
  constexpr std::size_t kLongest = 60;
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
  return text;
}

}  // namespace

Result<json> parse_strict_json(std::string_view text) {
  if (text.size() > kLargestJson) {
    return Error{std::to_string(text.size()) + " bytes of JSON; at most " +
                 std::to_string(kLargestJson) + " are read"};
  }
  try {
    Watch watch;
    return json::parse(
        text, [&](int, json::parse_event_t event, json& parsed) { return watch(event, parsed); });
  } catch (const json::exception& e) {
    // "[json.exception.parse_error.101] parse error at line ...": the bracket says nothing to a
    // person.
    const std::string_view what = e.what();
    const auto end = what.find("] ");
    return Error{"not JSON: " +
                 std::string(end == std::string_view::npos ? what : what.substr(end + 2))};
  } catch (const std::runtime_error& e) {
    return Error{e.what()};
  }
}

JsonMembers::JsonMembers(const json& object, std::string path)
    : object_(&object), path_(std::move(path)) {
  if (!object.is_object()) {
    const std::string name = path_.empty() ? "" : path_.substr(0, path_.size() - 1);
    error_ = (name.empty() ? "the text" : "member \"" + name + "\"") + " must be an object, is " +
             shown(object);
  }
}

const json* JsonMembers::member(const char* name) {
  if (error_) return nullptr;
  asked_.emplace_back(name);
  const auto found = object_->find(name);
  if (found != object_->end()) return &*found;
  fail(name, "is missing");
  return nullptr;
}

void JsonMembers::fail(const char* name, std::string_view what) {
  if (error_) return;
  error_ = "member \"" + path_ + name + "\" " + std::string(what);
  if (const auto found = object_->find(name); found != object_->end()) {
    *error_ += ", is " + shown(*found);
  }
}

void JsonMembers::adopt(const JsonMembers& inner) {
  if (!error_) error_ = inner.error_;
}

bool JsonMembers::has(const char* name) {
  if (error_) return false;
  asked_.emplace_back(name);
  return object_->contains(name);
}

bool JsonMembers::is_null(const char* name) const {
  const bool there = !error_ && object_->contains(name);
  return there && object_->at(name).is_null();
}

std::string JsonMembers::text(const char* name) {
  const json* m = member(name);
  if (m != nullptr && m->is_string()) return m->get<std::string>();
  fail(name, "must be a string");
  return {};
}

bool JsonMembers::flag(const char* name) {
  const json* m = member(name);
  if (m != nullptr && m->is_boolean()) return m->get<bool>();
  fail(name, "must be true or false");
  return false;
}

std::int64_t JsonMembers::integer(const char* name, std::int64_t least, std::int64_t most) {
  const json* m = member(name);
  const bool fits =
      m != nullptr && m->is_number_integer() &&
      (!m->is_number_unsigned() ||
       m->get<std::uint64_t>() <= std::uint64_t{std::numeric_limits<std::int64_t>::max()});
  if (fits && m->get<std::int64_t>() >= least && m->get<std::int64_t>() <= most) {
    return m->get<std::int64_t>();
  }
  fail(name, "must be an integer from " + std::to_string(least) + " to " + std::to_string(most));
  return least;
}

double JsonMembers::number(const char* name) {
  const json* m = member(name);
  if (m != nullptr && m->is_number()) return m->get<double>();
  fail(name, "must be a number");
  return 0;
}

double JsonMembers::extended_number(const char* name) {
  const json* m = member(name);
  if (m != nullptr && m->is_number()) return m->get<double>();
  if (m != nullptr && m->is_string()) {
    const auto& word = m->get_ref<const std::string&>();
    if (word == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (word == "inf") return std::numeric_limits<double>::infinity();
    if (word == "-inf") return -std::numeric_limits<double>::infinity();
  }
  fail(name, "must be a number, \"nan\", \"inf\" or \"-inf\"");
  return 0;
}

std::vector<std::string> JsonMembers::texts(const char* name) {
  const json* m = member(name);
  std::vector<std::string> result;
  if (m == nullptr || !m->is_array()) {
    fail(name, "must be an array");
    return result;
  }
  for (const json& v : *m) {
    if (!v.is_string())
      fail(name, "must hold strings only");
    else
      result.push_back(v.get<std::string>());
  }
  return result;
}

std::vector<std::int64_t> JsonMembers::counters(const char* name) {
  const json* m = member(name);
  std::vector<std::int64_t> result;
  if (m == nullptr || !m->is_array()) {
    fail(name, "must be an array");
    return result;
  }
  for (const json& v : *m) {
    constexpr auto kMost = std::uint64_t{std::numeric_limits<std::int64_t>::max()};
    if (!v.is_number_unsigned() || v.get<std::uint64_t>() > kMost) {
      fail(name, "must hold integers from 0 only");
    } else {
      result.push_back(v.get<std::int64_t>());
    }
  }
  return result;
}

std::vector<JsonMembers> JsonMembers::objects(const char* name) {
  const json* m = member(name);
  std::vector<JsonMembers> result;
  if (m == nullptr || !m->is_array()) {
    fail(name, "must be an array");
    return result;
  }
  for (std::size_t i = 0; i < m->size(); ++i) {
    result.emplace_back((*m)[i], path_ + name + "[" + std::to_string(i) + "].");
  }
  return result;
}

std::optional<JsonMembers> JsonMembers::object_or_null(const char* name) {
  const json* m = member(name);
  if (m == nullptr || m->is_null()) return {};
  return JsonMembers(*m, path_ + name + ".");
}

void JsonMembers::refuse_unknown() {
  if (error_) return;
  for (const auto& [key, value] : object_->items()) {
    if (std::find(asked_.begin(), asked_.end(), key) == asked_.end()) {
      fail(key.c_str(), "is unknown");
    }
  }
}

}  // namespace plumb::conformance
