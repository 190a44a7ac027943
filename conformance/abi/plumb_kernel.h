/* SPDX-License-Identifier: Apache-2.0
 *
 * The C interface between Plumbline and a kernel under test. C99; needs DLPack's header (0.6 or
 * newer) and of that only DLTensor. A plug-in is a shared library that exports one symbol,
 * plumb_kernels.
 *
 * `plumb stages S` prints what a stage S passes: names, roles, axes, element types, parameters.
 */
#ifndef PLUMB_KERNEL_H
#define PLUMB_KERNEL_H

#include <dlpack/dlpack.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* NOLINTBEGIN(readability-identifier-naming): names of a C interface */

#define PLUMB_ABI 1

/* plumb_kernels stays visible in a library that hides its symbols by default. */
#if defined(__GNUC__)
#define PLUMB_EXPORT __attribute__((visibility("default")))
#else
#define PLUMB_EXPORT
#endif

/* DLPack 1.1 type codes that older headers lack; bits and lanes as DLPack says. E2M1 lies two to a
 * byte, low nibble first, an even innermost axis, shape counted in elements. */
enum {
  PLUMB_DL_INT = 0,
  PLUMB_DL_UINT = 1,
  PLUMB_DL_FLOAT = 2,
  PLUMB_DL_BFLOAT = 4,
  PLUMB_DL_BOOL = 6,
  PLUMB_DL_FLOAT8_E4M3FN = 10,
  PLUMB_DL_FLOAT8_E8M0FNU = 14,
  PLUMB_DL_FLOAT4_E2M1FN = 17
};

typedef enum {
  PLUMB_IN = 0,
  PLUMB_OUT = 1,
  PLUMB_INOUT = 2,
  PLUMB_TAP = 3, /* optional output: write it or leave data alone; data may be NULL */
  PLUMB_SCRATCH = 4
} plumb_role;

/* Memory is the host's, byte_offset is 0. Strides count elements and are never NULL. Inputs are
 * packed and must not be written. The innermost axis of an output is packed; the strides of its
 * other axes may be larger than packed, and what lies between two rows is not the kernel's.
 * `supports` may decline that. */
typedef struct {
  const char* name;
  plumb_role role;
  DLTensor tensor;
} plumb_tensor;

typedef enum { PLUMB_INTEGER = 0, PLUMB_NUMBER = 1, PLUMB_WORD = 2 } plumb_param_kind;

typedef struct {
  const char* name;
  plumb_param_kind kind;
  union {
    int64_t integer;
    double number;
    const char* word;
  } value;
} plumb_param;

typedef struct {
  int32_t abi; /* PLUMB_ABI of the caller */
  const char* stage;
  const plumb_tensor* tensors;
  size_t tensor_count;
  const plumb_param* params;
  size_t param_count;
  int32_t threads; /* how many the kernel may use */
} plumb_call;

/* One row a variant; an array of them, each struct_size bytes after the one before. New members are
 * added at the end only; struct_size tells which the plug-in knows.
 *
 * A call leaves nothing behind: no process, no state that a later call's outputs depend on. Threads
 * of a pool may stay, idle. The host runs one call of a library at a time. */
typedef struct {
  size_t struct_size;        /* sizeof(plumb_kernel) */
  const char* stage;         /* "rms_norm" */
  const char* variant;       /* "avx512", "mine" */
  const char* contract_json; /* the arithmetic declared; NULL: the stage's standard contract */
  size_t alignment; /* of every tensor's first element, in bytes; a power of two up to 4096; 0:
                     * the element's own */
  /* NULL when the call can be run; else the reason why not. May be NULL itself: everything is
   * supported. */
  const char* (*supports)(const plumb_call* call);
  /* 0, or non-zero after writing a reason (terminated) to message. */
  int (*run)(const plumb_call* call, char* message, size_t message_size);
} plumb_kernel;

/* The library's rows; they stay valid until it is unloaded. */
PLUMB_EXPORT const plumb_kernel* plumb_kernels(size_t* count);

/* NOLINTEND(readability-identifier-naming) */

#ifdef __cplusplus
}
#endif

#endif /* PLUMB_KERNEL_H */
