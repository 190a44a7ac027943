// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/candidate.h"

#include <algorithm>
#include <utility>

#include "conformance/contract/contract_json.h"
#include "conformance/runner/findings.h"
#include "conformance/runner/judge.h"
#include "reference/registry/readings.h"
#include "reference/stages/executor.h"

namespace plumb::conformance {
namespace {

plumb_role role_of(Role role) {
  switch (role) {
    case Role::kIn:
      return PLUMB_IN;
    case Role::kOut:
      return PLUMB_OUT;
    case Role::kInOut:
      return PLUMB_INOUT;
    case Role::kTap:
      return PLUMB_TAP;
    case Role::kScratch:
      break;
  }
  return PLUMB_SCRATCH;
}

StageCall inputs_of(const Prepared& prepared) {
  StageCall call{prepared.call.stage, {}, prepared.call.params, {}};
  for (std::size_t i = 0; i < prepared.roles.size(); ++i) {
    if (prepared.roles[i] == PLUMB_IN || prepared.roles[i] == PLUMB_INOUT) {
      call.tensors.push_back(prepared.call.tensors[i]);
    }
  }
  return call;
}

void fail(Verdict& v, Outcome outcome, std::string reason) {
  v.outcome = outcome;
  v.reason = std::move(reason);
}

// What the worker saw, before any number is looked at.
void judge_behaviour(const CaseResult& result, const Contract& contract, Verdict& v) {
  switch (result.outcome) {
    case RunOutcome::kDeclined:
      return fail(v, Outcome::kUnsupported, result.message);
    case RunOutcome::kTimedOut:
      return fail(v, Outcome::kTimedOut, result.message);
    case RunOutcome::kCrashed:
    case RunOutcome::kExited:
      return fail(v, Outcome::kCrashed, result.message);
    case RunOutcome::kFailed:
      return fail(v, Outcome::kFail, result.message);
    case RunOutcome::kRan:
      break;
  }
  for (const Fault& fault : result.faults) {
    if (fault.kind == FaultKind::kRunsDiffer && !contract.deterministic) continue;
    return fail(v, Outcome::kFail, fault.message);
  }
}

void judge_numbers(const Candidate& candidate, const StageCall& inputs, const CaseResult& result,
                   const Reading& reading, Verdict& v) {
  const bool differ = std::ranges::any_of(
      result.faults, [](const Fault& f) { return f.kind == FaultKind::kRunsDiffer; });
  for (std::size_t run = 0; run < (differ ? 2u : 1u); ++run) {
    const Judgement judgement =
        judge(*candidate.schema, inputs, result.outputs[run], reading, candidate.contract);
    v.tensors.clear();
    for (const TensorJudgement& t : judgement.tensors) {
      v.tensors.push_back(finding_of(*candidate.schema, t));
    }
    conclude(v);
    if (v.outcome != Outcome::kPass) return;
  }
}

}  // namespace

Result<Candidate> candidate_of(const KernelRow& row, std::size_t index,
                               const std::string& library) {
  Candidate c{index, row.stage + "." + row.variant, find_stage(row.stage), {}, {}};
  if (c.schema == nullptr) {
    return Error{library + ": kernel '" + c.id + "' names no stage; plumb stages lists them"};
  }
  c.contract = c.schema->standard_contract;
  if (row.contract_json) {
    Result<Contract> declared = contract_from_json(*row.contract_json, c.id, c.contract);
    if (declared.ok()) {
      c.contract = std::move(declared).value();
    } else {
      c.contract_error = declared.error().message;
    }
  }
  return c;
}

Result<Prepared> prepare(const StageSchema& schema, const fixtures::Case& wanted) {
  const Reading& reading = *find_reading(wanted.reading);
  Result<StageCall> inputs = fixtures::generate(schema, wanted);
  if (!inputs.ok()) return inputs.error();
  Prepared p{{schema.name.data(), {}, inputs->params, {}}, {}};
  const auto axes = bind_axes(schema, *inputs);
  if (!axes.ok()) return axes.error();
  for (const TensorSchema& tensor : schema.tensors) {
    const AnyTensor* input = inputs->find(tensor.name);
    const bool computed = tensor.role == Role::kOut || tensor.role == Role::kTap;
    if (input == nullptr && !computed) continue;
    const Dtype dtype = storage_of(reading, tensor).value_or(tensor.dtypes.back());
    p.call.tensors.push_back(
        {std::string(tensor.name),
         input != nullptr ? *input : AnyTensor::zeros(dtype, shape_of(tensor, *axes))});
    p.roles.push_back(role_of(tensor.role));
  }
  return p;
}

Result<Verdict> judge_case(Worker& worker, const Candidate& candidate, const fixtures::Case& wanted,
                           const Prepared& prepared) {
  Verdict v;
  v.stage = candidate.schema->name;
  v.kernel = candidate.id;
  v.model = "r1";
  v.reading = wanted.reading;
  v.contract = candidate.contract.name;
  v.case_name = wanted.name();
  v.weaker_contract = is_weaker(candidate.contract, candidate.schema->standard_contract);
  if (!candidate.contract_error.empty()) {
    fail(v, Outcome::kFail, candidate.contract_error);
    return v;
  }
  Result<CaseResult> result = worker.run(candidate.row, prepared.call, prepared.roles);
  if (!result.ok()) return result.error();
  v.seconds = result->seconds;
  judge_behaviour(*result, candidate.contract, v);
  if (v.outcome == Outcome::kUntested) {
    judge_numbers(candidate, inputs_of(prepared), *result, *find_reading(wanted.reading), v);
  }
  return v;
}

}  // namespace plumb::conformance
