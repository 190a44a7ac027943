/* SPDX-License-Identifier: Apache-2.0
 * The correct kernel that the hostile rows spoil: a plain double loop. */
#pragma once

#include <math.h>
#include <string.h>

#include "conformance/abi/plumb_kernel.h"

typedef struct {
  const float* x;
  const float* gain;
  float* y;
  int64_t rows, width, x_step, y_step;
  double eps;
} norm;

static const DLTensor* find(const plumb_call* call, const char* name) {
  for (size_t i = 0; i < call->tensor_count; ++i) {
    if (strcmp(call->tensors[i].name, name) == 0) return &call->tensors[i].tensor;
  }
  return NULL;
}

static norm unpack(const plumb_call* call) {
  const DLTensor* x = find(call, "x");
  const DLTensor* y = find(call, "y");
  norm n = {x->data,       find(call, "gain")->data,
            y->data,       x->shape[0],
            x->shape[1],   x->strides[0],
            y->strides[0], 0};
  for (size_t i = 0; i < call->param_count; ++i) {
    if (strcmp(call->params[i].name, "eps") == 0) n.eps = call->params[i].value.number;
  }
  return n;
}

static void compute(const norm* n, int64_t rows) {
  for (int64_t t = 0; t < rows; ++t) {
    const float* x = n->x + t * n->x_step;
    double sum = 0;
    for (int64_t d = 0; d < n->width; ++d) sum += (double)x[d] * x[d];
    const double scale = 1 / sqrt(sum / (double)n->width + n->eps);
    for (int64_t d = 0; d < n->width; ++d) {
      n->y[t * n->y_step + d] = (float)(x[d] * scale * n->gain[d]);
    }
  }
}
