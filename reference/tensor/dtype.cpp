// SPDX-License-Identifier: Apache-2.0
#include "reference/tensor/dtype.h"

#include <array>

#include "reference/base/require.h"

namespace plumb {
namespace {

struct Row {
  std::string_view name;
  std::size_t bits;
};

constexpr std::array<Row, 14> kRows{{{"bool", 8},
                                     {"u8", 8},
                                     {"i32", 32},
                                     {"i64", 64},
                                     {"f4_e2m1fn", 4},
                                     {"f8_e4m3fn", 8},
                                     {"f8_e8m0fnu", 8},
                                     {"bf16", 16},
                                     {"f16", 16},
                                     {"f32", 32},
                                     {"f64", 64},
                                     {"real", kRealBytes * 8},
                                     {"real_wide", kRealWideBytes * 8},
                                     {"tracked", kTrackedBytes * 8}}};

const Row& row(Dtype dtype) {
  const auto index = static_cast<std::size_t>(dtype);
  PLUMB_REQUIRE(index < kRows.size(), index);
  return kRows[index];
}

}  // namespace

std::size_t bits_of(Dtype dtype) { return row(dtype).bits; }
std::string_view name_of(Dtype dtype) { return row(dtype).name; }

}  // namespace plumb
