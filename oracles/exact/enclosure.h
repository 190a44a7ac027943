// SPDX-License-Identifier: Apache-2.0
// From Numbers to what an oracle hands out.
#pragma once

#include "oracles/exact/number.h"
#include "oracles/exact/oracle.h"

namespace plumb::oracles {

Enclosure enclosure(const Number& n);
ExactTensor exact_tensor(std::string_view name, Shape shape, const std::vector<Number>& numbers);
// Ranks the candidates by descending score.
ExactSelection ranked(std::string_view name, Index row, std::size_t count,
                      std::span<const Number> scores);

}  // namespace plumb::oracles
