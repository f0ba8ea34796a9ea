#ifndef GMMU_FRONT_H
#define GMMU_FRONT_H
/* Front ends: what an application may be when it is typed. Each is one row, and the first that
 * recognises the text has it; commands, studies and reproductions find all of them here. */
#include "gmmu/stream.h"
#include "gpu/spec.h"
#include <stdbool.h>
#include <stddef.h>

/* Where an application runs: what a program is told of the GPU. */
typedef struct {
  const gpu_spec_t *spec;
  const char *gpu;    /* its name */
  uint32_t app, apps; /* which of how many it is */
} front_machine_t;

typedef struct {
  const char *name, *help; /* help: what is typed */
  bool (*recognises)(const char *text);
  /* On success the caller owns *out and ends it with (*out)->ops->free(). */
  int (*open)(const char *text, source_t **out, err_t *e);
  /* open() for a source that runs live and asks about its machine. NULL: open() has all it needs.
   */
  int (*open_on)(const char *text, const front_machine_t *m, source_t **out, err_t *e);
  /* What a result depends on beside the text and the machine: a hash, a version. */
  int (*identity)(const char *text, char *out, size_t size, err_t *e);
  /* Whether open() would find it, without running anything. NULL: ask open(). */
  int (*check)(const char *text, err_t *e);
  /* Of a program that is recorded before it runs: the place of its recording, and how to make it.
   * NULL: it needs none. */
  int (*recording)(const char *text, char *path, size_t size, bool *cached, err_t *e);
  int (*record)(const char *text, char *path, size_t size, err_t *e);
  bool one_by_one; /* no two are recorded at once: they may read and write what they like */
} front_t;
extern const front_t front_own, front_suite, front_ptx, front_traces, front_gmt, front_operators,
    front_probing, front_parts, front_reuse, front_gen;
extern const front_t *const front_all[]; /* ends with NULL; the last one recognises everything */

int front_readable(const char *text, err_t *e); /* a check() of what is one file */
const front_t *front_of(const char *text);
/* The identity of what is recorded: the recording's name, which has the hash of all it depends on.
 */
int front_recording_identity(const front_t *f, const char *text, char *out, size_t size, err_t *e);
#endif
