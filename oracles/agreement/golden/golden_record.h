// SPDX-License-Identifier: Apache-2.0
// The golden numbers of one record, each of which a test must feed to the function that cites the
// record or compare with what it returns. A record that goes out of scope with a number left over
// fails its test.
//
//   GoldenRecord golden("R1-026");
//   const Real t = golden.input("/t/2").real();
//   golden.expect("/phi/2/1", angles(2, 1));        // to the last printed digit
//   golden.expect_all("/phi", {...});               // a subtree, in the order of the file
//
// Pointers are JSON pointers: a / within a key is ~1. A number is what tools/python/count_golden.py
// counts: a JSON number, or a string that as a whole is a decimal ("1e-6") or a fraction ("15/2").
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "reference/scalar/real.h"

namespace plumb::oracles {

// A number as it is printed.
class GoldenNumber {
 public:
  explicit GoldenNumber(std::string text) : text_(std::move(text)) {}

  const std::string& text() const { return text_; }
  Real real() const;              // nearest at 50 digits
  double nearest_double() const;  // nearest, from those
  std::int64_t integer() const;   // another number is a broken promise

 private:
  std::string text_;
};

// What became of the numbers of a record; structures are parts without numbers that were compared.
struct GoldenTally {
  int inputs = 0;
  int outputs = 0;
  int structures = 0;
};

class GoldenRecord {
 public:
  explicit GoldenRecord(std::string_view id);
  // A record of another text, which the summary does not count.
  GoldenRecord(std::string_view id, std::string_view json);
  GoldenRecord(const GoldenRecord&) = delete;
  GoldenRecord& operator=(const GoldenRecord&) = delete;
  ~GoldenRecord();

  // A number, or all numbers under a pointer in the order of the file, marked as fed.
  GoldenNumber input(const std::string& pointer);
  std::vector<GoldenNumber> inputs(const std::string& pointer);

  // Compares to the last printed digit. Decimals of 22 digits and more are rounded results; shorter
  // ones lost nothing but zeros, so the value must agree with them to 25 digits. A fraction is
  // compared exactly when it is a binary number, else to 45 digits.
  void expect(const std::string& pointer, const Real& got);
  void expect(const std::string& pointer, double got) { expect(pointer, Real(got)); }
  void expect(const std::string& pointer, std::integral auto got) {
    expect(pointer, Real(static_cast<long long>(got)));
  }
  void expect_all(const std::string& pointer, const std::vector<Real>& got);
  // Numbers printed as the shortest decimal of a double.
  void expect_float64(const std::string& pointer, const Real& got);
  // Numbers printed to fewer digits on purpose.
  void expect_rounded(const std::string& pointer, const Real& got, int digits);

  // A part that holds no number, as JSON text; the caller compares it.
  std::string structure(const std::string& pointer);

  // Fails for every number that was neither fed nor compared. Once; the destructor does it
  // otherwise.
  void finish();

 private:
  using Json = nlohmann::ordered_json;

  const Json& at(const std::string& pointer) const;
  GoldenNumber number(const std::string& pointer) const;
  std::vector<std::string> numbers_under(const std::string& pointer) const;
  void fail(const std::string& pointer, const std::string& got);

  std::string id_;
  bool counted_;
  bool finished_ = false;
  std::unique_ptr<const Json> json_;
  std::set<std::string> fed_;
  std::set<std::string> compared_;
  std::set<std::string> structures_;
};

// The ids of all records that have goldens, in order.
std::vector<std::string> golden_ids();
// The records that this program has finished so far.
const std::map<std::string, GoldenTally>& finished_goldens();

}  // namespace plumb::oracles
