// SPDX-License-Identifier: Apache-2.0
// Layout, guards and protocol of a worker, without one.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "conformance/runner/worker_guard.h"
#include "conformance/runner/worker_protocol.h"

namespace plumb::conformance {
namespace {

constexpr std::array kAllRoles{PLUMB_IN, PLUMB_INOUT, PLUMB_OUT, PLUMB_TAP, PLUMB_SCRATCH};

// One tensor of each role, of element types of every size.
StageCall a_call() {
  StageCall call{"any", {}, {{"n", std::int64_t{-3}}, {"eps", 0.25}}, {}};
  call.params.push_back({"side", std::string("b")});
  call.set("codes", AnyTensor::zeros(Dtype::kFp4E2m1, {3, 6}));
  call.set("cache", AnyTensor::of(std::vector<std::int64_t>{1, 2, 3, 4, 5, 6}).reshaped({2, 3}));
  call.set("y", AnyTensor::zeros(Dtype::kBf16, {2, 3, 5}));
  call.set("scores", AnyTensor::zeros(Dtype::kF64, {7}));
  call.set("work", AnyTensor::zeros(Dtype::kU8, {5000}));
  std::memset(call.tensor("codes").bytes(), 0xA5, 9);
  return call;
}

struct Prepared {
  Layout layout;
  std::vector<std::byte> memory;
};

Prepared prepare(const StageCall& call, Pass pass, bool pad, std::size_t alignment = 0) {
  Result<Layout> layout = lay_out(call, kAllRoles, alignment, pass, pad);
  EXPECT_TRUE(layout.ok()) << layout.error().message;
  Prepared p{std::move(layout).value(), {}};
  p.memory.resize(p.layout.file_bytes);
  fill(p.layout, call, pass, p.memory.data());
  return p;
}

std::vector<Fault> found(const Prepared& p, const StageCall& call, Pass pass) {
  std::vector<Fault> faults;
  inspect(p.layout, call, pass, p.memory.data(), faults);
  return faults;
}

TEST(WorkerLayout, FirstRunEndsAtTheGuardAndSecondBeginsThere) {
  const StageCall call = a_call();
  for (std::size_t alignment : {0UL, 1UL, 8UL, 64UL, 1024UL, 4096UL}) {
    for (Pass pass : {Pass::kFirst, Pass::kSecond}) {
      const Prepared p = prepare(call, pass, pass == Pass::kSecond, alignment);
      std::size_t map_end = 0;
      for (const PlacedTensor& t : p.layout.tensors) {
        const std::size_t unit = std::max<std::size_t>({alignment, bits_of(t.dtype) / 8, 1});
        const std::size_t slack = t.region.bytes - t.offset - t.span();
        EXPECT_EQ(t.offset % unit, 0U);
        EXPECT_EQ(t.region.map_offset % kPage, 0U);
        EXPECT_GE(t.region.map_offset, map_end + kGuard);
        map_end = t.region.map_offset + t.region.bytes;
        if (pass == Pass::kFirst) {
          EXPECT_LT(slack, unit) << t.name;
        } else {
          EXPECT_EQ(t.offset, unit < kPage ? unit : 0) << t.name;
        }
      }
      EXPECT_EQ(p.layout.map_bytes, map_end + kGuard);
    }
  }
}

TEST(WorkerLayout, RowsOfOutputsArePaddedAndNoOthers) {
  const Prepared p = prepare(a_call(), Pass::kSecond, true);
  EXPECT_EQ(p.layout.tensors[0].strides, (Shape{6, 1}));
  EXPECT_EQ(p.layout.tensors[1].strides, (Shape{8, 1}));
  EXPECT_EQ(p.layout.tensors[2].strides, (Shape{30, 10, 1}));
  EXPECT_EQ(p.layout.tensors[2].rows, 6U);
  EXPECT_EQ(p.layout.tensors[2].row_step, 20U);
  EXPECT_EQ(p.layout.tensors[3].strides, (Shape{1}));
}

TEST(WorkerLayout, HalfByteRowsOfOddLengthAreRefused) {
  StageCall call{"any", {}, {}, {}};
  call.set("codes", AnyTensor::zeros(Dtype::kFp4E2m1, {2, 3}));
  const Result<Layout> layout = lay_out(call, std::array{PLUMB_IN}, 0, Pass::kFirst, false);
  ASSERT_FALSE(layout.ok());
  EXPECT_EQ(layout.error().message,
            "any: tensor 'codes' of half-byte elements needs an even innermost axis, not [2, 3]");
}

TEST(WorkerLayout, EmptyTensorsAndScalars) {
  StageCall call{"any", {}, {}, {}};
  call.set("none", AnyTensor::zeros(Dtype::kF32, {0, 4}));
  call.set("one", AnyTensor::zeros(Dtype::kF32, {}));
  call.set("absent", AnyTensor());
  const std::array roles{PLUMB_OUT, PLUMB_OUT, PLUMB_TAP};
  const Result<Layout> layout = lay_out(call, roles, 0, Pass::kSecond, true);
  ASSERT_TRUE(layout.ok());
  ASSERT_EQ(layout->tensors.size(), 2U);
  EXPECT_EQ(layout->tensors[0].span(), 0U);
  EXPECT_EQ(layout->tensors[1].span(), 4U);
}

// Every byte that is no element of a writable tensor is watched, in both runs, and each fault says
// where.
TEST(WorkerGuard, EveryForeignByteIsWatched) {
  const StageCall call = a_call();
  for (Pass pass : {Pass::kFirst, Pass::kSecond}) {
    Prepared p = prepare(call, pass, pass == Pass::kSecond);
    EXPECT_TRUE(found(p, call, pass).empty());
    for (const PlacedTensor& t : p.layout.tensors) {
      std::byte* region = p.memory.data() + t.region.file_offset;
      std::size_t watched = 0;
      for (std::size_t i = 0; i < t.region.bytes; ++i) {
        region[i] ^= std::byte{1};
        const std::vector<Fault> faults = found(p, call, pass);
        region[i] ^= std::byte{1};
        if (faults.empty()) continue;
        ASSERT_EQ(faults.size(), 1U);
        EXPECT_EQ(faults[0].tensor, t.name);
        EXPECT_EQ(faults[0].count, 1);
        EXPECT_EQ(faults[0].first,
                  static_cast<std::int64_t>(i) - static_cast<std::int64_t>(t.offset));
        const bool before = i < t.offset;
        const bool behind = i >= t.offset + t.span();
        EXPECT_EQ(faults[0].kind, before               ? FaultKind::kCanaryBefore
                                  : behind             ? FaultKind::kCanaryBehind
                                  : t.role == PLUMB_IN ? FaultKind::kInputChanged
                                                       : FaultKind::kPadding);
        ++watched;
      }
      const std::size_t own = t.role == PLUMB_IN ? 0 : t.rows * t.row_bytes;
      EXPECT_EQ(watched, t.region.bytes - own) << t.name;
    }
  }
}

TEST(WorkerGuard, ValuesGoInAndComeBackThroughPaddedRows) {
  const StageCall call = a_call();
  for (Pass pass : {Pass::kFirst, Pass::kSecond}) {
    const Prepared p = prepare(call, pass, pass == Pass::kSecond);
    const AnyTensor cache = take(p.layout.tensors[1], p.memory.data());
    EXPECT_TRUE(std::equal(cache.data<std::int64_t>(), cache.data<std::int64_t>() + 6,
                           call.tensor("cache").data<std::int64_t>()));
    const AnyTensor codes = take(p.layout.tensors[0], p.memory.data());
    EXPECT_EQ(codes.bytes()[8], std::byte{0xA5});
    const AnyTensor y = take(p.layout.tensors[2], p.memory.data());
    for (std::size_t i = 0; i < y.byte_size(); ++i) EXPECT_EQ(y.bytes()[i], poison(pass));
  }
}

TEST(WorkerGuard, ReadsBeyondAnInputMeetPoison) {
  for (Pass pass : {Pass::kFirst, Pass::kSecond}) {
    const Prepared p = prepare(a_call(), pass, false, 64);
    const PlacedTensor& t = p.layout.tensors[0];
    const std::byte* region = p.memory.data() + t.region.file_offset;
    const auto poisoned = std::count(region, region + t.region.bytes, poison(pass));
    EXPECT_EQ(static_cast<std::size_t>(poisoned), t.region.bytes - t.span());
  }
  const Prepared first = prepare(a_call(), Pass::kFirst, false, 64);
  const Prepared second = prepare(a_call(), Pass::kSecond, false, 64);
  const std::size_t y = first.layout.tensors[2].region.file_offset;
  EXPECT_NE(std::memcmp(first.memory.data() + y, second.memory.data() + y, 64), 0);
}

TEST(WorkerGuard, ViewsArePackedOnTheWayIn) {
  StageCall call = a_call();
  call.set("cache", call.tensor("cache").transposed(0, 1));
  const Prepared p = prepare(call, Pass::kFirst, false);
  const AnyTensor cache = take(p.layout.tensors[1], p.memory.data());
  const std::array<std::int64_t, 6> want{1, 4, 2, 5, 3, 6};
  EXPECT_TRUE(std::equal(want.begin(), want.end(), cache.data<std::int64_t>()));
}

// The outputs of a kernel that writes nothing, with edits.
CaseResult of_two_runs(const StageCall& call) {
  CaseResult result;
  for (Pass pass : {Pass::kFirst, Pass::kSecond}) {
    const Prepared p = prepare(call, pass, pass == Pass::kSecond);
    for (std::size_t i : {1UL, 2UL, 3UL}) {
      const PlacedTensor& t = p.layout.tensors[i];
      result.outputs[pass == Pass::kFirst ? 0 : 1].push_back({t.name, take(t, p.memory.data())});
    }
  }
  return result;
}

TEST(WorkerGuard, UntouchedTapsAreDroppedAndPartialOnesReported) {
  const StageCall call = a_call();
  CaseResult result = of_two_runs(call);
  compare_runs(call, kAllRoles, result);
  ASSERT_EQ(result.faults.size(), 1U);
  EXPECT_EQ(result.faults[0].kind, FaultKind::kUnwritten);
  EXPECT_EQ(result.faults[0].tensor, "y");
  EXPECT_EQ(result.faults[0].count, 30);
  EXPECT_EQ(result.outputs[0].size(), 2U);
  EXPECT_EQ(result.outputs[1].size(), 2U);

  result = of_two_runs(call);
  for (auto& outputs : result.outputs) outputs[2].tensor.data<double>()[4] = 1;
  compare_runs(call, kAllRoles, result);
  ASSERT_EQ(result.faults.size(), 2U);
  EXPECT_EQ(result.faults[1].message,
            "6 of 7 elements of tap tensor 'scores' were not written; first element 0");
}

TEST(WorkerGuard, OneDifferentBitIsADifference) {
  const StageCall call = a_call();
  CaseResult result = of_two_runs(call);
  result.outputs[1][0].tensor.data<std::int64_t>()[5] ^= 1;
  for (auto& outputs : result.outputs) std::memset(outputs[1].tensor.bytes(), 0, 60);
  compare_runs(call, kAllRoles, result);
  ASSERT_EQ(result.faults.size(), 1U);
  EXPECT_EQ(
      result.faults[0].message,
      "1 of 6 elements of inout tensor 'cache' differ between two runs on the same inputs; first "
      "element 5: bits 0x0000000000000006 in run 1, 0x0000000000000007 in run 2");
}

TEST(WorkerGuard, HalfBytesAreComparedOneByOne) {
  StageCall call{"any", {}, {}, {}};
  call.set("q", AnyTensor::zeros(Dtype::kFp4E2m1, {4}));
  CaseResult result;
  for (auto& outputs : result.outputs) outputs = {{"q", call.tensor("q").copied()}};
  result.outputs[0][0].tensor.bytes()[0] = std::byte{0xF1};  // the odd element unwritten
  result.outputs[1][0].tensor.bytes()[0] = std::byte{0x41};
  result.outputs[1][0].tensor.bytes()[1] = std::byte{0x03};  // the third differs
  compare_runs(call, std::array{PLUMB_OUT}, result);
  ASSERT_EQ(result.faults.size(), 2U);
  EXPECT_EQ(result.faults[0].kind, FaultKind::kUnwritten);
  EXPECT_EQ(result.faults[0].first, 1);
  EXPECT_EQ(result.faults[1].kind, FaultKind::kRunsDiffer);
  EXPECT_EQ(result.faults[1].first, 2);
}

TEST(WorkerGuard, FaultsAreDescribedByTheNearestTensor) {
  const Prepared p = prepare(a_call(), Pass::kFirst, false);
  const PlacedTensor& codes = p.layout.tensors[0];
  const std::size_t first = codes.region.map_offset + codes.offset;
  EXPECT_EQ(describe(p.layout, first + 2),
            "byte 2 of in tensor 'codes', which must not be written");
  EXPECT_EQ(describe(p.layout, first + 9), "0 byte(s) behind the last of in tensor 'codes'");
  EXPECT_EQ(describe(p.layout, codes.region.map_offset - 1),
            std::to_string(codes.offset + 1) + " byte(s) before in tensor 'codes'");
}

std::span<const std::byte> body(const Bytes& framed) {
  return std::span(framed).subspan(kLengthBytes);
}

TEST(WorkerProtocol, RequestsGoThereAndBack) {
  const StageCall call = a_call();
  const Prepared p = prepare(call, Pass::kSecond, true);
  const Bytes sent = encode(CallRequest{7, 3, "any", call.params, p.layout});
  ByteReader reader(body(sent));
  EXPECT_EQ(reader.get<Verb>(), Verb::kRun);
  CallRequest got;
  ASSERT_TRUE(decode(reader, got));
  EXPECT_EQ(got.row, 7U);
  EXPECT_EQ(got.threads, 3);
  EXPECT_EQ(std::get<std::int64_t>(got.params[0].value), -3);
  EXPECT_EQ(std::get<double>(got.params[1].value), 0.25);
  EXPECT_EQ(std::get<std::string>(got.params[2].value), "b");
  ASSERT_EQ(got.layout.tensors.size(), 5U);
  EXPECT_EQ(got.layout.tensors[2].strides, (Shape{30, 10, 1}));
  EXPECT_EQ(got.layout.tensors[4].region.map_offset, p.layout.tensors[4].region.map_offset);
  for (std::size_t cut = 1; cut < sent.size() - kLengthBytes; ++cut) {
    ByteReader shorter(body(sent).first(cut));
    shorter.get<Verb>();
    CallRequest none;
    EXPECT_FALSE(decode(shorter, none)) << cut;
  }
}

TEST(WorkerProtocol, CountsLargerThanTheMessageAreRefused) {
  ByteWriter writer;
  writer.put(std::uint64_t{1} << 59);
  const Bytes sent = writer.framed();
  ByteReader shape(body(sent));
  EXPECT_TRUE(shape.get_shape().empty());
  EXPECT_FALSE(shape.ok());
  ByteReader text(body(sent));
  EXPECT_TRUE(text.get_string().empty());
  EXPECT_FALSE(text.ok());
}

const std::vector<KernelRow> kSomeRows{{"rms_norm", "mine", std::nullopt, 64},
                                       {"rms_norm", "other", "{}", 0}};

TEST(WorkerProtocol, RowsGoThereAndBack) {
  const Bytes sent = encode(Result<std::vector<KernelRow>>(kSomeRows));
  const auto got = decode_rows(body(sent), "mine.so");
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(*got, kSomeRows);
  const Bytes error = encode(Result<std::vector<KernelRow>>(Error{"mine.so: no"}));
  EXPECT_EQ(decode_rows(body(error), "mine.so").error().message, "mine.so: no");
}

// Every cut and every changed byte: refused, or rows that pass the same checks; never a crash.
TEST(WorkerProtocol, NoBytesOfAWorkerAreBelieved) {
  const Bytes sent = encode(Result<std::vector<KernelRow>>(kSomeRows));
  for (std::size_t cut = 0; cut < sent.size() - kLengthBytes; ++cut) {
    EXPECT_FALSE(decode_rows(body(sent).first(cut), "mine.so").ok()) << cut;
  }
  for (std::size_t i = 0; i < sent.size() - kLengthBytes; ++i) {
    for (int value = 0; value < 256; ++value) {
      Bytes changed(body(sent).begin(), body(sent).end());
      changed[i] = static_cast<std::byte>(value);
      const auto rows = decode_rows(changed, "mine.so");
      if (rows.ok()) {
        EXPECT_TRUE(check_rows(*rows, "mine.so").ok());
      }
    }
  }
  CallReply reply;
  const Bytes good = encode(CallReply{CallReply::Kind::kDeclined, 5, 1});
  EXPECT_TRUE(decode(body(good), reply));
  EXPECT_EQ(reply.code, 5);
  EXPECT_FALSE(decode(body(good).first(3), reply));
  Bytes unknown(body(good).begin(), body(good).end());
  unknown[0] = std::byte{9};
  EXPECT_FALSE(decode(unknown, reply));
  unknown[0] = std::byte{1};
  unknown.push_back(std::byte{0});
  EXPECT_FALSE(decode(unknown, reply));
}

}  // namespace
}  // namespace plumb::conformance
