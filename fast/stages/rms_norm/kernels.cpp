// SPDX-License-Identifier: Apache-2.0
#include "fast/simd/targets.h"
#include "fast/stages/rms_norm/rms_norm.h"
#include "fast/stages/row.h"

namespace plumb::fast {

#define PLUMB_DECLARE(target, variant) \
  namespace N_##target {               \
    void rms_norm(const RmsNorm&);     \
  }
PLUMB_FAST_TARGETS(PLUMB_DECLARE)

namespace {

#define PLUMB_REST R"("ulps":{"rsqrt":1,"division":0.5,"sqrt":0.5}})"
constexpr const char* contract(std::int64_t target) {
  return fuses(target) ? R"({"accumulator":"f32","fused_products":true,)" PLUMB_REST
                       : R"({"accumulator":"f32",)" PLUMB_REST;
}

#define PLUMB_ROW(target, variant) \
  row<RmsNorm, N_##target::rms_norm, HWY_##target>(variant, contract(HWY_##target)),
const plumb_kernel kRows[] = {
    row<RmsNorm, scalar::rms_norm, kScalarTarget>("scalar", contract(kScalarTarget)),
    PLUMB_FAST_TARGETS(PLUMB_ROW)};

}  // namespace

const plumb_kernel* rms_norm_kernels(std::size_t* count) {
  *count = std::size(kRows);
  return kRows;
}

}  // namespace plumb::fast
