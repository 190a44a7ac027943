// SPDX-License-Identifier: Apache-2.0
#include "reference/registry/readings.h"

#include <array>
#include <utility>

namespace plumb {
namespace {

using enum Slot;

constexpr std::size_t kReadings = 5;
constexpr std::array<std::string_view, kReadings> kNames{"real", "hf_bf16", "hf_f32", "inf_bf16",
                                                         "inf_fp8"};
constexpr std::array<std::string_view, kReadings> kSentences{
    "the mathematics of the record: nothing is rounded",
    "the modeling file of the R1 checkpoint in bfloat16; FP8 weights loaded as bf16(code * scale)",
    "the same code run in float32; FP8 weights loaded as f32(code * scale)",
    "DeepSeek's own inference code with gemm_impl bf16: weights dequantised to bf16",
    "the same with gemm_impl fp8: activations quantised to E4M3 per 128 features"};

// What a slot is stored as, by reading in the order of kNames; null: the value flows on unrounded.
struct SlotRow {
  Slot slot;
  std::array<const Format*, kReadings> formats;
};
constexpr const Format* kNot = nullptr;
constexpr std::array<SlotRow, static_cast<std::size_t>(Slot::kCount)> kSlots{{
    {kActivation, {kNot, &kBf16, &kF32, &kBf16, &kBf16}},
    {kNormalised, {kNot, &kBf16, &kF32, &kBf16, &kBf16}},
    {kWeight, {kNot, &kBf16, &kF32, &kBf16, &kBf16}},
    {kQuantised, {kNot, kNot, kNot, kNot, &kE4m3Saturating}},
    {kConstant, {kNot, &kF32, &kF32, &kF32, &kF32}},
    {kScalar, {kNot, &kF64, &kF64, &kF64, &kF64}},
    {kFrequency, {kNot, &kF32, &kF32, &kF32, &kF32}},
    {kAngle, {kNot, &kF32, &kF32, &kF32, &kF32}},
    {kRopeTable, {kNot, &kBf16, &kF32, &kF32, &kF32}},
    {kRotation, {kNot, &kBf16, &kF32, kNot, kNot}},
    {kScores, {kNot, &kBf16, &kF32, &kBf16, &kBf16}},
    {kProbability, {kNot, &kBf16, &kF32, &kBf16, &kBf16}},
    {kSilu, {kNot, &kBf16, &kF32, &kBf16, &kBf16}},
    {kRouterInput, {kNot, &kF32, &kF32, &kBf16, &kBf16}},
    {kRouter, {kNot, &kF32, &kF32, &kBf16, &kBf16}},
    {kRouterBiased, {kNot, &kF32, &kF32, &kF32, &kF32}},
    {kRouterBias, {kNot, &kBf16, &kF32, &kF32, &kF32}},
    {kRouterWeight, {kNot, &kF32, &kF32, &kBf16, &kBf16}},
    {kCombine, {kNot, &kBf16, &kF32, &kBf16, &kBf16}},
    {kLogits, {kNot, &kBf16, &kF32, &kBf16, &kBf16}},
}};

// The side of a discrepancy, a letter a reading in the order of kNames.
struct SideRow {
  std::string_view discrepancy, sides;
};
constexpr std::array kSides{
    SideRow{"R1-D02", "bbbbb"}, SideRow{"R1-D06", "baabb"}, SideRow{"R1-D09", "aaaaa"},
    SideRow{"R1-D12", "bbbbb"}, SideRow{"R1-D13", "bbbbb"}, SideRow{"R1-D16", "aaabb"},
    SideRow{"R1-D17", "aaabb"}, SideRow{"R1-D18", "aaaaa"}, SideRow{"R1-D19", "aaabb"},
    SideRow{"R1-D20", "abaaa"}, SideRow{"R1-D21", "aaabb"}, SideRow{"R1-D22", "bbbba"},
    SideRow{"R1-D23", "aaabb"}, SideRow{"R1-D24", "aaabb"}, SideRow{"R1-D25", "aaabb"},
    SideRow{"R1-D28", "aaabb"}, SideRow{"R1-D37", "bbbbb"}, SideRow{"R1-D38", "bbbbb"},
    SideRow{"R1-D41", "bbbbb"}, SideRow{"R1-D42", "bbbbb"}, SideRow{"R1-D46", "aaabb"},
};

std::vector<Reading> rows() {
  std::vector<Reading> readings;
  for (std::size_t r = 0; r < kReadings; ++r) {
    Reading reading{kNames[r], kSentences[r], {}, {}};
    for (const SlotRow& row : kSlots) {
      if (row.formats[r] == kNot) continue;
      reading.formats[static_cast<std::size_t>(row.slot)] = *row.formats[r];
    }
    for (const SideRow& row : kSides) {
      reading.sides.emplace_back(row.discrepancy, static_cast<Side>(row.sides[r]));
    }
    readings.push_back(std::move(reading));
  }
  return readings;
}

}  // namespace

const std::vector<Reading>& all_readings() {
  static const std::vector<Reading> kRows = rows();
  return kRows;
}

const Reading* find_reading(std::string_view name) {
  for (const Reading& r : all_readings()) {
    if (r.name == name) return &r;
  }
  return nullptr;
}

}  // namespace plumb
