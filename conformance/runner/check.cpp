// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/check.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <type_traits>

#include "conformance/contract/contract_json.h"
#include "conformance/runner/findings.h"
#include "reference/stages/executor.h"

namespace plumb::conformance {
namespace {

bool is_output(Role role) {
  return role == Role::kOut || role == Role::kTap || role == Role::kInOut;
}

// Names under which a trace may hold an output: the call's own, then path + suffix.
std::vector<std::string> names_of(const StageCall& call, const TensorSchema& tensor) {
  std::vector<std::string> names;
  for (const auto& [output, name] : call.site.names) {
    if (output == tensor.name) names.push_back(name);
  }
  names.push_back(call.site.path + std::string(tensor.trace_suffix));
  return names;
}

// What a judgement can depend on of a tracked value, to the precision in which it is judged.
std::string tracked_bytes(const AnyTensor& t) {
  std::string bytes;
  for (Index i = 0; i < t.size(); ++i) {
    const Tracked& v = t.data<Tracked>()[i];
    const std::array<double, 4> parts{v.value.to_double(), v.error, v.slack, double(v.flags)};
    bytes.append(reinterpret_cast<const char*>(parts.data()), sizeof(parts));
  }
  return bytes;
}

void append(std::string& key, const NamedTensor& named) {
  const AnyTensor t = named.tensor.contiguous() ? named.tensor : named.tensor.copied();
  const std::string tracked = t.dtype() == Dtype::kTracked ? tracked_bytes(t) : "";
  const std::string_view bytes =
      tracked.empty() ? std::string_view(reinterpret_cast<const char*>(t.bytes()), t.byte_size())
                      : tracked;
  key += named.name + to_string(t.shape()) + std::string(name_of(t.dtype())) +
         std::to_string(std::hash<std::string_view>{}(bytes)) + "\n";
}

}  // namespace

std::string JudgementCache::key_of(const StageCall& call, const std::vector<NamedTensor>& got) {
  std::string key = call.stage + "\n";
  for (const NamedParam& p : call.params) {
    key += p.name + "=" +
           std::visit(
               [](const auto& v) {
                 if constexpr (std::is_same_v<std::decay_t<decltype(v)>, std::string>) {
                   return v;
                 } else {
                   return std::to_string(v);
                 }
               },
               p.value) +
           "\n";
  }
  for (const NamedTensor& t : call.tensors) {
    if (t.tensor.empty()) continue;
    if (is_wide(t.tensor.dtype()) && t.tensor.dtype() != Dtype::kTracked) return {};
    append(key, t);
  }
  key += "got\n";
  for (const NamedTensor& t : got) append(key, t);
  return key;
}

const Judgement* JudgementCache::find(const std::string& key) const {
  const auto found = judgements_.find(key);
  return found == judgements_.end() ? nullptr : &found->second;
}

void JudgementCache::keep(const std::string& key, const Judgement& judgement) {
  judgements_.emplace(key, judgement);
}

std::vector<NamedTensor> CheckExecutor::recorded_outputs(const StageSchema& schema,
                                                         const StageCall& call) {
  std::vector<NamedTensor> outputs;
  names_.clear();
  bool first = true;
  for (const TensorSchema& tensor : schema.tensors) {
    if (!is_output(tensor.role)) continue;
    // An output without a suffix bears its call's path, and only the first can.
    const bool nameless = tensor.trace_suffix.empty() && !first;
    first = false;
    for (const std::string& name : names_of(call, tensor)) {
      if (nameless && call.site.names.empty()) continue;
      const Recorded found = recorded_(prefix_ + name);
      if (found.tensor.empty()) continue;
      outputs.push_back({std::string(tensor.name), found.tensor});
      names_[std::string(tensor.name)] = prefix_ + name;
      judged_.insert(found.stored_as);
      break;
    }
  }
  return outputs;
}

Judgement CheckExecutor::judged_call(const StageSchema& schema, const StageCall& call,
                                     const std::vector<NamedTensor>& got) {
  const std::string key = options_.cache != nullptr ? JudgementCache::key_of(call, got) : "";
  if (const Judgement* known = key.empty() ? nullptr : options_.cache->find(key)) return *known;
  Judgement judgement = judge(schema, call, got, reading_, contract_of(schema), left_out_);
  if (!key.empty()) options_.cache->keep(key, judgement);
  return judgement;
}

void CheckExecutor::run(StageCall& call) {
  const StageSchema* schema = find_stage(call.stage);
  PLUMB_REQUIRE(schema != nullptr, call.stage);
  const auto start = std::chrono::steady_clock::now();
  complete(*schema, reading_, call);
  const Status status = check_call(*schema, call);
  PLUMB_REQUIRE(status.ok(), status.ok() ? "" : status.error().message);
  const std::vector<NamedTensor> got = recorded_outputs(*schema, call);
  const Judgement judgement = judged_call(*schema, call, got);
  // Recorded numbers go on, right or wrong; the rest goes on with its error. Of recorded integers
  // only those go on that the judge could follow: a wrong one need not be an index.
  for (const TensorSchema& tensor : schema->tensors) {
    if (!is_output(tensor.role)) continue;
    const AnyTensor* computed = judgement.reference.find(tensor.name);
    if (computed != nullptr) call.set(tensor.name, *computed);
  }
  for (const NamedTensor& t : got) {
    const AnyTensor& computed = judgement.reference.tensor(t.name);
    const TensorSchema& tensor = *schema->find(t.name);
    const bool number = tensor.judge == ::plumb::Judge::kNumber;
    const bool admissible =
        std::ranges::find(tensor.dtypes, t.tensor.dtype()) != tensor.dtypes.end();
    if (number && admissible && t.tensor.size() == computed.size())
      call.set(t.name, t.tensor.reshaped(computed.shape()));
  }
  if (got.empty()) {
    ++unrecorded_[call.stage];
    return;
  }
  verdicts_.push_back(verdict_of(*schema, call, judgement));
  verdicts_.back().seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Verdict CheckExecutor::verdict_of(const StageSchema& schema, const StageCall& call,
                                  const Judgement& judgement) const {
  Verdict v;
  v.stage = schema.name;
  v.kernel = "trace";
  v.reading = reading_.name;
  v.contract = contract_of(schema).name;
  v.weaker_contract = is_weaker(contract_of(schema), schema.standard_contract);
  v.case_name = prefix_ + call.site.path;
  v.layer = call.site.layer;
  v.step = call.site.step;
  for (const TensorJudgement& tensor : judgement.tensors) {
    v.tensors.push_back(finding_of(schema, tensor));
    v.tensors.back().tensor = names_.at(tensor.tensor);
  }
  conclude(v);
  return v;
}

}  // namespace plumb::conformance
