// SPDX-License-Identifier: Apache-2.0
#include "reference/stages/linear.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>

#include <algorithm>
#include <cstdint>
#include <optional>
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

// W[o,:] = val(codes[o,:]) * scale[o/b, :/b], as the reading loads it. Rows of one block row share
// their scales, so each of a block's 256 codes is dequantised once, and kept as the reading stores
// weights: exact sums over BF16 and F32 are the fast ones.
class LoadedRows {
 public:
  LoadedRows(const Arithmetic& arithmetic, const AnyTensor& scale, Index block)
      : arithmetic_(arithmetic), scale_(scale), block_(block) {
    const auto& format = arithmetic.reading.format(Slot::kWeight);
    if (format && (format->dtype == Dtype::kBf16 || format->dtype == Dtype::kF32)) {
      dtype_ = format->dtype;
    }
    width_ = dtype_ == Dtype::kBf16 ? 2 : dtype_ == Dtype::kF32 ? 4 : 8;
  }

  // Row o, good until the next call.
  Line row(const Line& codes, Index o) {
    if (o / block_ != block_row_) dequantise(o / block_);
    row_.resize(static_cast<std::size_t>(codes.size) * width_);
    if (width_ == 2) look_up<std::uint16_t>(codes);
    if (width_ == 4) look_up<std::uint32_t>(codes);
    if (width_ == 8) look_up<std::uint64_t>(codes);
    return {row_.data(), dtype_, 0, 1, codes.size};
  }

 private:
  static constexpr std::size_t kCodes = 256;

  void dequantise(Index block_row) {
    block_row_ = block_row;
    tables_.resize(static_cast<std::size_t>(scale_.extent(1)) * kCodes * width_);
    for (Index b = 0; b < scale_.extent(1); ++b) {
      const double scale = scale_at(scale_, block_row, b);
      for (std::size_t code = 0; code < kCodes; ++code) {
        const auto byte = static_cast<std::byte>(code);
        const double w = dequantised(arithmetic_, load(&byte, Dtype::kFp8E4m3fn, 0), scale);
        store_exact(tables_.data(), dtype_, b * Index{kCodes} + static_cast<Index>(code), w);
      }
    }
  }

  template <class Bits>
  void look_up(const Line& codes) {
    const auto* const table = reinterpret_cast<const Bits*>(tables_.data());
    auto* const row = reinterpret_cast<Bits*>(row_.data());
    for (Index begin = 0; begin < codes.size; begin += block_) {
      const Bits* const block = table + begin / block_ * Index{kCodes};
      const Index end = std::min(begin + block_, codes.size);
      for (Index i = begin; i < end; ++i) {
        row[i] = block[static_cast<std::size_t>(codes.data[codes.first + i * codes.stride])];
      }
    }
  }

  const Arithmetic& arithmetic_;
  const AnyTensor& scale_;
  Index block_;
  Dtype dtype_ = Dtype::kF64;
  std::size_t width_;
  Index block_row_ = -1;
  std::vector<std::byte> tables_;  // one a block of columns
  std::vector<std::byte> row_;
};

// Below this many products a second thread costs more than it saves.
constexpr Index kWorthSharing = Index{1} << 20;

// work(begin, end) over 0..rows-1. Each row is computed by itself, so that who computes it changes
// no bit.
void over_rows(Index rows, Index products, const auto& work) {
  if (products < kWorthSharing) return work(Index{0}, rows);
  tbb::parallel_for(
      tbb::blocked_range<Index>(0, rows),
      [&](const tbb::blocked_range<Index>& range) { work(range.begin(), range.end()); },
      tbb::static_partitioner());
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
  const Index rows = weight.codes.extent(0);
  const bool loads = weight.scale != nullptr && x_scale == nullptr;
  const auto compute = [&](Index begin, Index end) {
    std::optional<LoadedRows> loaded;
    if (loads) loaded.emplace(arithmetic, *weight.scale, weight.block);
    for (Index o = begin; o < end; ++o) {
      const Line codes = weight.codes.row(o);
      const Line w = loaded ? loaded->row(codes, o) : codes;
      for (Index n = 0; n < tokens; ++n) {
        // y[n,o] = sum_i W[o,i] x[n,i]
        const T product = x_scale != nullptr
                              ? scaled_dot<T>(arithmetic, x.row(n), *x_scale, n, codes,
                                              *weight.scale, o / weight.block, weight.block)
                              : exact::dot<T>(arithmetic, x.row(n), w);
        y(n, o) = stored(arithmetic, Slot::kActivation, "R1-055", product);
      }
    }
  };
  over_rows(rows, rows * tokens * x.extent(1), compute);
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
