// SPDX-License-Identifier: Apache-2.0
// What the other folders hold for a stage: the columns of `plumb records` and `plumb stages`,
// joined here because no folder sees them all.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plumb::tools {

// Ids of the kernels of this stage in the library beside this executable; none when there is none.
// Asked of a worker once.
std::vector<std::string> kernels_of(std::string_view stage);

// Names of the second derivations that the tests hold this stage's reference against.
std::vector<std::string> oracles_of(std::string_view stage);

}  // namespace plumb::tools
