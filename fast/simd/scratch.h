// SPDX-License-Identifier: Apache-2.0
// Zeroed floats on a cache line's boundary, so that a whole vector never straddles two lines.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>

namespace plumb::fast {

class Scratch {
 public:
  explicit Scratch(std::ptrdiff_t count)
      : count_(static_cast<std::size_t>(count)),
        floats_(static_cast<float*>(::operator new(count_ * sizeof(float), kLine))) {
    clear();
  }
  float* data() const { return floats_.get(); }
  void clear() { std::fill_n(floats_.get(), count_, 0.0f); }

 private:
  static constexpr std::align_val_t kLine{64};
  struct Free {
    void operator()(float* floats) const { ::operator delete(floats, kLine); }
  };
  std::size_t count_;
  std::unique_ptr<float, Free> floats_;
};

}  // namespace plumb::fast
