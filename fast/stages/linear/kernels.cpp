// SPDX-License-Identifier: Apache-2.0
#include "fast/simd/targets.h"
#include "fast/stages/linear/linear.h"
#include "fast/stages/row.h"

namespace plumb::fast {

#define PLUMB_DECLARE(target, variant) \
  namespace N_##target {               \
    void linear(const Linear&);        \
  }
PLUMB_FAST_TARGETS(PLUMB_DECLARE)

namespace {

constexpr const char* contract(std::int64_t target) {
  return fuses(target) ? R"({"accumulator":"f32","fused_products":true})"
                       : R"({"accumulator":"f32"})";
}

#define PLUMB_ROW(target, variant) \
  row<Linear, N_##target::linear, HWY_##target>(variant, contract(HWY_##target)),
const plumb_kernel kRows[] = {
    row<Linear, scalar::linear, kScalarTarget>("scalar", contract(kScalarTarget)),
    PLUMB_FAST_TARGETS(PLUMB_ROW)};

}  // namespace

const plumb_kernel* linear_kernels(std::size_t* count) {
  *count = std::size(kRows);
  return kRows;
}

}  // namespace plumb::fast
