#ifndef GMMU_LAB_OWN_H
#define GMMU_LAB_OWN_H
/* The laboratory from inside, for the files that make it up: lab.c (asking), lab_identity.c (what a
 * run is), lab_execute.c (running), and the ways to run elsewhere (ranks.c, slurm.c). */
#include "base/json.h"
#include "lab/apps.h"
#include "lab/claims.h"
#include "lab/jobs.h"
#include "lab/lab.h"

#define LAB_CONTENTS 256         /* different applications that one process meets */
#define LAB_HELD     (64u << 20) /* bytes of results from which on lab_forget() forgets them */
#define LAB_MACHINES 64          /* different pairs of GPU and design that are kept */

typedef struct {
  char key[STORE_KEY_BYTES];
  uint32_t pass; /* that asked for it last */
  bool pending;  /* it is missing: there is no result */
  lab_result_t result;
  char *text; /* owned */
} known_t;

/* What a run's text (lab_text_write()) hashes to, and its key: the long way is gone once. */
typedef struct {
  char text[STORE_KEY_BYTES], key[STORE_KEY_BYTES];
} memo_t;

typedef struct {
  lab_run_t run; /* with its SMs filled in */
  char key[STORE_KEY_BYTES];
  char *identity; /* owned */
  char label[512], workload[512];
  uint64_t price_ms;
  bool again; /* the store has a failure of it, which does not count */
} missing_t;

typedef struct {
  char gpu[LAB_TEXT_BYTES], design[LAB_TEXT_BYTES];
  gpu_spec_t spec;
} lab_machine_t;

struct lab {
  store_t *store; /* NULL: a worker has none */
  char path[4096];
  claims_t *claims;
  lab_retry_t retry;
  bool brief; /* results are asked for, not what is in them; failures with their reasons */
  uint32_t parallel, pass, executed;
  size_t held_bytes;    /* of results in memory */
  known_t **known;      /* owned; NULL: a free place */
  uint32_t room, count; /* room is a power of two */
  memo_t *memo;         /* open-addressed; text[0] is 0 where it is free */
  uint32_t memo_room, memo_count;
  missing_t **missing; /* owned, each too */
  uint32_t missing_count, missing_room;
  struct {
    char app[LAB_TEXT_BYTES], content[LAB_TEXT_BYTES];
  } content[LAB_CONTENTS]; /* what an application's name stands for: hashed once */
  uint32_t contents;
  lab_machine_t *machine; /* [LAB_MACHINES], owned: presets are read once */
  uint32_t machines;
  lab_result_t absent;
  err_t absent_error, error;
  lab_rewrite_fn rewrite; /* or NULL */
  void *rewrite_ctx;
  bool as_is;             /* it is not asked */
  lab_execute_fn execute; /* NULL: here */
  void *execute_ctx;
};

/* ---- lab.c ---- */
/* Copies the text. NULL when memory ran out. */
known_t *lab_learn(lab_t *l, const char *key, lab_status_t status, const char *text);

/* ---- lab_identity.c ---- */
/* The machine; the SMs of `r` are filled in as gpu_new() would divide them; all that its result
 * depends on goes to j, without blanks. */
int lab_identify(lab_t *l, lab_run_t *r, json_t *j, err_t *e);
void lab_describe(missing_t *m);
/* JSON and the shell's line, for the store. */
void lab_row_texts(const lab_run_t *r, strbuf_t *apps, strbuf_t *sms, strbuf_t *settings,
                   strbuf_t *command);

/* ---- lab_execute.c ---- */
/* The machine of a run with its applications, before its first cycle. */
typedef struct {
  char name[GMMU_MAX_APPS][APP_NAME_BYTES];
  app_spec_t app[GMMU_MAX_APPS];
  uint32_t apps;
  gpu_t *gpu;
} lab_setup_t;
int lab_set_up(const lab_run_t *r, const gpu_spec_t *spec, lab_setup_t *s, err_t *e);
void lab_take_down(lab_setup_t *s);
/* Runs one, in a process of its own: *result is what lab_finished() takes. */
int lab_perform(const lab_run_t *r, strbuf_t *result, err_t *e);
/* Run number `job` has ended, with `result` or, if that is NULL, with *e: into the store. */
int lab_finished(lab_t *l, uint32_t job, const strbuf_t *result, err_t *e);
/* The failure *e of a run, into the store; one by Ctrl-C is none, and is returned. */
int lab_put_failed(lab_t *l, const missing_t *m, err_t *e);
/* Whether it may begin; who says JOB_GO has claimed it. */
job_ready_t lab_ready(lab_t *l, uint32_t job, err_t *e);
jobs_t lab_jobs(lab_t *l, const char *what, uint64_t *price);
#endif
