// SPDX-License-Identifier: Apache-2.0
// Contract as the JSON text of a plug-in's kernel row:
//   {"name": "fp16 accumulate in f32", "accumulator": "f32", "sum_depth": 119, "fused_products":
//   true,
//    "ulps": {"exp": 1, "rsqrt": 2}, "ties": "lowest_index", "deterministic": true, "signed_zero":
//    false, "flushes_subnormals": false}
// A member left out keeps the stage's standard value; without a name the contract is called after
// its kernel.
#pragma once

#include <string>
#include <string_view>

#include "reference/base/result.h"
#include "reference/scalar/contract.h"

namespace plumb::conformance {

// An error names the kernel id and the member. The name "standard" is the standard contract's own.
Result<Contract> contract_from_json(std::string_view text, std::string_view kernel_id,
                                    const Contract& standard);

// All members. Reads back as the same contract.
std::string contract_to_json(const Contract& contract);

// True when `declared` allows something that `standard` does not. A pass under it is then no pass
// under the standard contract. Ulps count in units of the accumulator's precision.
bool is_weaker(const Contract& declared, const Contract& standard);

}  // namespace plumb::conformance
