// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/run.h"

#include <utility>

#include "conformance/runner/candidate.h"

namespace plumb::conformance {
namespace {

// One kernel and its cases.
struct Planned {
  Candidate candidate;
  std::vector<fixtures::Case> cases;
};

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

class Runner {
 public:
  explicit Runner(const RunRequest& request)
      : request_(request),
        worker_({request.executable, request.library, request.time_limit,
                 std::chrono::milliseconds(60'000), request.threads, true}) {}

  Result<std::vector<Verdict>> run(const OnVerdict& on_verdict) {
    if (Status s = plan(); !s.ok()) return s.error();
    std::vector<Verdict> verdicts;
    for (const Planned& planned : planned_) {
      for (const fixtures::Case& wanted : planned.cases) {
        Result<Verdict> verdict = run_case(planned.candidate, wanted);
        if (!verdict.ok()) return verdict.error();
        verdicts.push_back(std::move(verdict).value());
        if (on_verdict) on_verdict({verdicts.back(), verdicts.size(), case_count_});
      }
    }
    return verdicts;
  }

 private:
  Status plan() {
    Result<std::vector<KernelRow>> rows = worker_.rows();
    if (!rows.ok()) return rows.error();
    for (std::size_t i = 0; i < rows->size(); ++i) {
      const KernelRow& row = rows.value()[i];
      if (request_.stage && row.stage != *request_.stage) continue;
      if (request_.kernel && row.stage + "." + row.variant != *request_.kernel) continue;
      Result<Candidate> candidate = candidate_of(row, i, request_.library);
      if (!candidate.ok()) return candidate.error();
      Planned p{std::move(candidate).value(), {}};
      p.cases = cases_of(*p.candidate.schema, request_);
      if (request_.case_name && p.cases.empty()) {
        return Error{"stage " + row.stage + " has no case '" + *request_.case_name + "'"};
      }
      case_count_ += p.cases.size();
      planned_.push_back(std::move(p));
    }
    if (!planned_.empty()) return Nothing{};
    return Error{request_.library + ": no kernel " +
                 (request_.kernel ? "'" + *request_.kernel + "'"
                                  : "of stage '" + request_.stage.value_or("") + "'") +
                 " in it"};
  }

  Result<Verdict> run_case(const Candidate& candidate, const fixtures::Case& wanted) {
    const Result<Prepared> prepared = prepare(*candidate.schema, wanted);
    if (!prepared.ok()) return prepared.error();
    Result<Verdict> verdict = judge_case(worker_, candidate, wanted, *prepared);
    if (!verdict.ok()) return verdict.error();
    Verdict v = std::move(verdict).value();
    if (v.outcome != Outcome::kPass) v.rerun = rerun_of(v);
    return v;
  }

  std::string rerun_of(const Verdict& v) const {
    return "plumb run --lib " + request_.library + " --kernel " + v.kernel + " --case " +
           v.case_name;
  }

  const RunRequest& request_;
  Worker worker_;
  std::vector<Planned> planned_;
  std::size_t case_count_ = 0;
};

}  // namespace

Result<std::vector<Verdict>> run_kernels(const RunRequest& request, const OnVerdict& on_verdict) {
  return Runner(request).run(on_verdict);
}

}  // namespace plumb::conformance
