/* SPDX-License-Identifier: Apache-2.0
 * A plug-in whose rows break every rule that a worker guards, each its own, and two that keep them
 * all. */
#define _GNU_SOURCE
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "conformance/runner/hostile/rms_norm.h"

#define ROW(name) static int run_##name(const plumb_call* call, char* message, size_t message_size)
#define BEGIN(n)               \
  const norm n = unpack(call); \
  compute(&n, n.rows);         \
  (void)message;               \
  (void)message_size

static volatile int always = 1; /* keeps compilers from seeing what comes */

ROW(correct) {
  BEGIN(n);
  return 0;
}

ROW(segfault) {
  BEGIN(n);
  *(volatile int*)(uintptr_t)always = 1;
  return 0;
}

ROW(loop) {
  BEGIN(n);
  while (always) {
  }
  return 0;
}

static char* end_of(const norm* n) { return (char*)(n->y + (n->rows - 1) * n->y_step + n->width); }

ROW(byte_behind) {
  BEGIN(n);
  *(volatile char*)end_of(&n) ^= 1;
  return 0;
}

/* Its row declares an alignment that leaves slack between the output and the guard. */
ROW(byte_behind_aligned) {
  BEGIN(n);
  *(volatile char*)end_of(&n) ^= 1;
  return 0;
}

ROW(many_behind) {
  BEGIN(n);
  memset(end_of(&n), 0, 8192);
  return 0;
}

ROW(byte_before) {
  BEGIN(n);
  *((volatile char*)n.y - 1) ^= 1;
  return 0;
}

/* Clears whole strides instead of rows. */
ROW(padding) {
  BEGIN(n);
  for (int64_t i = n.width; i < n.y_step; ++i) n.y[i] = 0;
  return 0;
}

ROW(nothing) {
  (void)call, (void)message, (void)message_size;
  return 0;
}

ROW(last_row) {
  const norm n = unpack(call);
  compute(&n, n.rows - 1);
  (void)message, (void)message_size;
  return 0;
}

ROW(nan) {
  BEGIN(n);
  for (int64_t t = 0; t < n.rows; ++t) {
    for (int64_t d = 0; d < n.width; ++d) n.y[t * n.y_step + d] = NAN;
  }
  return 0;
}

ROW(changes_input) {
  BEGIN(n);
  *(volatile float*)n.x = 0;
  return 0;
}

/* The same, past the protection. */
ROW(unprotects_input) {
  BEGIN(n);
  const uintptr_t page = (uintptr_t)n.x & ~(uintptr_t)4095;
  mprotect((void*)page, 4096, PROT_READ | PROT_WRITE);
  *(volatile float*)n.x = 0;
  return 0;
}

ROW(exits) {
  BEGIN(n);
  exit(0);
}

ROW(exits_3) {
  BEGIN(n);
  printf("going away\n");
  exit(3);
}

ROW(aborts) {
  BEGIN(n);
  abort();
}

static void sleep_for_ever(int ready) {
  printf("left %d;", (int)getpid());
  fflush(stdout);
  if (write(ready, "", 1) < 0) _exit(1);
  for (;;) sleep(60);
}

/* A child, or a grandchild in a session of its own; comes back once that sleeps. */
static int leave_behind(int as_daemon) {
  int ready[2];
  char byte = 0;
  if (pipe(ready) != 0) return 1;
  if (fork() == 0) {
    if (as_daemon && fork() != 0) _exit(0);
    if (as_daemon) setsid();
    sleep_for_ever(ready[1]);
  }
  return read(ready[0], &byte, 1) == 1 ? 0 : 1;
}

ROW(leaves_child) {
  BEGIN(n);
  return leave_behind(0);
}

ROW(leaves_daemon) {
  BEGIN(n);
  return leave_behind(1);
}

/* Both processes come back from the call. */
ROW(returns_twice) {
  BEGIN(n);
  fork();
  return 0;
}

/* Leaves a child that holds every descriptor, and dies. */
ROW(child_then_crash) {
  BEGIN(n);
  leave_behind(0);
  abort();
}

/* y += instead of y =. */
ROW(poison) {
  const norm n = unpack(call);
  const float old = n.y[0];
  compute(&n, n.rows);
  n.y[0] += old;
  (void)message, (void)message_size;
  return 0;
}

ROW(call_before) {
  static int calls = 0;
  BEGIN(n);
  n.y[5] += (float)calls++;
  return 0;
}

/* Writes where the call before had its output. */
ROW(stale_pointer) {
  static float* kept = NULL;
  BEGIN(n);
  if (kept != NULL) *(volatile float*)kept = 0;
  kept = n.y;
  return 0;
}

/* Reads one element past the input. */
ROW(reads_behind) {
  BEGIN(n);
  n.y[0] += ((const volatile float*)n.x)[n.rows * n.x_step];
  return 0;
}

/* Reads one element before the input. */
ROW(reads_before) {
  BEGIN(n);
  n.y[0] += ((const volatile float*)n.x)[-1];
  return 0;
}

ROW(message) {
  (void)call;
  snprintf(message, message_size, "no room for %d tokens", 4);
  return 7;
}

ROW(endless_message) {
  (void)call;
  memset(message, 'm', message_size);
  return 1;
}

ROW(overlong_message) {
  (void)call;
  memset(message, 'm', message_size + 1);
  return 1;
}

static const char* declines_all(const plumb_call* call) {
  (void)call;
  return "only on Tuesdays";
}

static const char* declines_padding(const plumb_call* call) {
  const DLTensor* y = find(call, "y");
  return y->strides[0] == y->shape[1] ? NULL : "rows must be packed";
}

/* Assumes more than the row declares: that the first element lies on 32 bytes. */
ROW(misaligned) {
  BEGIN(n);
  if ((uintptr_t)n.y % 32 != 0) raise(SIGBUS);
  return 0;
}

ROW(chatty) {
  BEGIN(n);
  for (int i = 0; i < 20000; ++i) printf("line %d\n", i);
  printf("the last line");
  return 0;
}

/* As a sanitizer that does not abort. */
ROW(sanitizer_exit) {
  BEGIN(n);
  fprintf(stderr, "==1==ERROR: AddressSanitizer: heap-buffer-overflow\n");
  _exit(1);
}

/* Found where sanitizers are built in. */
ROW(heap_overflow) {
  BEGIN(n);
  volatile char* heap = malloc(16);
  heap[15 + always] = 1;
  free((void*)heap);
  return 0;
}

/* Overruns the worker's own stack. */
static int deeper(volatile char* above) {
  volatile char here[4096];
  here[0] = *above;
  return always ? deeper(here) + here[0] : 0;
}
ROW(overflows_stack) {
  BEGIN(n);
  char c = 0;
  return deeper(&c);
}

static void die(int number) {
  (void)number;
  abort();
}

/* Answers both runs first. */
ROW(dies_later) {
  static int calls = 0;
  BEGIN(n);
  signal(SIGALRM, die);
  if (++calls == 2) ualarm(300000, 0);
  return 0;
}

/* Floods the channel to the runner with bytes that are no reply. */
ROW(babbles) {
  BEGIN(n);
  char nonsense[64];
  memset(nonsense, 0xEE, sizeof nonsense);
  if (write(3, nonsense, sizeof nonsense) < 0) return 1;
  return 0;
}

ROW(shrinks_memory) {
  BEGIN(n);
  return ftruncate(4, 0) == 0 ? 1 : 0;
}

ROW(closes_descriptors) {
  BEGIN(n);
  for (int fd = 3; fd < 64; ++fd) close(fd);
  return 0;
}

#define ENTRY(name) \
  { sizeof(plumb_kernel), "rms_norm", #name, NULL, 0, NULL, run_##name }

const plumb_kernel* plumb_kernels(size_t* count) {
  static const plumb_kernel rows[] = {
      ENTRY(correct),
      ENTRY(segfault),
      ENTRY(loop),
      ENTRY(byte_behind),
      ENTRY(many_behind),
      ENTRY(byte_before),
      ENTRY(padding),
      ENTRY(nothing),
      ENTRY(last_row),
      ENTRY(nan),
      ENTRY(changes_input),
      ENTRY(unprotects_input),
      ENTRY(exits),
      ENTRY(exits_3),
      ENTRY(aborts),
      ENTRY(leaves_child),
      ENTRY(leaves_daemon),
      ENTRY(returns_twice),
      ENTRY(child_then_crash),
      ENTRY(poison),
      ENTRY(call_before),
      ENTRY(stale_pointer),
      ENTRY(reads_behind),
      ENTRY(reads_before),
      ENTRY(message),
      ENTRY(endless_message),
      ENTRY(overlong_message),
      ENTRY(misaligned),
      ENTRY(chatty),
      ENTRY(overflows_stack),
      ENTRY(babbles),
      ENTRY(shrinks_memory),
      ENTRY(closes_descriptors),
      ENTRY(dies_later),
      ENTRY(sanitizer_exit),
      ENTRY(heap_overflow),
      {sizeof(plumb_kernel), "rms_norm", "byte_behind_aligned", NULL, 512, NULL,
       run_byte_behind_aligned},
      {sizeof(plumb_kernel), "rms_norm", "declines", NULL, 0, declines_all, run_correct},
      {sizeof(plumb_kernel), "rms_norm", "declines_padding", "{\"fma\": true}", 64,
       declines_padding, run_correct},
  };
  *count = sizeof rows / sizeof rows[0];
  return rows;
}
