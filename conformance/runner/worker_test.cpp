// SPDX-License-Identifier: Apache-2.0
// Every row of the hostile plug-in gets exactly its classification, and the run goes on. This
// executable is its own worker.
#include "conformance/runner/worker.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "conformance/runner/worker_harness.h"
#include "conformance/runner/worker_main.h"

#if defined(__SANITIZE_ADDRESS__)
#define PLUMB_TEST_ADDRESS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PLUMB_TEST_ADDRESS_SANITIZER
#endif
#endif

namespace plumb::conformance {
namespace {

bool lives(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t name_end = text.rfind(')');
  return name_end != std::string::npos && text[name_end + 2] != 'Z';
}

// The processes that a row says it left must be gone.
void expect_killed(const CaseResult& result) {
  std::size_t at = result.output.find("left ");
  ASSERT_NE(at, std::string::npos) << result.output;
  for (; at != std::string::npos; at = result.output.find("left ", at + 1)) {
    const int pid = std::stoi(result.output.substr(at + 5));
    for (int i = 0; i < 200 && lives(pid); ++i) usleep(10'000);
    EXPECT_FALSE(lives(pid)) << pid;
  }
}

constexpr std::int64_t kBytes = kRows * kWidth * 4;
constexpr std::int64_t kPaddedBytes = ((kRows - 1) * (kWidth + 5) + kWidth) * 4;

TEST(Worker, ListsRows) {
  Worker worker(options(PLUMB_TEST_HOSTILE));
  const auto rows = worker.rows();
  ASSERT_TRUE(rows.ok()) << rows.error().message;
  EXPECT_EQ(rows->front(), (KernelRow{"rms_norm", "correct", std::nullopt, 0}));
  EXPECT_EQ(rows->back(), (KernelRow{"rms_norm", "declines_padding", "{\"fma\": true}", 64}));
  EXPECT_FALSE(worker.run(rows->size(), a_call(), kRoles).ok());
}

TEST(Worker, CorrectKernelRuns) {
  Worker worker(options(PLUMB_TEST_HOSTILE));
  for (int i = 0; i < 3; ++i) expect_correct(worker);
}

TEST(Worker, Crashes) {
  expect_crash(run_and_go_on("segfault"), SIGSEGV, "Segmentation fault (signal 11)");
  expect_crash(run_and_go_on("aborts"), SIGABRT, "signal 6");
  expect_crash(run_and_go_on("overflows_stack"), SIGSEGV, "signal 11");
  expect_crash(run_and_go_on("many_behind"), SIGSEGV,
               "at 0 byte(s) behind the last of out tensor 'y'");
  expect_crash(run_and_go_on("changes_input"), SIGSEGV,
               "at byte 0 of in tensor 'x', which must not be written");
  expect_crash(run_and_go_on("reads_behind"), SIGSEGV,
               "at 0 byte(s) behind the last of in tensor 'x'");
  expect_crash(run_and_go_on("overlong_message"), SIGSEGV, "at the end of the message buffer");
}

TEST(Worker, AlignmentIsAsDeclaredAndNoBetter) {
  expect_crash(run_and_go_on("misaligned"), SIGBUS, "signal 7");
}

TEST(Worker, PointersKeptFromTheCallBeforeFault) {
  expect_crash(run_and_go_on("stale_pointer"), SIGSEGV, "signal 11");
}

TEST(Worker, EndlessLoopTimesOut) {
  const CaseResult result = run_and_go_on("loop", std::chrono::milliseconds(1000));
  EXPECT_EQ(result.outcome, RunOutcome::kTimedOut);
  EXPECT_EQ(result.message, "no answer within 1000 ms");
  EXPECT_GE(result.seconds, 1.0);
}

TEST(Worker, ExitInTheMiddle) {
  CaseResult result = run_and_go_on("exits");
  EXPECT_EQ(result.outcome, RunOutcome::kExited);
  EXPECT_EQ(result.code, 0);
  result = run_and_go_on("exits_3");
  EXPECT_EQ(result.outcome, RunOutcome::kExited);
  EXPECT_EQ(result.code, 3);
  EXPECT_EQ(result.message, "ended its process: exit status 3");
  EXPECT_EQ(result.output, "going away\n");
}

TEST(Worker, FindingsOfSanitizersAreCrashes) {
  const CaseResult exited = run_and_go_on("sanitizer_exit");
  EXPECT_EQ(exited.outcome, RunOutcome::kCrashed);
  EXPECT_EQ(exited.code, 1);
#ifdef PLUMB_TEST_ADDRESS_SANITIZER
  const CaseResult result = run_and_go_on("heap_overflow");
  expect_crash(result, SIGABRT, "signal 6");
  EXPECT_NE(result.output.find("heap_overflow"), std::string::npos) << result.output;
#endif
}

TEST(Worker, WritesOutsideTheOutput) {
  // In run 1 the byte behind the output is the guard's; in run 2 it is a canary, and never reached.
  expect_crash(run_and_go_on("byte_behind"), SIGSEGV,
               "at 0 byte(s) behind the last of out tensor 'y'");
  expect_faults(run_and_go_on("byte_before"), {{FaultKind::kCanaryBefore, "y", 1, 1, -1},
                                               {FaultKind::kCanaryBefore, "y", 2, 1, -1}});
  expect_faults(run_and_go_on("padding"), {{FaultKind::kPadding, "y", 2, 20, kWidth * 4}});
}

TEST(Worker, CanaryBehindAnOutputThatDoesNotReachTheGuard) {
  Worker worker(options(PLUMB_TEST_HOSTILE));
  const std::size_t row = row_of(worker, "byte_behind_aligned");
  Result<CaseResult> result = worker.run(row, a_call(), kRoles);
  ASSERT_TRUE(result.ok());
  expect_faults(*result, {{FaultKind::kCanaryBehind, "y", 1, 1, kBytes},
                          {FaultKind::kCanaryBehind, "y", 2, 1, kPaddedBytes}});
  expect_correct(worker);
}

TEST(Worker, UnwrittenElements) {
  expect_faults(run_and_go_on("nothing"), {{FaultKind::kUnwritten, "y", 0, kRows * kWidth, 0}});
  expect_faults(run_and_go_on("last_row"),
                {{FaultKind::kUnwritten, "y", 0, kWidth, (kRows - 1) * kWidth}});
}

TEST(Worker, NanIsWrittenAndLeftToTheJudge) {
  const CaseResult result = run_and_go_on("nan");
  expect_faults(result, {});
  EXPECT_TRUE(std::isnan(result.outputs[0][0].tensor.data<float>()[3]));
}

TEST(Worker, InputChangedPastItsProtection) {
  const CaseResult result = run_and_go_on("unprotects_input");
  EXPECT_EQ(result.outcome, RunOutcome::kRan);
  ASSERT_GE(result.faults.size(), 2U);
  EXPECT_EQ(result.faults[0].kind, FaultKind::kInputChanged);
  EXPECT_EQ(result.faults[0].tensor, "x");
}

TEST(Worker, OutputsThatDependOnWhatTheyMustNot) {
  expect_faults(run_and_go_on("poison"), {{FaultKind::kRunsDiffer, "y", 0, 1, 0}});
  expect_faults(run_and_go_on("call_before"), {{FaultKind::kRunsDiffer, "y", 0, 1, 5}});
  expect_faults(run_and_go_on("reads_before"), {{FaultKind::kRunsDiffer, "y", 0, 1, 0}});
}

TEST(Worker, ProcessesLeftBehindAreReportedAndKilled) {
  for (const char* variant : {"leaves_child", "leaves_daemon"}) {
    const CaseResult result = run_and_go_on(variant);
    expect_faults(result,
                  {{FaultKind::kProcessLeft, "", 1, 1, 0}, {FaultKind::kProcessLeft, "", 2, 1, 0}});
    expect_killed(result);
  }
  expect_faults(run_and_go_on("returns_twice"),
                {{FaultKind::kProcessLeft, "", 1, 1, 0}, {FaultKind::kProcessLeft, "", 2, 1, 0}});
  const CaseResult result = run_and_go_on("child_then_crash");
  expect_crash(result, SIGABRT, "signal 6");
  expect_killed(result);
}

TEST(Worker, ReasonsOfFailure) {
  CaseResult result = run_and_go_on("message");
  EXPECT_EQ(result.outcome, RunOutcome::kFailed);
  EXPECT_EQ(result.code, 7);
  EXPECT_EQ(result.message, "no room for 4 tokens");
  result = run_and_go_on("endless_message");
  EXPECT_EQ(result.outcome, RunOutcome::kFailed);
  EXPECT_EQ(result.message, std::string(1023, 'm'));
}

TEST(Worker, Declines) {
  const CaseResult result = run_and_go_on("declines");
  EXPECT_EQ(result.outcome, RunOutcome::kDeclined);
  EXPECT_EQ(result.message, "only on Tuesdays");
  EXPECT_TRUE(result.outputs[0].empty());
}

TEST(Worker, PaddedRowsMayBeDeclined) {
  const CaseResult result = run_and_go_on("declines_padding");
  expect_faults(result, {});
  EXPECT_TRUE(result.padding_declined);
  EXPECT_EQ(result.outputs[1].size(), 1U);
  EXPECT_FALSE(run_and_go_on("correct").padding_declined);
}

TEST(Worker, OutputIsBounded) {
  const CaseResult result = run_and_go_on("chatty");
  expect_faults(result, {});
  EXPECT_EQ(result.output.size(), 4096U);
  EXPECT_TRUE(result.output.ends_with("line 19999\nthe last line"));
}

TEST(Worker, ChannelAndMemoryCannotBeTurnedAgainstTheRunner) {
  CaseResult result = run_and_go_on("babbles");
  EXPECT_EQ(result.outcome, RunOutcome::kFailed);
  EXPECT_EQ(result.message, "its worker answered with bytes that are no reply");
  expect_faults(run_and_go_on("shrinks_memory"), {});
  result = run_and_go_on("closes_descriptors");
  EXPECT_EQ(result.outcome, RunOutcome::kExited);
  EXPECT_EQ(result.code, 70);
}

}  // namespace
}  // namespace plumb::conformance

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "worker") == 0) {
    return plumb::conformance::worker_main(argc, argv);
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
