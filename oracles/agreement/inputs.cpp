// SPDX-License-Identifier: Apache-2.0
#include "oracles/agreement/inputs.h"

#include <bit>
#include <cmath>

namespace plumb::oracles {
namespace {

AnyTensor filled(Dtype dtype, const Shape& shape, auto element) {
  AnyTensor t = AnyTensor::zeros(dtype, shape);
  using Element = decltype(element(std::uint64_t{0}));
  for (Index i = 0; i < t.size(); ++i)
    t.data<Element>()[i] = element(static_cast<std::uint64_t>(i));
  return t;
}

Bf16 cut(float v) { return {static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(v) >> 16)}; }

}  // namespace

std::uint64_t random_bits(std::uint64_t seed, std::uint64_t counter) {
  std::uint64_t z = seed * 0xD1342543DE82EF95ull + (counter + 1) * 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

float uniform(std::uint64_t seed, std::uint64_t counter) {
  return static_cast<float>(static_cast<int>(random_bits(seed, counter) >> 40) - (1 << 23)) *
         0x1p-23f;
}

float any_f32(std::uint64_t seed, std::uint64_t counter) {
  auto bits = static_cast<std::uint32_t>(random_bits(seed, counter));
  if ((bits & 0x7F800000u) == 0x7F800000u) bits &= ~0x40000000u;
  return std::bit_cast<float>(bits);
}

std::uint16_t any_bf16(std::uint64_t seed, std::uint64_t counter) {
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(any_f32(seed, counter)) >> 16);
}

AnyTensor f32(const std::vector<float>& values, Shape shape) {
  return AnyTensor::of(values).reshaped(std::move(shape));
}

AnyTensor bf16(const std::vector<float>& values, const Shape& shape) {
  return filled(Dtype::kBf16, shape, [&](std::uint64_t i) {
    const auto bits = std::bit_cast<std::uint32_t>(values[i]);
    PLUMB_REQUIRE((bits & 0xFFFFu) == 0, "not a bf16 number", values[i]);
    return cut(values[i]);
  });
}

AnyTensor e4m3(const std::vector<int>& codes, const Shape& shape) {
  return filled(Dtype::kFp8E4m3fn, shape,
                [&](std::uint64_t i) { return Fp8E4m3fn{static_cast<std::uint8_t>(codes[i])}; });
}

AnyTensor random_f32(std::uint64_t seed, const Shape& shape) {
  return filled(Dtype::kF32, shape, [&](std::uint64_t i) { return uniform(seed, i); });
}
AnyTensor random_bf16(std::uint64_t seed, const Shape& shape) {
  return filled(Dtype::kBf16, shape, [&](std::uint64_t i) { return cut(uniform(seed, i)); });
}
AnyTensor wild_f32(std::uint64_t seed, const Shape& shape) {
  return filled(Dtype::kF32, shape, [&](std::uint64_t i) { return any_f32(seed, i); });
}
AnyTensor wild_bf16(std::uint64_t seed, const Shape& shape) {
  return filled(Dtype::kBf16, shape, [&](std::uint64_t i) { return Bf16{any_bf16(seed, i)}; });
}
AnyTensor random_e4m3(std::uint64_t seed, const Shape& shape) {
  return filled(Dtype::kFp8E4m3fn, shape, [&](std::uint64_t i) {
    const auto code = static_cast<std::uint8_t>(random_bits(seed, i));
    return Fp8E4m3fn{static_cast<std::uint8_t>((code & 0x7F) == 0x7F ? code - 1 : code)};
  });
}
AnyTensor random_scales(std::uint64_t seed, const Shape& shape) {
  return filled(Dtype::kF32, shape, [&](std::uint64_t i) {
    const float mantissa = 1.5f + 0.5f * uniform(seed, 2 * i);
    return std::ldexp(mantissa, static_cast<int>(random_bits(seed, 2 * i + 1) % 21) - 16);
  });
}

}  // namespace plumb::oracles
