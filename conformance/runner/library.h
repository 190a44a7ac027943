// SPDX-License-Identifier: Apache-2.0
// The rows of a candidate library. Opening one runs its constructors, so only a worker process
// does: anything else asks a Worker.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/abi/plumb_kernel.h"
#include "reference/base/result.h"

namespace plumb::conformance {

// What a library says of one variant.
struct KernelRow {
  std::string stage;
  std::string variant;
  std::optional<std::string> contract_json;  // absent: the stage's standard contract
  std::size_t alignment = 0;                 // in bytes; 0: the element's own
  bool operator==(const KernelRow&) const = default;
};

// A row and what it calls; only where the library is open.
struct LoadedKernel {
  KernelRow row;
  const char* (*supports)(const plumb_call* call) = nullptr;  // null: everything is supported
  int (*run)(const plumb_call* call, char* message, std::size_t message_size) = nullptr;
};

bool is_utf8(std::string_view text);

// What a row may say: names of 1 to 128 bytes of UTF-8 without control characters, at most 1 MiB of
// contract, an alignment that is a power of two up to a page.
Status check_row(const KernelRow& row, const std::string& file);
// No two rows of one stage and variant, and not absurdly many.
Status check_rows(const std::vector<KernelRow>& rows, const std::string& file);

// Copies the table out. A row that knows fewer members than plumb_kernel has null in the others,
// one that knows more is read as far as plumb_kernel goes. Every error names `file`.
Result<std::vector<LoadedKernel>> copy_rows(const plumb_kernel* rows, std::size_t count,
                                            const std::string& file);

// dlopen and copy_rows. The library stays open until the process ends.
Result<std::vector<LoadedKernel>> open_library(const std::string& file);

}  // namespace plumb::conformance
