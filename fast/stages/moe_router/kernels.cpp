// SPDX-License-Identifier: Apache-2.0
#include "fast/simd/targets.h"
#include "fast/stages/moe_router/moe_router.h"
#include "fast/stages/row.h"

namespace plumb::fast {

#define PLUMB_DECLARE(target, variant) \
  namespace N_##target {               \
    void moe_router(const MoeRouter&); \
  }
PLUMB_FAST_TARGETS(PLUMB_DECLARE)

namespace {

#define PLUMB_REST R"("ulps":{"exp":1,"division":0.5},"ties":"lowest_index"})"
constexpr const char* contract(std::int64_t target) {
  return fuses(target) ? R"({"accumulator":"f32","fused_products":true,)" PLUMB_REST
                       : R"({"accumulator":"f32",)" PLUMB_REST;
}

#define PLUMB_ROW(target, variant) \
  row<MoeRouter, N_##target::moe_router, HWY_##target>(variant, contract(HWY_##target)),
const plumb_kernel kRows[] = {
    row<MoeRouter, scalar::moe_router, kScalarTarget>("scalar", contract(kScalarTarget)),
    PLUMB_FAST_TARGETS(PLUMB_ROW)};

}  // namespace

const plumb_kernel* moe_router_kernels(std::size_t* count) {
  *count = std::size(kRows);
  return kRows;
}

}  // namespace plumb::fast
