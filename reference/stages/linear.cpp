// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/linear.h"

#include <vector>

#include "reference/exact/dot.h"
#include "reference/stages/fp8_dequant.h"
#include "reference/stages/stage.h"

namespace plumb::reference {
namespace {

double scale_at(const AnyTensor& scale, Index row, Index column) {
  return load(scale.bytes(), scale.dtype(), row * scale.strides()[0] + column * scale.strides()[1]);
}

Line line_of(const std::vector<double>& values) {
  return {reinterpret_cast<const std::byte*>(values.data()), Dtype::kF64, 0, 1,
          static_cast<Index>(values.size())};
}

double element(const Line& line, Index i) {
  return load(line.data, line.dtype, line.first + i * line.stride);
}

// W[o,:] = val(codes[o,:]) * scale[o/b, :/b], as the reading loads it.
std::vector<double> loaded_row(const Arithmetic& arithmetic, const Line& codes,
                               const AnyTensor& scale, Index block_row, Index block) {
  std::vector<double> row(static_cast<std::size_t>(codes.size));
  for (Index i = 0; i < codes.size; ++i) {
    row[static_cast<std::size_t>(i)] =
        dequantised(arithmetic, element(codes, i), scale_at(scale, block_row, i / block));
  }
  return row;
}

// y = sum_b x_scale[b] scale[b] (sum_{i in b} x[i] w[i]): every product of two FP8 values and their
// two scales, exactly.
template <class T>
T scaled_dot(const Arithmetic& arithmetic, const Line& x, const AnyTensor& x_scale, Index token,
             const Line& codes, const AnyTensor& scale, Index block_row, Index block) {
  std::vector<double> scaled_x(static_cast<std::size_t>(x.size));
  std::vector<double> scaled_w(scaled_x.size());
  for (Index i = 0; i < x.size; ++i) {
    const auto at = static_cast<std::size_t>(i);
    scaled_x[at] = element(x, i) * scale_at(x_scale, token, i / block);
    scaled_w[at] = element(codes, i) * scale_at(scale, block_row, i / block);
  }
  return exact::dot<T>(arithmetic, line_of(scaled_x), line_of(scaled_w));
}

}  // namespace

template <class T>
void linear(const Arithmetic& arithmetic, const Operand<T>& x, const AnyTensor* x_scale,
            const Weight<T>& weight, TensorView<T, 2> y) {
  const Index tokens = x.extent(0);
  for (Index o = 0; o < weight.codes.extent(0); ++o) {
    const Line codes = weight.codes.row(o);
    const bool loads = weight.scale != nullptr && x_scale == nullptr;
    const std::vector<double> row =
        loads ? loaded_row(arithmetic, codes, *weight.scale, o / weight.block, weight.block)
              : std::vector<double>{};
    const Line w = loads ? line_of(row) : codes;
    for (Index n = 0; n < tokens; ++n) {
      // y[n,o] = sum_i W[o,i] x[n,i]
      const T product = x_scale != nullptr
                            ? scaled_dot<T>(arithmetic, x.row(n), *x_scale, n, codes, *weight.scale,
                                            o / weight.block, weight.block)
                            : exact::dot<T>(arithmetic, x.row(n), w);
      y(n, o) = stored(arithmetic, Slot::kActivation, "R1-055", product);
    }
  }
}

template <class T>
void call_linear(const Arithmetic& arithmetic, StageCall& call) {
  const Operand<T> x(arithmetic, call.tensor("x"));
  const AnyTensor x_scale = optional_tensor(call, "x_scale");
  const AnyTensor weight_scale = optional_tensor(call, "weight_scale");
  const Weight<T> weight{Operand<T>(arithmetic, call.tensor("weight")),
                         weight_scale.empty() ? nullptr : &weight_scale, call.integer("block")};
  linear(arithmetic, x, x_scale.empty() ? nullptr : &x_scale, weight,
         output<T, 2>(call, "y", {x.extent(0), weight.codes.extent(0)}));
}

extern const StageReference linear_reference;
const StageReference linear_reference{"linear", call_linear<Real>, call_linear<RealWide>,
                                      call_linear<Tracked>, call_linear<double>};

}  // namespace plumb::reference
