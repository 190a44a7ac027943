// SPDX-License-Identifier: Apache-2.0
#include "tools/plumb/known.h"

#include <filesystem>

#include "conformance/runner/worker.h"
#include "tools/plumb/session.h"

namespace plumb::tools {
namespace {

std::vector<conformance::KernelRow> rows_of_own_library() {
  const std::string library = own_library();
  if (!std::filesystem::exists(library)) return {};
  conformance::WorkerOptions options;
  options.executable = own_executable();
  options.library = library;
  auto rows = conformance::Worker(options).rows();
  return rows.ok() ? std::move(rows).value() : std::vector<conformance::KernelRow>{};
}

// Whether the space-separated list holds the word.
bool lists(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(' '), list.size());
    if (list.substr(0, end) == word) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

}  // namespace

std::vector<std::string> kernels_of(std::string_view stage) {
  static const std::vector<conformance::KernelRow> kRows = rows_of_own_library();
  std::vector<std::string> ids;
  for (const conformance::KernelRow& row : kRows) {
    if (row.stage == stage) ids.push_back(row.stage + "." + row.variant);
  }
  return ids;
}

std::vector<std::string> oracles_of(std::string_view stage) {
  if (!lists(PLUMB_EXACT_ORACLES, stage)) return {};
  return {"exact"};
}

}  // namespace plumb::tools
