// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/shared_memory.h"

#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

namespace plumb::conformance {
namespace {

constexpr std::size_t kGrain = std::size_t{1} << 18;  // grow rarely

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    reset();
    fd_ = other.release();
  }
  return *this;
}

Descriptor::~Descriptor() { reset(); }

void Descriptor::reset() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

int Descriptor::release() { return std::exchange(fd_, -1); }

std::string because() { return " (" + std::system_category().message(errno) + ")"; }

SharedMemory::SharedMemory(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : descriptor_(std::move(other.descriptor_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

SharedMemory::~SharedMemory() {
  if (data_ != nullptr) munmap(data_, size_);
}

Result<SharedMemory> SharedMemory::create() {
  Descriptor descriptor(memfd_create("plumb worker", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!descriptor.valid()) return Error{"no shared memory for a worker" + because()};
  if (fcntl(descriptor.get(), F_ADD_SEALS, F_SEAL_SHRINK) != 0) {
    return Error{"shared memory for a worker cannot be sealed" + because()};
  }
  return SharedMemory(std::move(descriptor));
}

Status SharedMemory::reserve(std::size_t bytes) {
  if (bytes <= size_) return Nothing{};
  const std::size_t wanted = (bytes + bytes / 4 + kGrain) / kGrain * kGrain;
  // Allocated now: a page that is missing later would be a SIGBUS.
  if (const int code = posix_fallocate(descriptor_.get(), 0, static_cast<off_t>(wanted))) {
    errno = code;
    return Error{"no " + std::to_string(wanted) + " bytes of shared memory for a case" + because()};
  }
  void* at = data_ == nullptr
                 ? mmap(nullptr, wanted, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_.get(), 0)
                 : mremap(data_, size_, wanted, MREMAP_MAYMOVE);
  if (at == MAP_FAILED) {
    return Error{"cannot map " + std::to_string(wanted) + " bytes of shared memory" + because()};
  }
  data_ = static_cast<std::byte*>(at);
  size_ = wanted;
  return Nothing{};
}

void SharedMemory::release_behind(std::size_t keep) {
  if (size_ <= keep) return;
  // Mapped pages come back as zeros when touched; failing to release them costs memory only.
  static_cast<void>(fallocate(descriptor_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                              static_cast<off_t>(keep), static_cast<off_t>(size_ - keep)));
}

}  // namespace plumb::conformance
