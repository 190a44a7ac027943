// SPDX-License-Identifier: Apache-2.0
// Workers as they start, live beside each other and end; part of worker_test.
#include <unistd.h>

#include <cstdio>
#include <iterator>
#include <thread>

#include "conformance/runner/worker_harness.h"

namespace plumb::conformance {
namespace {

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
