/* SPDX-License-Identifier: Apache-2.0
 * A shared library that is no plug-in. */
int plumb_kernel_count(void);
int plumb_kernel_count(void) { return 1; }
