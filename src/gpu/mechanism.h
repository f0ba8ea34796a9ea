#ifndef GMMU_GPU_MECHANISM_H
#define GMMU_GPU_MECHANISM_H
/* Mechanisms: rows whose state the machine allocates, so that a mechanism is one source file. Its
 * state begins with a mechanism_t, which is set before init(); its options fill a struct of at most
 * MECHANISM_SPEC_BYTES; its messages have the receiver `mechanisms` in messages.def. */
#include "gmmu/types.h"
#include <stdint.h>

enum {
#define MECHANISM(name) MECHANISM_##name,
#include "gpu/mechanisms.def"
#undef MECHANISM
  MECHANISMS
};

#define OUTSIDE_MOST         8 /* mechanisms of plug-ins (gpu/outside.h), behind those of the tree */
#define MECHANISM_SPEC_BYTES 128
typedef struct {
  uint64_t at[MECHANISM_SPEC_BYTES / 8];
} mechanism_spec_t;

/* The machine's mechanisms; a mechanism's ports are theirs (wiring.h). */
typedef struct {
  void *state[MECHANISMS + OUTSIDE_MOST];
} mechanisms_t;

typedef struct {
  mechanisms_t *ports;
  const void *spec; /* what its options say */
} mechanism_t;

/* Message: what a mechanism outside the tree has sent itself. */
void outside_arrive(mechanisms_t *m, uint32_t id);
#endif
