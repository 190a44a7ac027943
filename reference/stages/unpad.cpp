// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/unpad.h"

#include <algorithm>
#include <numeric>

#include "reference/stages/stage.h"

namespace plumb::reference {
namespace {

// Of the columns from `first` on, counted from there.
Packing packing_from(TensorView<const std::int64_t, 2> keep, Index first) {
  Packing p;
  const Index columns = keep.extent(1) - first;
  p.cumulative.push_back(0);
  for (Index b = 0; b < keep.extent(0); ++b) {
    std::int64_t length = 0;
    for (Index t = 0; t < columns; ++t) {
      length += keep(b, first + t);
      if (keep(b, first + t) != 0) p.indices.push_back(b * columns + t);
    }
    p.lengths.push_back(length);
    p.cumulative.push_back(p.cumulative.back() + length);
    p.longest = std::max(p.longest, length);
  }
  return p;
}

void put(StageCall& call, std::string_view name, const std::vector<std::int64_t>& values) {
  const auto target = output<std::int64_t, 1>(call, name, {static_cast<Index>(values.size())});
  std::ranges::copy(values, target.data());
}

Index size(const std::vector<std::int64_t>& values) { return static_cast<Index>(values.size()); }

}  // namespace

Packing packing(TensorView<const std::int64_t, 2> keep) { return packing_from(keep, 0); }

Packing query_packing(TensorView<const std::int64_t, 2> keep, Index queries) {
  if (queries != 1 || keep.extent(1) == 1) return packing_from(keep, keep.extent(1) - queries);
  Packing p;
  p.lengths.assign(static_cast<std::size_t>(keep.extent(0)), 1);
  p.cumulative.resize(p.lengths.size() + 1);
  std::iota(p.cumulative.begin(), p.cumulative.end(), 0);
  p.indices.assign(p.cumulative.begin(), p.cumulative.end() - 1);
  p.longest = 1;
  return p;
}

template <class T>
void gather_rows(const Operand<T>& x, const std::vector<std::int64_t>& indices,
                 TensorView<T, 3> packed) {
  for (Index p = 0; p < packed.extent(0); ++p) {
    const Index row = indices[static_cast<std::size_t>(p)];
    for (Index h = 0; h < packed.extent(1); ++h) {
      for (Index d = 0; d < packed.extent(2); ++d) {
        packed(p, h, d) = x(row / x.extent(1), row % x.extent(1), h, d);
      }
    }
  }
}

template <class T>
void scatter_rows(const Operand<T>& packed, const std::vector<std::int64_t>& indices,
                  TensorView<T, 4> y) {
  for (Index p = 0; p < packed.extent(0); ++p) {
    const Index row = indices[static_cast<std::size_t>(p)];
    for (Index h = 0; h < y.extent(2); ++h) {
      for (Index d = 0; d < y.extent(3); ++d) {
        y(row / y.extent(1), row % y.extent(1), h, d) = packed(p, h, d);
      }
    }
  }
}

template <class T>
void call_unpad(const Arithmetic& arithmetic, StageCall& call) {
  const auto keep = call.tensor("keep").view<const std::int64_t, 2>();
  const Packing keys = packing(keep);
  const Packing queries = query_packing(keep, call.integer("S"));
  PLUMB_REQUIRE(size(keys.indices) == call.integer("kept"), call.site.path, size(keys.indices),
                call.integer("kept"));
  PLUMB_REQUIRE(size(queries.indices) == call.integer("kept_queries"), call.site.path,
                size(queries.indices), call.integer("kept_queries"));
  put(call, "lengths", keys.lengths);
  put(call, "cumulative", keys.cumulative);
  put(call, "indices", keys.indices);
  put(call, "longest", {keys.longest});
  put(call, "query_cumulative", queries.cumulative);
  put(call, "query_indices", queries.indices);
  put(call, "query_longest", {queries.longest});
  const Operand<T> x(arithmetic, call.tensor("x"));
  gather_rows(x, keys.indices,
              output<T, 3>(call, "packed", {size(keys.indices), x.extent(2), x.extent(3)}));
  scatter_rows(
      Operand<T>(arithmetic, call.tensor("packed")), keys.indices,
      output<T, 4>(call, "restored", {x.extent(0), x.extent(1), x.extent(2), x.extent(3)}));
}

extern const StageReference unpad_reference;
const StageReference unpad_reference{"unpad", call_unpad<Real>, call_unpad<RealWide>,
                                     call_unpad<Tracked>, call_unpad<double>};

}  // namespace plumb::reference
