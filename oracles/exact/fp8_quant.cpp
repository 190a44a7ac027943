// SPDX-License-Identifier: Apache-2.0
// In each run of `block` channels: s = f32( max(amax, 1e-4) / 448 ), code = e4m3( f32( x / s ) ),
// 448 at most. 1e-4 is the decimal where nothing is rounded and its f32 otherwise.
#include <algorithm>

#include "oracles/exact/element.h"
#include "oracles/exact/enclosure.h"
#include "oracles/exact/rounding.h"

namespace plumb::oracles {
namespace {

struct Row {
  std::string_view reading;
  std::optional<Target> step;  // constant, scale and quotient
  std::optional<Target> code;
};

const Row& row_of(std::string_view reading) {
  static const Row kRows[] = {
      {"real", {}, {}},
      {"hf_bf16", Target::kF32, {}},
      {"hf_f32", Target::kF32, {}},
      {"inf_bf16", Target::kF32, {}},
      {"inf_fp8", Target::kF32, Target::kE4m3},
  };
  for (const Row& row : kRows) {
    if (row.reading == reading) return row;
  }
  PLUMB_REQUIRE(false, "the oracle does not know this reading", reading);
  return kRows[0];
}

// The largest of the floor and the magnitudes; what is not a number counts for nothing.
Number largest(const AnyTensor& x, Index begin, Index end, const Number& floor) {
  Number top = floor;
  for (Index i = begin; i < end; ++i) {
    Number v = element(x, i);
    if (v.sign() == -1) v = Number(0) - v;
    if (compare(v, top) == 1) top = v;
  }
  return top;
}

}  // namespace

ExactOutput fp8_quant(const StageCall& call, std::string_view reading) {
  const AnyTensor& x = call.tensor("x");
  const Index block = call.integer("block");
  const Row& row = row_of(reading);
  const Index channels = x.extent(1);
  const Index runs = (channels + block - 1) / block;
  const Number floor = rounded(Rational::shortest_decimal(1e-4), row.step);
  std::vector<Number> codes, scales;
  for (Index n = 0; n < x.extent(0); ++n) {
    for (Index run = 0; run < runs; ++run) {
      const Index begin = n * channels + run * block;
      const Index end = n * channels + std::min(channels, (run + 1) * block);
      const Number scale = rounded(largest(x, begin, end, floor) / Number(448), row.step);
      scales.push_back(scale);
      for (Index i = begin; i < end; ++i) {
        codes.push_back(rounded(rounded(element(x, i) / scale, row.step), row.code));
      }
    }
  }
  return {
      {exact_tensor("codes", x.shape(), codes), exact_tensor("scale", {x.extent(0), runs}, scales)},
      {}};
}

}  // namespace plumb::oracles
