// SPDX-License-Identifier: Apache-2.0
#include "reports/schema_check.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace plumb::reports {
namespace {

using nlohmann::json;

class Checker {
 public:
  explicit Checker(const json& root) : root_(root) {}

  std::string check(const json& schema, const json& value, const std::string& at) const {
    for (const auto& [keyword, argument] : schema.items()) {
      const std::string wrong = check_keyword(keyword, argument, schema, value, at);
      if (!wrong.empty()) return wrong;
    }
    return "";
  }

 private:
  static std::string at_fault(const std::string& at, const std::string& what) {
    return (at.empty() ? "/" : at) + ": " + what;
  }

  static bool is_of_type(const json& value, const std::string& type) {
    if (type == "integer") return value.is_number_integer();
    if (type == "number") return value.is_number();
    if (type == "null") return value.is_null();
    return type == value.type_name();
  }

  std::string check_keyword(const std::string& keyword, const json& argument, const json& schema,
                            const json& value, const std::string& at) const {
    if (keyword == "$schema" || keyword == "title" || keyword == "description" ||
        keyword == "$defs") {
      return "";
    }
    if (keyword == "$ref") return check(resolved(argument.get<std::string>()), value, at);
    if (keyword == "type") {
      const auto type = argument.get<std::string>();
      return is_of_type(value, type) ? "" : at_fault(at, "must be of type " + type);
    }
    if (keyword == "const") {
      return value == argument ? "" : at_fault(at, "must be " + argument.dump());
    }
    if (keyword == "enum") {
      const bool found = std::find(argument.begin(), argument.end(), value) != argument.end();
      return found ? "" : at_fault(at, "must be one of " + argument.dump());
    }
    if (keyword == "minimum") {
      return !value.is_number() || value >= argument
                 ? ""
                 : at_fault(at, "must be at least " + argument.dump());
    }
    if (keyword == "oneOf") return check_one_of(argument, value, at);
    if (keyword == "items") return check_items(argument, value, at);
    if (keyword == "required") return check_required(argument, value, at);
    if (keyword == "properties") return check_properties(argument, value, at);
    if (keyword == "additionalProperties" && argument == false) {
      return check_no_others(schema, value, at);
    }
    return at_fault(at, "the schema uses \"" + keyword + "\", which this check does not know");
  }

  const json& resolved(const std::string& reference) const {
    return root_.at(json::json_pointer(reference.substr(1)));  // "#/$defs/count"
  }

  std::string check_one_of(const json& schemas, const json& value, const std::string& at) const {
    std::string nearest;
    std::size_t fitting = 0;
    for (const json& schema : schemas) {
      const std::string wrong = check(schema, value, at);
      if (wrong.empty()) ++fitting;
      // The alternative that went furthest says best what is wrong.
      if (std::count(wrong.begin(), wrong.end(), '/') >=
          std::count(nearest.begin(), nearest.end(), '/')) {
        nearest = wrong;
      }
    }
    if (fitting == 1) return "";
    return fitting > 1 ? at_fault(at, "fits several alternatives") : nearest;
  }

  std::string check_items(const json& schema, const json& value, const std::string& at) const {
    if (!value.is_array()) return "";
    for (std::size_t i = 0; i < value.size(); ++i) {
      const std::string wrong = check(schema, value[i], at + "/" + std::to_string(i));
      if (!wrong.empty()) return wrong;
    }
    return "";
  }

  static std::string check_required(const json& names, const json& value, const std::string& at) {
    if (!value.is_object()) return "";
    for (const json& name : names) {
      if (!value.contains(name.get<std::string>())) return at_fault(at, "lacks " + name.dump());
    }
    return "";
  }

  std::string check_properties(const json& schemas, const json& value,
                               const std::string& at) const {
    if (!value.is_object()) return "";
    for (const auto& [name, schema] : schemas.items()) {
      if (!value.contains(name)) continue;
      std::string wrong = check(schema, value.at(name), at + "/" + name);
      if (!wrong.empty()) return wrong;
    }
    return "";
  }

  static std::string check_no_others(const json& schema, const json& value, const std::string& at) {
    if (!value.is_object()) return "";
    for (const auto& [name, member] : value.items()) {
      if (!schema.value("properties", json::object()).contains(name)) {
        return at_fault(at, "has an unknown member \"" + name + "\"");
      }
    }
    return "";
  }

  const json& root_;
};

}  // namespace

std::string schema_violation(std::string_view schema, std::string_view text) {
  const json rules = json::parse(schema, nullptr, false);
  if (rules.is_discarded()) return "the schema is not JSON";
  const json value = json::parse(text, nullptr, false);
  if (value.is_discarded()) return "the text is not JSON";
  return Checker(rules).check(rules, value, "");
}

}  // namespace plumb::reports
