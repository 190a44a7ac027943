// SPDX-License-Identifier: Apache-2.0
// What runner and worker say to each other: messages of a length and that many bytes over a stream
// socket. The runner believes no length and no count that comes from a worker; a worker trusts its
// runner.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "conformance/abi/kernel.h"
#include "conformance/runner/library.h"
#include "conformance/runner/worker_layout.h"

namespace plumb::conformance {

// Descriptors that a worker finds open.
inline constexpr int kWorkerSocket = 3;
inline constexpr int kWorkerMemory = 4;

inline constexpr std::size_t kLengthBytes = 8;
inline constexpr std::size_t kMaxMessageBytes = std::size_t{64} << 20;

using Bytes = std::vector<std::byte>;

class ByteWriter {
 public:
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void put(T value) { append(&value, sizeof value); }
  void put(const std::string& text);
  void put(const Shape& shape);
  // The message with its length in front.
  Bytes framed() const;

 private:
  void append(const void* from, std::size_t bytes);
  Bytes bytes_;
};

// Reads what ByteWriter wrote. Past the end everything is zero and `ok` turns false for good.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : rest_(bytes) {}

  template <class T>
  requires std::is_trivially_copyable_v<T> T get() {
    T value{};
    if (const std::byte* at = take(sizeof value)) std::memcpy(&value, at, sizeof value);
    return value;
  }
  std::string get_string();
  Shape get_shape();
  // A count of items that take at least one byte each.
  std::size_t get_count();
  bool ok() const { return ok_; }
  bool finished() const { return ok_ && rest_.empty(); }

 private:
  const std::byte* take(std::size_t bytes);
  std::span<const std::byte> rest_;
  bool ok_ = true;
};

enum class Verb : std::uint8_t { kList = 1, kRun = 2, kTime = 3 };

// One run, as the worker is asked for it. Data pointers are offsets from the beginning of the
// mapping.
struct CallRequest {
  std::uint32_t row = 0;
  std::int32_t threads = 1;
  std::string stage;
  std::vector<NamedParam> params;
  Layout layout;
};

struct CallReply {
  enum class Kind : std::uint8_t { kReturned = 1, kDeclined = 2, kUnable = 3 };
  Kind kind = Kind::kReturned;
  std::int32_t code = 0;           // what run returned
  std::int32_t children_left = 0;  // 0 or 1: whether some process still lives
};

// The same call again and again, after one that is not timed.
struct TimeRequest {
  CallRequest run;
  std::uint32_t samples = 1;
  double seconds = 0;  // that the calls of a sample take together, at least
};

struct TimeReply {
  CallReply run;                // of the last call
  std::vector<double> seconds;  // of a call, one number a sample; fewer when a call did not succeed
};

// The first page of the memory. What the worker writes here is used for messages only.
struct Control {
  std::uint64_t base;     // address of the mapping, 0: none
  std::uint64_t address;  // of a fault
  std::int32_t signal;    // 0: none
};

Bytes list_request();
Bytes encode(const CallRequest& request);
Bytes encode(const CallReply& reply);
Bytes encode(const TimeRequest& request);
Bytes encode(const TimeReply& reply);
Bytes encode(const Result<std::vector<KernelRow>>& rows);

// False when the bytes are no such message.
bool decode(ByteReader& reader, CallRequest& request);
bool decode(std::span<const std::byte> bytes, CallReply& reply);
bool decode(ByteReader& reader, TimeRequest& request);
// False also when a call that succeeded has not `samples` finite, positive times.
bool decode(std::span<const std::byte> bytes, std::size_t samples, TimeReply& reply);
// The rows, checked, or the worker's own error; an error that names `file` when the bytes are no
// reply.
Result<std::vector<KernelRow>> decode_rows(std::span<const std::byte> bytes,
                                           const std::string& file);

}  // namespace plumb::conformance
