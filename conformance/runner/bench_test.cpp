// SPDX-License-Identifier: Apache-2.0
// Timing: what the worker measures, and that only what has passed its case is timed. Workers run in
// this very executable.
#include "conformance/runner/bench.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <set>

#include "conformance/runner/worker_harness.h"
#include "conformance/runner/worker_main.h"
#include "conformance/runner/worker_protocol.h"
#include "fixtures/shapes/shapes.h"

namespace plumb::conformance {
namespace {

BenchRequest request_for(const char* library, const char* stage) {
  BenchRequest request;
  request.executable = options(library).executable;
  request.library = library;
  request.stage = stage;
  request.case_name = "ragged.normal.0.hf_bf16.plain";
  request.rounds = 3;
  request.sample_seconds = 0.002;
  return request;
}

TEST(WorkerTime, GivesAsManySamplesAsAskedFor) {
  Worker worker(options(PLUMB_TEST_HOSTILE));
  const StageCall call = a_call();
  const auto begin = std::chrono::steady_clock::now();
  const auto times = worker.time(row_of(worker, "correct"), call, kRoles, {4, 0.02});
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  ASSERT_TRUE(times.ok()) << times.error().message;
  ASSERT_EQ(times->size(), 4U);
  EXPECT_GE(taken.count(), 4 * 0.02);
  for (const double seconds : *times) {
    EXPECT_GT(seconds, 0);
    EXPECT_LT(seconds, 0.001);  // 64 elements: of one call, not of all calls of a sample
  }
  expect_correct(worker);
}

TEST(WorkerTime, WhatDoesNotSucceedHasNoTimeAndTheWorkerGoesOn) {
  const std::map<std::string, std::string> reasons{
      {"segfault", "signal 11"},   {"loop", "no answer within"},      {"exits_3", "exit status 3"},
      {"message", "returned"},     {"leaves_child", "child process"}, {"declines", "declined"},
      {"byte_behind", "signal 11"}};
  for (const auto& [variant, reason] : reasons) {
    WorkerOptions o = options(PLUMB_TEST_HOSTILE);
    o.time_limit = std::chrono::milliseconds(1500);
    Worker worker(o);
    const StageCall call = a_call();
    const auto times = worker.time(row_of(worker, variant), call, kRoles, {2, 0.001});
    ASSERT_FALSE(times.ok()) << variant;
    EXPECT_NE(times.error().message.find(reason), std::string::npos)
        << variant << ": " << times.error().message;
    EXPECT_NE(times.error().message.find("rms_norm." + variant), std::string::npos);
    expect_correct(worker);
  }
}

TEST(WorkerTime, RefusesARowThatIsNotThere) {
  Worker worker(options(PLUMB_TEST_HOSTILE));
  const StageCall call = a_call();
  EXPECT_FALSE(worker.time(9999, call, kRoles, {}).ok());
}

// The reply without its length, as it comes in.
bool accepts(const TimeReply& reply, std::size_t samples, std::size_t cut = 0) {
  const Bytes framed = encode(reply);
  TimeReply read;
  const std::span<const std::byte> body = std::span(framed).subspan(kLengthBytes);
  return decode(body.first(body.size() - cut), samples, read);
}

TEST(TimeReply, IsBelievedOnlyWhenItHasTheSamplesAskedForAndTheyAreTimes) {
  const TimeReply good{{}, {1e-3, 2e-3}};
  EXPECT_TRUE(accepts(good, 2));
  EXPECT_FALSE(accepts(good, 1));
  EXPECT_FALSE(accepts(good, 3));
  EXPECT_FALSE(accepts(good, 2, 1));
  EXPECT_FALSE(accepts({{}, {1e-3, 0}}, 2));
  EXPECT_FALSE(accepts({{}, {1e-3, -1}}, 2));
  EXPECT_FALSE(accepts({{}, {1e-3, std::nan("")}}, 2));
  EXPECT_FALSE(accepts({{}, {1e-3, HUGE_VAL}}, 2));
  EXPECT_TRUE(accepts({{CallReply::Kind::kReturned, 1, 0}, {}}, 2));
}

TEST(Bench, OnlyWhatPassedItsCaseIsTimed) {
  BenchRequest request = request_for(PLUMB_TEST_HOSTILE, "rms_norm");
  request.case_name = "ragged.normal.0.hf_f32.plain";
  request.time_limit = std::chrono::milliseconds(1500);
  const auto rows = bench_kernels(request, nullptr);
  ASSERT_TRUE(rows.ok()) << rows.error().message;
  std::set<std::string> timed;
  for (const BenchRow& row : *rows) {
    EXPECT_TRUE(!row.seconds || row.judged == Outcome::kPass) << row.kernel;
    EXPECT_EQ(row.seconds.has_value(), row.reason.empty()) << row.kernel << ": " << row.reason;
    EXPECT_FALSE(row.ratio_to_scalar) << row.kernel << ": the library has no scalar variant";
    if (row.seconds) timed.insert(row.variant);
  }
  EXPECT_TRUE(timed.contains("correct"));
  for (const char* variant : {"segfault", "loop", "nan", "last_row", "nothing", "declines"}) {
    EXPECT_FALSE(timed.contains(variant)) << variant;
  }
}

TEST(Bench, OurVariantsAreRatiosToTheScalarOneAndOneIsChosen) {
  const auto rows = bench_kernels(request_for(PLUMB_TEST_KERNELS, "rms_norm"), nullptr);
  ASSERT_TRUE(rows.ok()) << rows.error().message;
  int chosen = 0;
  for (const BenchRow& row : *rows) {
    chosen += row.chosen ? 1 : 0;
    if (row.judged != Outcome::kPass) continue;
    ASSERT_TRUE(row.ratio_to_scalar) << row.kernel;
    EXPECT_GT(*row.ratio_to_scalar, 0) << row.kernel;
    EXPECT_TRUE(row.variant != "scalar" || *row.ratio_to_scalar == 1.0);
  }
  EXPECT_EQ(chosen, 1);
}

TEST(Bench, RefusesWhatIsNotThere) {
  BenchRequest request = request_for(PLUMB_TEST_KERNELS, "softmax_scale");
  EXPECT_NE(bench_kernels(request, nullptr).error().message.find("'softmax_scale'"),
            std::string::npos);
  request = request_for(PLUMB_TEST_KERNELS, "rms_norm");
  request.case_name = "no.such.case";
  EXPECT_NE(bench_kernels(request, nullptr).error().message.find("no.such.case"),
            std::string::npos);
}

BenchRow row_of(const char* variant, Outcome judged, std::optional<double> ratio = {}) {
  return {"s", "s", variant, "c", judged, "", ratio, ratio, false};
}

TEST(BenchRow, TheBestSupportedTargetIsChosenAndHeldToTheScalarOne) {
  std::vector<BenchRow> rows{
      row_of("scalar", Outcome::kPass, 1.0), row_of("mine", Outcome::kPass, 0.5),
      row_of("sse4", Outcome::kPass, 0.9), row_of("avx2", Outcome::kPass, 0.9),
      row_of("avx3", Outcome::kUnsupported)};
  mark_chosen(rows);
  for (const BenchRow& row : rows) {
    EXPECT_EQ(row.chosen, row.variant == "avx2") << row.variant;
    EXPECT_EQ(row.is_slower(), row.variant == "avx2") << row.variant;
  }
}

TEST(BenchRow, TargetsWithoutFusedProductsMayBeSlower) {
  std::vector<BenchRow> rows{row_of("scalar", Outcome::kPass, 1.0),
                             row_of("sse4", Outcome::kPass, 0.9)};
  mark_chosen(rows);
  EXPECT_TRUE(rows[1].chosen);
  EXPECT_FALSE(rows[1].is_slower());
}

TEST(BenchRow, WhatPassedAndCouldNotBeTimedIsWrong) {
  BenchRow row = row_of("mine", Outcome::kPass, 1.0);
  EXPECT_FALSE(row.is_wrong());
  row.reason = "ended its process";
  EXPECT_TRUE(row.is_wrong());
}

TEST(BenchRow, AChosenVariantThatFailsItsCaseStaysChosen) {
  std::vector<BenchRow> rows{row_of("scalar", Outcome::kPass, 1.0), row_of("avx3", Outcome::kFail)};
  mark_chosen(rows);
  EXPECT_TRUE(rows[1].chosen && rows[1].is_wrong());
  EXPECT_FALSE(rows[0].is_wrong());
}

TEST(BenchCases, OfLinearAreItsWidestShapeAtOneAndSixteenTokensInBothStorages) {
  std::set<std::pair<Index, fixtures::Storage>> seen;
  for (const fixtures::Case& c : bench_cases(*find_stage("linear"))) {
    EXPECT_EQ(c.shape.name, "expert_up");
    EXPECT_EQ(c.shape.extents.front().symbol, "N");
    seen.insert({c.shape.extents.front().extent, c.storage});
  }
  using fixtures::Storage;
  const std::set<std::pair<Index, Storage>> want{{1, Storage::kPlain},
                                                 {16, Storage::kPlain},
                                                 {1, Storage::kFp8Weights},
                                                 {16, Storage::kFp8Weights}};
  EXPECT_EQ(seen, want);
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
