// SPDX-License-Identifier: Apache-2.0
// The plug-in as a stranger sees it: loaded by name, without our libraries.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <set>
#include <string>

#include "conformance/abi/plumb_kernel.h"

namespace {

std::set<std::string> exported_symbols() {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(
      popen(PLUMB_NM " -D --defined-only --format=just-symbols " PLUMB_KERNEL_LIBRARY, "r"),
      pclose);
  std::set<std::string> symbols;
  char line[1024];
  while (std::fgets(line, sizeof line, pipe.get()) != nullptr) {
    symbols.insert(std::string(line).substr(0, std::string(line).find('\n')));
  }
  return symbols;
}

TEST(KernelLibrary, ExportsTwoSymbols) {
  EXPECT_EQ(exported_symbols(),
            (std::set<std::string>{"plumb_kernels", "plumb_kernels_last_target"}));
}

TEST(KernelLibrary, GivesCompleteRowsThatStay) {
  void* library = dlopen(PLUMB_KERNEL_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  const auto kernels =
      reinterpret_cast<const plumb_kernel* (*)(size_t*)>(dlsym(library, "plumb_kernels"));
  ASSERT_NE(kernels, nullptr);
  size_t count = 0;
  const plumb_kernel* rows = kernels(&count);
  std::set<std::string> ids;
  for (size_t i = 0; i < count; ++i) {
    EXPECT_EQ(rows[i].struct_size, sizeof(plumb_kernel));
    EXPECT_NE(rows[i].supports, nullptr);
    EXPECT_NE(rows[i].run, nullptr);
    EXPECT_EQ(rows[i].contract_json[0], '{');
    ids.insert(std::string(rows[i].stage) + "." + rows[i].variant);
  }
  EXPECT_EQ(ids.size(), count);
  EXPECT_TRUE(ids.contains("rms_norm.scalar"));
  EXPECT_EQ(kernels(&count), rows);
  dlclose(library);
}

}  // namespace
