// SPDX-License-Identifier: Apache-2.0
#include "reference/base/require.h"

#include <cstdio>
#include <cstdlib>

namespace plumb::base {

void require_failed(const char* file, int line, const char* condition,
                    std::initializer_list<Printed> values) {
  std::fprintf(stderr, "%s:%d: broken promise: %s", file, line, condition);
  const char* separator = " [";
  for (const Printed& value : values) {
    std::fprintf(stderr, "%s%s", separator, value.text.c_str());
    separator = ", ";
  }
  std::fputs(values.size() > 0 ? "]\n" : "\n", stderr);
  std::abort();
}

}  // namespace plumb::base
