// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include "conformance/runner/worker_guard.h"

namespace plumb::conformance {
namespace {

// The bits of element i of a packed tensor.
std::uint64_t element(const AnyTensor& t, std::size_t i) {
  const std::size_t bits = bits_of(t.dtype());
  if (bits < 8) {
    return (std::to_integer<std::uint64_t>(t.bytes()[i / 2]) >> (i % 2 * 4)) & 0xF;
  }
  std::uint64_t value = 0;
  std::memcpy(&value, t.bytes() + i * bits / 8, bits / 8);
  return value;
}

// The bits of an element that holds nothing but poison.
std::uint64_t poisoned_element(Pass pass, Dtype dtype, std::size_t i) {
  std::array<std::byte, 8> bytes{};
  bytes.fill(poison(pass));
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data(), std::max<std::size_t>(1, bits_of(dtype) / 8));
  return bits_of(dtype) < 8 ? (value >> (i % 2 * 4)) & 0xF : value;
}

std::string hex(std::uint64_t value, Dtype dtype) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (std::size_t bit = bits_of(dtype); bit > 0; bit -= 4) {
    text += kDigits[(value >> (bit - 4)) & 0xF];
  }
  return "0x" + text;
}

// Elements of one output that nobody wrote, and elements that differ.
struct Differences {
  Fault unwritten{FaultKind::kUnwritten, {}, 0, 0, 0, {}};
  Fault differ{FaultKind::kRunsDiffer, {}, 0, 0, 0, {}};

  Differences(const AnyTensor& first, const AnyTensor& second, bool poisoned_at_first) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(first.size()); ++i) {
      const std::uint64_t a = element(first, i);
      const std::uint64_t b = element(second, i);
      if (a == b) continue;
      const bool untouched = poisoned_at_first &&
                             a == poisoned_element(Pass::kFirst, first.dtype(), i) &&
                             b == poisoned_element(Pass::kSecond, first.dtype(), i);
      Fault& fault = untouched ? unwritten : differ;
      if (fault.count++ > 0) continue;
      fault.first = static_cast<std::int64_t>(i);
      fault.message = "first element " + std::to_string(i);
      if (untouched) continue;
      fault.message +=
          ": bits " + hex(a, first.dtype()) + " in run 1, " + hex(b, first.dtype()) + " in run 2";
    }
  }
};

void report(Fault fault, const NamedTensor& tensor, plumb_role role, const char* what,
            std::vector<Fault>& faults) {
  if (fault.count == 0) return;
  fault.tensor = tensor.name;
  fault.message = std::to_string(fault.count) + " of " + std::to_string(tensor.tensor.size()) +
                  " elements of " + std::string(name_of(role)) + " tensor '" + tensor.name + "' " +
                  what + "; " + fault.message;
  faults.push_back(std::move(fault));
}

plumb_role role_of(const std::string& name, const StageCall& call,
                   std::span<const plumb_role> roles) {
  for (std::size_t i = 0; i < roles.size(); ++i) {
    if (call.tensors[i].name == name) return roles[i];
  }
  PLUMB_REQUIRE(false, call.stage, name);
  return PLUMB_OUT;
}

// False for a tap that the kernel left alone.
bool compare(const NamedTensor& first, const NamedTensor& second, plumb_role role,
             std::vector<Fault>& faults) {
  const std::size_t bytes = first.tensor.byte_size();
  if (std::memcmp(first.tensor.bytes(), second.tensor.bytes(), bytes) == 0) return true;
  const Differences found(first.tensor, second.tensor, role != PLUMB_INOUT);
  if (role == PLUMB_TAP && found.unwritten.count == first.tensor.size()) return false;
  report(found.unwritten, first, role, "were not written", faults);
  report(found.differ, first, role, "differ between two runs on the same inputs", faults);
  return true;
}

}  // namespace

void compare_runs(const StageCall& call, std::span<const plumb_role> roles, CaseResult& result) {
  auto& [first, second] = result.outputs;
  PLUMB_REQUIRE(first.size() == second.size(), call.stage, first.size(), second.size());
  std::array<std::vector<NamedTensor>, 2> written;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const plumb_role role = role_of(first[i].name, call, roles);
    if (!compare(first[i], second[i], role, result.faults)) continue;
    written[0].push_back(first[i]);
    written[1].push_back(second[i]);
  }
  result.outputs = std::move(written);
}

}  // namespace plumb::conformance
