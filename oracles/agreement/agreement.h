// SPDX-License-Identifier: Apache-2.0
// Judges the reference's outputs of one call by the exact oracle's.
#pragma once

#include <string_view>
#include <vector>

#include "oracles/exact/oracle.h"
#include "reference/scalar/real.h"

namespace plumb::oracles {

inline constexpr std::string_view kReadings[] = {"real", "hf_bf16", "hf_f32", "inf_bf16",
                                                 "inf_fp8"};

// v as an exact sum of doubles; v is finite.
template <class T>
std::vector<Dyadic> parts_of(T v);

// Expects, for Real and RealWide:
//   rounded outputs equal to the oracle's stored value;
//   unrounded ones within 2^-150 (Real) and 2^-310 (RealWide) of the oracle's interval, relative;
//   choices that the oracle admits; classes (NaN, infinities) equal;
// and that both types agree to 40 digits. An element that the oracle leaves undecided is a failure.
// `lost_bits` less where the formula itself loses them: a wave of a large angle, say.
// The elements compared.
Index expect_agreement(const StageCall& call, std::string_view reading, int lost_bits = 0);

}  // namespace plumb::oracles
