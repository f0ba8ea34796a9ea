#ifndef GMMU_SUITE_H
#define GMMU_SUITE_H
/* The papers' applications, and larger ones: CUDA programs of ours (kernels/), built with gmmu,
 * each known by a name. A run replays a recording; recordings are kept in the user's cache folder
 * ($XDG_CACHE_HOME/gmmu, ~/.cache/gmmu), one file for each program, size and seed, named after what
 * it depends on, so that a stale one is never found. */
#include "gmmu/err.h"
#include "gmmu/stream.h"
#include <stdbool.h>

enum { SUITE_MASK = 1, SUITE_NEIDTY = 2, SUITE_FGPU = 4, SUITE_TLB = 8 }; /* papers */
enum { SUITE_SCALED = 16, SUITE_GRAPH = 32 }; /* no paper's: sized by footprint; of graphs */

typedef struct {
  const char *name;       /* as typed */
  const char *program;    /* in the folder of programs */
  const char *mask_class; /* "H/L": L1 and L2 TLB miss rates in MASK's Table 2, or "" */
  const char *help;
  uint32_t papers;
} suite_app_t;
extern const suite_app_t suite_all[]; /* ends with a NULL name */

#define SUITE_TEXT 256

/* An application with its parameters: "bfs2", "bfs2:size=large,seed=3", "bfs:size=2G,graph=kron".
 */
typedef struct {
  const suite_app_t *app;
  char size[24]; /* tiny, standard, large, or bytes as text */
  uint64_t seed;
  uint64_t work;          /* SUITE_SCALED and SUITE_GRAPH; UINT64_MAX: the application's own */
  const char *graph;      /* SUITE_GRAPH: uniform or kron */
  char input[SUITE_TEXT]; /* SUITE_GRAPH: a file; "": none */
} suite_pick_t;
/* Whether its size is a footprint. */
static inline bool suite_scaled(const suite_app_t *a) {
  return a->papers & (SUITE_SCALED | SUITE_GRAPH);
}

/* Whether the text names one of them (its parameters may be wrong). */
bool suite_knows(const char *text);
int suite_parse(const char *text, suite_pick_t *out, err_t *e);
/* The program, GMMU_ENOENT if this gmmu was built without it. */
int suite_program(const suite_app_t *a, char *path, size_t size, err_t *e);
/* Where its recording is, or would be; *cached tells which. */
int suite_recording(const suite_pick_t *p, char *path, size_t size, bool *cached, err_t *e);
/* Records it, if it is not cached. Shows progress on a terminal. */
int suite_record(const suite_pick_t *p, char *path, size_t size, err_t *e);
/* For messages about names: the i-th, NULL behind the last. */
const char *suite_name(void *ctx, uint32_t i);

/* The cache folder, made if it is not there; and `gmmu record` in a process of its own, with these
 * words, whose output is dropped: `name` is what it records, to `path`. */
int suite_cache_folder(char *path, size_t size, err_t *e);
int suite_record_as(char *const argv[], const char *path, const char *name, err_t *e);
#endif
