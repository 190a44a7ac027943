// SPDX-License-Identifier: Apache-2.0
#include "reference/exact/terms.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace plumb::exact {
namespace {

// One kRun of codes. The loops have constant length and no branch, so that compilers vectorise
// them.
bool decode(const std::array<std::uint16_t, Reader::kRun>& codes, Reader::Room& room) {
  std::uint16_t special = 0;
  for (std::size_t i = 0; i < Reader::kRun; ++i) {
    const std::uint16_t code = codes[i];
    const auto biased = static_cast<std::uint16_t>((code >> 7) & 255);
    const auto hidden = static_cast<std::uint16_t>(biased != 0 ? 128 : 0);
    const auto magnitude = static_cast<std::int16_t>((code & 127) | hidden);
    const auto sign = static_cast<std::int16_t>(static_cast<std::int16_t>(code) >> 15);
    special = static_cast<std::uint16_t>(special | (biased + 1));
    room.mantissa[i] = static_cast<std::int16_t>((magnitude ^ sign) - sign);
    room.exponent[i] = static_cast<std::int16_t>(biased + (biased == 0 ? 1 : 0) - 134 + kTermBias);
  }
  return (special & 256) != 0;
}

bool decode(const std::array<std::uint32_t, Reader::kRun>& codes, Reader::Room& room) {
  std::uint32_t special = 0;  // bit 8: an exponent of ones
  for (std::size_t i = 0; i < Reader::kRun; ++i) {
    const std::uint32_t code = codes[i];
    const std::uint32_t biased = (code >> 23) & 255;
    const auto magnitude =
        static_cast<std::int32_t>((code & 0x7FFFFF) | (biased != 0 ? 0x800000u : 0u));
    const std::int32_t sign = static_cast<std::int32_t>(code) >> 31;
    special |= biased + 1;
    room.mantissa[i] = (magnitude ^ sign) - sign;
    room.exponent[i] = static_cast<std::int16_t>(static_cast<std::int32_t>(biased) +
                                                 (biased == 0 ? 1 : 0) - 150 + kTermBias);
  }
  return (special & 256) != 0;
}

bool decode(const std::array<std::uint8_t, Reader::kRun>& codes, Reader::Room& room) {
  std::uint16_t special = 0;
  for (std::size_t i = 0; i < Reader::kRun; ++i) {
    const std::uint16_t code = codes[i];
    const auto biased = static_cast<std::uint16_t>((code >> 3) & 15);
    const auto hidden = static_cast<std::uint16_t>(biased != 0 ? 8 : 0);
    const auto magnitude = static_cast<std::int16_t>((code & 7) | hidden);
    const auto sign = static_cast<std::int16_t>(static_cast<std::int16_t>(code << 8) >> 15);
    special = static_cast<std::uint16_t>(special | ((code & 127) + 1));
    room.mantissa[i] = static_cast<std::int16_t>((magnitude ^ sign) - sign);
    room.exponent[i] = static_cast<std::int16_t>(biased + (biased == 0 ? 1 : 0) - 10 + kTermBias);
  }
  return (special & 128) != 0;
}

template <class Code>
bool decode_from(const std::byte* data, Index begin, Index n, Reader::Room& room) {
  std::array<Code, Reader::kRun> codes;
  std::memcpy(codes.data(), data + begin * static_cast<Index>(sizeof(Code)),
              static_cast<std::size_t>(n) * sizeof(Code));
  std::fill(codes.begin() + n, codes.end(), Code{0});
  return decode(codes, room);
}

struct Term {
  std::int32_t mantissa;
  int exponent;
};

// None: v is no term.
std::optional<Term> term_of(double v) {
  if (v == 0) return Term{0, kTermBias};
  const auto bits = std::bit_cast<std::uint64_t>(v);
  const int biased = static_cast<int>((bits >> 52) & 0x7FF);
  if (biased == 0 || biased == 0x7FF) return {};
  const std::uint64_t mantissa = (bits & 0xFFFFFFFFFFFFFull) | (1ull << 52);
  const int zeros = std::countr_zero(mantissa);
  int shift = zeros;
  int exponent = biased - 1075 + zeros + kTermBias;
  // A short mantissa at the upper end takes some of its zeros back.
  const int back = std::clamp(exponent - (kTermExponents - 1), 0, std::max(zeros - 22, 0));
  exponent -= back;
  shift -= back;
  if (shift < 22 || exponent < 0 || exponent >= kTermExponents) return {};
  const auto magnitude = static_cast<std::int32_t>(mantissa >> shift);
  return Term{(bits >> 63) != 0 ? -magnitude : magnitude, exponent};
}

// The double that a wide number equals; none when there is none or it carries an error.
template <class T>
std::optional<double> narrow(const T& v) {
  if constexpr (std::is_same_v<T, Tracked>) {
    if (v.error != 0 || v.slack != 0 || v.flags != 0) return {};
    return narrow(v.value);
  } else {
    const double d = v.to_double();
    return T(d) == v ? std::optional(d) : std::nullopt;
  }
}

std::optional<double> value_at(const Line& line, Index i) {
  const Index offset = line.first + i * line.stride;
  switch (line.dtype) {
    case Dtype::kReal:
      return narrow(reinterpret_cast<const Real*>(line.data)[offset]);
    case Dtype::kRealWide:
      return narrow(reinterpret_cast<const RealWide*>(line.data)[offset]);
    case Dtype::kTracked:
      return narrow(reinterpret_cast<const Tracked*>(line.data)[offset]);
    default:
      return load(line.data, line.dtype, offset);
  }
}

Terms room_for(Index n) {
  Terms r;
  r.mantissa.resize(static_cast<std::size_t>(n));
  r.exponent.resize(static_cast<std::size_t>(n));
  return r;
}

Terms read_all(const Reader& reader, Index n) {
  Terms r = room_for(n);
  r.bits = reader.bits();
  bool special = false;
  Reader::Room room;
  for (Index begin = 0; begin < n; begin += Reader::kRun) {
    const Index length = std::min(Reader::kRun, n - begin);
    const Reader::Run run = reader.run(begin, length, room, special);
    std::copy_n(run.mantissa, length, r.mantissa.begin() + begin);
    std::copy_n(run.exponent, length, r.exponent.begin() + begin);
  }
  r.valid = !special;
  return r;
}

}  // namespace

Terms terms_of(const Line& line) {
  if (const auto reader = Reader::of(line)) return read_all(*reader, line.size);
  Terms r = room_for(line.size);
  for (Index i = 0; i < line.size; ++i) {
    const auto value = value_at(line, i);
    const auto term = value ? term_of(*value) : std::nullopt;
    if (!term) {
      r.valid = false;
      return r;
    }
    r.mantissa[static_cast<std::size_t>(i)] = term->mantissa;
    r.exponent[static_cast<std::size_t>(i)] = static_cast<std::int16_t>(term->exponent);
    const auto magnitude = static_cast<std::uint32_t>(std::abs(term->mantissa));
    r.bits = std::max(r.bits, static_cast<int>(std::bit_width(magnitude)));
  }
  return r;
}

Terms scaled_terms(const Line& codes, const Line& scales, Index block) {
  PLUMB_REQUIRE(block > 0 && scales.size * block >= codes.size, codes.size, scales.size, block);
  Terms r = terms_of(codes);
  const Terms factors = terms_of(scales);
  r.bits += factors.bits;
  r.valid = r.valid && factors.valid && r.bits <= 31;
  const auto n = static_cast<std::size_t>(codes.size);
  for (std::size_t begin = 0, k = 0; begin < n && r.valid;
       begin += static_cast<std::size_t>(block), ++k) {
    const std::size_t end = std::min(n, begin + static_cast<std::size_t>(block));
    for (std::size_t i = begin; i < end; ++i) {
      r.mantissa[i] *= factors.mantissa[k];
      const int exponent = r.exponent[i] + factors.exponent[k] - kTermBias;
      r.valid &= exponent >= 0 && exponent < kTermExponents;
      r.exponent[i] = static_cast<std::int16_t>(exponent);
    }
  }
  return r;
}

std::optional<Reader> Reader::of(const Line& line) {
  if (line.stride != 1) return {};
  std::optional<Reader> r;
  if (line.dtype == Dtype::kBf16) r = Reader(Kind::kBf16, 8);
  if (line.dtype == Dtype::kF32) r = Reader(Kind::kF32, 24);
  if (line.dtype == Dtype::kFp8E4m3fn) r = Reader(Kind::kE4m3, 4);
  if (r) r->data_ = line.data + line.first * static_cast<Index>(bits_of(line.dtype) / 8);
  return r;
}

Reader Reader::of(const Terms& terms) {
  PLUMB_REQUIRE(terms.valid, "a line without terms");
  Reader r(Kind::kTerms, terms.bits);
  r.terms_ = &terms;
  return r;
}

Reader Reader::ones() { return {Kind::kOnes, 1}; }

Reader::Run Reader::run(Index begin, Index n, Room& room, bool& special) const {
  switch (kind_) {
    case Kind::kBf16:
      special |= decode_from<std::uint16_t>(data_, begin, n, room);
      break;
    case Kind::kF32:
      special |= decode_from<std::uint32_t>(data_, begin, n, room);
      break;
    case Kind::kE4m3:
      special |= decode_from<std::uint8_t>(data_, begin, n, room);
      break;
    case Kind::kTerms:
      return {terms_->mantissa.data() + begin, terms_->exponent.data() + begin};
    case Kind::kOnes:
      room.mantissa.fill(1);
      room.exponent.fill(kTermBias);
      break;
  }
  return {room.mantissa.data(), room.exponent.data()};
}

}  // namespace plumb::exact
