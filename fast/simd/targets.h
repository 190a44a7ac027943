// SPDX-License-Identifier: Apache-2.0
// The instruction sets that Highway compiles a file for, best first, as a list for macros: a row of
// a kernel library exists for each one that was compiled and for no other.
#pragma once

#include <hwy/detect_targets.h>

#if HWY_TARGETS & HWY_AVX3_DL
#define PLUMB_IF_AVX3_DL(X) X(AVX3_DL, "avx3_dl")
#else
#define PLUMB_IF_AVX3_DL(X)
#endif
#if HWY_TARGETS & HWY_AVX3
#define PLUMB_IF_AVX3(X) X(AVX3, "avx3")
#else
#define PLUMB_IF_AVX3(X)
#endif
#if HWY_TARGETS & HWY_AVX2
#define PLUMB_IF_AVX2(X) X(AVX2, "avx2")
#else
#define PLUMB_IF_AVX2(X)
#endif
#if HWY_TARGETS & HWY_SSE4
#define PLUMB_IF_SSE4(X) X(SSE4, "sse4")
#else
#define PLUMB_IF_SSE4(X)
#endif
#if HWY_TARGETS & HWY_SSSE3
#define PLUMB_IF_SSSE3(X) X(SSSE3, "ssse3")
#else
#define PLUMB_IF_SSSE3(X)
#endif

// Whether the target being compiled has vectors; plain C++ covers those that have not.
#define PLUMB_HAS_VECTORS (HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128)

// X(TARGET, "variant"): functions of the target lie in namespace N_TARGET, its bit is HWY_TARGET.
#define PLUMB_FAST_TARGETS(X) \
  PLUMB_IF_AVX3_DL(X) PLUMB_IF_AVX3(X) PLUMB_IF_AVX2(X) PLUMB_IF_SSE4(X) PLUMB_IF_SSSE3(X)
