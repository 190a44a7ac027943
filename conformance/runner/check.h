// SPDX-License-Identifier: Apache-2.0
// Judging a trace: a forward pass is run with an executor that, at each stage call, judges what the
// trace recorded of its outputs on the trace's own inputs, and hands the recorded values on. What
// the trace did not record is computed by the reference with its error carried along, so that the
// next recorded tensor is judged nevertheless. The first failing call is the culprit and not a
// victim.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/runner/judge.h"
#include "conformance/verdict/verdict.h"
#include "reference/tensor/stage_call.h"

namespace plumb::conformance {

// Gives a recorded tensor by name; empty when there is none. `stored_as` is the name under which
// the file holds it (an alias's target).
struct Overlay;
struct Recorded {
  AnyTensor tensor;
  std::string stored_as;
};
using RecordedTensors = std::function<Recorded(std::string_view name)>;

// Judgements by all that they depend on, so that a trace that differs from one judged before in a
// few tensors costs only the calls that these reach. Calls on computed (tracked) inputs are not
// kept.
class JudgementCache {
 public:
  // Empty when the call is not to be kept.
  static std::string key_of(const StageCall& call, const std::vector<NamedTensor>& got);
  const Judgement* find(const std::string& key) const;
  void keep(const std::string& key, const Judgement& judgement);

 private:
  std::map<std::string, Judgement> judgements_;
};

// What a check may be told besides the trace; all may be null.
struct CheckOptions {
  const Overlay* overlay = nullptr;    // tensors that stand in for stored ones
  JudgementCache* cache = nullptr;     // one cache serves one reading, contract and set left out
  const Contract* contract = nullptr;  // of every stage; null: each stage's standard contract
};

class CheckExecutor : public Executor {
 public:
  CheckExecutor(const Reading& reading, RecordedTensors recorded, const CheckOptions& options = {})
      : reading_(reading), recorded_(std::move(recorded)), options_(options) {}

  // Before the calls of a step: what names begin with ("step3." or nothing), and which tokens are
  // padding.
  void begin_step(std::string prefix, LeftOut left_out) {
    prefix_ = std::move(prefix);
    left_out_ = std::move(left_out);
  }

  void run(StageCall& call) override;

  // One verdict a stage call of which the trace recorded something, in order of execution.
  const std::vector<Verdict>& verdicts() const { return verdicts_; }
  // Names in the file of all tensors judged as outputs.
  const std::set<std::string>& judged() const { return judged_; }
  // Stages called of which the trace recorded nothing: how often.
  const std::map<std::string, int>& unrecorded() const { return unrecorded_; }

 private:
  std::vector<NamedTensor> recorded_outputs(const StageSchema& schema, const StageCall& call);
  Judgement judged_call(const StageSchema& schema, const StageCall& call,
                        const std::vector<NamedTensor>& got);
  const Contract& contract_of(const StageSchema& schema) const {
    return options_.contract != nullptr ? *options_.contract : schema.standard_contract;
  }
  Verdict verdict_of(const StageSchema& schema, const StageCall& call,
                     const Judgement& judgement) const;

  const Reading& reading_;
  RecordedTensors recorded_;
  CheckOptions options_;
  std::string prefix_;
  LeftOut left_out_;
  std::vector<Verdict> verdicts_;
  std::set<std::string> judged_;
  std::map<std::string, int> unrecorded_;
  std::map<std::string, std::string> names_;  // of the current call: tensor -> recorded name
};

}  // namespace plumb::conformance
