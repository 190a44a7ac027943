// SPDX-License-Identifier: Apache-2.0
// From a typed kernel function to a row of the ABI's table. A stage's problem type P has
//   static constexpr const char* kStage;  static P read(CallReader&);
#pragma once

#include <hwy/targets.h>

#include <cstdint>
#include <cstdio>
#include <exception>

#include "conformance/abi/plumb_kernel.h"
#include "fast/stages/call.h"

namespace plumb::fast {

// Not a bit of Highway: plain C++, which runs everywhere.
inline constexpr std::int64_t kScalarTarget = 0;

// Highway's targets from AVX2 on multiply and add with one rounding; plain code and older ones do
// not.
constexpr bool fuses(std::int64_t target) { return target != kScalarTarget && target <= HWY_AVX2; }

// The compiled function itself writes its target's name here, once a call: proof of what has run.
// Read it with plumb_kernels_last_target().
void set_last_target(const char* name);
const char* last_target();

// Targets that this processor can run, as Highway's bits; asked for once, since a virtual machine
// takes microseconds to answer. A test may change them.
std::int64_t& supported_targets();

// Null, or why the processor cannot run code of this target.
const char* missing_target(std::int64_t target);

template <class Problem, std::int64_t kTarget>
const char* supports(const plumb_call* call) {
  if (const char* reason = missing_target(kTarget)) return reason;
  thread_local std::string reason;
  try {
    CallReader reader(*call, Problem::kStage);
    Problem::read(reader);
    if (!reader.is_unsupported()) return nullptr;
    reason = reader.message();
    return reason.c_str();
  } catch (const std::exception&) {
    return "out of memory";
  }
}

template <class Problem, void (*kCompute)(const Problem&), std::int64_t kTarget>
int run(const plumb_call* call, char* message, std::size_t message_size) {
  const auto fail = [&](const char* why) {
    if (message != nullptr) std::snprintf(message, message_size, "%s", why);
    return 1;
  };
  if (const char* reason = missing_target(kTarget)) return fail(reason);
  try {
    CallReader reader(*call, Problem::kStage);
    const Problem problem = Problem::read(reader);
    if (!reader.ok()) return fail(reader.message().c_str());
    kCompute(problem);
    return 0;
  } catch (const std::exception& e) {
    return fail(e.what());
  }
}

template <class Problem, void (*kCompute)(const Problem&), std::int64_t kTarget>
plumb_kernel row(const char* variant, const char* contract_json) {
  return {sizeof(plumb_kernel),
          Problem::kStage,
          variant,
          contract_json,
          0,
          supports<Problem, kTarget>,
          run<Problem, kCompute, kTarget>};
}

}  // namespace plumb::fast
