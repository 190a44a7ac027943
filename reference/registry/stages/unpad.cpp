// SPDX-License-Identifier: Apache-2.0
#include "reference/registry/schema.h"

namespace plumb {
namespace {

TensorSchema counted(std::string_view name, std::string_view axis) {
  TensorSchema t{};
  t.name = name;
  t.role = Role::kOut;
  t.axes = {axis};
  t.dtypes = {Dtype::kI64};
  t.judge = Judge::kExact;
  return t;
}

}  // namespace

// No side of R1-D42 is a kernel's to choose: released code takes both, lengths from the sum of the
// mask and indices from its nonzeros.
StageSchema unpad_schema() {
  return {
      .name = "unpad",
      .sentence = "Packs the real tokens of a padded batch, and puts packed rows back.",
      .formula =
          "s[b] = sum_t keep; cu = (0, cumsum s); idx = nonzero(vec(keep)); packed[p] = x[idx[p]]; "
          "restored[idx[p]] = packed[p], 0 elsewhere",
      .tensors =
          {
              {.name = "keep",
               .role = Role::kIn,
               .axes = {"B", "T"},
               .dtypes = {Dtype::kI64},
               .domain = Domain::kMask},
              {.name = "x",
               .role = Role::kIn,
               .axes = {"B", "T", "heads", "dim"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation},
              counted("lengths", "B"),
              counted("cumulative", "bounds"),
              counted("indices", "kept"),
              counted("longest", "one"),
              counted("query_cumulative", "bounds"),
              counted("query_indices", "kept_queries"),
              counted("query_longest", "one"),
              {.name = "packed",
               .role = Role::kOut,
               .axes = {"kept", "heads", "dim"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .slot = Slot::kActivation},
              {.name = "restored",
               .role = Role::kOut,
               .axes = {"B", "T", "heads", "dim"},
               .dtypes = {Dtype::kBf16, Dtype::kF32},
               .domain = Domain::kMostlyZero,
               .slot = Slot::kActivation},
          },
      .params =
          {
              {"S", std::int64_t{1}, "query tokens, the last of T"},
              {"bounds", std::int64_t{2}, "B + 1"},
              {"kept", std::int64_t{1}, "number of real tokens"},
              {"kept_queries", std::int64_t{1},
               "B where S = 1 < T, else the number of real tokens among the last S of each row"},
              {"one", std::int64_t{1}, "extent of a scalar"},
          },
      .records = {"R1-004", "R1-005", "R1-006", "R1-057", "R1-058", "R1-092", "R1-098", "R1-099"},
  };
}

}  // namespace plumb
