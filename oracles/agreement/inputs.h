// SPDX-License-Identifier: Apache-2.0
// Inputs of the agreement tests: counter-based, so that the n-th number of a seed is always the
// same.
#pragma once

#include <cstdint>
#include <vector>

#include "reference/tensor/any_tensor.h"

namespace plumb::oracles {

std::uint64_t random_bits(std::uint64_t seed, std::uint64_t counter);
// Uniform in [-1, 1), a multiple of 2^-23.
float uniform(std::uint64_t seed, std::uint64_t counter);
// Any finite bit pattern of the format, subnormals and the largest included.
float any_f32(std::uint64_t seed, std::uint64_t counter);
std::uint16_t any_bf16(std::uint64_t seed, std::uint64_t counter);

AnyTensor f32(const std::vector<float>& values, Shape shape);
// Values that bf16 holds; another value is a broken promise.
AnyTensor bf16(const std::vector<float>& values, const Shape& shape);
AnyTensor e4m3(const std::vector<int>& codes, const Shape& shape);

AnyTensor random_f32(std::uint64_t seed, const Shape& shape);
AnyTensor random_bf16(std::uint64_t seed, const Shape& shape);
AnyTensor wild_f32(std::uint64_t seed, const Shape& shape);
AnyTensor wild_bf16(std::uint64_t seed, const Shape& shape);
// Every finite code alike.
AnyTensor random_e4m3(std::uint64_t seed, const Shape& shape);
// Positive scales spread over 2^-16 .. 2^4.
AnyTensor random_scales(std::uint64_t seed, const Shape& shape);

}  // namespace plumb::oracles
