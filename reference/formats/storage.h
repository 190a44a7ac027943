// SPDX-License-Identifier: Apache-2.0
// What the bits of the storage types mean: element by element, exactly, through double.
#pragma once

#include <cstddef>
#include <cstdint>

#include "reference/tensor/dtype.h"

namespace plumb {

// Value of element `index` of a floating-point or integer storage type; exact (every storage value
// that the harness judges is a double; integers above 2^53 are a broken promise).
double load(const std::byte* data, Dtype dtype, std::ptrdiff_t index);
// The same for an integer type, whatever its size.
std::int64_t load_integer(const std::byte* data, Dtype dtype, std::ptrdiff_t index);
// Writes a value that the storage type holds exactly; another value is a broken promise.
void store_exact(std::byte* data, Dtype dtype, std::ptrdiff_t index, double v);

}  // namespace plumb
