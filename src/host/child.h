#ifndef GMMU_HOST_CHILD_H
#define GMMU_HOST_CHILD_H
/* A program in a process of its own, and the line to it. Whoever waits for it hears when it has
 * ended and when the user wants to stop. */
#include "gmmu/err.h"
#include <stdbool.h>
#include <stddef.h>

typedef struct child child_t;

typedef struct {
  char *const *argv;         /* the program and its arguments, up to NULL */
  const char *library_dir;   /* searched for shared libraries before all others; may be NULL */
  int in_fd, out_fd, err_fd; /* its standard descriptors; -1: ours */
  int memory_fd;             /* of device memory: inherited */
  bool (*stop)(void *ctx);   /* whether to give up waiting; may be NULL */
  void *stop_ctx;
} child_spec_t;

/* Starts it. The strings must outlive the call only. On success the caller owns *out. */
int child_start(const child_spec_t *spec, child_t **out, err_t *e);
void child_free(child_t *c); /* ends it if it still runs; NULL is allowed */

/* Exactly `size` bytes: 1, or 0 if the program closed its end or ended before that, or
 * GMMU_EINTERRUPTED. */
int child_read(child_t *c, void *to, size_t size, err_t *e);
int child_write(child_t *c, const void *from, size_t size, err_t *e);

/* Waits until it has ended. *status is its exit status, 128 + n for signal n. */
int child_wait(child_t *c, int *status, err_t *e);
#endif
