/* One connection. The schema's number is SQLite's user_version, and its application_id tells our
 * files from others'; both are written in the transaction that makes the table. A store opened for
 * reading where there is no file has no connection at all.
 *
 * The file may be anybody's: SQLite trusts nothing in its schema and runs none of its triggers, and
 * queries go to views of this connection's own (query.c). */
#include "base/file.h"
#include "lab/store_db.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define APPLICATION_ID 0x676d6d75 /* "gmmu" */
#define BUSY_MS        60000      /* a writer of another process is done long before */

/* ---- errors ---------------------------------------------------------------------------------- */

static const char *reason(sqlite3 *db) {
  switch (sqlite3_errcode(db) & 0xff) {
  case SQLITE_NOTADB: return "it is no results store, or it is damaged";
  case SQLITE_CORRUPT:
    return "the results store is damaged; `gmmu store repair` keeps what can be read of it";
  case SQLITE_FULL: return "the disk is full; what was finished before is kept";
  case SQLITE_READONLY:
    return sqlite3_extended_errcode(db) == SQLITE_READONLY_DBMOVED
               ? "the results store was moved or replaced meanwhile"
               : "the results store may not be written; --store names another";
  case SQLITE_CANTOPEN:
    return "the results store cannot be opened or made there; --store names another";
  case SQLITE_BUSY: return "the results store is in use by another program for too long";
  case SQLITE_ERROR: /* the questions are ours, so it is the schema that is wrong */
    if (strncmp(sqlite3_errmsg(db), "no such ", 8) == 0)
      return "the results store is damaged: a table or column is missing";
    return sqlite3_errmsg(db);
  default: return sqlite3_errmsg(db);
  }
}

int store_fail(const store_t *s, err_t *e) {
  err_set(e, GMMU_EIO, "%s", s->db ? reason(s->db) : "out of memory");
  return err_in_file(e, s->path, 0, 0);
}

int store_refuse(const store_t *s, err_t *e, const char *why) {
  err_set(e, GMMU_EFORMAT, "%s", why);
  return err_in_file(e, s->path, 0, 0);
}

/* ---- statements ------------------------------------------------------------------------------ */

int store_execute(store_t *s, const char *sql, err_t *e) {
  return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK ? GMMU_OK : store_fail(s, e);
}

static void bind_texts(sqlite3_stmt *q, const char *const text[], int count) {
  for (int i = 0; i < count; i++)
    sqlite3_bind_text(q, i + 1, text[i] ? text[i] : "", -1, SQLITE_STATIC);
}

sqlite3_stmt *store_prepare(store_t *s, const char *sql, const char *const text[], int count) {
  sqlite3_stmt *q = NULL;
  if (sqlite3_prepare_v2(s->db, sql, -1, &q, NULL) == SQLITE_OK) bind_texts(q, text, count);
  return q;
}

/* `text` is ?1. Who asks resets it: until then it holds the file. */
static sqlite3_stmt *keep(store_t *s, kept_t which, const char *sql, const char *text) {
  sqlite3_stmt **q = &s->kept[which];
  if (*q || sqlite3_prepare_v2(s->db, sql, -1, q, NULL) == SQLITE_OK) bind_texts(*q, &text, 1);
  return *q;
}

static int number_of(store_t *s, sqlite3_stmt *q, uint64_t *out, bool *found, err_t *e) {
  int step = q ? sqlite3_step(q) : SQLITE_ERROR;
  *found = step == SQLITE_ROW && sqlite3_column_type(q, 0) != SQLITE_NULL;
  if (*found) *out = (uint64_t)sqlite3_column_int64(q, 0);
  return step == SQLITE_ROW || step == SQLITE_DONE ? GMMU_OK : store_fail(s, e);
}

int store_number(store_t *s, const char *sql, const char *text, uint64_t *out, bool *found,
                 err_t *e) {
  sqlite3_stmt *q = store_prepare(s, sql, &text, text ? 1 : 0);
  int rc = number_of(s, q, out, found, e);
  sqlite3_finalize(q);
  return rc;
}

/* ---- opening --------------------------------------------------------------------------------- */

static int make_folders(const char *path, err_t *e) {
  char part[PATH_MAX];
  for (const char *p = strchr(path + 1, '/'); p; p = strchr(p + 1, '/')) {
    snprintf(part, sizeof part, "%.*s", (int)(p - path), path);
    if (mkdir(part, 0777) == 0 || errno == EEXIST) continue;
    int why = errno;
    if (access(part, F_OK) == 0) continue; /* a folder above which nothing may be made */
    err_set(e, GMMU_EIO, "the folder cannot be made: %s", strerror(why));
    return err_in_file(e, part, 0, 0);
  }
  return GMMU_OK;
}

/* `label` serves prices, which outlive a model; the key covers everything. */
static const char schema[] =
    "CREATE TABLE IF NOT EXISTS run(key TEXT PRIMARY KEY NOT NULL, status TEXT NOT NULL,"
    " model TEXT NOT NULL, label TEXT NOT NULL, workload TEXT NOT NULL, identity TEXT NOT NULL,"
    " result TEXT NOT NULL, error TEXT NOT NULL, host_ms INTEGER NOT NULL,"
    " finished TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP) WITHOUT ROWID;"
    "CREATE INDEX IF NOT EXISTS run_label ON run(label);"
    "DROP INDEX IF EXISTS run_workload;" /* of older ones */
    /* all that a mean needs: the rows themselves are long, and what they cost comes last in them */
    "CREATE INDEX IF NOT EXISTS run_price ON run(status, workload, host_ms);";

/* Came later. */
static const struct {
  const char *name, *def;
} added[] = {{"gpu", "''"},        {"design", "''"},  {"apps", "'[]'"},  {"sms", "'[]'"},
             {"settings", "'{}'"}, {"command", "''"}, {"sharing", "''"}, {"host", "''"},
             {"attempts", "1"},    {"hash", "''"}};
#define ADDED (sizeof added / sizeof *added)

/* What can be known of rows from before the columns. */
const char store_fill_added[] =
    "UPDATE run SET gpu = substr(label, 1, instr(label, ' ') - 1),"
    " design = substr(label, instr(label, ' ') + 1, instr(label, ': ') - instr(label, ' ') - 1),"
    " apps = (SELECT json_group_array(json_extract(value, '$.app'))"
    "         FROM json_each(run.identity, '$.apps')),"
    " sms = (SELECT json_group_array(json_extract(value, '$.sms'))"
    "        FROM json_each(run.identity, '$.apps'))"
    " WHERE gpu = '' AND instr(label, ': ') > instr(label, ' ')"
    " AND CASE WHEN json_valid(identity) THEN json_type(identity, '$.apps') END = 'array';";

/* The values of `seed` in the texts of a run's applications, numbers if SQLite has such. */
#define SEEDS(which)                                                                               \
  "(SELECT CASE WHEN length(s) < 19 THEN CAST(s AS INTEGER) ELSE s END AS seed FROM"               \
  " (SELECT substr(r, 1, instr(r, ',') - 1) AS s FROM"                                             \
  " (SELECT substr(w, instr(w, ',seed=') + 6) AS r FROM"                                           \
  " (SELECT ',' || replace(value, ':', ',') || ',' AS w FROM json_each(run.apps)" which ")"        \
  " WHERE instr(w, ',seed='))))"

/* What users read, with the names that docs/data.md explains. */
const char store_views[] =
    "CREATE VIEW runs AS SELECT key, status, model, gpu, design,"
    " (SELECT group_concat(value, ' + ') FROM json_each(run.apps)) AS apps,"
    " (SELECT group_concat(value, ',') FROM json_each(run.sms)) AS sms,"
    " (SELECT group_concat(key || '=' || value, ' ') FROM json_each(run.settings)) AS settings,"
    " (SELECT CASE count(DISTINCT s) WHEN 1 THEN max(s) ELSE group_concat(DISTINCT s) END"
    "  FROM (SELECT seed AS s FROM " SEEDS(
        "") ")) AS seed,"
            " json_extract(identity, '$.limits.cycles') AS limit_cycles,"
            " json_extract(identity, '$.limits.instructions') AS limit_instructions,"
            " json_extract(identity, '$.limits.min_cycles') AS min_cycles,"
            " json_extract(nullif(result, ''), '$.cycles') AS cycles,"
            " json_extract(nullif(result, ''), '$.warp_instructions') AS warp_instructions,"
            " json_extract(nullif(sharing, ''), '$.baseline') AS baseline,"
            " json_extract(nullif(sharing, ''), '$.weighted_speedup') AS weighted_speedup,"
            " json_extract(nullif(sharing, ''), '$.throughput') AS throughput,"
            " json_extract(nullif(sharing, ''), '$.unfairness') AS unfairness,"
            " error, command, host, host_ms, attempts, finished FROM run;"
            "CREATE VIEW apps AS SELECT run.key AS key, run.model AS model, run.gpu AS gpu,"
            " run.design AS design,"
            " a.key AS app, json_extract(run.apps, '$[' || a.key || ']') AS text,"
            " " SEEDS(
                " AS t WHERE t.key = a.key") " AS seed,"
                                             " json_extract(a.value, '$.name') AS name, "
                                             "json_extract(a.value, '$.sms') AS sms,"
                                             " json_extract(a.value, '$.complete_instructions') AS "
                                             "complete_instructions,"
                                             " json_extract(a.value, '$.complete_cycles') AS "
                                             "complete_cycles,"
                                             " json_extract(a.value, '$.complete_ipc') AS "
                                             "complete_ipc,"
                                             " json_extract(a.value, '$.ipc') AS ipc,"
                                             " json_extract(a.value, '$.l1tlb.miss_rate') AS "
                                             "l1tlb_miss_rate,"
                                             " json_extract(a.value, '$.l2tlb.miss_rate') AS "
                                             "l2tlb_miss_rate,"
                                             " json_extract(a.value, '$.walk.walks') AS walks,"
                                             " json_extract(nullif(run.result, ''), "
                                             "'$.sampling.apps[' || a.key || '].ipc.mean')"
                                             "  AS windows_ipc,"
                                             " json_extract(nullif(run.result, ''), "
                                             "'$.sampling.apps[' || a.key || '].ipc.half')"
                                             "  AS windows_ipc_half,"
                                             " json_extract(nullif(run.result, ''), "
                                             "'$.sampling.apps[' || a.key || '].l2tlb_mpki.mean')"
                                             "  AS windows_l2tlb_mpki,"
                                             " json_extract(nullif(run.result, ''), "
                                             "'$.sampling.apps[' || a.key || '].l2tlb_mpki.half')"
                                             "  AS windows_l2tlb_mpki_half,"
                                             " json_extract(nullif(run.sharing, ''), '$.apps[' || "
                                             "a.key || '].ipc_alone') AS ipc_alone,"
                                             " json_extract(nullif(run.sharing, ''), '$.apps[' || "
                                             "a.key || '].speedup') AS speedup,"
                                             " json_extract(nullif(run.sharing, ''), '$.apps[' || "
                                             "a.key || '].slowdown') AS slowdown"
                                             " FROM run, json_each(nullif(run.result, ''), "
                                             "'$.apps') AS a;"
                                             "CREATE VIEW counters AS SELECT run.key AS key, "
                                             "replace(substr(c.fullkey, 3), '\"', '') AS "
                                             "counter,"
                                             " c.atom AS value FROM run, "
                                             "json_tree(nullif(run.result, '')) AS c"
                                             " WHERE c.type IN ('integer', 'real');";

static int has_column(store_t *s, const char *name, bool *yes, err_t *e) {
  uint64_t there = 0;
  bool found;
  int rc = store_number(s, "SELECT count(*) FROM pragma_table_info('run') WHERE name = ?1", name,
                        &there, &found, e);
  *yes = there != 0;
  return rc;
}

static int add_columns(store_t *s, err_t *e) {
  int rc = GMMU_OK;
  for (uint32_t i = 0; i < ADDED && rc == 0; i++) {
    char sql[160];
    bool there;
    rc = has_column(s, added[i].name, &there, e);
    snprintf(sql, sizeof sql, "ALTER TABLE run ADD COLUMN %s %s NOT NULL DEFAULT %s", added[i].name,
             strcmp(added[i].name, "attempts") ? "TEXT" : "INTEGER", added[i].def);
    if (rc == 0 && !there) rc = store_execute(s, sql, e);
  }
  return rc;
}

/* s->select: a column that the file lacks has its default. */
static int choose_columns(store_t *s, err_t *e) {
  strbuf_t text;
  int rc = GMMU_OK;
  strbuf_init(&text);
  strbuf_str(&text, "SELECT key, status, model, label, workload, identity, error, result, host_ms,"
                    " finished");
  s->complete = true;
  for (uint32_t i = 0; i < ADDED && rc == 0; i++) {
    bool there = false;
    rc = has_column(s, added[i].name, &there, e);
    strbuf_printf(&text, ", %s AS %s", there ? added[i].name : added[i].def, added[i].name);
    s->complete &= there;
  }
  strbuf_str(&text, " FROM main.run");
  int n = snprintf(s->select, sizeof s->select, "%s", strbuf_text(&text));
  if (rc == 0 && (text.failed || n >= (int)sizeof s->select))
    rc = err_set(e, GMMU_ENOMEM, "out of memory");
  strbuf_fini(&text);
  return rc;
}

/* Rows of an older gmmu get their hash, but not what cannot be read: that stays without, and is
 * damaged. */
static const char hash_rows[] =
    "UPDATE main.run SET hash = row_hash(" ROW ") WHERE hash = '' AND (" ROW_FAULT ") IS NULL";

/* Makes all that is not there, in one step. */
static int make_schema(store_t *s, err_t *e) {
  char more[160];
  snprintf(more, sizeof more, "PRAGMA application_id=%d; PRAGMA user_version=%d; COMMIT",
           APPLICATION_ID, STORE_SCHEMA);
  int rc = store_execute(s, "BEGIN IMMEDIATE", e);
  if (rc == 0) rc = store_execute(s, schema, e);
  if (rc == 0) rc = add_columns(s, e);
  if (rc == 0 && s->version <= STORE_UNHASHED) rc = store_execute(s, store_fill_added, e);
  if (rc == 0 && s->version <= STORE_UNHASHED) rc = store_execute(s, hash_rows, e);
  if (rc == 0)
    rc = store_execute(s,
                       "DROP VIEW IF EXISTS main.runs; DROP VIEW IF EXISTS main.apps;"
                       "DROP VIEW IF EXISTS main.counters;",
                       e);
  if (rc == 0) rc = store_execute(s, store_views, e);
  if (rc == 0) rc = store_execute(s, more, e);
  if (rc < 0) sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
  if (rc == 0) s->version = STORE_SCHEMA;
  return rc == 0 ? choose_columns(s, e) : rc;
}

/* Whether it has this gmmu's schema, views and index, and so its columns, too. */
static int is_current(store_t *s, bool *yes, err_t *e) {
  uint64_t same = 0;
  bool found;
  int rc = store_number(s,
                        "SELECT count(*) FROM sqlite_master WHERE name = 'run_price' OR"
                        " (type = 'view' AND instr(?1, sql || ';') > 0)",
                        store_views, &same, &found, e);
  *yes = same == 4 && s->version == STORE_SCHEMA;
  return rc;
}

/* A view or a virtual table called `run` could do anything. */
static int check_table(store_t *s, err_t *e) {
  uint64_t tables = 0;
  bool found;
  int rc = store_number(s,
                        "SELECT count(*) FROM sqlite_master WHERE name = 'run' AND"
                        " type = 'table' AND sql LIKE 'CREATE TABLE%'",
                        NULL, &tables, &found, e);
  return rc == 0 && !tables ? store_refuse(s, e, "this store has no table of runs") : rc;
}

/* For writing everything must be well. Rows can be read as long as the tables' structure is: what
 * is wrong then is an index, or what is in a row. */
static int check_file(store_t *s, store_mode_t mode, err_t *e) {
  char said[120], why[240];
  bool ok;
  if (mode == STORE_SAVE) return GMMU_OK;
  int rc = whole_check(s, "integrity_check", &ok, said, sizeof said, e);
  if (rc == 0 && !ok && mode == STORE_READ) {
    bool readable = false;
    rc = whole_note(s, "", said, e);
    if (rc == 0) rc = whole_check(s, "quick_check", &readable, said, sizeof said, e);
    s->copies = ok = readable;
  }
  if (rc < 0 || ok) return rc;
  snprintf(why, sizeof why,
           "the results store is damaged (%s); `gmmu store repair` keeps what can be read of it",
           said);
  return store_refuse(s, e, why);
}

static int check_rows(store_t *s, store_mode_t mode, err_t *e) {
  bool current = true;
  int rc = check_table(s, e);
  if (rc == 0) rc = check_file(s, mode, e);
  if (rc == 0) rc = choose_columns(s, e);
  if (rc == 0 && mode == STORE_WRITE) rc = is_current(s, &current, e);
  return rc == 0 && !current ? make_schema(s, e) : rc;
}

/* In one transaction: another process may be making the schema just now. */
static int read_head(store_t *s, uint64_t *version, uint64_t *id, uint64_t *tables, err_t *e) {
  bool found;
  int rc = store_execute(s, "BEGIN", e);
  if (rc == 0) rc = store_number(s, "PRAGMA user_version", NULL, version, &found, e);
  if (rc == 0) rc = store_number(s, "PRAGMA application_id", NULL, id, &found, e);
  if (rc == 0) rc = store_number(s, "SELECT count(*) FROM sqlite_master", NULL, tables, &found, e);
  sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL);
  return rc;
}

static int check_schema(store_t *s, store_mode_t mode, err_t *e) {
  uint64_t version = 0, id = 0, tables = 0;
  int rc = read_head(s, &version, &id, &tables, e);
  s->version = version;
  if (rc < 0) return rc;
  if (!tables && !version && mode == STORE_WRITE) return make_schema(s, e);
  if (!tables && !version) { /* an empty file: as if there were none */
    sqlite3_close(s->db);
    s->db = NULL;
    return GMMU_OK;
  }
  if (id != APPLICATION_ID) return store_refuse(s, e, "this is another program's SQLite file");
  if (version == STORE_SCHEMA || version == STORE_UNHASHED) return check_rows(s, mode, e);
  char why[120];
  snprintf(why, sizeof why,
           "written by a %s gmmu (schema %" PRIu64 ", this one knows %d); --store names another",
           version > STORE_SCHEMA ? "newer" : "much older", version, STORE_SCHEMA);
  return store_refuse(s, e, why);
}

/* Reading, too, may have to mend what a killed writer left half done, where that is allowed. */
static int open_flags(const store_t *s, store_mode_t mode) {
  if (mode == STORE_WRITE) return SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  return access(s->path, W_OK) == 0 ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
}

/* What a file may not make SQLite do, and a query neither. A file that lacks pages SQLite opens
 * only with a schema that may be written; nothing is. */
static void distrust(sqlite3 *db, store_mode_t mode) {
  sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, mode != STORE_SAVE, NULL);
  sqlite3_db_config(db, SQLITE_DBCONFIG_WRITABLE_SCHEMA, mode == STORE_SAVE, NULL);
  sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0, NULL);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
}

static int connect(store_t *s, store_mode_t mode, err_t *e) {
  int rc = access(s->path, F_OK) == 0 ? file_check_regular(s->path, e) : GMMU_OK;
  if (rc < 0) return rc; /* SQLite would wait for a pipe's other end */
  int flags = open_flags(s, mode);
  if (sqlite3_open_v2(s->path, &s->db, flags, NULL) != SQLITE_OK) return store_fail(s, e);
  sqlite3_busy_timeout(s->db, BUSY_MS);
  distrust(s->db, mode);
  rc = whole_init(s, e);
  if (rc < 0) return rc;
  if (mode == STORE_WRITE && sqlite3_db_readonly(s->db, "main") == 1) {
    err_set(e, GMMU_EIO, "the results store may not be written; --store names another");
    return err_in_file(e, s->path, 0, 0);
  }
  s->reads = mode != STORE_WRITE;
  rc = check_schema(s, mode, e);
  return rc == 0 && s->reads && s->db ? store_execute(s, "PRAGMA query_only = 1", e) : rc;
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
  for (uint32_t i = 0; i < KEPT_STATEMENTS; i++) sqlite3_finalize(s->kept[i]);
  sqlite3_close(s->db);
  sqlite3_free(s->seen);
  free(s->bad);
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

static const char *status_text(store_status_t status) {
  return status == STORE_DONE ? "done" : status == STORE_LOST ? "lost" : "failed";
}

static store_status_t status_of(const char *text) {
  return strcmp(text, "done") == 0   ? STORE_DONE
         : strcmp(text, "lost") == 0 ? STORE_LOST
                                     : STORE_FAILED;
}

#define COLUMNS                                                                                    \
  "key, status, model, label, workload, identity, error, result, gpu, design, apps, sms,"          \
  " settings, command, host, host_ms"
/* A result stays against a failure, and the attempts of both are added up. */
#define ON_CONFLICT                                                                                \
  " ON CONFLICT(key) DO UPDATE SET attempts = attempts + excluded.attempts,"                       \
  " (status, model, label, workload, identity, error, result, gpu, design, apps, sms, settings,"   \
  "  command, host, host_ms, sharing, finished) = (SELECT"                                         \
  " excluded.status, excluded.model, excluded.label, excluded.workload, excluded.identity,"        \
  " excluded.error, excluded.result, excluded.gpu, excluded.design, excluded.apps, excluded.sms,"  \
  " excluded.settings, excluded.command, excluded.host, excluded.host_ms, excluded.sharing,"       \
  " excluded.finished)"                                                                            \
  " WHERE excluded.status = 'done' OR run.status <> 'done'"

/* json() leaves out the blanks, and refuses what is no JSON */
static const char put_sql[] =
    "INSERT INTO main.run(" COLUMNS ") VALUES(?1, ?2, ?3, ?4, ?5, json(?6), ?7,"
    " CASE ?8 WHEN '' THEN '' ELSE json(?8) END, ?9, ?10,"
    " CASE ?11 WHEN '' THEN '[]' ELSE json(?11) END, CASE ?12 WHEN '' THEN '[]' ELSE json(?12) END,"
    " CASE ?13 WHEN '' THEN '{}' ELSE json(?13) END, ?14, ?15, ?16)" ON_CONFLICT;

/* A damaged row is as none: nothing of it is kept. (`run` alone may be what queries see.) */
#define DROP_DAMAGED "DELETE FROM main.run WHERE (" ROW_FAULT ") IS NOT NULL AND key "
#define HASH_AGAIN   "UPDATE main.run SET hash = row_hash(" ROW ") WHERE key "

/* Steps once; `q` is finished with. */
static int finish(store_t *s, sqlite3_stmt *q, err_t *e) {
  int rc = q && sqlite3_step(q) == SQLITE_DONE ? GMMU_OK : store_fail(s, e);
  sqlite3_finalize(q);
  return rc;
}

static int insert_row(store_t *s, const store_row_t *row, err_t *e) {
  const char *const text[] = {row->key,      status_text(row->status),
                              row->model,    row->label,
                              row->workload, row->identity,
                              row->error,    row->result,
                              row->gpu,      row->design,
                              row->apps,     row->sms,
                              row->settings, row->command,
                              row->host};
  sqlite3_stmt *q = store_prepare(s, put_sql, text, 15);
  if (q) sqlite3_bind_int64(q, 16, (sqlite3_int64)row->host_ms);
  return finish(s, q, e);
}

int store_put(store_t *s, const store_row_t *row, err_t *e) {
  int rc = store_execute(s, "BEGIN IMMEDIATE", e);
  if (rc < 0) return rc;
  rc = finish(s, store_prepare(s, DROP_DAMAGED "= ?1", &row->key, 1), e);
  if (rc == 0) rc = insert_row(s, row, e);
  if (rc == 0) rc = finish(s, store_prepare(s, HASH_AGAIN "= ?1", &row->key, 1), e);
  if (rc == 0) rc = store_execute(s, "COMMIT", e);
  if (rc < 0) sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
  return rc;
}

int store_put_sharing(store_t *s, const char *key, const char *sharing, err_t *e) {
  static const char sql[] = "UPDATE main.run SET sharing = json(?2), hash = row_hash(" ROW_WITH(
      "json(?2)") ")"
                  " WHERE key = ?1 AND sharing <> json(?2) AND (" ROW_FAULT ") IS NULL";
  return finish(s, store_prepare(s, sql, (const char *[]){key, sharing}, 2), e);
}

/* Of a row with why, status, result and error. */
static int take_row(store_t *s, sqlite3_stmt *q, const char *key, store_status_t *status,
                    strbuf_t *text, err_t *e) {
  const char *why = (const char *)sqlite3_column_text(q, 0);
  if (why) return whole_note(s, key, why, e);
  *status = status_of((const char *)sqlite3_column_text(q, 1));
  const unsigned char *found = text ? sqlite3_column_text(q, *status == STORE_DONE ? 2 : 3) : NULL;
  if (found) strbuf_str(text, (const char *)found);
  return GMMU_OK;
}

int store_get(store_t *s, const char *key, store_status_t *status, strbuf_t *text, err_t *e) {
  char sql[2600];
  *status = STORE_NONE;
  if (text) strbuf_clear(text);
  if (!s->db) return GMMU_OK;
  snprintf(sql, sizeof sql, "SELECT " ROW_FAULT ", status, result, error FROM (%s) WHERE key = ?1",
           s->select);
  sqlite3_stmt *q = keep(s, KEPT_ROW, sql, key);
  int step = q ? sqlite3_step(q) : SQLITE_ERROR;
  int rc = step == SQLITE_ROW    ? take_row(s, q, key, status, text, e)
           : step == SQLITE_DONE ? GMMU_OK
                                 : store_fail(s, e);
  sqlite3_reset(q);
  return rc;
}

int store_price(store_t *s, const char *label, const char *workload, uint64_t *host_ms, err_t *e) {
  static const char *const sql[] = {
      "SELECT host_ms FROM main.run WHERE label = ?1 AND status = 'done' ORDER BY finished DESC "
      "LIMIT 1",
      "SELECT cast(avg(host_ms) AS INTEGER) FROM main.run WHERE workload = ?1 AND status = 'done'"};
  const char *const text[] = {label, workload};
  bool found = false;
  *host_ms = 0;
  if (!s->db) return GMMU_OK;
  for (int i = 0; i < 2 && !found; i++) {
    sqlite3_stmt *q = keep(s, (kept_t)(KEPT_LAST_PRICE + i), sql[i], text[i]);
    int rc = number_of(s, q, host_ms, &found, e);
    sqlite3_reset(q);
    if (rc < 0) return rc;
  }
  return GMMU_OK;
}

/* ---- merging --------------------------------------------------------------------------------- */

/* Only whole rows come, and a damaged one here does not stand against them. */
static const char merge_sql[] =
    "BEGIN IMMEDIATE;" DROP_DAMAGED "IN (SELECT key FROM other.run);"
    "INSERT INTO main.run(" COLUMNS ", attempts, sharing, finished) SELECT " COLUMNS
    ", attempts, sharing, finished FROM other.run WHERE (" ROW_FAULT ") IS NULL" ON_CONFLICT
    ";" HASH_AGAIN "IN (SELECT key FROM other.run); COMMIT";

int store_merge(store_t *s, const char *path, uint64_t *rows, err_t *e) {
  store_t *other = NULL;
  store_health_t health = {0};
  *rows = 0;
  int rc = store_open(path, STORE_WRITE, &other, e); /* is it one, and has it all columns? */
  if (rc == 0) rc = store_check(other, NULL, &health, e);
  for (uint32_t i = 0; rc == 0 && i < other->bad_count; i++)
    rc = whole_note(s, other->bad[i].key, other->bad[i].why, e);
  store_close(other);
  if (rc == 0) rc = finish(s, store_prepare(s, "ATTACH ?1 AS other", &path, 1), e);
  if (rc < 0) return rc;
  rc = store_execute(s, merge_sql, e);
  if (rc < 0) sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
  sqlite3_exec(s->db, "DETACH other", NULL, NULL, NULL);
  *rows = rc == 0 ? health.whole : 0;
  return rc;
}
