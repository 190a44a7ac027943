// SPDX-License-Identifier: Apache-2.0
// For tests: calls whose tensors end where a page begins that nobody may touch, and naive rounding.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include "conformance/abi/plumb_kernel.h"

namespace plumb::fast::test {

enum class Type { kF32, kBf16, kE4m3, kI64 };

// Round to nearest even by search among neighbours; written apart from the kernels' own.
inline double nearest_bf16(double x) {
  if (!std::isfinite(x) || x == 0) return x;
  const int exponent = std::max(std::ilogb(x), -126);
  const double unit = std::ldexp(1.0, exponent - 7);
  const double rounded = std::nearbyint(x / unit) * unit;
  return std::fabs(rounded) >= 0x1p128 ? std::copysign(INFINITY, x) : rounded;
}
inline double nearest(Type type, double x) {
  return type == Type::kBf16 ? nearest_bf16(x) : static_cast<double>(static_cast<float>(x));
}

// E4M3 by counting up from the smallest: each step adds the unit of its binade.
inline double e4m3(int code) {
  static const std::vector<double> kValues = [] {
    std::vector<double> values{0};
    for (int c = 0; c < 126; ++c)
      values.push_back(values.back() + std::ldexp(1.0, std::max(c / 8, 1) - 10));
    values.push_back(NAN);
    return values;
  }();
  const double value = kValues[static_cast<std::size_t>(code & 127)];
  return code < 128 ? value : -value;
}

class TestTensor {
 public:
  // Rows `row_stride` elements apart (0: next to each other); the last element is flush with a
  // guard page.
  TestTensor(std::string name, plumb_role role, Type type, std::vector<std::int64_t> shape,
             std::int64_t row_stride = 0)
      : name_(std::move(name)), role_(role), type_(type), shape_(std::move(shape)) {
    strides_.assign(shape_.size(), 1);
    if (shape_.size() == 2) strides_[0] = row_stride == 0 ? shape_[1] : row_stride;
    std::int64_t last = 0;
    for (std::size_t axis = 0; axis < shape_.size(); ++axis)
      last += (shape_[axis] - 1) * strides_[axis];
    const std::size_t bytes = empty() ? 0 : static_cast<std::size_t>(last + 1) * element_bytes();
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t body = (bytes + page - 1) / page * page;
    mapped_ = body + page;
    base_ = static_cast<std::byte*>(
        mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(base_ + body, page, PROT_NONE);
    std::memset(base_, 0xa5, body);
    data_ = base_ + body - bytes;
  }
  TestTensor(const TestTensor&) = delete;
  TestTensor& operator=(const TestTensor&) = delete;
  ~TestTensor() { munmap(base_, mapped_); }

  std::int64_t rows() const { return shape_.size() == 2 ? shape_[0] : 1; }
  std::int64_t columns() const { return shape_.back(); }

  void set(std::int64_t r, std::int64_t c, double value) {
    std::byte* at = address(r, c);
    if (type_ == Type::kF32) {
      const auto v = static_cast<float>(value);
      std::memcpy(at, &v, 4);
    } else if (type_ == Type::kBf16) {
      const auto v = static_cast<float>(nearest_bf16(value));
      const auto bits = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(v) >> 16);
      std::memcpy(at, &bits, 2);
    }
  }
  void set_code(std::int64_t r, std::int64_t c, int code) {
    *address(r, c) = static_cast<std::byte>(code);
  }
  double get(std::int64_t r, std::int64_t c) const {
    const std::byte* at = address(r, c);
    float v = 0;
    if (type_ == Type::kE4m3) return e4m3(static_cast<int>(*at));
    if (type_ == Type::kBf16) {
      std::uint16_t bits = 0;
      std::memcpy(&bits, at, 2);
      return static_cast<double>(std::bit_cast<float>(std::uint32_t{bits} << 16));
    }
    std::memcpy(&v, at, 4);
    return static_cast<double>(v);
  }
  std::int64_t get_integer(std::int64_t r, std::int64_t c) const {
    std::int64_t v = 0;
    std::memcpy(&v, address(r, c), 8);
    return v;
  }
  // Normal deviates times `scale`, plus `offset`; random codes, NaN left out, for FP8.
  void fill(std::mt19937& random, double scale, double offset = 0) {
    std::normal_distribution<double> normal;
    std::uniform_int_distribution<int> code(0, 253);
    for (std::int64_t r = 0; r < rows(); ++r) {
      for (std::int64_t c = 0; c < columns(); ++c) {
        const int k = code(random);
        if (type_ == Type::kE4m3)
          set_code(r, c, k < 127 ? k : k + 1);
        else
          set(r, c, offset + scale * normal(random));
      }
    }
  }

  plumb_tensor abi() {
    DLTensor t{};
    t.data = data_;
    t.device = {kDLCPU, 0};
    t.ndim = static_cast<std::int32_t>(shape_.size());
    t.dtype = dl_type();
    t.shape = shape_.data();
    t.strides = strides_.data();
    return {name_.c_str(), role_, t};
  }

 private:
  bool empty() const { return rows() == 0 || columns() == 0; }
  std::size_t element_bytes() const { return dl_type().bits / 8u; }
  DLDataType dl_type() const {
    switch (type_) {
      case Type::kF32:
        return {PLUMB_DL_FLOAT, 32, 1};
      case Type::kBf16:
        return {PLUMB_DL_BFLOAT, 16, 1};
      case Type::kE4m3:
        return {PLUMB_DL_FLOAT8_E4M3FN, 8, 1};
      case Type::kI64:
        return {PLUMB_DL_INT, 64, 1};
    }
    return {};
  }
  std::byte* address(std::int64_t r, std::int64_t c) const {
    const std::int64_t offset = shape_.size() == 2 ? r * strides_[0] + c : c;
    return data_ + static_cast<std::size_t>(offset) * element_bytes();
  }

  std::string name_;
  plumb_role role_;
  Type type_;
  std::vector<std::int64_t> shape_, strides_;
  std::byte* base_;
  std::byte* data_;
  std::size_t mapped_;
};

// A call in parts that a test may spoil before it is made.
class TestCall {
 public:
  explicit TestCall(const char* stage) : stage_(stage) {}

  TestTensor& add(std::string name, plumb_role role, Type type, std::vector<std::int64_t> shape,
                  std::int64_t row_stride = 0) {
    TestTensor& t =
        tensors_.emplace_back(std::move(name), role, type, std::move(shape), row_stride);
    abi_tensors.push_back(t.abi());
    return t;
  }
  void word(const char* name, const char* value) {
    plumb_param p{name, PLUMB_WORD, {}};
    p.value.word = value;
    params.push_back(p);
  }
  void number(const char* name, double value) {
    plumb_param p{name, PLUMB_NUMBER, {}};
    p.value.number = value;
    params.push_back(p);
  }
  void integer(const char* name, std::int64_t value) {
    plumb_param p{name, PLUMB_INTEGER, {}};
    p.value.integer = value;
    params.push_back(p);
  }
  plumb_call abi() const {
    return {PLUMB_ABI,     stage_, abi_tensors.data(), abi_tensors.size(), params.data(),
            params.size(), 1};
  }

  std::vector<plumb_tensor> abi_tensors;
  std::vector<plumb_param> params;

 private:
  const char* stage_;
  std::deque<TestTensor> tensors_;
};

// What a row said of a call.
struct Outcome {
  int code;
  std::string message;  // of run
  std::string reason;   // of supports; empty: supported
};
inline Outcome run(const plumb_kernel& row, const TestCall& call) {
  const plumb_call abi = call.abi();
  char message[512] = "";
  const char* reason = row.supports(&abi);
  Outcome outcome{0, "", reason == nullptr ? "" : reason};
  outcome.code = row.run(&abi, message, sizeof message);
  outcome.message = message;
  return outcome;
}

}  // namespace plumb::fast::test
