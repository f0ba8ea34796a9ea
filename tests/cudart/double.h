#ifndef GMMU_TESTS_CUDART_DOUBLE_H
#define GMMU_TESTS_CUDART_DOUBLE_H
/* A stand-in for gmmu's process: a thread that answers the runtime's requests from a bump allocator
 * and remembers what it was asked. Kernels do nothing but be remembered. */
#include "gmmu/wire.h"
#include <stdbool.h>
#include <stddef.h>

typedef enum {
  DOUBLE_HONEST,
  DOUBLE_CLOSES,
  DOUBLE_HUGE,
  DOUBLE_SHORT_HELLO,
  DOUBLE_CUT
} double_mood_t;

typedef struct {
  wire_request_t last[WIRE_OPS]; /* of each kind */
  unsigned count[WIRE_OPS];
  wire_launch_t launch;
  uint64_t number; /* of that launch */
  unsigned char params[256];
  char name[256]; /* of the last kernel, symbol or texture asked for */
  unsigned char texture[64];
  int fail_launch; /* the error the next launch ends with */
} double_log_t;

/* Starts it and puts the connection into the environment. One per process. */
double_log_t *double_start(double_mood_t mood);
#endif
