#ifndef GMMU_HOST_CHILD_H
#define GMMU_HOST_CHILD_H
/* A program in a process of its own, and the line to it. Whoever waits for it hears when it has
 * ended and when the user wants to stop. What the program itself starts never outlives it by more
 * than a second. */
#include "gmmu/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct child child_t;

typedef struct {
  char *const *argv;       /* the program and its arguments, up to NULL */
  const char *library_dir; /* searched for shared libraries before all others; may be NULL */
  int out_fd;              /* its standard output; -1: ours */
  int memory_fd;           /* of device memory: inherited */
  bool (*stop)(void *ctx); /* whether to give up waiting; may be NULL */
  void *stop_ctx;
} child_spec_t;

/* Starts it. The strings must outlive the call only. On success the caller owns *out. */
int child_start(const child_spec_t *spec, child_t **out, err_t *e);
/* Ends it, and everything it has started, unless it ends by itself within that time: then its
 * status, else -1. */
int child_end(child_t *c, uint32_t patience_ms);
void child_free(child_t *c); /* ends it, too, at once; NULL is allowed */

#define CHILD_CUT 2 /* it ended, or closed its end, in the middle of a message or of an answer */

/* Exactly `size` bytes: 1; 0 if the program ended or closed its end before the first byte of a
 * message; CHILD_CUT; GMMU_EINTERRUPTED. `begun`: these are not the first bytes of their message.
 */
int child_read(child_t *c, void *to, size_t size, bool begun, err_t *e);
/* 1, CHILD_CUT or GMMU_EINTERRUPTED. */
int child_write(child_t *c, const void *from, size_t size, err_t *e);

/* Whether the process that asked last has ended, or all of the program: nobody waits for an answer.
 */
bool child_gone(child_t *c);
/* Waits until it has ended. *status is its exit status, 128 + n for signal n. */
int child_wait(child_t *c, int *status, err_t *e);
#endif
