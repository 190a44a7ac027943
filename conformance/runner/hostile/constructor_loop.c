/* SPDX-License-Identifier: Apache-2.0
 * A plug-in that never finishes being opened. */
#include <unistd.h>

#include "conformance/abi/plumb_kernel.h"

__attribute__((constructor)) static void wait_for_ever(void) {
  for (;;) sleep(60);
}

const plumb_kernel* plumb_kernels(size_t* count) {
  *count = 0;
  return NULL;
}
