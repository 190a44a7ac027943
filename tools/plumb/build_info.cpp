// SPDX-License-Identifier: Apache-2.0
#include "tools/plumb/build_info.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <hwy/targets.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "conformance/abi/plumb_kernel.h"
#include "tools/plumb/build_facts.h"

namespace plumb::tools {
namespace {

// The targets that Highway compiles for with this compiler, best last.
std::vector<std::string> simd_targets() {
  std::vector<std::string> names;
  for (int bit = 63; bit >= 0; --bit) {
    const std::int64_t target = HWY_TARGETS & static_cast<std::int64_t>(std::uint64_t{1} << bit);
    if (target != 0) names.emplace_back(hwy::TargetName(target));
  }
  return names;
}

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> words;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(' '), list.size());
    words.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return words;
}

std::string or_none(const std::vector<std::string>& words, std::string_view none) {
  return words.empty() ? std::string(none) : fmt::format("{}", fmt::join(words, " "));
}

}  // namespace

const conformance::BuildInfo& build_info() {
  static const conformance::BuildInfo kInfo{
      .version = PLUMB_VERSION,
      .commit = std::string(facts::kCommit),
      .compiler = PLUMB_COMPILER,
      .abi = std::to_string(PLUMB_ABI),
      .registry_digest = std::string(facts::kRegistryDigest),
      .dirty = facts::kDirty,
      .simd_targets = simd_targets(),
      .cuda_architectures = split(PLUMB_CUDA_ARCHITECTURES),
  };
  return kInfo;
}

std::string build_text() {
  const conformance::BuildInfo& info = build_info();
  return fmt::format(
      "plumb {} ({}{})\n"
      "compiler      {}\n"
      "SIMD targets  {}\n"
      "CUDA          {}\n"
      "kernel ABI    {}\n"
      "registry      {}\n",
      info.version, info.commit, info.dirty ? ", changed" : "", info.compiler,
      or_none(info.simd_targets, "none"),
      or_none(info.cuda_architectures, "kernels not built for a device"), info.abi,
      info.registry_digest);
}

// As the head of a verdict file spells it.
nlohmann::ordered_json build_json() {
  const std::string header = to_json_line(conformance::RunHeader{build_info(), "", "", {}});
  return nlohmann::ordered_json::parse(header)["build"];
}

void print_json(const std::string& noun, nlohmann::ordered_json rows) {
  nlohmann::ordered_json document;
  document["schema"] = "plumb." + noun + "/1";
  document["build"] = build_json();
  document[noun] = std::move(rows);
  const auto replace = nlohmann::ordered_json::error_handler_t::replace;
  fmt::print("{}\n", document.dump(1, ' ', false, replace));
}

}  // namespace plumb::tools
