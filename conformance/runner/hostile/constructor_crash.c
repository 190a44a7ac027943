/* SPDX-License-Identifier: Apache-2.0
 * A plug-in that crashes while it is opened. */
#include <stdio.h>
#include <stdlib.h>

#include "conformance/abi/plumb_kernel.h"

__attribute__((constructor)) static void crash(void) {
  fputs("no licence\n", stderr);
  abort();
}

const plumb_kernel* plumb_kernels(size_t* count) {
  *count = 0;
  return NULL;
}
