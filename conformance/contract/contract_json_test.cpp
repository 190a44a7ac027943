// SPDX-License-Identifier: Apache-2.0
#include "conformance/contract/contract_json.h"

#include <gtest/gtest.h>

#include "conformance/contract/strict_json.h"

namespace plumb::conformance {
namespace {

std::string error_of(const std::string& text) {
  const auto contract = contract_from_json(text, "rms_norm.mine", {});
  return contract.ok() ? "" : contract.error().message;
}

void expect_refused(const std::string& text, const std::string& member) {
  const std::string error = error_of(text);
  EXPECT_NE(error.find("rms_norm.mine"), std::string::npos) << text << ": " << error;
  EXPECT_NE(error.find('"' + member + '"'), std::string::npos) << text << ": " << error;
}

TEST(ContractJson, AllMembers) {
  const auto c = contract_from_json(
      R"({"name": "mine", "accumulator": "bf16", "sum_depth": 119, "fused_products": true,
          "flushes_subnormals": true, "ties": "lowest_index", "deterministic": false, "signed_zero": true,
          "ulps": {"exp": 1, "rsqrt": 3, "sin": 4, "cos": 5, "division": 0.5, "sqrt": 0}})",
      "rms_norm.mine", {});
  ASSERT_TRUE(c.ok()) << c.error().message;
  EXPECT_EQ(c->name, "mine");
  EXPECT_EQ(c->accumulator.name, "bf16");
  EXPECT_EQ(c->sum_depth, 119);
  EXPECT_TRUE(c->fused_products);
  EXPECT_TRUE(c->flushes_subnormals);
  EXPECT_EQ(c->ties, TieRule::kLowestIndex);
  EXPECT_FALSE(c->deterministic);
  EXPECT_TRUE(c->signed_zero);
  EXPECT_EQ(c->ulps.exp, 1);
  EXPECT_EQ(c->ulps.rsqrt, 3);
  EXPECT_EQ(c->ulps.sin, 4);
  EXPECT_EQ(c->ulps.cos, 5);
  EXPECT_EQ(c->ulps.division, 0.5);
  EXPECT_EQ(c->ulps.sqrt, 0);
  const std::string text = contract_to_json(*c);
  const auto again = contract_from_json(text, "rms_norm.mine", {});
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(contract_to_json(*again), text);
}

TEST(ContractJson, WhatIsLeftOutIsTheStandard) {
  Contract standard;
  standard.sum_depth = 7;
  standard.ties = TieRule::kLowestIndex;
  standard.ulps.cos = 9;
  auto c = contract_from_json(R"({"name": "mine", "ulps": {"exp": 1}})", "k.v", standard);
  ASSERT_TRUE(c.ok()) << c.error().message;
  EXPECT_EQ(c->sum_depth, 7);
  EXPECT_EQ(c->ties, TieRule::kLowestIndex);
  EXPECT_EQ(c->ulps.cos, 9);
  EXPECT_EQ(c->ulps.exp, 1);
  c = contract_from_json(R"({"name": "mine", "sum_depth": null})", "k.v", standard);
  ASSERT_TRUE(c.ok()) << c.error().message;
  EXPECT_FALSE(c->sum_depth.has_value());
}

TEST(ContractJson, TheNameStandardIsTaken) {
  EXPECT_EQ(error_of(R"({"name": "standard"})"), "");
  EXPECT_EQ(error_of(R"({"name": "standard", "accumulator": "f32"})"), "");
  expect_refused(R"({"name": "standard", "ulps": {"exp": 4}})", "name");
  expect_refused(R"({"name": "standard", "accumulator": "bf16"})", "name");
}

TEST(ContractJson, WrongMembersAreNamed) {
  // Without a name it is called after its kernel.
  EXPECT_EQ(contract_from_json(R"({"accumulator": "f32"})", "k.v", Contract{}).value().name, "k.v");
  expect_refused(R"({"name": ""})", "name");
  expect_refused(R"({"name": 3})", "name");
  expect_refused(R"({"name": ")" + std::string(101, 'x') + "\"}", "name");
  expect_refused(R"({"name": "m", "accumulater": "f32"})", "accumulater");
  expect_refused(R"({"name": "m", "accumulator": "f8"})", "accumulator");
  expect_refused(R"({"name": "m", "accumulator": 32})", "accumulator");
  expect_refused(R"({"name": "m", "accumulator": null})", "accumulator");
  expect_refused(R"({"name": "m", "ties": "first"})", "ties");
  expect_refused(R"({"name": "m", "deterministic": 1})", "deterministic");
  expect_refused(R"({"name": "m", "signed_zero": "yes"})", "signed_zero");
  expect_refused(R"({"name": "m", "fused_products": null})", "fused_products");
  for (const char* depth :
       {"0", "-1", "1.5", "\"7\"", "2147483649", "18446744073709551615", "1e400"}) {
    const std::string text = std::string(R"({"name": "m", "sum_depth": )") + depth + "}";
    EXPECT_NE(error_of(text), "") << depth;
    if (std::string(depth) != "1e400") expect_refused(text, "sum_depth");
  }
  for (const char* ulps : {"-1", "65537", "1e300", "\"nan\"", "null", "true", "[]"}) {
    expect_refused(std::string(R"({"name": "m", "ulps": {"exp": )") + ulps + "}}", "ulps.exp");
  }
  expect_refused(R"({"name": "m", "ulps": {"tan": 1}})", "ulps.tan");
  expect_refused(R"({"name": "m", "ulps": 2})", "ulps");
  expect_refused(R"({"name": "m", "ulps": null})", "ulps");
  expect_refused(R"({"name": "a", "name": "b"})", "name");
  expect_refused(R"({"name": "m", "ulps": {"exp": 1, "exp": 9}})", "exp");
}

TEST(ContractJson, WhatIsNoObjectOrNoJson) {
  const std::string deep(100'000, '[');
  for (const std::string& text :
       {std::string(), std::string("null"), std::string("[]"), std::string("{"),
        std::string("{\"name\": NaN}"), std::string("{\"name\": \"m\", \"ulps\": {\"exp\": NaN}}"),
        std::string("{\"name\": \"m\"} x"), std::string("{\"name\": \"\xff\"}"), deep,
        "{\"name\": " + deep, std::string("{\"name\": \"m\", \"ulps\": {\"exp\": 1e999}}")}) {
    const std::string error = error_of(text);
    EXPECT_NE(error.find("rms_norm.mine"), std::string::npos) << text.substr(0, 40);
    EXPECT_LT(error.size(), 400U);
  }
}

TEST(StrictJson, DepthAndDuplicates) {
  const auto nested = [](std::size_t n) { return std::string(n, '[') + std::string(n, ']'); };
  EXPECT_TRUE(parse_strict_json(nested(kDeepestJson)).ok());
  EXPECT_FALSE(parse_strict_json(nested(kDeepestJson + 1)).ok());
  EXPECT_TRUE(parse_strict_json(R"([{"a": 1}, {"a": 2}])").ok());
  EXPECT_TRUE(parse_strict_json(R"({"a": {"a": 1}, "b": {"a": 2}})").ok());
  EXPECT_FALSE(parse_strict_json(R"({"a": {"b": 1}, "a": 2})").ok());
  EXPECT_FALSE(parse_strict_json(R"({"a": {"b": 1, "\u0062": 2}})").ok())
      << "the same key, escaped";
}

TEST(IsWeaker, EachMember) {
  const Contract standard;
  EXPECT_FALSE(is_weaker(standard, standard));
  const auto weaker = [&](auto change) {
    Contract declared = standard;
    change(declared);
    EXPECT_FALSE(is_weaker(standard, declared) && is_weaker(declared, standard));
    return is_weaker(declared, standard);
  };
  EXPECT_TRUE(weaker([](Contract& c) { c.accumulator = kBf16; }));
  EXPECT_FALSE(weaker([](Contract& c) { c.accumulator = kF64; }));
  EXPECT_TRUE(weaker([](Contract& c) { c.flushes_subnormals = true; }));
  EXPECT_TRUE(weaker([](Contract& c) { c.deterministic = false; }));
  EXPECT_FALSE(weaker([](Contract& c) { c.signed_zero = true; }));
  EXPECT_FALSE(weaker([](Contract& c) { c.fused_products = true; }));
  EXPECT_FALSE(weaker([](Contract& c) { c.ties = TieRule::kLowestIndex; }));
  EXPECT_FALSE(weaker([](Contract& c) { c.sum_depth = 3; }));
  for (auto field : {&FunctionUlps::exp, &FunctionUlps::rsqrt, &FunctionUlps::sin,
                     &FunctionUlps::cos, &FunctionUlps::division, &FunctionUlps::sqrt}) {
    EXPECT_TRUE(weaker([&](Contract& c) { c.ulps.*field = 2.5; }));
    EXPECT_FALSE(weaker([&](Contract& c) { c.ulps.*field = 1; }));
  }
}

TEST(IsWeaker, AgainstAStricterStandard) {
  Contract standard;
  standard.sum_depth = 100;
  standard.fused_products = standard.signed_zero = true;
  standard.ties = TieRule::kLowestIndex;
  for (auto loosen :
       {+[](Contract& c) { c.sum_depth = 101; }, +[](Contract& c) { c.sum_depth.reset(); },
        +[](Contract& c) { c.fused_products = false; }, +[](Contract& c) { c.signed_zero = false; },
        +[](Contract& c) { c.ties = TieRule::kAny; }}) {
    Contract declared = standard;
    loosen(declared);
    EXPECT_TRUE(is_weaker(declared, standard));
    EXPECT_FALSE(is_weaker(standard, declared));
  }
}

TEST(IsWeaker, UlpsAndFlushingCountInTheAccumulatorsOwnUnits) {
  Contract declared;
  declared.accumulator = kF64;
  declared.ulps.exp = 1000;  // of f64: far finer than 2 of f32
  declared.flushes_subnormals = true;
  EXPECT_FALSE(is_weaker(declared, {}));
  declared.ulps.exp = 0x1p31;
  EXPECT_TRUE(is_weaker(declared, {}));
}

}  // namespace
}  // namespace plumb::conformance
