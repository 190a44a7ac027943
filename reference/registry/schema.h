// SPDX-License-Identifier: Apache-2.0
// StageSchema: everything about a stage that is data. Generators, the ABI, the trace reader, the
// comparator and the reports read it; none of them knows a stage by name.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "reference/base/result.h"
#include "reference/scalar/contract.h"
#include "reference/scalar/reading.h"
#include "reference/tensor/stage_call.h"

namespace plumb {

enum class Role : std::uint8_t { kIn, kOut, kInOut, kTap, kScratch };
std::string_view name_of(Role role);

// What values a tensor may hold: generators fill by it, the vacuity rule reads it.
enum class Domain : std::uint8_t {
  kAny,
  kGain,         // near 1
  kWeight,       // zero mean, deviation about 1/sqrt(inputs)
  kScale,        // positive block scales
  kProbability,  // 0..1
  kMask,
  kPosition,
  kIndex,        // 0..extent of `index_of` - 1
  kPermutation,  // every index once
  kMostlyZero,   // nine tenths may be one value: not vacuous
};

// How an output is judged.
enum class Judge : std::uint8_t {
  kNumber,       // |got - want| <= budget, element by element
  kExact,        // equal or not: integers, index maps
  kPermutation,  // an order that sorts what `scores` names; equal keys in any order
  kSelection,    // a chosen set, by margin; `scores` and `mask` name what it was chosen from
};

struct TensorSchema {
  std::string_view name;
  Role role;
  // Symbols. One that is a parameter's name has its value; "I/block" is ceil(I / block).
  std::vector<std::string_view> axes;
  std::vector<Dtype> dtypes;  // admissible in storage; the first is what generators make
  Domain domain = Domain::kAny;
  Judge judge = Judge::kNumber;
  // Outputs: the slot whose format is the storage format. Inputs of computed values: likewise.
  std::optional<Slot> slot = {};
  bool optional = false;  // an input that may be left out; taps always may
  // Name in traces and checkpoints relative to the call's site: ".out", ".weight", "q_pe.pre_rope".
  std::string_view trace_suffix = {};
  std::string_view index_of = {};  // kIndex: the axis symbol that bounds the values
  std::string_view scores = {};  // kSelection: the tap that holds the scores the choice was made on
};

struct ParamSchema {
  std::string_view name;
  ParamValue default_value;  // its alternative is the parameter's kind
  std::string_view meaning;
};

struct StageSchema {
  std::string_view name;
  std::string_view sentence;
  std::string_view formula;
  std::vector<TensorSchema> tensors;
  std::vector<ParamSchema> params = {};
  // Discrepancies between which a kernel must be told to choose: each is a word parameter of the
  // call, "R1-D06" = "a" or "b", which the reading decides.
  std::vector<std::string_view> sides = {};
  std::vector<std::string_view> records = {};
  Contract standard_contract = {};

  const TensorSchema* find(std::string_view tensor) const;
};

// All stages, in the order of the table that the build writes.
const std::vector<StageSchema>& all_stages();
const StageSchema* find_stage(std::string_view name);

// Extents of every axis symbol of a call, from its inputs and parameters. An error names the
// tensor, the axis and both extents.
struct Axis {
  std::string_view symbol;
  Index extent;
};
Result<std::vector<Axis>> bind_axes(const StageSchema& schema, const StageCall& call);
// The shape of a tensor of the call under such a binding.
Shape shape_of(const TensorSchema& tensor, const std::vector<Axis>& axes);

// Fails when a tensor or parameter is missing, unknown, of a wrong type or of a wrong shape.
Status check_call(const StageSchema& schema, const StageCall& call);

}  // namespace plumb
