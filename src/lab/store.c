/* One connection and its prepared statements. The schema's number is SQLite's user_version, and its
 * application_id tells our files from others'; both are written in the transaction that makes the
 * table. A store opened for reading where there is no file has no connection at all. */
#include "lab/store.h"
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define APPLICATION_ID 0x676d6d75 /* "gmmu" */
#define BUSY_MS        60000      /* a writer of another process is done long before */

struct store {
  sqlite3 *db; /* NULL: nothing to read */
  char path[PATH_MAX];
};

/* ---- errors ---------------------------------------------------------------------------------- */

static const char *reason(sqlite3 *db) {
  switch (sqlite3_errcode(db) & 0xff) {
  case SQLITE_NOTADB: return "it is no results store, or it is damaged";
  case SQLITE_CORRUPT: return "the results store is damaged; move it away to begin a new one";
  case SQLITE_FULL: return "the disk is full; what was finished before is kept";
  case SQLITE_READONLY: return "the results store may not be written; --store names another";
  case SQLITE_CANTOPEN:
    return "the results store cannot be opened or made there; --store names another";
  case SQLITE_BUSY: return "the results store is in use by another program for too long";
  default: return sqlite3_errmsg(db);
  }
}

static int store_error(const store_t *s, err_t *e) {
  err_set(e, GMMU_EIO, "%s", s->db ? reason(s->db) : "out of memory");
  return err_in_file(e, s->path, 0, 0);
}

static int refuse(const store_t *s, err_t *e, const char *why) {
  err_set(e, GMMU_EFORMAT, "%s", why);
  return err_in_file(e, s->path, 0, 0);
}

/* ---- statements ------------------------------------------------------------------------------ */

static int execute(store_t *s, const char *sql, err_t *e) {
  return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK ? GMMU_OK : store_error(s, e);
}

/* A statement with texts bound to ?1, ?2, ...; NULL on an error. */
static sqlite3_stmt *prepare(store_t *s, const char *sql, const char *const text[], int count) {
  sqlite3_stmt *q = NULL;
  if (sqlite3_prepare_v2(s->db, sql, -1, &q, NULL) != SQLITE_OK) return NULL;
  for (int i = 0; i < count; i++)
    sqlite3_bind_text(q, i + 1, text[i] ? text[i] : "", -1, SQLITE_STATIC);
  return q;
}

/* The number in the first column of the first row; *found tells whether it is there and not NULL.
 */
static int query_number(store_t *s, const char *sql, const char *text, uint64_t *out, bool *found,
                        err_t *e) {
  sqlite3_stmt *q = prepare(s, sql, &text, text ? 1 : 0);
  int step = q ? sqlite3_step(q) : SQLITE_ERROR;
  *found = step == SQLITE_ROW && sqlite3_column_type(q, 0) != SQLITE_NULL;
  if (*found) *out = (uint64_t)sqlite3_column_int64(q, 0);
  int rc = step == SQLITE_ROW || step == SQLITE_DONE ? GMMU_OK : store_error(s, e);
  sqlite3_finalize(q);
  return rc;
}

/* ---- opening --------------------------------------------------------------------------------- */

static int make_folders(const char *path, err_t *e) {
  char part[PATH_MAX];
  for (const char *p = strchr(path + 1, '/'); p; p = strchr(p + 1, '/')) {
    snprintf(part, sizeof part, "%.*s", (int)(p - path), path);
    if (mkdir(part, 0777) == 0 || errno == EEXIST) continue;
    if (access(part, F_OK) == 0) continue; /* a folder above which nothing may be made */
    err_set(e, GMMU_EIO, "%s", strerror(errno));
    return err_in_file(e, part, 0, 0);
  }
  return GMMU_OK;
}

/* `label` serves prices, which outlive a model; the key covers everything. */
static const char schema[] =
    "BEGIN IMMEDIATE;"
    "CREATE TABLE IF NOT EXISTS run(key TEXT PRIMARY KEY NOT NULL, status TEXT NOT NULL,"
    " model TEXT NOT NULL, label TEXT NOT NULL, workload TEXT NOT NULL, identity TEXT NOT NULL,"
    " result TEXT NOT NULL, error TEXT NOT NULL, host_ms INTEGER NOT NULL,"
    " finished TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP) WITHOUT ROWID;"
    "CREATE INDEX IF NOT EXISTS run_label ON run(label);"
    "CREATE INDEX IF NOT EXISTS run_workload ON run(workload);";

static int make_schema(store_t *s, err_t *e) {
  char more[160];
  snprintf(more, sizeof more, "PRAGMA application_id=%d; PRAGMA user_version=%d; COMMIT",
           APPLICATION_ID, STORE_SCHEMA);
  int rc = execute(s, schema, e);
  if (rc == 0) rc = execute(s, more, e);
  if (rc < 0) sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
  return rc;
}

static int check_schema(store_t *s, store_mode_t mode, err_t *e) {
  uint64_t version = 0, id = 0, tables = 0;
  bool found;
  int rc = query_number(s, "PRAGMA user_version", NULL, &version, &found, e);
  if (rc == 0) rc = query_number(s, "PRAGMA application_id", NULL, &id, &found, e);
  if (rc == 0) rc = query_number(s, "SELECT count(*) FROM sqlite_master", NULL, &tables, &found, e);
  if (rc < 0) return rc;
  if (!tables && !version && mode == STORE_WRITE) return make_schema(s, e);
  if (!tables && !version) { /* an empty file: as if there were none */
    sqlite3_close(s->db);
    s->db = NULL;
    return GMMU_OK;
  }
  if (id != APPLICATION_ID) return refuse(s, e, "this is another program's SQLite file");
  if (version == STORE_SCHEMA) return GMMU_OK;
  char why[120];
  snprintf(why, sizeof why,
           "written by a %s gmmu (schema %" PRIu64 ", this one knows %d); --store names another",
           version > STORE_SCHEMA ? "newer" : "much older", version, STORE_SCHEMA);
  return refuse(s, e, why);
}

static int connect(store_t *s, store_mode_t mode, err_t *e) {
  int flags =
      mode == STORE_WRITE ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
  if (sqlite3_open_v2(s->path, &s->db, flags, NULL) != SQLITE_OK) return store_error(s, e);
  sqlite3_busy_timeout(s->db, BUSY_MS);
  if (mode == STORE_WRITE && sqlite3_db_readonly(s->db, "main") == 1) {
    err_set(e, GMMU_EIO, "the results store may not be written; --store names another");
    return err_in_file(e, s->path, 0, 0);
  }
  return check_schema(s, mode, e);
}

int store_open(const char *path, store_mode_t mode, store_t **out, err_t *e) {
  store_t *s = calloc(1, sizeof *s);
  int rc = GMMU_OK;
  *out = NULL;
  if (!s) return err_set(e, GMMU_ENOMEM, "out of memory");
  if ((size_t)snprintf(s->path, sizeof s->path, "%s", path) >= sizeof s->path)
    rc = err_set(e, GMMU_EINVAL, "the path of the results store is too long");
  if (rc == 0 && mode == STORE_WRITE) rc = make_folders(path, e);
  if (rc == 0 && (mode == STORE_WRITE || access(path, F_OK) == 0)) rc = connect(s, mode, e);
  if (rc < 0)
    store_close(s);
  else
    *out = s;
  return rc;
}

void store_close(store_t *s) {
  if (!s) return;
  sqlite3_close(s->db);
  free(s);
}

int store_default_path(char *path, size_t size, err_t *e) {
  const char *base = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
  int n;
  if (base && *base == '/')
    n = snprintf(path, size, "%s/gmmu/results.db", base);
  else if (home && *home)
    n = snprintf(path, size, "%s/.local/share/gmmu/results.db", home);
  else
    return err_set(e, GMMU_EIO, "no folder for results: set XDG_DATA_HOME or HOME, or --store");
  return n > 0 && (size_t)n < size ? GMMU_OK
                                   : err_set(e, GMMU_EINVAL, "the results' path is too long");
}

/* ---- rows ------------------------------------------------------------------------------------ */

int store_put(store_t *s, const store_row_t *row, err_t *e) {
  const char *const text[] = {row->key,      row->status == STORE_DONE ? "done" : "failed",
                              row->model,    row->label,
                              row->workload, row->identity,
                              row->error,    row->result};
  /* json() leaves out the blanks, and refuses what is no JSON */
  sqlite3_stmt *q = prepare(s,
                            "INSERT OR REPLACE INTO run(key, status, model, label, workload,"
                            " identity, error, result, host_ms) VALUES(?1, ?2, ?3, ?4, ?5,"
                            " json(?6), ?7, CASE ?8 WHEN '' THEN '' ELSE json(?8) END, ?9)",
                            text, 8);
  if (q) sqlite3_bind_int64(q, 9, (sqlite3_int64)row->host_ms);
  int rc = q && sqlite3_step(q) == SQLITE_DONE ? GMMU_OK : store_error(s, e);
  sqlite3_finalize(q);
  return rc;
}

int store_get(store_t *s, const char *key, store_status_t *status, strbuf_t *text, err_t *e) {
  *status = STORE_NONE;
  strbuf_clear(text);
  if (!s->db) return GMMU_OK;
  sqlite3_stmt *q =
      prepare(s, "SELECT status, result, error FROM run WHERE key = ?1", (const char *[]){key}, 1);
  int step = q ? sqlite3_step(q) : SQLITE_ERROR, rc = GMMU_OK;
  if (step == SQLITE_ROW) {
    bool done = strcmp((const char *)sqlite3_column_text(q, 0), "done") == 0;
    *status = done ? STORE_DONE : STORE_FAILED;
    const unsigned char *found = sqlite3_column_text(q, done ? 1 : 2);
    strbuf_str(text, found ? (const char *)found : "");
  } else if (step != SQLITE_DONE) {
    rc = store_error(s, e);
  }
  sqlite3_finalize(q);
  return rc;
}

int store_price(store_t *s, const char *label, const char *workload, uint64_t *host_ms, err_t *e) {
  static const char *const sql[] = {
      "SELECT host_ms FROM run WHERE label = ?1 AND status = 'done' ORDER BY finished DESC LIMIT 1",
      "SELECT cast(avg(host_ms) AS INTEGER) FROM run WHERE workload = ?1 AND status = 'done'",
      "SELECT cast(avg(host_ms) AS INTEGER) FROM run WHERE status = 'done'"};
  const char *const text[] = {label, workload, NULL};
  bool found = false;
  *host_ms = 0;
  if (!s->db) return GMMU_OK;
  for (int i = 0; i < 3 && !found; i++) {
    int rc = query_number(s, sql[i], text[i], host_ms, &found, e);
    if (rc < 0) return rc;
  }
  return GMMU_OK;
}
