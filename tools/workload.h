#ifndef GMMU_WORKLOAD_H
#define GMMU_WORKLOAD_H
/* What is to be run, as it is typed: applications, then programs behind "--". A program is started
 * once and recorded; every machine replays the recording. */
#include "cli.h"
#include "lab/apps.h"
#include "lab/recording.h"
#include "programs.h"
#include <limits.h>

typedef struct {
  const char *app[GMMU_MAX_APPS]; /* as typed, or with `input`: own[] */
  char *own[GMMU_MAX_APPS];
  const char *input; /* --input: the file of graph applications that name none; NULL: not given */
  char name[GMMU_MAX_APPS][APP_NAME_BYTES];
  uint32_t apps;
  programs_t programs;                /* the last of the applications */
  recording_t recording[PROGRAM_MAX]; /* of each, once it is made */
  uint32_t recordings;
  char library[PATH_MAX];
  host_end_t end[GMMU_MAX_APPS]; /* of programs; zero of what has not ended, or is none */
  ptx_bounds_t bounds;
  bool quiet; /* the standard output is taken: what programs print goes to stderr */
} workload_t;

#define WORKLOAD_INPUT_HELP "a graph or matrix of yours, for graph applications (docs/workloads.md)"
/* While arguments are read: first the split at "--", then each argument, then the programs, and
 * what
 * --input names goes to the applications. All return a status. */
int workload_split(workload_t *w, const cli_t *c);
int workload_take(workload_t *w, const cli_t *c);
int workload_take_programs(workload_t *w, const cli_t *c);
#define WORKLOAD_MISSING                                                                           \
  "no application given: name one (`gmmu list apps`), a generator (`gmmu list generators`), a "    \
  ".gmt file, a .ptx file with its launch (docs/ptx.md), or a program: -- ./program arguments"
void workload_name(workload_t *w); /* after the last: fills name[] */
void workload_fini(workload_t *w);

/* NULL if application `a` is no program. */
char **workload_program(const workload_t *w, uint32_t a);
/* How program `a` is started on that GPU. */
int workload_prepare(workload_t *w, uint32_t a, const gpu_spec_t *gpu, const char *gpu_name,
                     host_spec_t *host, err_t *e);
/* Looks into the files, imports those that are traces, and says what does not carry over to the
 * GPU. A status. */
int workload_files(const workload_t *w, const gpu_spec_t *gpu, const char *gpu_name);
/* Starts and records each program, after a look whether the other applications are there. A status;
 * what a recording cannot know is said. */
int workload_record(workload_t *w, const gpu_spec_t *gpu, const char *gpu_name);
/* Before a program is started for nothing: whether the machine can be built, with something small
 * in place of every application, on so many SMs (0: equal shares). */
int workload_try(const workload_t *w, const gpu_spec_t *gpu, const uint32_t sms[GMMU_MAX_APPS],
                 err_t *e);
/* Application `a` as a source, which the caller frees; of a program: its recording. */
int workload_open(const workload_t *w, uint32_t a, source_t **out, err_t *e);
/* Below the tables: what became of the programs. Returns `status`, or theirs if that is well. */
int workload_say_ends(const workload_t *w, int status);
#endif
