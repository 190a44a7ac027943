// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/exact/operand.h"

namespace plumb::reference {

// Width of a query or key head.
//   QH = NO + RO                                                                           [R1-045]
inline Index head_width(Index nope_dim, Index rope_dim) { return nope_dim + rope_dim; }

// The factor before YaRN.
//   sigma0 = QH^(-1/2)                                                                     [R1-049]
template <class T>
T plain_softmax_scale(const Arithmetic& arithmetic, Index width);

// YaRN's magnitude enters twice, with the strength meant for all dimensions.
//   sigma = sigma0 m(s, mscale_all_dim)^2                                         [R1-097] [R1-124]
// Types:  f64, rounded at each operation: (sigma0 m) m. `real` rounds nowhere.
// Needs:  width > 0.
// Budget: the root and the logarithm within the contract's ulps.
template <class T>
T yarn_softmax_scale(const Arithmetic& arithmetic, const T& plain, double factor,
                     double mscale_all_dim);

}  // namespace plumb::reference
