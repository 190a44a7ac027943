/* SPDX-License-Identifier: Apache-2.0
 *
 * A kernel as somebody outside this repository would write it: rms_norm over F32, in C99.
 */
#include <math.h>
#include <plumbline/plumb_kernel.h>
#include <stdio.h>
#include <string.h>

static const plumb_tensor* tensor(const plumb_call* call, const char* name) {
  for (size_t i = 0; i < call->tensor_count; ++i) {
    if (strcmp(call->tensors[i].name, name) == 0) return &call->tensors[i];
  }
  return NULL;
}

static const plumb_param* param(const plumb_call* call, const char* name) {
  for (size_t i = 0; i < call->param_count; ++i) {
    if (strcmp(call->params[i].name, name) == 0) return &call->params[i];
  }
  return NULL;
}

static char* data(const plumb_tensor* t) { return (char*)t->tensor.data + t->tensor.byte_offset; }

static const char* supports(const plumb_call* call) {
  const char* const names[] = {"x", "gain", "y"};
  for (size_t i = 0; i < 3; ++i) {
    const plumb_tensor* t = tensor(call, names[i]);
    if (t == NULL) return "a tensor of rms_norm is missing";
    if (t->tensor.dtype.code != PLUMB_DL_FLOAT || t->tensor.dtype.bits != 32) return "F32 only";
  }
  return param(call, "eps") == NULL ? "eps is missing" : NULL;
}

static int run(const plumb_call* call, char* message, size_t message_size) {
  const plumb_tensor *x = tensor(call, "x"), *gain = tensor(call, "gain"), *y = tensor(call, "y");
  double eps = param(call, "eps")->value.number;
  if (!(eps > 0)) {
    snprintf(message, message_size, "eps is %g, not positive", eps);
    return 1;
  }
#ifdef FORGET_EPS
  eps = 1e-3;
#endif
  const int64_t width = x->tensor.shape[1];
  for (int64_t t = 0; t < x->tensor.shape[0]; ++t) {
    const float* in = (const float*)data(x) + t * x->tensor.strides[0];
    float* out = (float*)data(y) + t * y->tensor.strides[0];
    const float* g = (const float*)data(gain);
    double sum = 0;
    for (int64_t d = 0; d < width; ++d) {
      sum += (double)in[d * x->tensor.strides[1]] * (double)in[d * x->tensor.strides[1]];
    }
    const double scale = 1 / sqrt(sum / (double)width + eps);
    for (int64_t d = 0; d < width; ++d) {
      const float unit = (float)((double)in[d * x->tensor.strides[1]] * scale);
      out[d * y->tensor.strides[1]] = unit * g[d * gain->tensor.strides[0]];
    }
  }
  return 0;
}

const plumb_kernel* plumb_kernels(size_t* count) {
  static const plumb_kernel kRows[] = {
      {sizeof(plumb_kernel), "rms_norm", "mine", NULL, 0, supports, run},
  };
  *count = 1;
  return kRows;
}
