// SPDX-License-Identifier: Apache-2.0
#include "oracles/agreement/golden/golden_record.h"

#include <gtest/gtest.h>

#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <regex>

#include "reference/base/require.h"

namespace plumb::oracles {

extern const std::string_view
    kGoldenText;  // fixtures/golden/records/r1.json, embedded by the build

namespace {

using Json = nlohmann::ordered_json;

// Decimals with this many significant digits or more are roundings of something longer.
constexpr std::size_t kRounded = 22;
constexpr int kPrinted = 25;

const Json& all_records() {
  static const Json kRecords = Json::parse(kGoldenText);
  return kRecords;
}

std::map<std::string, GoldenTally>& ledger() {
  static std::map<std::string, GoldenTally> tallies;
  return tallies;
}

// The number's text, or nothing.
std::string number_text(const Json& node) {
  static const std::regex kNumber(R"([-+]?\d+(\.\d+)?([eE][-+]?\d+)?|[-+]?\d+/\d+)");
  if (node.is_number()) return node.dump();
  if (!node.is_string()) return {};
  const auto& text = node.get_ref<const std::string&>();
  return std::regex_match(text, kNumber) ? text : std::string();
}

// A key as part of a JSON pointer.
std::string escaped(const std::string& key) {
  std::string part;
  for (const char c : key) part += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return part;
}

void collect(const Json& node, const std::string& pointer, std::vector<std::string>& numbers) {
  if (node.is_object()) {
    for (const auto& [key, value] : node.items()) {
      collect(value, pointer + "/" + escaped(key), numbers);
    }
  } else if (node.is_array()) {
    for (std::size_t i = 0; i < node.size(); ++i) {
      collect(node[i], pointer + "/" + std::to_string(i), numbers);
    }
  } else if (!number_text(node).empty()) {
    numbers.push_back(pointer);
  }
}

bool is_fraction(const std::string& text) { return text.find('/') != std::string::npos; }

// A decimal without its notation: "-0.0250e-3" is {true, "25", -5}, minus 0.25 * 10^-4.
struct Digits {
  bool negative;
  std::string significant;  // no zeros at either end; empty for zero
  long exponent;            // the value is 0.significant * 10^exponent

  bool operator==(const Digits&) const = default;
};

Digits digits_of(const std::string& text) {
  const std::size_t e = text.find_first_of("eE");
  Digits r{text[0] == '-', {}, e == std::string::npos ? 0 : std::stol(text.substr(e + 1))};
  bool after_point = false;
  for (char c : text.substr(0, e)) {
    if (c == '.') after_point = true;
    if (c < '0' || c > '9') continue;
    if (!(r.significant.empty() && c == '0')) r.significant += c;
    // Leading zeros behind the point lower the exponent; digits before it raise it.
    if (after_point && r.significant.empty()) --r.exponent;
    if (!after_point && !r.significant.empty()) ++r.exponent;
  }
  while (!r.significant.empty() && r.significant.back() == '0') r.significant.pop_back();
  if (r.significant.empty()) return {false, {}, 0};
  return r;
}

// `got` printed with `digits` significant digits.
Digits rounded(const Real& got, int digits) { return digits_of(got.to_string(digits)); }

bool equals_fraction(const std::string& text, const Real& got) {
  const std::size_t slash = text.find('/');
  const Real numerator = Real::from_decimal(text.substr(0, slash));
  const Real denominator = Real::from_decimal(text.substr(slash + 1));
  const Real distance = abs(got * denominator - numerator);
  const bool binary = denominator == Real(1).scaled_by_power_of_two(denominator.exponent());
  return binary ? distance.is_zero() : distance <= abs(numerator) * Real::from_decimal("1e-45");
}

bool is_plain_number(const Real& v) { return !v.is_nan() && !v.is_infinite(); }

bool agrees(const std::string& text, const Real& got) {
  if (!is_plain_number(got)) return false;
  if (is_fraction(text)) return equals_fraction(text, got);
  const Digits want = digits_of(text);
  if (want.significant.empty()) return got.is_zero();
  const std::size_t printed = want.significant.size();
  return rounded(got, printed >= kRounded ? static_cast<int>(printed) : kPrinted) == want;
}

}  // namespace

Real GoldenNumber::real() const {
  if (!is_fraction(text_)) return Real::from_decimal(text_);
  const std::size_t slash = text_.find('/');
  return Real::from_decimal(text_.substr(0, slash)) / Real::from_decimal(text_.substr(slash + 1));
}
double GoldenNumber::nearest_double() const { return real().to_double(); }
std::int64_t GoldenNumber::integer() const {
  std::int64_t v = 0;
  const auto [end, status] = std::from_chars(text_.data(), text_.data() + text_.size(), v);
  PLUMB_REQUIRE(status == std::errc{} && end == text_.data() + text_.size(), text_);
  return v;
}

GoldenRecord::GoldenRecord(std::string_view id) : id_(id), counted_(true) {
  PLUMB_REQUIRE(all_records().contains(id_), "no record of this name has goldens", id_);
  json_ = std::make_unique<const Json>(all_records()[id_]);
}
GoldenRecord::GoldenRecord(std::string_view id, std::string_view json)
    : id_(id), counted_(false), json_(std::make_unique<const Json>(Json::parse(json))) {}
GoldenRecord::~GoldenRecord() { finish(); }

const GoldenRecord::Json& GoldenRecord::at(const std::string& pointer) const {
  const Json::json_pointer place(pointer);
  PLUMB_REQUIRE(json_->contains(place), "the record has nothing there", id_, pointer);
  return json_->at(place);
}

GoldenNumber GoldenRecord::number(const std::string& pointer) const {
  std::string text = number_text(at(pointer));
  PLUMB_REQUIRE(!text.empty(), "this is no number", id_, pointer);
  return GoldenNumber(std::move(text));
}

std::vector<std::string> GoldenRecord::numbers_under(const std::string& pointer) const {
  std::vector<std::string> pointers;
  collect(at(pointer), pointer, pointers);
  return pointers;
}

GoldenNumber GoldenRecord::input(const std::string& pointer) {
  fed_.insert(pointer);
  return number(pointer);
}

std::vector<GoldenNumber> GoldenRecord::inputs(const std::string& pointer) {
  std::vector<GoldenNumber> numbers;
  for (const std::string& p : numbers_under(pointer)) numbers.push_back(input(p));
  return numbers;
}

void GoldenRecord::fail(const std::string& pointer, const std::string& got) {
  ADD_FAILURE() << id_ << " " << pointer << ": printed " << number(pointer).text() << ", got "
                << got;
}

void GoldenRecord::expect(const std::string& pointer, const Real& got) {
  compared_.insert(pointer);
  if (!agrees(number(pointer).text(), got)) fail(pointer, got.to_string(kPrinted + 2));
}

void GoldenRecord::expect_all(const std::string& pointer, const std::vector<Real>& got) {
  const std::vector<std::string> pointers = numbers_under(pointer);
  if (pointers.size() != got.size()) {
    ADD_FAILURE() << id_ << " " << pointer << ": " << pointers.size()
                  << " numbers are printed, got " << got.size();
    return;
  }
  for (std::size_t i = 0; i < got.size(); ++i) expect(pointers[i], got[i]);
}

void GoldenRecord::expect_float64(const std::string& pointer, const Real& got) {
  compared_.insert(pointer);
  std::array<char, 40> buffer{};
  const auto [end, status] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), got.to_double());
  const std::string text(buffer.data(), end);
  const bool same = status == std::errc{} && is_plain_number(got) && Real(got.to_double()) == got &&
                    digits_of(number(pointer).text()) == digits_of(text);
  if (!same) fail(pointer, text);
}

void GoldenRecord::expect_rounded(const std::string& pointer, const Real& got, int digits) {
  compared_.insert(pointer);
  const Digits want = digits_of(number(pointer).text());
  PLUMB_REQUIRE(want.significant.size() <= static_cast<std::size_t>(digits), id_, pointer, digits);
  if (!is_plain_number(got) || !(rounded(got, digits) == want)) {
    fail(pointer, got.to_string(kPrinted));
  }
}

std::string GoldenRecord::structure(const std::string& pointer) {
  PLUMB_REQUIRE(numbers_under(pointer).empty(), "numbers are fed or compared", id_, pointer);
  structures_.insert(pointer);
  return at(pointer).dump();
}

void GoldenRecord::finish() {
  if (finished_) return;
  finished_ = true;
  GoldenTally tally{0, 0, static_cast<int>(structures_.size())};
  std::string left;
  for (const std::string& pointer : numbers_under("")) {
    // What is both fed and compared counts as compared.
    if (compared_.contains(pointer)) {
      ++tally.outputs;
    } else if (fed_.contains(pointer)) {
      ++tally.inputs;
    } else {
      left += " " + pointer;
    }
  }
  if (!left.empty()) ADD_FAILURE() << id_ << ": neither fed nor compared:" << left;
  if (tally.inputs + tally.outputs + tally.structures == 0 && left.empty()) {
    ADD_FAILURE() << id_ << ": has no numbers and no structure of it was compared";
  }
  if (counted_ && !ledger().emplace(id_, tally).second) {
    ADD_FAILURE() << id_ << ": a second test has finished this record";
  }
}

std::vector<std::string> golden_ids() {
  std::vector<std::string> ids;
  for (const auto& [id, unused] : all_records().items()) ids.push_back(id);
  return ids;
}

const std::map<std::string, GoldenTally>& finished_goldens() { return ledger(); }

}  // namespace plumb::oracles
