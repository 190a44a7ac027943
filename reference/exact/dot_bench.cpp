// SPDX-License-Identifier: Apache-2.0
// Exact sums against the 50-digit multiply-add whose place they take, on operands already
// converted. One iteration is a dot product of 7168 terms; "ns_a_term" is the figure to compare.
#include <benchmark/benchmark.h>

#include <bit>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>

#include "reference/exact/dot.h"
#include "reference/registry/readings.h"

namespace plumb {
namespace {

constexpr Index kTerms = 7168;
constexpr Index kBlock = 128;

std::uint64_t bits(std::uint64_t counter) {
  std::uint64_t z = (counter + 1) * 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

// Normal deviates, as activations and weights are spread.
double normal(std::uint64_t counter) {
  const double u = (static_cast<double>(bits(2 * counter) >> 11) + 0.5) * 0x1p-53;
  const double v = static_cast<double>(bits(2 * counter + 1) >> 11) * 0x1p-53;
  return std::sqrt(-2 * std::log(u)) * std::cos(6.283185307179586 * v);
}

AnyTensor line_of(Dtype dtype, std::uint64_t seed, Index n = kTerms) {
  AnyTensor t = AnyTensor::zeros(dtype, {n});
  const Format format = dtype == Dtype::kBf16  ? kBf16
                        : dtype == Dtype::kF32 ? kF32
                        : dtype == Dtype::kF64 ? kF64
                                               : kE4m3Saturating;
  const double scale = dtype == Dtype::kFp8E4m3fn ? 100 : 1;
  for (Index i = 0; i < n; ++i) {
    const double v = scale * normal(seed * 100000 + static_cast<std::uint64_t>(i));
    store_exact(t.bytes(), dtype, i, round_to(format, v));
  }
  return t;
}

Line whole(const AnyTensor& t) { return {t.bytes(), t.dtype(), 0, 1, t.size()}; }

void report(benchmark::State& state, Index terms = kTerms) {
  state.counters["ns_a_term"] = benchmark::Counter(
      static_cast<double>(terms) * static_cast<double>(state.iterations()) * 1e-9,
      benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

const Contract kContract;
Arithmetic arithmetic() { return {*find_reading("real"), kContract}; }

template <class T>
void lines(benchmark::State& state, Dtype a, Dtype b, Index n) {
  const AnyTensor x = line_of(a, 1, n);
  const AnyTensor y = line_of(b, 2, n);
  for (auto _ : state) {
    benchmark::DoNotOptimize(exact::dot<T>(arithmetic(), whole(x), whole(y)));
  }
  report(state, n);
}

template <class T>
void prepared(benchmark::State& state, Dtype a, Dtype b) {
  const AnyTensor x = line_of(a, 1);
  const AnyTensor y = line_of(b, 2);
  const exact::Prepared p(whole(x)), q(whole(y));
  for (auto _ : state) benchmark::DoNotOptimize(exact::dot<T>(arithmetic(), p, q));
  report(state);
}

void scaled(benchmark::State& state) {
  const AnyTensor x = line_of(Dtype::kFp8E4m3fn, 1);
  const AnyTensor y = line_of(Dtype::kFp8E4m3fn, 2);
  const AnyTensor s = line_of(Dtype::kF32, 3, kTerms / kBlock);
  const exact::ScaledLine a{whole(x), whole(s), kBlock}, b{whole(y), whole(s), kBlock};
  for (auto _ : state) benchmark::DoNotOptimize(exact::scaled_dot<Real>(arithmetic(), a, b));
  report(state);
}

void preparation_of_scaled_codes(benchmark::State& state) {
  const AnyTensor y = line_of(Dtype::kFp8E4m3fn, 2);
  const AnyTensor s = line_of(Dtype::kF32, 3, kTerms / kBlock);
  for (auto _ : state) benchmark::DoNotOptimize(exact::Prepared(whole(y), whole(s), kBlock));
  report(state);
}

void fifty_digits(benchmark::State& state) {
  using Number = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<50>,
                                               boost::multiprecision::et_off>;
  std::vector<Number> x, y;
  for (const auto& [line, to] :
       {std::pair{line_of(Dtype::kFp8E4m3fn, 1), &x}, std::pair{line_of(Dtype::kBf16, 2), &y}}) {
    for (Index i = 0; i < kTerms; ++i) to->push_back(load(line.bytes(), line.dtype(), i));
  }
  for (auto _ : state) {
    Number sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
    benchmark::DoNotOptimize(sum);
  }
  report(state);
}

void add_all() {
  constexpr Dtype kE4m3 = Dtype::kFp8E4m3fn;
  using benchmark::RegisterBenchmark;
  RegisterBenchmark("fifty_digits", fifty_digits);
  RegisterBenchmark("e4m3_bf16/real", lines<Real>, kE4m3, Dtype::kBf16, kTerms);
  RegisterBenchmark("e4m3_bf16/double", lines<double>, kE4m3, Dtype::kBf16, kTerms);
  RegisterBenchmark("e4m3_bf16/tracked", lines<Tracked>, kE4m3, Dtype::kBf16, kTerms);
  RegisterBenchmark("e4m3_bf16/prepared", prepared<Real>, kE4m3, Dtype::kBf16);
  RegisterBenchmark("bf16_bf16/real", lines<Real>, Dtype::kBf16, Dtype::kBf16, kTerms);
  RegisterBenchmark("bf16_bf16/192_terms", lines<Real>, Dtype::kBf16, Dtype::kBf16, 192);
  RegisterBenchmark("bf16_bf16/192_terms_double", lines<double>, Dtype::kBf16, Dtype::kBf16, 192);
  RegisterBenchmark("e4m3_e4m3/real", lines<Real>, kE4m3, kE4m3, kTerms);
  RegisterBenchmark("f32_f32/real", lines<Real>, Dtype::kF32, Dtype::kF32, kTerms);
  RegisterBenchmark("f32_f32/prepared", prepared<Real>, Dtype::kF32, Dtype::kF32);
  RegisterBenchmark("f64_f64/real", lines<Real>, Dtype::kF64, Dtype::kF64, kTerms);
  RegisterBenchmark("scaled_e4m3_e4m3/real", scaled);
  RegisterBenchmark("preparation_of_scaled_e4m3", preparation_of_scaled_codes);
}

}  // namespace
}  // namespace plumb

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  plumb::add_all();
  benchmark::RunSpecifiedBenchmarks();
}
