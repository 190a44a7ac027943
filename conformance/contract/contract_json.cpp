// SPDX-License-Identifier: Apache-2.0
#include "conformance/contract/contract_json.h"

#include <array>
#include <utility>

#include "conformance/contract/strict_json.h"

namespace plumb::conformance {
namespace {

constexpr std::int64_t kLargestDepth = std::int64_t{1} << 31;
// Beyond this an f32 function has no correct digit left that a budget could stand on.
constexpr double kLargestUlps = 65536;
constexpr std::size_t kLongestName = 100;

constexpr std::array kAccumulators{kF32, kBf16, kF64};
constexpr std::array kUlps{
    std::pair{"exp", &FunctionUlps::exp},           std::pair{"rsqrt", &FunctionUlps::rsqrt},
    std::pair{"sin", &FunctionUlps::sin},           std::pair{"cos", &FunctionUlps::cos},
    std::pair{"division", &FunctionUlps::division}, std::pair{"sqrt", &FunctionUlps::sqrt},
};
constexpr std::array kTies{std::pair{"any", TieRule::kAny},
                           std::pair{"lowest_index", TieRule::kLowestIndex}};
constexpr std::array kFlags{
    std::pair{"fused_products", &Contract::fused_products},
    std::pair{"flushes_subnormals", &Contract::flushes_subnormals},
    std::pair{"deterministic", &Contract::deterministic},
    std::pair{"signed_zero", &Contract::signed_zero},
};

void read_accumulator(JsonMembers& members, Contract& contract) {
  if (!members.has("accumulator")) return;
  const std::string name = members.text("accumulator");
  for (const Format& format : kAccumulators) {
    if (format.name != name) continue;
    contract.accumulator = format;
    return;
  }
  members.fail("accumulator", R"(must be "f32", "bf16" or "f64")");
}

void read_ties(JsonMembers& members, Contract& contract) {
  if (!members.has("ties")) return;
  const std::string name = members.text("ties");
  for (const auto& [word, rule] : kTies) {
    if (name != word) continue;
    contract.ties = rule;
    return;
  }
  members.fail("ties", R"(must be "any" or "lowest_index")");
}

void read_ulps(JsonMembers& members, Contract& contract) {
  if (!members.has("ulps")) return;
  std::optional<JsonMembers> ulps = members.object_or_null("ulps");
  if (!ulps) return members.fail("ulps", "must be an object");
  for (const auto& [name, field] : kUlps) {
    if (!ulps->has(name)) continue;
    const double value = ulps->number(name);
    if (!(value >= 0 && value <= kLargestUlps))
      ulps->fail(name, "must be a number from 0 to 65536");
    contract.ulps.*field = value;
  }
  ulps->refuse_unknown();
  members.adopt(*ulps);
}

void read_members(JsonMembers& members, std::string_view kernel_id, Contract& contract) {
  contract.name = members.has("name") ? members.text("name") : std::string(kernel_id);
  if (contract.name.empty() || contract.name.size() > kLongestName) {
    members.fail("name", "must have 1 to 100 bytes");
  }
  read_accumulator(members, contract);
  // null: any order.
  if (members.has("sum_depth")) {
    contract.sum_depth.reset();
    if (!members.is_null("sum_depth")) {
      contract.sum_depth = members.integer("sum_depth", 1, kLargestDepth);
    }
  }
  for (const auto& [name, field] : kFlags) {
    if (members.has(name)) contract.*field = members.flag(name);
  }
  read_ulps(members, contract);
  read_ties(members, contract);
  members.refuse_unknown();
}

nlohmann::ordered_json as_json(const Contract& contract) {
  nlohmann::ordered_json j{{"name", contract.name}, {"accumulator", contract.accumulator.name}};
  j["sum_depth"] = nullptr;
  if (contract.sum_depth) j["sum_depth"] = *contract.sum_depth;
  for (const auto& [name, field] : kFlags) j[name] = contract.*field;
  for (const auto& [name, field] : kUlps) j["ulps"][name] = contract.ulps.*field;
  for (const auto& [word, rule] : kTies) {
    if (contract.ties == rule) j["ties"] = word;
  }
  return j;
}

// The smallest number that the contract keeps apart from zero, halved unless it flushes.
double underflow(const Contract& contract) {
  const Format& format = contract.accumulator;
  return contract.flushes_subnormals ? std::ldexp(1.0, format.min_exponent)
                                     : format.half_smallest();
}

}  // namespace

Result<Contract> contract_from_json(std::string_view text, std::string_view kernel_id,
                                    const Contract& standard) {
  const std::string where = "contract of " + std::string(kernel_id) + ": ";
  const auto parsed = parse_strict_json(text);
  if (!parsed) return Error{where + parsed.error().message};
  JsonMembers members(*parsed, "");
  Contract contract = standard;
  read_members(members, kernel_id, contract);
  if (members.error()) return Error{where + *members.error()};
  if (contract.name == standard.name && as_json(contract) != as_json(standard)) {
    return Error{where + "member \"name\" is that of the stage's standard contract (\"" +
                 standard.name + "\"), from which others differ; choose another name"};
  }
  return contract;
}

std::string contract_to_json(const Contract& contract) {
  return as_json(contract).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

bool is_weaker(const Contract& declared, const Contract& standard) {
  const Format& mine = declared.accumulator;
  const Format& theirs = standard.accumulator;
  if (mine.precision < theirs.precision || mine.max_finite < theirs.max_finite) return true;
  if (underflow(declared) > underflow(standard)) return true;
  for (const auto& [name, field] : kUlps) {
    if (declared.ulps.*field * mine.unit_roundoff() >
        standard.ulps.*field * theirs.unit_roundoff()) {
      return true;
    }
  }
  // Any order is the largest depth there is.
  if (standard.sum_depth && (!declared.sum_depth || *declared.sum_depth > *standard.sum_depth))
    return true;
  if (standard.fused_products && !declared.fused_products) return true;
  if (standard.ties == TieRule::kLowestIndex && declared.ties == TieRule::kAny) return true;
  return (standard.deterministic && !declared.deterministic) ||
         (standard.signed_zero && !declared.signed_zero);
}

}  // namespace plumb::conformance
