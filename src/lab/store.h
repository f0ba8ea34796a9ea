#ifndef GMMU_LAB_STORE_H
#define GMMU_LAB_STORE_H
/* The results store: one SQLite file, one row per finished run. A row's key is the hash of all that
 * its result depends on (store_key()), so a row never goes stale: it is found or it is not.
 *
 * Each row is one transaction, and SQLite's journal makes that safe against kill -9 and against
 * other processes on the same file. `result` and `identity` are JSON: SQLite's json_extract() reads
 * them. docs/data.md explains every column, and the views over them that users read.
 *
 * Every row has a hash of all its columns. A row that differs from its hash is damaged: it counts
 * as missing for whoever reads, is left out of queries, and is named by store_damaged(). */
#include "base/strbuf.h"
#include "gmmu/err.h"
#include <stdbool.h>
#include <stdint.h>

#define STORE_SCHEMA                                                                               \
  2 /* counts changes that an older gmmu cannot live with: 2 since rows have a hash */
#define STORE_KEY_BYTES 33 /* 128 bits in hexadecimal, NUL */

typedef struct store store_t;

typedef enum {
  STORE_WRITE, /* made if it is not there, with its folders; one of an older gmmu gets what is new
                */
  STORE_READ,  /* a file that is not there is an empty store; nothing is written */
  STORE_SAVE   /* as STORE_READ, but a damaged one is opened, too: for store_check() and
                  store_repair() */
} store_mode_t;

/* Errors say what to do: a newer schema, another program's file, a damaged one, a folder that may
 * not be written. A file that SQLite calls malformed is refused before a byte of it is written: all
 * of it is read for that (a second for 900 MB). Returns GMMU_OK with *out filled. */
int store_open(const char *path, store_mode_t mode, store_t **out, err_t *e);
void store_close(store_t *s);
/* $XDG_DATA_HOME/gmmu/results.db, else ~/.local/share/gmmu/results.db. */
int store_default_path(char *path, size_t size, err_t *e);

typedef enum {
  STORE_NONE,
  STORE_DONE,
  STORE_FAILED, /* the machine fails so: again, too */
  STORE_LOST    /* a failure of the host (killed, no memory, no disk) that may not come again */
} store_status_t;

/* Texts are NUL-terminated; a NULL one is stored as an empty one. */
typedef struct {
  const char *key;
  store_status_t status;
  const char *identity; /* JSON: what was hashed; stored without blanks between tokens */
  const char *model;    /* version of the model */
  const char *label;    /* what it was in a line: run again under another model it is the same */
  const char *workload; /* the applications alone: what its price depends on most */
  const char *gpu, *design;
  const char *apps, *sms; /* JSON arrays: as typed; SMs of each */
  const char *settings;   /* JSON object: what was set beside GPU and design */
  const char *command;    /* a line for the shell that makes the same numbers */
  const char *result;     /* JSON; empty if it failed */
  const char *error;      /* why it failed */
  const char *host;       /* whose processor */
  uint64_t host_ms;       /* what it cost */
} store_row_t;

/* Adds the row, or replaces the one of the same key, of which the number of attempts is kept. A
 * failure does not replace a result: another process has it. */
int store_put(store_t *s, const store_row_t *row, err_t *e);
/* What is known of a key: *status, and the result or the error in *text (cleared first), unless
 * that is NULL. */
int store_get(store_t *s, const char *key, store_status_t *status, strbuf_t *text, err_t *e);
/* How well its applications share the GPU, as JSON; nothing happens if there is no such run. */
int store_put_sharing(store_t *s, const char *key, const char *sharing, err_t *e);
/* Every run of the store at `path` comes into this one, as by store_put(), in one transaction. */
int store_merge(store_t *s, const char *path, uint64_t *rows, err_t *e);
/* What such a run cost last: the same label, else the mean of its workload. 0: not known. */
int store_price(store_t *s, const char *label, const char *workload, uint64_t *host_ms, err_t *e);

/* ---- damage ---- */

typedef struct {
  char key[STORE_KEY_BYTES]; /* printable; empty: the file is meant */
  char why[160];
} store_damage_t;

/* What has been met so far that is damaged: rows that were asked for by key, or all of them after a
 * query or store_check(). The list is valid until the next call. */
uint32_t store_damaged(const store_t *s, const store_damage_t **list);

typedef struct {
  bool malformed;          /* SQLite says so: sweeps refuse it */
  uint64_t whole, damaged; /* rows; of a malformed one those that can be read */
  uint64_t unhashed;       /* of the whole ones: of an older gmmu, taken as they are */
} store_health_t;

/* Asked now and then by what takes long; true: GMMU_EINTERRUPTED, and nothing has happened. */
typedef bool (*store_stop_fn)(void);

/* Reads every row that can be read. `stop` may be NULL. */
int store_check(store_t *s, store_stop_fn stop, store_health_t *out, err_t *e);
/* Replaces the store, in one step, by one of its whole rows; the old file is then called `backup`.
 * GMMU_EIO if a run is under way for it. `s` was opened with STORE_SAVE, and can only be closed
 * then. */
int store_repair(store_t *s, store_stop_fn stop, store_health_t *out, char backup[], size_t size,
                 err_t *e);

/* ---- queries ---- */

typedef enum { STORE_NULL, STORE_NUMBER, STORE_TEXT, STORE_JSON } store_type_t;

/* Called for every value of a row, from column 0 to `columns` - 1. A negative result, with *e
 * filled, ends the query. */
typedef struct {
  uint32_t column, columns;
  const char *name;
  store_type_t type;
  const char *text; /* numbers as SQLite prints them */
} store_value_t;
typedef int (*store_value_fn)(void *ctx, const store_value_t *v, err_t *e);

/* One SELECT with texts bound to ?1, ?2, ...; anything that could write is refused. It sees whole
 * rows only; store_damaged() names the others. `on_head` (may be NULL) hears the columns' names
 * first, with no text. */
int store_query(store_t *s, const char *sql, const char *const texts[], uint32_t count,
                store_value_fn on_head, store_value_fn on_value, void *ctx, err_t *e);

/* Versions of the model whose runs are in the store, the newest first: versions that are numbers
 * before the hashes of older gmmus, a greater number before a smaller one, hashes by when their
 * last run finished. One column, `version`. */
extern const char store_models_sql[];
/* From now on queries of this store see runs of this version alone, in every table and view. */
int store_see_model(store_t *s, const char *version, err_t *e);

/* The key of an identity: of these very bytes. With blanks it is not that of what is stored. */
void store_key(const char *identity, char key[STORE_KEY_BYTES]);
#endif
