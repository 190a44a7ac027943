// SPDX-License-Identifier: Apache-2.0
// Memory that the runner and its worker both map: a memfd that can grow and never shrinks, so that
// no candidate can take pages from under the runner.
#pragma once

#include <cstddef>

#include "reference/base/result.h"

namespace plumb::conformance {

// An owned file descriptor, closed on exec.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  void reset();

 private:
  int release();
  int fd_ = -1;
};

class SharedMemory {
 public:
  static Result<SharedMemory> create();
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&&) = delete;
  ~SharedMemory();

  // Makes it at least this large; addresses change, contents stay. Fails when there is too little
  // memory.
  Status reserve(std::size_t bytes);
  // Gives pages behind the first `keep` bytes back to the system; they read as zero afterwards.
  void release_behind(std::size_t keep);

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  int descriptor() const { return descriptor_.get(); }

 private:
  explicit SharedMemory(Descriptor descriptor);
  Descriptor descriptor_;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

// " (No such file or directory)" of errno, for messages.
std::string because();

}  // namespace plumb::conformance
