// SPDX-License-Identifier: Apache-2.0
// Judges the outputs of one stage call against the reference, under a reading and a contract. A
// candidate's own choices (experts, orders) are judged first and then followed, so that what
// depends on them is judged on them and one legal flip hides nothing.
#pragma once

#include <string>
#include <vector>

#include "conformance/compare/compare.h"
#include "reference/registry/schema.h"

namespace plumb::conformance {

struct TensorJudgement {
  std::string tensor;  // in the schema
  Shape shape;
  Comparison comparison;
  Decision decision;
  Index left_out = 0;  // elements of tokens that were not to be judged
};

struct Judgement {
  std::vector<TensorJudgement> tensors;  // in the schema's order, those that the candidate gave
  StageCall reference;  // the call with the reference's outputs, number by number tracked
};

// Tokens (row-major over B and S) whose rows are not judged, as padding is not; empty: all are.
using LeftOut = std::vector<bool>;

// `call` holds inputs and parameters; they may be tracked (computed from judged values) or stored.
// `got` holds the candidate's outputs by name; shapes may differ from the reference's by leading
// extents of 1.
Judgement judge(const StageSchema& schema, const StageCall& call,
                const std::vector<NamedTensor>& got, const Reading& reading,
                const Contract& contract, const LeftOut& left_out = {});

}  // namespace plumb::conformance
