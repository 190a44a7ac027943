// SPDX-License-Identifier: Apache-2.0
#include "oracles/exact/enclosure.h"

#include <algorithm>
#include <cmath>

namespace plumb::oracles {
namespace {

Rational total(std::span<const Dyadic> value) {
  Rational sum;
  for (const Dyadic& part : value) {
    int exponent = 0;
    const auto integer = static_cast<long>(std::ldexp(std::frexp(part.mantissa, &exponent), 53));
    sum = sum + Rational::dyadic(integer, exponent - 53 + part.exponent);
  }
  return sum;
}

bool near(const Enclosure& enclosure, std::span<const Dyadic> value, const Rational& relative) {
  if (enclosure.kind != Enclosure::Kind::kNumber) return false;
  const Rational low = Rational::from_text(enclosure.low);
  const Rational high = Rational::from_text(enclosure.high);
  const Rational v = total(value);
  const Rational margin = std::max(low.magnitude(), high.magnitude()) * relative;
  return v >= low - margin && v <= high + margin;
}

}  // namespace

Enclosure enclosure(const Number& n) {
  switch (n.kind()) {
    case Number::Kind::kPlusInfinity:
      return {Enclosure::Kind::kPlusInfinity};
    case Number::Kind::kMinusInfinity:
      return {Enclosure::Kind::kMinusInfinity};
    case Number::Kind::kNan:
      return {Enclosure::Kind::kNan};
    case Number::Kind::kUndecided:
      return {Enclosure::Kind::kUndecided};
    default:
      return {Enclosure::Kind::kNumber, n.low().text(), n.high().text()};
  }
}

ExactTensor exact_tensor(std::string_view name, Shape shape, const std::vector<Number>& numbers) {
  ExactTensor t{std::string(name), std::move(shape), {}};
  PLUMB_REQUIRE(static_cast<Index>(numbers.size()) == count(t.shape), t.name, numbers.size());
  for (const Number& n : numbers) t.elements.push_back(enclosure(n));
  return t;
}

ExactSelection ranked(std::string_view name, Index row, std::size_t count,
                      std::span<const Number> scores) {
  ExactSelection s{std::string(name), row, count, {}};
  // Insertion into classes of equal scores: quadratic, and without a demand on the order's
  // transitivity.
  for (std::size_t i = 0; i < scores.size(); ++i) {
    std::size_t place = 0;
    int order = 1;
    while (place < s.ranking.size()) {
      order = compare(scores[i], scores[static_cast<std::size_t>(s.ranking[place].front())]);
      if (order == 2) s.undecided = true;
      if (order != -1) break;
      ++place;
    }
    if (place < s.ranking.size() && order == 0) {
      s.ranking[place].push_back(static_cast<Index>(i));
    } else {
      s.ranking.insert(s.ranking.begin() + static_cast<std::ptrdiff_t>(place),
                       {static_cast<Index>(i)});
    }
  }
  return s;
}

bool ExactSelection::admits(std::span<const Index> chosen) const {
  if (undecided || chosen.size() != count) return false;
  std::vector<Index> left(chosen.begin(), chosen.end());
  std::sort(left.begin(), left.end());
  if (std::adjacent_find(left.begin(), left.end()) != left.end()) return false;
  for (const std::vector<Index>& tied : ranking) {
    if (left.empty()) return true;
    std::size_t taken = 0;
    for (Index candidate : tied) taken += static_cast<std::size_t>(std::erase(left, candidate));
    // A class may be taken in part only when it is the last one.
    if (taken < tied.size()) return left.empty();
  }
  return left.empty();
}

const ExactTensor& ExactOutput::tensor(std::string_view name) const {
  const auto at = std::find_if(tensors.begin(), tensors.end(),
                               [&](const ExactTensor& t) { return t.name == name; });
  PLUMB_REQUIRE(at != tensors.end(), "the oracle has no such output", name);
  return *at;
}

const Oracle* find_oracle(std::string_view stage) {
  for (const Oracle& oracle : all_oracles()) {
    if (oracle.stage == stage) return &oracle;
  }
  return nullptr;
}

bool within(const Enclosure& enclosure, std::span<const Dyadic> value, int bits) {
  return near(enclosure, value, Rational::dyadic(1, -bits));
}
bool holds(const Enclosure& enclosure, std::span<const Dyadic> value) {
  return near(enclosure, value, Rational(0));
}

}  // namespace plumb::oracles
