// SPDX-License-Identifier: Apache-2.0
#include "reference/registry/readings.h"

namespace plumb {
namespace {

using enum Slot;
using enum Side;

struct Stored {
  Slot slot;
  Format format;
};

Reading reading(std::string_view name, std::string_view sentence,
                std::initializer_list<Stored> stored,
                std::vector<std::pair<std::string_view, Side>> sides) {
  Reading r{name, sentence, {}, std::move(sides)};
  for (const Stored& s : stored) r.formats[static_cast<std::size_t>(s.slot)] = s.format;
  return r;
}

std::vector<Reading> rows() {
  return {
      reading("real", "the mathematics of the record: nothing is rounded", {},
              {{"R1-D02", kB}, {"R1-D06", kB}, {"R1-D09", kA}, {"R1-D12", kB}, {"R1-D13", kB},
               {"R1-D41", kB}, {"R1-D42", kB}, {"R1-D16", kA}, {"R1-D17", kA}, {"R1-D18", kA},
               {"R1-D19", kA}, {"R1-D20", kA}, {"R1-D21", kA}, {"R1-D22", kB}, {"R1-D23", kA},
               {"R1-D24", kA}, {"R1-D25", kA}, {"R1-D28", kA}, {"R1-D37", kB}, {"R1-D38", kB},
               {"R1-D46", kA}}),
      reading("hf_bf16",
              "the modeling file of the R1 checkpoint in bfloat16; FP8 weights loaded as "
              "bf16(code * scale)",
              {{kActivation, kBf16},
               {kNormalised, kBf16},
               {kWeight, kBf16},
               {kConstant, kF32},
               {kScalar, kF64},
               {kFrequency, kF32},
               {kAngle, kF32},
               {kRopeTable, kBf16},
               {kRotation, kBf16},
               {kScores, kBf16},
               {kProbability, kBf16},
               {kSilu, kBf16},
               {kRouterInput, kF32},
               {kRouter, kF32},
               {kRouterBiased, kF32},
               {kRouterBias, kBf16},
               {kRouterWeight, kF32},
               {kCombine, kBf16},
               {kLogits, kBf16}},
              {{"R1-D02", kB}, {"R1-D06", kA}, {"R1-D09", kA}, {"R1-D12", kB}, {"R1-D13", kB},
               {"R1-D41", kB}, {"R1-D42", kB}, {"R1-D16", kA}, {"R1-D17", kA}, {"R1-D18", kA},
               {"R1-D19", kA}, {"R1-D20", kB}, {"R1-D21", kA}, {"R1-D22", kB}, {"R1-D23", kA},
               {"R1-D24", kA}, {"R1-D25", kA}, {"R1-D28", kA}, {"R1-D37", kB}, {"R1-D38", kB},
               {"R1-D46", kA}}),
      reading("hf_f32", "the same code run in float32; FP8 weights loaded as f32(code * scale)",
              {{kActivation, kF32},
               {kNormalised, kF32},
               {kWeight, kF32},
               {kConstant, kF32},
               {kScalar, kF64},
               {kFrequency, kF32},
               {kAngle, kF32},
               {kRopeTable, kF32},
               {kRotation, kF32},
               {kScores, kF32},
               {kProbability, kF32},
               {kSilu, kF32},
               {kRouterInput, kF32},
               {kRouter, kF32},
               {kRouterBiased, kF32},
               {kRouterBias, kF32},
               {kRouterWeight, kF32},
               {kCombine, kF32},
               {kLogits, kF32}},
              {{"R1-D02", kB}, {"R1-D06", kA}, {"R1-D09", kA}, {"R1-D12", kB}, {"R1-D13", kB},
               {"R1-D41", kB}, {"R1-D42", kB}, {"R1-D16", kA}, {"R1-D17", kA}, {"R1-D18", kA},
               {"R1-D19", kA}, {"R1-D20", kA}, {"R1-D21", kA}, {"R1-D22", kB}, {"R1-D23", kA},
               {"R1-D24", kA}, {"R1-D25", kA}, {"R1-D28", kA}, {"R1-D37", kB}, {"R1-D38", kB},
               {"R1-D46", kA}}),
      reading("inf_bf16",
              "DeepSeek's own inference code with gemm_impl bf16: weights dequantised to bf16",
              {{kActivation, kBf16},
               {kNormalised, kBf16},
               {kWeight, kBf16},
               {kConstant, kF32},
               {kScalar, kF64},
               {kFrequency, kF32},
               {kAngle, kF32},
               {kRopeTable, kF32},
               {kScores, kBf16},
               {kProbability, kBf16},
               {kSilu, kBf16},
               {kRouterInput, kBf16},
               {kRouter, kBf16},
               {kRouterBiased, kF32},
               {kRouterBias, kF32},
               {kRouterWeight, kBf16},
               {kCombine, kBf16},
               {kLogits, kBf16}},
              {{"R1-D02", kB}, {"R1-D06", kB}, {"R1-D09", kA}, {"R1-D12", kB}, {"R1-D13", kB},
               {"R1-D41", kB}, {"R1-D42", kB}, {"R1-D16", kB}, {"R1-D17", kB}, {"R1-D18", kA},
               {"R1-D19", kB}, {"R1-D20", kA}, {"R1-D21", kB}, {"R1-D22", kB}, {"R1-D23", kB},
               {"R1-D24", kB}, {"R1-D25", kB}, {"R1-D28", kB}, {"R1-D37", kB}, {"R1-D38", kB},
               {"R1-D46", kB}}),
      reading("inf_fp8",
              "the same with gemm_impl fp8: activations quantised to E4M3 per 128 features",
              {{kActivation, kBf16},
               {kNormalised, kBf16},
               {kWeight, kBf16},
               {kConstant, kF32},
               {kScalar, kF64},
               {kQuantised, kE4m3Saturating},
               {kFrequency, kF32},
               {kAngle, kF32},
               {kRopeTable, kF32},
               {kScores, kBf16},
               {kProbability, kBf16},
               {kSilu, kBf16},
               {kRouterInput, kBf16},
               {kRouter, kBf16},
               {kRouterBiased, kF32},
               {kRouterBias, kF32},
               {kRouterWeight, kBf16},
               {kCombine, kBf16},
               {kLogits, kBf16}},
              {{"R1-D02", kB}, {"R1-D06", kB}, {"R1-D09", kA}, {"R1-D12", kB}, {"R1-D13", kB},
               {"R1-D41", kB}, {"R1-D42", kB}, {"R1-D16", kB}, {"R1-D17", kB}, {"R1-D18", kA},
               {"R1-D19", kB}, {"R1-D20", kA}, {"R1-D21", kB}, {"R1-D22", kA}, {"R1-D23", kB},
               {"R1-D24", kB}, {"R1-D25", kB}, {"R1-D28", kB}, {"R1-D37", kB}, {"R1-D38", kB},
               {"R1-D46", kB}}),
  };
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
