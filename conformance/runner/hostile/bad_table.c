/* SPDX-License-Identifier: Apache-2.0
 * A plug-in whose table claims more rows than any has. */
#include "conformance/abi/plumb_kernel.h"

static int run(const plumb_call* call, char* message, size_t message_size) {
  (void)call, (void)message, (void)message_size;
  return 0;
}

const plumb_kernel* plumb_kernels(size_t* count) {
  static const plumb_kernel row = {sizeof(plumb_kernel), "rms_norm", "a\xff", NULL, 0, NULL, run};
  *count = (size_t)1 << 40;
  return &row;
}
