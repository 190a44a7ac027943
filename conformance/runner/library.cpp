// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/library.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <set>
#include <utility>

namespace plumb::conformance {
namespace {

constexpr std::size_t kMaxRows = 4096;
constexpr std::size_t kMaxStructSize = 4096;
constexpr std::size_t kMaxName = 128;
constexpr std::size_t kMaxContract = std::size_t{1} << 20;
constexpr std::size_t kMaxAlignment = 4096;
// The members of ABI 1; a row without them cannot be run.
constexpr std::size_t kLeastStructSize = offsetof(plumb_kernel, run) + sizeof(plumb_kernel::run);

Error error(const std::string& file, const std::string& what) {
  return {file + ": " + what + "; see plumb_kernel.h"};
}

// Length of the UTF-8 sequence that begins at `at`, 0 when it is none (RFC 3629).
std::size_t sequence_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return at + i < text.size() ? static_cast<std::uint8_t>(text[at + i]) : std::uint8_t{0};
  };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const bool overlong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
  const bool surrogate = lead == 0xED && byte(1) > 0x9F;
  const bool too_large = lead == 0xF4 && byte(1) > 0x8F;
  return overlong || surrogate || too_large ? 0 : length;
}

bool is_name(const std::string& name) {
  const bool control = std::any_of(name.begin(), name.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
  });
  return !name.empty() && name.size() <= kMaxName && !control && is_utf8(name);
}

// At most `limit` + 1 bytes, so that one without an end is found too long.
std::string bounded(const char* text, std::size_t limit) {
  return {text, strnlen(text, limit + 1)};
}

Result<LoadedKernel> copy_row(const plumb_kernel& known, const std::string& file,
                              const std::string& which) {
  if (known.stage == nullptr || known.variant == nullptr) {
    return error(file, which + " has no " + (known.stage == nullptr ? "stage" : "variant"));
  }
  if (known.run == nullptr) return error(file, which + " has no run");
  LoadedKernel kernel{
      {bounded(known.stage, kMaxName), bounded(known.variant, kMaxName), {}, known.alignment},
      known.supports,
      known.run};
  if (known.contract_json != nullptr) {
    kernel.row.contract_json = bounded(known.contract_json, kMaxContract);
  }
  if (const Status status = check_row(kernel.row, file); !status.ok()) {
    return Error{status.error().message + " (" + which + ")"};
  }
  return kernel;
}

}  // namespace

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequence_length(text, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

Status check_row(const KernelRow& row, const std::string& file) {
  if (!is_name(row.stage) || !is_name(row.variant)) {
    return error(file, std::string(is_name(row.stage) ? "a variant" : "a stage") +
                           " is not a name: 1 to 128 bytes of UTF-8 without control characters");
  }
  const std::string id = row.stage + "." + row.variant;
  if (row.contract_json &&
      (row.contract_json->size() > kMaxContract || !is_utf8(*row.contract_json))) {
    return error(file, "the contract of " + id + " is not UTF-8 of at most 1 MiB");
  }
  const bool power_of_two = (row.alignment & (row.alignment - 1)) == 0;
  if (!power_of_two || row.alignment > kMaxAlignment) {
    return error(file, "the alignment of " + id + " is " + std::to_string(row.alignment) +
                           ", not 0 or a power of two up to 4096");
  }
  return Nothing{};
}

Status check_rows(const std::vector<KernelRow>& rows, const std::string& file) {
  if (rows.size() > kMaxRows)
    return error(file, std::to_string(rows.size()) + " rows are too many");
  std::set<std::pair<std::string, std::string>> seen;
  for (const KernelRow& row : rows) {
    if (Status status = check_row(row, file); !status.ok()) return status;
    if (!seen.emplace(row.stage, row.variant).second) {
      return error(file, "two rows are called " + row.stage + "." + row.variant);
    }
  }
  return Nothing{};
}

Result<std::vector<LoadedKernel>> copy_rows(const plumb_kernel* rows, std::size_t count,
                                            const std::string& file) {
  if (rows == nullptr || count == 0) return error(file, "plumb_kernels gives no rows");
  if (count > kMaxRows) {
    return error(file, "plumb_kernels gives " + std::to_string(count) + " rows, more than " +
                           std::to_string(kMaxRows));
  }
  const std::size_t struct_size = rows->struct_size;
  std::vector<LoadedKernel> kernels;
  std::vector<KernelRow> names;
  for (std::size_t i = 0; i < count; ++i) {
    plumb_kernel known{};
    const auto* at = reinterpret_cast<const std::byte*>(rows) + i * struct_size;
    std::memcpy(&known.struct_size, at, sizeof known.struct_size);
    const std::string which = "row " + std::to_string(i);
    if (known.struct_size != struct_size || struct_size < kLeastStructSize ||
        struct_size > kMaxStructSize || struct_size % alignof(plumb_kernel) != 0) {
      return error(file, which + " has struct_size " + std::to_string(known.struct_size) +
                             ", not one sizeof(plumb_kernel) in every row");
    }
    std::memcpy(&known, at, std::min(struct_size, sizeof known));
    Result<LoadedKernel> kernel = copy_row(known, file, which);
    if (!kernel) return kernel.error();
    names.push_back(kernel->row);
    kernels.push_back(std::move(kernel).value());
  }
  if (const Status status = check_rows(names, file); !status.ok()) return status.error();
  return kernels;
}

Result<std::vector<LoadedKernel>> open_library(const std::string& file) {
  // A name without a slash would be looked for in the system's folders.
  std::error_code trouble;
  const std::string path = std::filesystem::absolute(file, trouble).string();
  void* library = trouble ? nullptr : dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* why = trouble ? nullptr : dlerror();
    return Error{file + ": cannot be opened: " + (why == nullptr ? trouble.message() : why)};
  }
  using Kernels = const plumb_kernel* (*)(std::size_t*);
  const auto kernels = reinterpret_cast<Kernels>(dlsym(library, "plumb_kernels"));
  if (kernels == nullptr) {
    return error(file, "exports no plumb_kernels; give it C linkage and default visibility");
  }
  std::size_t count = 0;
  const plumb_kernel* rows = kernels(&count);
  return copy_rows(rows, count, file);
}

}  // namespace plumb::conformance
