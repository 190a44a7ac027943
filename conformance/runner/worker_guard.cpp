// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/worker_guard.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace plumb::conformance {
namespace {

// Bytes that no kernel writes by accident: hashed from their position, other ones in each run.
using CanaryPage = std::array<std::byte, kPage>;

CanaryPage make_canaries(std::uint64_t seed) {
  CanaryPage page{};
  for (std::size_t i = 0; i < page.size(); ++i) {
    std::uint64_t z = (seed + i) * 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    page[i] = static_cast<std::byte>(z >> 56);
  }
  return page;
}

CanaryPage filled_with(std::byte value) {
  CanaryPage page{};
  page.fill(value);
  return page;
}

// Around inputs, which cannot be written, lies poison: what a read beyond them is to meet.
const CanaryPage& canaries(const PlacedTensor& tensor, Pass pass) {
  static const std::array<CanaryPage, 2> kWritten{make_canaries(1), make_canaries(1U << 20)};
  static const std::array<CanaryPage, 2> kRead{filled_with(poison(Pass::kFirst)),
                                               filled_with(poison(Pass::kSecond))};
  return (tensor.role == PLUMB_IN ? kRead : kWritten)[pass == Pass::kFirst ? 0 : 1];
}

// Calls f(pattern, begin, end) for each piece of begin..end within one page.
template <class F>
void for_canaries(const CanaryPage& page, std::size_t begin, std::size_t end, F f) {
  while (begin < end) {
    const std::size_t in_page = begin % kPage;
    const std::size_t stop = std::min(end, begin - in_page + kPage);
    f(page.data() + in_page, begin, stop);
    begin = stop;
  }
}

void fill_canaries(const CanaryPage& page, std::byte* region, std::size_t begin, std::size_t end) {
  for_canaries(page, begin, end, [&](const std::byte* pattern, std::size_t from, std::size_t to) {
    std::memcpy(region + from, pattern, to - from);
  });
}

// Bytes that are not as they should be: how many, and the first.
struct Damage {
  std::int64_t count = 0;
  std::size_t first = 0;

  void look(const std::byte* got, const std::byte* want, std::size_t from, std::size_t to) {
    if (std::memcmp(got, want, to - from) == 0) return;
    for (std::size_t i = 0; i < to - from; ++i) {
      if (got[i] == want[i]) continue;
      if (count++ == 0) first = from + i;
    }
  }

  void look_at_canaries(const CanaryPage& page, const std::byte* region, std::size_t begin,
                        std::size_t end) {
    for_canaries(page, begin, end, [&](const std::byte* pattern, std::size_t from, std::size_t to) {
      look(region + from, pattern, from, to);
    });
  }
};

void report(const Damage& damage, FaultKind kind, const PlacedTensor& tensor, Pass pass,
            const std::string& where, std::vector<Fault>& faults) {
  if (damage.count == 0) return;
  const auto first =
      static_cast<std::int64_t>(damage.first) - static_cast<std::int64_t>(tensor.offset);
  faults.push_back({kind, tensor.name, number_of(pass), damage.count, first,
                    "run " + std::to_string(number_of(pass)) + " changed " +
                        std::to_string(damage.count) + " byte(s) " + where + " " + quoted(tensor) +
                        ", the first at byte " + std::to_string(first) + " (it is " +
                        std::to_string(tensor.span()) + " bytes long)"});
}

void copy_rows(const PlacedTensor& t, const AnyTensor& values, std::byte* region) {
  const AnyTensor packed = values.contiguous() ? values : values.copied();
  if (t.row_step == t.row_bytes) {
    if (t.span() > 0) std::memcpy(region + t.offset, packed.bytes(), t.span());
    return;
  }
  for (std::size_t r = 0; r < t.rows; ++r) {
    std::memcpy(region + t.offset + r * t.row_step, packed.bytes() + r * t.row_bytes, t.row_bytes);
  }
}

void fill(const PlacedTensor& t, const AnyTensor& values, Pass pass, std::byte* region) {
  const CanaryPage& page = canaries(t, pass);
  fill_canaries(page, region, 0, t.offset);
  fill_canaries(page, region, t.offset + t.span(), t.region.bytes);
  if (t.row_step != t.row_bytes) fill_canaries(page, region, t.offset, t.offset + t.span());
  if (t.role == PLUMB_IN || t.role == PLUMB_INOUT) {
    copy_rows(t, values, region);
    return;
  }
  for (std::size_t r = 0; r < t.rows; ++r) {
    std::memset(region + t.offset + r * t.row_step, std::to_integer<int>(poison(pass)),
                t.row_bytes);
  }
}

void inspect(const PlacedTensor& t, const AnyTensor& values, Pass pass, const std::byte* region,
             std::vector<Fault>& faults) {
  Damage before, behind, padding, input;
  const CanaryPage& page = canaries(t, pass);
  before.look_at_canaries(page, region, 0, t.offset);
  behind.look_at_canaries(page, region, t.offset + t.span(), t.region.bytes);
  for (std::size_t r = 0; t.row_step != t.row_bytes && r + 1 < t.rows; ++r) {
    const std::size_t row = t.offset + r * t.row_step;
    padding.look_at_canaries(page, region, row + t.row_bytes, row + t.row_step);
  }
  if (t.role == PLUMB_IN && t.span() > 0) {
    const AnyTensor packed = values.contiguous() ? values : values.copied();
    input.look(region + t.offset, packed.bytes(), t.offset, t.offset + t.span());
  }
  report(before, FaultKind::kCanaryBefore, t, pass, "before", faults);
  report(behind, FaultKind::kCanaryBehind, t, pass, "behind", faults);
  report(padding, FaultKind::kPadding, t, pass, "between the rows of", faults);
  report(input, FaultKind::kInputChanged, t, pass, "of", faults);
}

const AnyTensor& values_of(const StageCall& call, const PlacedTensor& tensor) {
  return call.tensor(tensor.name);
}

}  // namespace

void fill(const Layout& layout, const StageCall& call, Pass pass, std::byte* memory) {
  std::memset(memory + kMessageOffset, 0, kMessageSize);
  for (const PlacedTensor& t : layout.tensors) {
    fill(t, values_of(call, t), pass, memory + t.region.file_offset);
  }
}

void inspect(const Layout& layout, const StageCall& call, Pass pass, const std::byte* memory,
             std::vector<Fault>& faults) {
  for (const PlacedTensor& t : layout.tensors) {
    inspect(t, values_of(call, t), pass, memory + t.region.file_offset, faults);
  }
}

AnyTensor take(const PlacedTensor& t, const std::byte* memory) {
  AnyTensor packed = AnyTensor::zeros(t.dtype, t.shape);
  const std::byte* first = memory + t.region.file_offset + t.offset;
  for (std::size_t r = 0; r < t.rows; ++r) {
    std::memcpy(packed.bytes() + r * t.row_bytes, first + r * t.row_step, t.row_bytes);
  }
  return packed;
}

}  // namespace plumb::conformance
