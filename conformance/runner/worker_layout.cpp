// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/worker_layout.h"

#include <algorithm>
#include <string>
#include <utility>

namespace plumb::conformance {
namespace {

// Odd, so that no later row is aligned by luck; half-byte elements need an even number.
constexpr Index kPaddingElements = 5;
constexpr Index kHalfBytePaddingElements = 6;

std::size_t round_up(std::size_t n, std::size_t unit) { return (n + unit - 1) / unit * unit; }

std::size_t bytes_of(Index elements, Dtype dtype) {
  return static_cast<std::size_t>(elements) * bits_of(dtype) / 8;
}

void place_rows(PlacedTensor& t, bool pad) {
  const std::size_t rank = t.shape.size();
  const Index innermost = rank == 0 ? 1 : t.shape.back();
  const bool half_bytes = bits_of(t.dtype) < 8;
  Shape spanned = t.shape;
  if (pad && rank > 1) spanned.back() += half_bytes ? kHalfBytePaddingElements : kPaddingElements;
  t.strides.assign(rank, 1);
  for (std::size_t axis = rank; axis-- > 1;) t.strides[axis - 1] = t.strides[axis] * spanned[axis];
  t.rows = innermost == 0 ? 0 : static_cast<std::size_t>(count(t.shape) / innermost);
  t.row_bytes = bytes_of(innermost, t.dtype);
  t.row_step = bytes_of(rank == 0 ? 1 : spanned.back(), t.dtype);
}

void place_in_pages(PlacedTensor& t, std::size_t alignment, Pass pass) {
  const std::size_t unit = std::max({alignment, bits_of(t.dtype) / 8, std::size_t{1}});
  const std::size_t begin = pass == Pass::kFirst || unit >= kPage ? 0 : unit;
  t.region.bytes = std::max(kPage, round_up(begin + t.span(), kPage));
  t.offset = pass == Pass::kFirst ? (t.region.bytes - t.span()) / unit * unit : begin;
  t.region.writable = is_writable(t.role);
}

// Puts the next region behind the last in the file and in the worker's mapping.
void append(Region& region, Layout& layout) {
  region.file_offset = layout.file_bytes;
  region.map_offset = layout.map_bytes + kGuard;
  layout.file_bytes += region.bytes;
  layout.map_bytes = region.map_offset + region.bytes;
}

}  // namespace

std::string quoted(const PlacedTensor& tensor) {
  return std::string(name_of(tensor.role)) + " tensor '" + tensor.name + "'";
}

Result<Layout> lay_out(const StageCall& call, std::span<const plumb_role> roles,
                       std::size_t alignment, Pass pass, bool pad_rows) {
  PLUMB_REQUIRE(roles.size() == call.tensors.size(), call.stage, roles.size(), call.tensors.size());
  Layout layout;
  layout.file_bytes = kPage;  // control
  layout.message = {0, 0, kPage, true};
  append(layout.message, layout);
  for (std::size_t i = 0; i < roles.size(); ++i) {
    const auto& [name, tensor] = call.tensors[i];
    if (tensor.empty()) continue;
    const std::string where = call.stage + ": tensor '" + name + "'";
    if (is_wide(tensor.dtype())) {
      return Error{where + " has elements of type " + std::string(name_of(tensor.dtype())) +
                   ", which no kernel can be given"};
    }
    if (bits_of(tensor.dtype()) < 8 && (tensor.rank() == 0 || tensor.shape().back() % 2 != 0)) {
      return Error{where + " of half-byte elements needs an even innermost axis, not " +
                   to_string(tensor.shape())};
    }
    PlacedTensor placed{.name = name,
                        .role = roles[i],
                        .dtype = tensor.dtype(),
                        .shape = tensor.shape(),
                        .strides = {},
                        .region = {}};
    place_rows(placed, pad_rows && is_writable(roles[i]) && roles[i] != PLUMB_SCRATCH);
    place_in_pages(placed, alignment, pass);
    append(placed.region, layout);
    layout.tensors.push_back(std::move(placed));
  }
  layout.map_bytes += kGuard;
  return layout;
}

std::string describe(const Layout& layout, std::size_t at) {
  const std::size_t message_end = layout.message.map_offset + layout.message.bytes;
  if (at >= message_end && at - message_end < kGuard / 2) return "the end of the message buffer";
  const PlacedTensor* nearest = nullptr;
  std::size_t distance = kGuard;
  for (const PlacedTensor& t : layout.tensors) {
    const std::size_t end = t.region.map_offset + t.region.bytes;
    const std::size_t d = at < t.region.map_offset ? t.region.map_offset - at
                          : at < end               ? 0
                                                   : at - end;
    if (d < distance) {
      nearest = &t;
      distance = d;
    }
  }
  if (nearest == nullptr) return "";
  const std::size_t first = nearest->region.map_offset + nearest->offset;
  const std::size_t end = first + nearest->span();
  if (at < first) return std::to_string(first - at) + " byte(s) before " + quoted(*nearest);
  if (at >= end) {
    return std::to_string(at - end) + " byte(s) behind the last of " + quoted(*nearest);
  }
  return "byte " + std::to_string(at - first) + " of " + quoted(*nearest) +
         (nearest->region.writable ? "" : ", which must not be written");
}

}  // namespace plumb::conformance
