// SPDX-License-Identifier: Apache-2.0
#include "conformance/verdict/verdict.h"

namespace plumb::conformance {
namespace {

constexpr std::array<std::string_view, kOutcomeCount> kOutcomes{
    "untested", "pass", "fail", "vacuous", "crashed", "timed_out", "unsupported", "skipped"};

struct SkipWords {
  std::string_view name, sentence;
};
constexpr std::array<SkipWords, kSkipReasonCount> kSkips{{
    {"none", ""},
    {"no_device", "no GPU on this machine"},
    {"not_built", "needs a compiler or an instruction set that was absent"},
    {"not_in_trace", "the trace stores no output of this stage"},
    {"no_space", "too little free disk space"},
    {"not_quick", "left out by --quick"},
}};

}  // namespace

std::string_view name_of(Outcome outcome) {
  return kOutcomes.at(static_cast<std::size_t>(outcome));
}

std::optional<Outcome> outcome_of(std::string_view name) {
  for (std::size_t i = 0; i < kOutcomes.size(); ++i) {
    if (kOutcomes[i] == name) return static_cast<Outcome>(i);
  }
  return {};
}

bool is_failure(Outcome outcome) {
  return outcome != Outcome::kPass && outcome != Outcome::kUnsupported &&
         outcome != Outcome::kSkipped;
}

std::string_view name_of(SkipReason reason) {
  return kSkips.at(static_cast<std::size_t>(reason)).name;
}
std::string_view sentence_of(SkipReason reason) {
  return kSkips.at(static_cast<std::size_t>(reason)).sentence;
}

}  // namespace plumb::conformance
