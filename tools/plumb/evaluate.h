// SPDX-License-Identifier: Apache-2.0
// A record's stage on a small generated input: the numbers themselves.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace plumb::tools {

// The first values of each tensor of the stage's smallest generated case, outputs in the
// mathematics and as the released code in bfloat16 stores them: [{"tensor", "role", "shape",
// "values", "hf_bf16"}].
nlohmann::ordered_json evaluated(std::string_view stage);
// The same for a person.
void print_evaluated(std::string_view stage);

}  // namespace plumb::tools
