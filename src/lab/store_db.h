#ifndef GMMU_LAB_STORE_DB_H
#define GMMU_LAB_STORE_DB_H
/* The store from inside, for the files of this room: store.c (opening, rows), query.c (questions),
 * whole.c (what is damaged), repair.c (what can be saved). */
#include "lab/store.h"
#include <limits.h>
#include <sqlite3.h>

#define STORE_UNHASHED 1 /* the last schema whose rows have no hash */

/* All columns of a row but its hash, in the order in which they are hashed; ROW_WITH() with another
 * expression for `sharing`. */
#define ROW_WITH(sharing)                                                                          \
  "key, status, model, label, workload, identity, error, result, gpu, design, apps, sms,"          \
  " settings, command, host, host_ms, " sharing ", attempts, finished"
#define ROW         ROW_WITH("sharing")
#define ROW_COLUMNS 19

/* Why a row is damaged, as SQL; NULL: it is whole. A row that an older gmmu wrote has no hash: it
 * is taken if it can be read at all. */
#define ROW_FAULT                                                                                  \
  "CASE WHEN hash = row_hash(" ROW ") THEN NULL"                                                   \
  " WHEN hash IS NOT '' THEN 'it differs from its hash'"                                           \
  " WHEN NOT rows_unhashed() THEN 'its hash is missing'"                                           \
  " WHEN coalesce(status IN ('done', 'failed', 'lost') AND json_valid(identity) AND"               \
  "  (result = '' OR json_valid(result)) AND json_valid(apps) AND json_valid(sms) AND"             \
  "  json_valid(settings) AND (sharing = '' OR json_valid(sharing)), 0) THEN NULL"                 \
  " ELSE 'what is in it cannot be read' END"

/* Statements that are asked again and again, prepared once. */
typedef enum { KEPT_ROW, KEPT_LAST_PRICE, KEPT_MEAN_PRICE, KEPT_STATEMENTS } kept_t;

struct store {
  sqlite3 *db; /* NULL: nothing to read */
  char path[PATH_MAX];
  bool reads;       /* nothing may be written to the file */
  uint64_t version; /* of the file's schema */
  char select[600]; /* every row with all columns, whatever schema it has; its hash is the last */
  bool complete;    /* the file has all columns */
  bool copies;      /* queries see a copy: an index of the file is damaged */
  store_damage_t *bad; /* owned, each key too */
  uint32_t bad_count, bad_room;
  bool viewed, copied; /* queries have their views; `run` is a copy for them */
  sqlite3_stmt *kept[KEPT_STATEMENTS];
  bool stale;           /* the views are to be made again */
  char *seen;           /* owned by SQLite: what they see; NULL: all */
  bool compared;        /* all rows with their hashes, when these were the changes */
  int compared_changes; /* of this connection, and of others */
  uint64_t compared_version, damaged;
};

/* ---- store.c ---- */
/* What SQLite says is wrong, as users understand it; returns e's code. */
int store_fail(const store_t *s, err_t *e);
int store_refuse(const store_t *s, err_t *e, const char *why);
int store_execute(store_t *s, const char *sql, err_t *e);
/* A statement with texts bound to ?1, ?2, ...; NULL on an error. */
sqlite3_stmt *store_prepare(store_t *s, const char *sql, const char *const text[], int count);
/* The number in the first column of the first row; *found: it is there and not NULL. */
int store_number(store_t *s, const char *sql, const char *text, uint64_t *out, bool *found,
                 err_t *e);
/* What users read, and what can be known of rows from before its columns: SQL. */
extern const char store_views[], store_fill_added[];

/* ---- whole.c ---- */
/* Makes row_hash() and rows_unhashed() known to the connection. */
int whole_init(store_t *s, err_t *e);
/* The row of this key is damaged. What is noted is noted once. */
int whole_note(store_t *s, const char *key, const char *why, err_t *e);
/* PRAGMA `check` ("integrity_check", "quick_check"): *ok, else the first `size` bytes of what
 * SQLite says. */
int whole_check(store_t *s, const char *check, bool *ok, char *said, size_t size, err_t *e);
/* Notes every damaged row, and counts them. */
int whole_scan(store_t *s, uint64_t *damaged, err_t *e);
#endif
