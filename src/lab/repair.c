/* Reading what can be read of a store, and making a good one of it.
 *
 * Rows are read in the order of their keys. Where SQLite cannot go on, a page of the tree is
 * damaged, and the rows below other pages are reached by asking for them: the range of keys is
 * divided by the next hexadecimal digit of the key, up to DIGITS of them, and each part is read
 * from both ends. A row may be met several times and is taken once: the table that takes them knows
 * its keys. */
#include "lab/claims.h"
#include "lab/store_db.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DIGITS    3
#define STOP_ROWS 256  /* between two questions whether to stop */
#define BACKUPS   1000 /* so many may lie beside a store */
#define ROW_BYTES 16   /* of the file, at least, for a row: what keeps a tree with a loop finite */

enum { READS = 4 };

typedef struct {
  store_t *s;
  store_stop_fn stop;
  store_health_t *out;
  sqlite3_stmt *read[READS]; /* all rows and those of a range, upwards and downwards */
  sqlite3 *to;               /* the connection of `take` */
  sqlite3_stmt *take;        /* what is done with a whole row: values bound as ROW, then the hash */
  sqlite3_stmt *seen;        /* whether a damaged one is new */
  uint64_t rows, limit;
} saving_t;

/* ---- reading --------------------------------------------------------------------------------- */

static bool stops(saving_t *v) { return v->stop && v->rows % STOP_ROWS == 0 && v->stop(); }

/* Steps a statement of `db` that adds a row or not; *added. */
static int add(sqlite3 *db, sqlite3_stmt *q, bool *added, err_t *e) {
  bool done = sqlite3_step(q) == SQLITE_DONE;
  *added = done && sqlite3_changes(db) > 0;
  int rc = done ? GMMU_OK : err_set(e, GMMU_EIO, "what is saved: %s", sqlite3_errmsg(db));
  sqlite3_reset(q);
  return rc;
}

/* Columns of `q`: why, ROW, hash. */
static int take_row(saving_t *v, sqlite3_stmt *q, err_t *e) {
  const char *why = (const char *)sqlite3_column_text(q, 0);
  bool added, unhashed = sqlite3_column_bytes(q, ROW_COLUMNS + 1) == 0;
  int rc;
  if (why) {
    sqlite3_bind_value(v->seen, 1, sqlite3_column_value(q, 1));
    rc = add(v->to, v->seen, &added, e);
    v->out->damaged += added;
    return rc == 0 ? whole_note(v->s, (const char *)sqlite3_column_text(q, 1), why, e) : rc;
  }
  for (int i = 0; i <= ROW_COLUMNS; i++)
    sqlite3_bind_value(v->take, i + 1, sqlite3_column_value(q, i + 1));
  rc = add(v->to, v->take, &added, e);
  v->out->whole += added;
  v->out->unhashed += added && unhashed;
  return rc;
}

/* The rows of [from, to), both NULL: all, in either order. *whole: SQLite came to their end. */
static int read_range(saving_t *v, const char *from, const char *to, bool down, bool *whole,
                      err_t *e) {
  sqlite3_stmt *q = v->read[from ? 2 + down : down];
  int step, rc = GMMU_OK;
  if (from) sqlite3_bind_text(q, 1, from, -1, SQLITE_STATIC);
  if (from) sqlite3_bind_text(q, 2, to, -1, SQLITE_STATIC);
  while ((step = sqlite3_step(q)) == SQLITE_ROW && rc == 0 && v->rows < v->limit) {
    v->rows++;
    rc = stops(v) ? err_set(e, GMMU_EINTERRUPTED, "interrupted") : take_row(v, q, e);
  }
  *whole = step == SQLITE_DONE;
  if (step == SQLITE_NOMEM || step == SQLITE_BUSY) rc = store_fail(v->s, e);
  sqlite3_reset(q);
  return rc;
}

static int read_parts(saving_t *v, const char *prefix, err_t *e);

static int read_part(saving_t *v, const char *prefix, err_t *e) {
  char to[DIGITS + 2];
  bool whole;
  snprintf(to, sizeof to, "%s", prefix);
  to[strlen(to) - 1] = prefix[strlen(prefix) - 1] == '9' ? 'a' : (char)(to[strlen(to) - 1] + 1);
  int rc = read_range(v, prefix, to, false, &whole, e);
  if (rc == 0 && !whole) rc = read_range(v, prefix, to, true, &whole, e);
  return rc == 0 && !whole && strlen(prefix) < DIGITS ? read_parts(v, prefix, e) : rc;
}

static int read_parts(saving_t *v, const char *prefix, err_t *e) {
  int rc = GMMU_OK;
  for (const char *digit = "0123456789abcdef"; *digit && rc == 0; digit++) {
    char longer[DIGITS + 2];
    snprintf(longer, sizeof longer, "%.*s%c", DIGITS, prefix, *digit);
    rc = v->stop && v->stop() ? err_set(e, GMMU_EINTERRUPTED, "interrupted")
                              : read_part(v, longer, e);
  }
  return rc;
}

static int read_all(saving_t *v, err_t *e) {
  bool whole;
  int rc = read_range(v, NULL, NULL, false, &whole, e);
  if (rc == 0 && !whole) v->out->malformed = true;
  if (rc == 0 && !whole) rc = read_range(v, NULL, NULL, true, &whole, e);
  return rc == 0 && !whole ? read_parts(v, "", e) : rc;
}

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql) {
  sqlite3_stmt *q = NULL;
  return sqlite3_prepare_v2(db, sql, -1, &q, NULL) == SQLITE_OK ? q : NULL;
}

static bool prepare_reads(saving_t *v) {
  static const char *const rest[READS] = {"ORDER BY key", "ORDER BY key DESC",
                                          "WHERE key >= ?1 AND key < ?2 ORDER BY key",
                                          "WHERE key >= ?1 AND key < ?2 ORDER BY key DESC"};
  bool ok = true;
  for (int i = 0; i < READS; i++) {
    char sql[2800];
    snprintf(sql, sizeof sql, "SELECT " ROW_FAULT ", " ROW ", hash FROM (%s) %s", v->s->select,
             rest[i]);
    v->read[i] = prepare(v->s->db, sql);
    ok &= v->read[i] != NULL;
  }
  return ok;
}

/* Every row of the store `s`, in a transaction of its own, to the statement `take` of `to`: another
 * connection, for one that has met damage may write nothing until its transaction ends. */
static int save(store_t *s, store_stop_fn stop, sqlite3 *to, const char *take, store_health_t *out,
                err_t *e) {
  saving_t v = {.s = s, .stop = stop, .out = out, .to = to};
  struct stat st;
  v.limit = stat(s->path, &st) == 0 ? (uint64_t)st.st_size / ROW_BYTES * (2 + 3 * DIGITS) : 0;
  sqlite3_exec(to, "CREATE TEMP TABLE seen(key PRIMARY KEY)", NULL, NULL, NULL);
  v.take = prepare(to, take);
  v.seen = prepare(to, "INSERT OR IGNORE INTO temp.seen VALUES(?1)");
  int rc = !v.take || !v.seen  ? err_set(e, GMMU_EIO, "what is saved: %s", sqlite3_errmsg(to))
           : prepare_reads(&v) ? read_all(&v, e)
                               : store_fail(s, e);
  sqlite3_finalize(v.take);
  sqlite3_finalize(v.seen);
  for (int i = 0; i < READS; i++) sqlite3_finalize(v.read[i]);
  return rc;
}

/* ---- checking -------------------------------------------------------------------------------- */

static int ask_sqlite(store_t *s, store_health_t *out, err_t *e) {
  char said[160];
  bool ok = false;
  err_t damaged = {0};
  int rc = whole_check(s, "integrity_check", &ok, said, sizeof said, &damaged);
  *out = (store_health_t){.malformed = rc < 0 || !ok};
  return out->malformed ? whole_note(s, "", rc < 0 ? damaged.text : said, e) : GMMU_OK;
}

/* Into a table of keys, in memory. ?20 is the hash: a row has as many values as it is saved with.
 */
static int count_rows(store_t *s, store_stop_fn stop, store_health_t *out, err_t *e) {
  sqlite3 *to = NULL;
  sqlite3_open_v2(":memory:", &to, SQLITE_OPEN_READWRITE, NULL);
  sqlite3_exec(to, "CREATE TABLE taken(key PRIMARY KEY)", NULL, NULL, NULL);
  int rc = save(s, stop, to, "INSERT OR IGNORE INTO taken SELECT ?1 WHERE ?20 IS NOT NULL", out, e);
  sqlite3_close(to);
  return rc;
}

int store_check(store_t *s, store_stop_fn stop, store_health_t *out, err_t *e) {
  *out = (store_health_t){0};
  if (!s->db) return err_set(e, GMMU_ENOENT, "there is no such results store, or it is empty");
  int rc = store_execute(s, "BEGIN", e);
  if (rc < 0) return rc;
  rc = ask_sqlite(s, out, e);
  if (rc == 0) rc = count_rows(s, stop, out, e);
  sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
  return rc;
}

/* ---- repairing ------------------------------------------------------------------------------- */

static int io_error(err_t *e, const char *path) {
  err_set(e, GMMU_EIO, "%s", strerror(errno));
  return err_in_file(e, path, 0, 0);
}

static const char save_row[] = "INSERT OR IGNORE INTO main.run(" ROW
                               ", hash) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11,"
                               " ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20)";

/* The whole rows into a new store, which is then of the schema they are of. */
static int fill(store_t *s, store_t *new, store_stop_fn stop, store_health_t *out, err_t *e) {
  char finish[80];
  snprintf(finish, sizeof finish, "PRAGMA user_version = %" PRIu64 "; COMMIT", s->version);
  int rc = store_execute(new, "BEGIN", e);
  if (rc == 0) rc = ask_sqlite(s, out, e);
  if (rc == 0) rc = save(s, stop, new->db, save_row, out, e);
  return rc == 0 ? store_execute(new, finish, e) : rc;
}

static int make_new(store_t *s, const char *path, store_stop_fn stop, store_health_t *out,
                    err_t *e) {
  store_t *new = NULL;
  int rc = store_open(path, STORE_WRITE, &new, e);
  if (rc == 0) rc = fill(s, new, stop, out, e);
  store_close(new);
  if (rc < 0) return rc;
  rc = store_open(path, STORE_WRITE, &new, e); /* checks it, and brings it up to date */
  store_close(new);
  return rc;
}

/* The old file's second name: the first that is free. */
static int keep_old(const char *path, char backup[], size_t size, err_t *e) {
  for (int i = 1; i <= BACKUPS; i++) {
    int n = i == 1 ? snprintf(backup, size, "%s.damaged", path)
                   : snprintf(backup, size, "%s.damaged-%d", path, i);
    if (n < 0 || (size_t)n >= size) return err_set(e, GMMU_EINVAL, "%s: too long a name", path);
    if (link(path, backup) == 0) return GMMU_OK;
    if (errno != EEXIST) return io_error(e, backup);
  }
  return err_set(e, GMMU_EIO, "%s: %d damaged ones lie beside it already", path, BACKUPS);
}

/* At any moment there is a store at `path`: the old one or the new one. */
static int replace(const char *path, const char *new, char backup[], size_t size, err_t *e) {
  struct stat st;
  if (stat(path, &st) < 0 || chmod(new, st.st_mode & 07777) < 0) return io_error(e, path);
  int rc = keep_old(path, backup, size, e);
  if (rc == 0 && rename(new, path) < 0) {
    rc = io_error(e, path);
    unlink(backup);
  }
  return rc;
}

static int repair_locked(store_t *s, const char *path, store_stop_fn stop, store_health_t *out,
                         char backup[], size_t size, err_t *e) {
  char new[PATH_MAX + 32], more[PATH_MAX + 48];
  int n = snprintf(new, sizeof new, "%s.repair-XXXXXX", path);
  int fd = n > 0 ? mkstemp(new) : -1; /* an empty file is an empty store */
  if (fd < 0) return io_error(e, path);
  close(fd);
  int rc = make_new(s, new, stop, out, e);
  if (rc == 0) rc = replace(path, new, backup, size, e);
  if (rc == 0) return rc;
  unlink(new);
  snprintf(more, sizeof more, "%s-journal", new);
  unlink(more);
  return rc;
}

/* Others wait for the lock, and then SQLite tells them that their file was replaced. With a
 * write-ahead log beside it a new file would get the old one's pages. */
int store_repair(store_t *s, store_stop_fn stop, store_health_t *out, char backup[], size_t size,
                 err_t *e) {
  char path[PATH_MAX], log[PATH_MAX + 8];
  *out = (store_health_t){0};
  if (!s->db) return err_set(e, GMMU_ENOENT, "there is no such results store, or it is empty");
  if (!realpath(s->path, path)) return io_error(e, s->path);
  snprintf(log, sizeof log, "%s-wal", path);
  claims_t *claims = claims_open(path);
  int rc = claims_take_all(claims) ? store_execute(s, "PRAGMA query_only = 0; BEGIN EXCLUSIVE", e)
                                   : store_refuse(s, e, "a sweep is using it; end that one first");
  if (rc == 0 && access(log, F_OK) == 0)
    rc = store_refuse(s, e, "it has a write-ahead log; set its journal_mode to DELETE first");
  if (rc == 0) rc = repair_locked(s, path, stop, out, backup, size, e);
  claims_close(claims);
  return rc;
}
