// SPDX-License-Identifier: Apache-2.0
#include "conformance/abi/kernel.h"

#include <gtest/gtest.h>

#include <array>

namespace plumb::conformance {
namespace {

constexpr std::array kStorage{Dtype::kBool,    Dtype::kU8,        Dtype::kI32,   Dtype::kI64,
                              Dtype::kFp4E2m1, Dtype::kFp8E4m3fn, Dtype::kUe8m0, Dtype::kBf16,
                              Dtype::kFp16,    Dtype::kF32,       Dtype::kF64};

StageCall a_call() {
  StageCall call{"rms_norm", {}, {{"eps", 0.5}, {"block", std::int64_t{128}}}, {}};
  call.params.push_back({"R1-D18", std::string("a")});
  call.set("x", AnyTensor::of(std::vector<float>{1, 2, 3, 4, 5, 6}).reshaped({2, 3}));
  call.set("y", AnyTensor::zeros(Dtype::kBf16, {2, 3}));
  return call;
}

constexpr std::array kRoles{PLUMB_IN, PLUMB_OUT};

TEST(Kernel, EveryStorageTypeGoesThereAndBack) {
  for (Dtype dtype : kStorage) {
    const Result<DLDataType> type = dl_type_of(dtype);
    ASSERT_TRUE(type.ok()) << name_of(dtype);
    EXPECT_EQ(type->bits, bits_of(dtype)) << name_of(dtype);
    const Result<Dtype> back = dtype_of(*type);
    ASSERT_TRUE(back.ok()) << name_of(dtype);
    EXPECT_EQ(*back, dtype);
  }
}

TEST(Kernel, CodesAreThoseOfDlpack11) {
  EXPECT_EQ(dl_type_of(Dtype::kBool)->code, 6);
  EXPECT_EQ(dl_type_of(Dtype::kFp8E4m3fn)->code, 10);
  EXPECT_EQ(dl_type_of(Dtype::kUe8m0)->code, 14);
  EXPECT_EQ(dl_type_of(Dtype::kFp4E2m1)->code, 17);
  EXPECT_EQ(dl_type_of(Dtype::kBf16)->code, kDLBfloat);
}

TEST(Kernel, WideAndForeignTypesAreRefused) {
  EXPECT_FALSE(dl_type_of(Dtype::kReal).ok());
  EXPECT_FALSE(dl_type_of(Dtype::kRealWide).ok());
  EXPECT_FALSE(dl_type_of(Dtype::kTracked).ok());
  EXPECT_FALSE(dtype_of({kDLComplex, 64, 1}).ok());
  EXPECT_FALSE(dtype_of({kDLFloat, 32, 4}).ok());
  EXPECT_FALSE(dtype_of({kDLInt, 16, 1}).ok());
  StageCall call = a_call();
  call.set("y", AnyTensor::zeros(Dtype::kReal, {2, 3}));
  const Result<KernelCall> made = KernelCall::of(call, kRoles, 1);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().message,
            "rms_norm: tensor 'y': a kernel cannot be given elements of type real");
}

TEST(Kernel, CallGoesThereAndBack) {
  const StageCall call = a_call();
  const Result<KernelCall> made = KernelCall::of(call, kRoles, 3);
  ASSERT_TRUE(made.ok());
  const plumb_call& abi = made->get();
  EXPECT_EQ(abi.abi, PLUMB_ABI);
  EXPECT_EQ(abi.threads, 3);
  ASSERT_EQ(abi.tensor_count, 2U);
  EXPECT_EQ(abi.tensors[1].role, PLUMB_OUT);
  EXPECT_EQ(abi.tensors[0].tensor.strides[0], 3);

  const Result<StageCall> back = stage_call_of(abi);
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back->stage, "rms_norm");
  EXPECT_EQ(back->number("eps"), 0.5);
  EXPECT_EQ(back->integer("block"), 128);
  EXPECT_EQ(back->word("R1-D18"), "a");
  EXPECT_EQ(back->tensor("x").data<float>(), call.tensor("x").data<float>());
  EXPECT_FALSE(back->tensor("x").writable());
  EXPECT_TRUE(back->tensor("y").writable());
  EXPECT_EQ(back->tensor("y").dtype(), Dtype::kBf16);
}

TEST(Kernel, PaddedRowsComeBackAsASlice) {
  std::vector<float> memory(10, -1);
  const auto make = [&](Shape strides) {
    return KernelCall::make("s",
                            {{"y",
                              PLUMB_OUT,
                              Dtype::kF32,
                              {2, 3},
                              std::move(strides),
                              reinterpret_cast<std::byte*>(memory.data())}},
                            {}, 1);
  };
  const Result<KernelCall> padded = make({5, 1});
  const Result<StageCall> back = stage_call_of(padded->get());
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->tensor("y").strides(), (Shape{5, 1}));
  EXPECT_EQ(back->tensor("y").shape(), (Shape{2, 3}));
  const auto view = view_of<float, 2>(padded->get(), "y");
  ASSERT_TRUE(view.ok());
  (*view)(1, 2) = 7;
  EXPECT_EQ(memory[7], 7);

  const Result<KernelCall> overlapping = make({2, 1});
  EXPECT_FALSE(stage_call_of(overlapping->get()).ok());
}

TEST(Kernel, TypedViewsRefuseWhatTheTensorIsNot) {
  const StageCall call = a_call();
  const Result<KernelCall> made = KernelCall::of(call, kRoles, 1);
  EXPECT_TRUE((view_of<const float, 2>(made->get(), "x").ok()));
  EXPECT_FALSE((view_of<float, 2>(made->get(), "x").ok()));  // an input
  EXPECT_FALSE((view_of<const float, 1>(made->get(), "x").ok()));
  EXPECT_FALSE((view_of<const Bf16, 2>(made->get(), "x").ok()));
  EXPECT_FALSE((view_of<const float, 2>(made->get(), "z").ok()));
}

TEST(Kernel, HalfByteElementsComeAsPairs) {
  StageCall call{"s", {}, {}, {}};
  call.set("codes", AnyTensor::zeros(Dtype::kFp4E2m1, {3, 8}));
  constexpr std::array kIn{PLUMB_IN};
  const Result<KernelCall> made = KernelCall::of(call, kIn, 1);
  const auto view = view_of<const Fp4E2m1Pair, 2>(made->get(), "codes");
  ASSERT_TRUE(view.ok());
  EXPECT_EQ(view->extent(1), 4);
  EXPECT_EQ(view->stride(0), 4);
  EXPECT_EQ(view->stride(1), 1);
}

}  // namespace
}  // namespace plumb::conformance
