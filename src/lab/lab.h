#ifndef GMMU_LAB_H
#define GMMU_LAB_H
/* Runs with memory: who wants a result asks for it; what is not in the store is noted as missing,
 * and all that is missing is then executed at once, in parallel. An experiment is therefore a plain
 * function that is evaluated again and again until nothing is missing:
 *
 *   do { lab_begin(lab); experiment(lab, ...); } while (lab_missing(lab) && lab_execute(lab) == 0);
 */
#include "gmmu/types.h"
#include "gpu/gpu.h"
#include "lab/metrics.h"
#include "lab/store.h"

#define LAB_TEXT_BYTES 192
#define LAB_SETS       16

/* Plain data: it is copied, compared and printed. */
typedef struct {
  char gpu[LAB_TEXT_BYTES], design[LAB_TEXT_BYTES]; /* presets or files */
  char app[GMMU_MAX_APPS][LAB_TEXT_BYTES];          /* as typed: "3ds:size=tiny", "gather" */
  uint32_t apps;
  uint32_t sms[GMMU_MAX_APPS];        /* of each; all 0: equal shares */
  char set[LAB_SETS][LAB_TEXT_BYTES]; /* "l2tlb.entries=64", behind the design */
  uint32_t sets;
  uint32_t kept; /* the first so many are the GPU's: a run without settings has them, too */
  gpu_limits_t limits;
} lab_run_t;

typedef enum {
  LAB_DONE,   /* text is the JSON of its statistics */
  LAB_FAILED, /* text tells why */
  LAB_ABSENT  /* this gmmu lacks the GPU, design, option or application; text names it */
} lab_status_t;

typedef struct lab lab_t;

typedef struct {
  lab_status_t status;
  const char *text;
  lab_t *lab;      /* whose it is; NULL: a test's own */
  const char *key; /* in the store; NULL: absent */
} lab_result_t;

/* store NULL: the user's own (store_default_path()). */
int lab_open(const char *store, store_mode_t mode, uint32_t parallel, lab_t **out, err_t *e);
/* One without a store, for who runs what others ask for. */
int lab_open_worker(lab_t **out, err_t *e);
void lab_close(lab_t *l);
const char *lab_store_path(const lab_t *l);
const store_t *lab_store(const lab_t *l); /* NULL: of NULL, and of a worker */

/* Which failures in the store are tried again: by default those of the host (STORE_LOST). */
typedef enum { LAB_RETRY_LOST, LAB_RETRY_ALL, LAB_RETRY_NONE } lab_retry_t;
void lab_set_retry(lab_t *l, lab_retry_t retry);
/* Results are wanted for their status alone: the text of a finished one is left empty. */
void lab_set_brief(lab_t *l, bool brief);
/* Who executes what is missing, in place of processes of this one (ranks.c, slurm.c). */
typedef int (*lab_execute_fn)(void *ctx, lab_t *l, const char *what, err_t *e);
void lab_set_execute(lab_t *l, lab_execute_fn execute, void *ctx);

/* Every run that is asked for is changed first; NULL: none is. */
typedef void (*lab_rewrite_fn)(void *ctx, lab_run_t *run);
void lab_set_rewrite(lab_t *l, lab_rewrite_fn rewrite, void *ctx);
/* Whether runs are asked for as they are; returns what it was. */
bool lab_as_is(lab_t *l, bool as_is);

void lab_begin(lab_t *l); /* a new pass: nothing is missing yet */
/* The result, valid until lab_forget() or lab_close() (of an absent one: until the next call), or
 * NULL: then it has been noted as missing, or the store failed (lab_error()). */
const lab_result_t *lab_run(lab_t *l, const lab_run_t *run);
/* Its key in the store; GMMU_OK, or why there is none. */
int lab_key(lab_t *l, const lab_run_t *run, char key[STORE_KEY_BYTES], err_t *e);
/* Results may be forgotten, and are read again when they are wanted again: memory stays bounded. */
void lab_forget(lab_t *l);
uint32_t lab_missing(const lab_t *l);
uint32_t lab_executed(const lab_t *l); /* runs that have ended since lab_open() */
uint32_t lab_found(const lab_t *l);    /* different runs that this pass asked for and got */
/* Estimates what the missing ones will take that no such run in the store tells of: runs a piece of
 * each, or of some if there are many. Those whose applications are not recorded stay without. */
int lab_estimate(lab_t *l, err_t *e);
/* What the missing ones will take on one processor; *unpriced are those nobody knows of. */
uint64_t lab_price_ms(const lab_t *l, uint32_t *unpriced);
/* What is there, what is missing, and how long that will take. */
typedef struct {
  uint32_t finished, missing, unpriced;     /* unpriced: of the missing, without an estimate */
  uint64_t parallel, processor_ms, seconds; /* of those with one */
} lab_outlook_t;
lab_outlook_t lab_outlook(const lab_t *l);
void lab_outlook_text(const lab_outlook_t *o, strbuf_t *out);
void lab_outlook_json(const lab_outlook_t *o, json_t *j); /* members of the object that is open */
const err_t *lab_error(const lab_t *l);                   /* NULL if all is well */

/* Makes the recordings that are missing, then the runs, the longest first. Each finished run is in
 * the store whatever happens next. GMMU_EINTERRUPTED after Ctrl-C. */
int lab_execute(lab_t *l, const char *what, err_t *e);

/* Builds every different machine of the missing runs, and tells of each that cannot be built.
 * Returns how many. */
/* One machine, with small applications: 0, or why it cannot be. */
int lab_try_machine(const lab_run_t *r, err_t *e);
uint32_t lab_check_machines(lab_t *l, void (*bad)(void *ctx, const char *label, const err_t *e),
                            void *ctx);

/* Puts into the store what was run elsewhere: `json` are its statistics. Of a program,
 * "-- ./program arguments", that was recorded elsewhere, its content is told before: the
 * recording's hash. */
int lab_keep(lab_t *l, const lab_run_t *run, const char *json, err_t *e);
int lab_tell_content(lab_t *l, const char *app, const char *content, err_t *e);

/* Beside the run, in the store: how well its applications share the GPU (share_json()). */
int lab_keep_sharing(lab_t *l, const lab_run_t *run, const char *json, err_t *e);

/* The machine of a run. */
int lab_spec(const lab_run_t *run, gpu_spec_t *spec, err_t *e);
/* The same, from memory if this GPU and design were asked for before: an oracle asks for hundreds
 * of runs of few machines. */
int lab_known_spec(lab_t *l, const lab_run_t *run, gpu_spec_t *spec, err_t *e);

/* A counter of a result; one it does not have is the laboratory's error. Of a failed run: 0. */
uint64_t lab_u64(const lab_result_t *r, const char *path);
/* Of complete executions of application `app`. */
ipc_t lab_ipc(const lab_result_t *r, uint32_t app);
/* Of all that the run had of it. */
ipc_t lab_window_ipc(const lab_result_t *r, uint32_t app);

/* The shell's line that repeats a run, as JSON. */
void lab_command(const lab_run_t *run, strbuf_t *out);

/* ---- runs as text, for those that happen elsewhere (lab_text.c) ---- */

/* Lines of "key value", the last one "end KEY". GMMU_EINVAL if a value has a line break. */
int lab_text_write(const lab_run_t *run, const char *key, strbuf_t *out, err_t *e);
/* Takes one run from *text and moves it behind; false with e->code 0 at the end of the text, else
 * *text is at the line that is wrong. */
bool lab_text_read(const char **text, lab_run_t *run, char key[STORE_KEY_BYTES], err_t *e);
#endif
