// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/run.h"

#include <algorithm>
#include <utility>

#include "conformance/contract/contract_json.h"
#include "conformance/runner/findings.h"
#include "conformance/runner/worker.h"
#include "reference/registry/readings.h"
#include "reference/stages/executor.h"

namespace plumb::conformance {
namespace {

// One kernel, and what it is to be judged by.
struct Candidate {
  std::size_t row;
  std::string id;
  const StageSchema* schema;  // null: no such stage
  Contract contract;
  std::string contract_error;
  std::vector<fixtures::Case> cases;
};

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

std::vector<fixtures::Case> cases_of(const StageSchema& schema, const RunRequest& request) {
  std::vector<fixtures::Case> cases;
  if (request.case_name) {
    Result<fixtures::Case> one = fixtures::find_case(schema, *request.case_name);
    if (one.ok()) cases.push_back(std::move(one).value());
    return cases;
  }
  for (fixtures::Case& c : fixtures::cases(schema, request.plan)) {
    if (!request.reading || c.reading == *request.reading) cases.push_back(std::move(c));
  }
  return cases;
}

Candidate candidate_of(const KernelRow& row, std::size_t index, const RunRequest& request) {
  Candidate c{index, row.stage + "." + row.variant, find_stage(row.stage), {}, {}, {}};
  if (c.schema == nullptr) return c;
  c.contract = c.schema->standard_contract;
  if (row.contract_json) {
    Result<Contract> declared = contract_from_json(*row.contract_json, c.id, c.contract);
    if (declared.ok()) {
      c.contract = std::move(declared).value();
    } else {
      c.contract_error = declared.error().message;
    }
  }
  c.cases = cases_of(*c.schema, request);
  return c;
}

// The inputs of the case with empty outputs beside them, as the reading stores them.
struct Prepared {
  StageCall call;
  std::vector<plumb_role> roles;
};

Result<Prepared> prepare(const StageSchema& schema, const fixtures::Case& wanted,
                         const Reading& reading) {
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

class Runner {
 public:
  explicit Runner(const RunRequest& request)
      : request_(request),
        worker_({request.executable, request.library, request.time_limit,
                 std::chrono::milliseconds(60'000), request.threads, true}) {}

  Result<std::vector<Verdict>> run(const OnVerdict& on_verdict) {
    if (Status s = plan(); !s.ok()) return s.error();
    std::vector<Verdict> verdicts;
    for (const Candidate& candidate : candidates_) {
      for (const fixtures::Case& wanted : candidate.cases) {
        Result<Verdict> verdict = run_case(candidate, wanted);
        if (!verdict.ok()) return verdict.error();
        verdicts.push_back(std::move(verdict).value());
        if (on_verdict) on_verdict({verdicts.back(), verdicts.size(), planned_});
      }
    }
    return verdicts;
  }

 private:
  Status plan() {
    Result<std::vector<KernelRow>> rows = worker_.rows();
    if (!rows.ok()) return rows.error();
    for (std::size_t i = 0; i < rows->size(); ++i) {
      Candidate c = candidate_of(rows.value()[i], i, request_);
      if (request_.stage && rows.value()[i].stage != *request_.stage) continue;
      if (request_.kernel && c.id != *request_.kernel) continue;
      if (c.schema == nullptr) {
        return Error{request_.library + ": kernel '" + c.id +
                     "' names no stage; plumb stages lists them"};
      }
      if (request_.case_name && c.cases.empty()) {
        return Error{"stage " + std::string(c.schema->name) + " has no case '" +
                     *request_.case_name + "'"};
      }
      planned_ += c.cases.size();
      candidates_.push_back(std::move(c));
    }
    if (!candidates_.empty()) return Nothing{};
    return Error{request_.library + ": no kernel " +
                 (request_.kernel ? "'" + *request_.kernel + "'"
                                  : "of stage '" + request_.stage.value_or("") + "'") +
                 " in it"};
  }

  Result<Verdict> run_case(const Candidate& candidate, const fixtures::Case& wanted) {
    Verdict v;
    v.stage = candidate.schema->name;
    v.kernel = candidate.id;
    v.model = "r1";
    v.reading = wanted.reading;
    v.contract = candidate.contract.name;
    v.case_name = wanted.name();
    v.weaker_contract = is_weaker(candidate.contract, candidate.schema->standard_contract);
    const Status status = judge_case(candidate, wanted, v);
    if (!status.ok()) return status.error();
    if (v.outcome != Outcome::kPass) v.rerun = rerun_of(v);
    return v;
  }

  Status judge_case(const Candidate& candidate, const fixtures::Case& wanted, Verdict& v) {
    if (!candidate.contract_error.empty()) {
      fail(v, Outcome::kFail, candidate.contract_error);
      return Nothing{};
    }
    const Reading& reading = *find_reading(wanted.reading);
    Result<Prepared> prepared = prepare(*candidate.schema, wanted, reading);
    if (!prepared.ok()) return prepared.error();
    Result<CaseResult> result = worker_.run(candidate.row, prepared->call, prepared->roles);
    if (!result.ok()) return result.error();
    v.seconds = result->seconds;
    judge_behaviour(*result, candidate.contract, v);
    if (v.outcome == Outcome::kUntested) {
      judge_numbers(candidate, inputs_of(*prepared), *result, reading, v);
    }
    return Nothing{};
  }

  std::string rerun_of(const Verdict& v) const {
    return "plumb run --lib " + request_.library + " --kernel " + v.kernel + " --case " +
           v.case_name;
  }

  const RunRequest& request_;
  Worker worker_;
  std::vector<Candidate> candidates_;
  std::size_t planned_ = 0;
};

}  // namespace

Result<std::vector<Verdict>> run_kernels(const RunRequest& request, const OnVerdict& on_verdict) {
  return Runner(request).run(on_verdict);
}

}  // namespace plumb::conformance
