#ifndef GMMU_LAB_STUDY_H
#define GMMU_LAB_STUDY_H
/* A study: a YAML file of lists, and the grid that they span. Reading it says nothing about whether
 * a GPU, a design, an option or an application of such a name exists: the words keep their places,
 * so that whoever knows can say where the wrong one is. docs/studies.md is for its writers. */
#include "gmmu/err.h"
#include "gmmu/types.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STUDY_MAX_POINTS   20000 /* of the grid: some ten kilobytes of memory each */
#define STUDY_MAX_SETTINGS 16    /* of one run: `set` and a case together */

/* name, kind, help */
#define STUDY_KEYS(X)                                                                              \
  X(name, TEXT, "what the study is called (its file's name)")                                      \
  X(gpus, TEXTS, "presets or YAML files (maxwell)")                                                \
  X(designs, TEXTS, "presets or YAML files (sharedtlb)")                                           \
  X(workloads, TEXTS, "applications that run together: \"bfs2 + srad\"")                           \
  X(apps, TEXTS, "applications to combine: see `together`")                                        \
  X(together, NUMBERS, "every combination of so many of `apps` is a workload (1)")                 \
  X(sizes, TEXTS, "of the papers' applications: tiny, standard, large")                            \
  X(seeds, NUMBERS, "of the applications' and the generators' input")                              \
  X(split, TEXTS, "SMs of each application: equal, 10/20, oracle (equal)")                         \
  X(cycles, NUMBERS, "a run ends after so many core cycles (0: when all have finished once)")      \
  X(instructions, NUMBERS, "a run ends after so many warp instructions (0: no such limit)")        \
  X(min_cycles, NUMBERS, "a run goes on for so many cycles, whatever has finished (0)")            \
  X(relaunch, BOOL, "what has finished begins again while others run (true)")                      \
  X(speedup, BOOL, "each application also runs alone: weighted speed-up, unfairness (false)")      \
  X(baseline, TEXT, "the design under which it is alone (sharedtlb)")

typedef enum {
#define X(name_, kind_, help_) STUDY_##name_,
  STUDY_KEYS(X)
#undef X
      STUDY_KEY_COUNT
} study_key_t;

typedef struct {
  char *text;     /* owned */
  uint64_t value; /* of a number, or 0 and 1 */
  uint32_t line, column;
} study_word_t;

typedef struct {
  study_word_t *at; /* owned */
  uint32_t count, room;
} study_list_t;

/* An option and the values it takes one after the other. */
typedef struct {
  char *key; /* owned */
  uint32_t case_number;
  study_list_t values;
} study_option_t;

typedef struct {
  study_option_t *at; /* owned */
  uint32_t count, room;
} study_options_t;

typedef struct {
  uint32_t app[GMMU_MAX_APPS]; /* of study_t.app */
  uint32_t apps;
} study_workload_t;

typedef struct {
  char file[160];
  study_list_t list[STUDY_KEY_COUNT];
  study_options_t set;   /* each an axis of the grid */
  study_options_t cases; /* each with one value; those of a case go together */
  study_list_t case_name;
  study_list_t app;           /* of all workloads, each as written */
  study_workload_t *workload; /* owned */
  uint32_t workloads, workload_room;
} study_t;

/* The study belongs to the caller, who ends it with study_fini(), after an error too. Errors name
 * file, line, key and the nearest right one. */
int study_read(study_t *s, const char *name, const char *text, size_t size, err_t *e);
int study_read_file(study_t *s, const char *path, err_t *e);
void study_fini(study_t *s);

/* ---- the grid ---- */

/* One point. A word that is NULL was not given. */
typedef struct {
  const study_word_t *gpu, *design, *size, *seed, *split, *case_name;
  const study_word_t *app[GMMU_MAX_APPS];
  uint32_t apps;
  uint64_t cycles, instructions, min_cycles;
  struct {
    const char *key;
    const study_word_t *value;
  } set[STUDY_MAX_SETTINGS]; /* of the case first */
  uint32_t sets;
} study_point_t;

uint32_t study_points(const study_t *s);
void study_point(const study_t *s, uint32_t i, study_point_t *out);
bool study_flag(const study_t *s, study_key_t key, bool otherwise);
/* The text of a key with one value. */
const char *study_text(const study_t *s, study_key_t key, const char *otherwise);
/* An error at the word's place. */
int study_error_at(const study_t *s, const study_word_t *w, err_t *e);
#endif
