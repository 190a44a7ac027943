// SPDX-License-Identifier: Apache-2.0
// Where the tensors of one run lie in the shared memory and in the worker's address space.
//
// In the file: page 0 control, page 1 message, then each tensor in whole pages of its own. In the
// worker the message and each tensor are mapped between guards that nobody can read or write:
//   guard | message | guard | tensor 0 | guard | tensor 1 | guard
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "conformance/abi/kernel.h"

namespace plumb::conformance {

inline constexpr std::size_t kPage = 4096;
inline constexpr std::size_t kGuard =
    64 * kPage;  // a row of 65,536 FP32 elements too far is still caught
inline constexpr std::size_t kMessageSize = 1024;
inline constexpr std::size_t kMessageOffset =
    2 * kPage - kMessageSize;  // in the file: flush with a guard

// The two runs of a case differ in poison, alignment and strides.
//   first:  each tensor ends at the guard behind it, as nearly as its alignment allows; rows packed
//   second: each tensor begins at the guard before it, plus one alignment unit, so that it is
//   aligned as
//           declared and no better; rows of outputs padded
enum class Pass : std::uint8_t { kFirst, kSecond };

constexpr int number_of(Pass pass) { return pass == Pass::kFirst ? 1 : 2; }

// Whole pages of one tensor (or of the message).
struct Region {
  std::size_t file_offset = 0;
  std::size_t map_offset = 0;  // from the beginning of the worker's mapping
  std::size_t bytes = 0;
  bool writable = false;
};

struct PlacedTensor {
  std::string name;
  plumb_role role = PLUMB_IN;
  Dtype dtype = Dtype::kF32;
  Shape shape;
  Shape strides;
  Region region;
  std::size_t offset = 0;  // of the first element in the region
  // The elements as rows of bytes along the innermost axis.
  std::size_t rows = 0;
  std::size_t row_bytes = 0;
  std::size_t row_step = 0;  // row_bytes, or more when rows are padded

  std::size_t span() const { return rows == 0 ? 0 : (rows - 1) * row_step + row_bytes; }
};

struct Layout {
  std::vector<PlacedTensor> tensors;  // as in the call, without the empty ones
  Region message;
  std::size_t file_bytes = 0;
  std::size_t map_bytes = 0;
};

// `alignment` as the row declares it. Fails on wide types and on half-byte rows of odd length.
Result<Layout> lay_out(const StageCall& call, std::span<const plumb_role> roles,
                       std::size_t alignment, Pass pass, bool pad_rows);

// "out tensor 'y'"
std::string quoted(const PlacedTensor& tensor);

// "12 bytes behind the end of output 'y'" for an offset in the worker's mapping; empty when it is
// nowhere near a tensor.
std::string describe(const Layout& layout, std::size_t map_offset);

}  // namespace plumb::conformance
