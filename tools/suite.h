#ifndef GMMU_SUITE_H
#define GMMU_SUITE_H
/* The papers' applications: CUDA programs of ours (kernels/), built with gmmu, each known by a
 * name. A run replays a recording; recordings are kept in the user's cache folder
 * ($XDG_CACHE_HOME/gmmu, ~/.cache/gmmu), one file for each program, size and seed, named after what
 * it depends on, so that a stale one is never found. */
#include "gmmu/err.h"
#include "gmmu/stream.h"
#include <stdbool.h>

enum { SUITE_MASK = 1, SUITE_NEIDTY = 2, SUITE_FGPU = 4, SUITE_TLB = 8 }; /* papers */

typedef struct {
  const char *name;       /* as typed */
  const char *program;    /* in the folder of programs */
  const char *mask_class; /* "H/L": L1 and L2 TLB miss rates in MASK's Table 2, or "" */
  const char *help;
  uint32_t papers;
} suite_app_t;
extern const suite_app_t suite_all[]; /* ends with a NULL name */

/* An application with its parameters: "bfs2", "bfs2:size=large,seed=3". */
typedef struct {
  const suite_app_t *app;
  const char *size; /* tiny, standard or large */
  uint64_t seed;
} suite_pick_t;

/* Whether the text names one of them (its parameters may be wrong). */
bool suite_knows(const char *text);
int suite_parse(const char *text, suite_pick_t *out, err_t *e);
/* The program, GMMU_ENOENT if this gmmu was built without it. */
int suite_program(const suite_app_t *a, char *path, size_t size, err_t *e);
/* Where its recording is, or would be; *cached tells which. */
int suite_recording(const suite_pick_t *p, char *path, size_t size, bool *cached, err_t *e);
/* Records it, if it is not cached. Shows progress on a terminal. */
int suite_record(const suite_pick_t *p, char *path, size_t size, err_t *e);
/* Ready to replay. */
int suite_open(const char *text, source_t **out, err_t *e);
/* For messages about names: the i-th, NULL behind the last. */
const char *suite_name(void *ctx, uint32_t i);
#endif
