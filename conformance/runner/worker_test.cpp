// SPDX-License-Identifier: Apache-2.0
// Every row of the hostile plug-in gets exactly its classification, and the run goes on. This
// executable is its own worker.
#include "conformance/runner/worker.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

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

constexpr Index kRows = 4;
constexpr Index kWidth = 16;
constexpr std::array kRoles{PLUMB_IN, PLUMB_IN, PLUMB_OUT};

StageCall a_call() {
  StageCall call{"rms_norm", {}, {{"eps", 1e-6}}, {}};
  std::vector<float> x(kRows * kWidth);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 7) - 2.5F;
  call.set("x", AnyTensor::of(x).reshaped({kRows, kWidth}));
  call.set("gain", AnyTensor::of(std::vector<float>(kWidth, 0.5F)));
  call.set("y", AnyTensor::zeros(Dtype::kF32, {kRows, kWidth}));
  return call;
}

WorkerOptions options(std::string library) {
  WorkerOptions o;
  o.executable = std::filesystem::read_symlink("/proc/self/exe").string();
  o.library = std::move(library);
  o.time_limit = std::chrono::milliseconds(5000);
  return o;
}

std::size_t row_of(Worker& worker, const std::string& variant) {
  const auto rows = worker.rows();
  EXPECT_TRUE(rows.ok()) << rows.error().message;
  const auto at = std::find_if(rows->begin(), rows->end(),
                               [&](const KernelRow& row) { return row.variant == variant; });
  EXPECT_NE(at, rows->end()) << variant;
  return static_cast<std::size_t>(at - rows->begin());
}

CaseResult run(Worker& worker, const std::string& variant) {
  Result<CaseResult> result = worker.run(row_of(worker, variant), a_call(), kRoles);
  EXPECT_TRUE(result.ok()) << result.error().message;
  return result.ok() ? std::move(result).value() : CaseResult{};
}

void expect_correct(Worker& worker) {
  const CaseResult result = run(worker, "correct");
  ASSERT_EQ(result.outcome, RunOutcome::kRan) << result.message;
  for (const Fault& fault : result.faults) ADD_FAILURE() << fault.message;
  const StageCall call = a_call();
  const float* x = call.tensor("x").data<float>();
  for (const auto& outputs : result.outputs) {
    ASSERT_EQ(outputs.size(), 1U);
    ASSERT_EQ(outputs[0].name, "y");
    ASSERT_EQ(outputs[0].tensor.shape(), (Shape{kRows, kWidth}));
    const float* y = outputs[0].tensor.data<float>();
    for (Index t = 0; t < kRows; ++t) {
      double sum = 0;
      for (Index d = 0; d < kWidth; ++d) sum += std::pow(x[t * kWidth + d], 2);
      for (Index d = 0; d < kWidth; ++d) {
        const double want = x[t * kWidth + d] / std::sqrt(sum / kWidth + 1e-6) * 0.5;
        ASSERT_NEAR(y[t * kWidth + d], want, 1e-6) << t << ", " << d;
      }
    }
  }
}

// Runs a row, then the correct one in the same Worker.
CaseResult run_and_go_on(const std::string& variant, std::chrono::milliseconds limit = {}) {
  WorkerOptions o = options(PLUMB_TEST_HOSTILE);
  if (limit.count() > 0) o.time_limit = limit;
  Worker worker(o);
  CaseResult result = run(worker, variant);
  expect_correct(worker);
  return result;
}

struct Kind {
  FaultKind kind;
  std::string tensor;
  int run;
  std::int64_t count;
  std::int64_t first;
};

void expect_faults(const CaseResult& result, const std::vector<Kind>& kinds) {
  EXPECT_EQ(result.outcome, RunOutcome::kRan) << name_of(result.outcome) << ": " << result.message;
  ASSERT_EQ(result.faults.size(), kinds.size())
      << (result.faults.empty() ? "no fault" : result.faults.back().message);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const Fault& fault = result.faults[i];
    EXPECT_EQ(name_of(fault.kind), name_of(kinds[i].kind)) << fault.message;
    EXPECT_EQ(fault.tensor, kinds[i].tensor) << fault.message;
    EXPECT_EQ(fault.run, kinds[i].run) << fault.message;
    EXPECT_EQ(fault.count, kinds[i].count) << fault.message;
    EXPECT_EQ(fault.first, kinds[i].first) << fault.message;
  }
}

void expect_crash(const CaseResult& result, int signal, const std::string& where) {
  EXPECT_EQ(result.outcome, RunOutcome::kCrashed) << name_of(result.outcome) << result.message;
  EXPECT_EQ(result.code, signal) << result.message;
  EXPECT_NE(result.message.find(where), std::string::npos) << result.message;
}

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

TEST(Worker, DeathAfterTheAnswerIsChargedToTheNextCase) {
  Worker worker(options(PLUMB_TEST_HOSTILE));
  EXPECT_TRUE(run(worker, "dies_later").faults.empty());
  usleep(600'000);
  const CaseResult next = run(worker, "correct");
  expect_faults(next, {{FaultKind::kEndedBetween, "", 0, 1, 0}});
  expect_correct(worker);
}

TEST(Worker, LibrariesThatCannotBeOpened) {
  const std::array<std::array<std::string, 2>, 4> cases{
      {{PLUMB_TEST_CONSTRUCTOR_CRASH,
        "opening it ended the worker: Aborted (signal 6); it printed: no licence"},
       {PLUMB_TEST_NO_SYMBOL, "exports no plumb_kernels"},
       {PLUMB_TEST_BAD_TABLE, "plumb_kernels gives 1099511627776 rows"},
       {"/nowhere/mine.so", "cannot be opened"}}};
  for (const auto& [library, what] : cases) {
    Worker worker(options(library));
    const auto rows = worker.rows();
    ASSERT_FALSE(rows.ok()) << library;
    EXPECT_EQ(rows.error().message.find(library + ": "), 0U) << rows.error().message;
    EXPECT_NE(rows.error().message.find(what), std::string::npos) << rows.error().message;
    EXPECT_FALSE(worker.run(0, a_call(), kRoles).ok());
  }
  WorkerOptions endless = options(PLUMB_TEST_CONSTRUCTOR_LOOP);
  endless.start_limit = std::chrono::milliseconds(500);
  Worker worker(endless);
  const auto rows = worker.rows();
  ASSERT_FALSE(rows.ok());
  EXPECT_NE(rows.error().message.find("opening it took more than 500 ms"), std::string::npos);
}

TEST(Worker, ExecutablesThatAreNoWorker) {
  for (const char* executable : {"/nowhere/plumb", "/bin/true", "/etc/passwd"}) {
    WorkerOptions o = options(PLUMB_TEST_HOSTILE);
    o.executable = executable;
    Worker worker(o);
    EXPECT_FALSE(worker.rows().ok()) << executable;
  }
}

TEST(Worker, WideElementsAreRefused) {
  Worker worker(options(PLUMB_TEST_HOSTILE));
  StageCall call = a_call();
  call.set("y", AnyTensor::zeros(Dtype::kReal, {kRows, kWidth}));
  EXPECT_FALSE(worker.run(0, call, kRoles).ok());
  expect_correct(worker);
}

TEST(Worker, MemoryGrowsWithTheCaseAndIsGivenBack) {
  Worker worker(options(PLUMB_TEST_HOSTILE));
  const std::size_t row = row_of(worker, "correct");
  for (Index rows : {3, 3000, 160, 3}) {
    constexpr Index kWide = 4099;
    StageCall call{"rms_norm", {}, {{"eps", 1e-6}}, {}};
    call.set("x", AnyTensor::zeros(Dtype::kF32, {rows, kWide}));
    call.set("gain", AnyTensor::zeros(Dtype::kF32, {kWide}));
    call.set("y", AnyTensor::zeros(Dtype::kF32, {rows, kWide}));
    std::fill_n(call.tensor("x").data<float>(), rows * kWide, 3.0F);
    std::fill_n(call.tensor("gain").data<float>(), kWide, 2.0F);
    const auto result = worker.run(row, call, kRoles);
    ASSERT_TRUE(result.ok()) << result.error().message;
    expect_faults(*result, {});
    const float* y = result->outputs[1][0].tensor.data<float>();
    EXPECT_NEAR(y[rows * kWide - 1], 2.0, 1e-5);
  }
}

TEST(Worker, WorkersInSeveralThreadsDoNotDisturbEachOther) {
  std::vector<std::thread> threads;
  for (const char* variant : {"segfault", "exits", "leaves_child", "correct"}) {
    threads.emplace_back([variant] {
      Worker worker(options(PLUMB_TEST_HOSTILE));
      for (int i = 0; i < 5; ++i) {
        run(worker, variant);
        expect_correct(worker);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

std::ptrdiff_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return std::distance(begin(all), end(all));
}

TEST(Worker, DescriptorsAreGivenBack) {
  const std::ptrdiff_t before = open_descriptors();
  for (int i = 0; i < 3; ++i) run_and_go_on("segfault");
  EXPECT_EQ(open_descriptors(), before);
}

// Printed, not judged: a shared machine's speed is nobody's promise.
TEST(Worker, CasesPerSecond) {
  Worker worker(options(PLUMB_TEST_HOSTILE));
  const std::size_t row = row_of(worker, "correct");
  const StageCall call = a_call();
  constexpr int kCases = 1000;
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kCases; ++i) {
    const auto result = worker.run(row, call, kRoles);
    ASSERT_TRUE(result.ok() && result->outcome == RunOutcome::kRan && result->faults.empty());
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  std::printf("%.0f cases per second\n", kCases / taken.count());
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
