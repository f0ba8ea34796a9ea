/* Questions of users to a store. They are asked of views of the connection's own, `run` over the
 * file's table and the others over that one: what the file calls `runs` is never used. If a row is
 * damaged, or the file is of an older gmmu, `run` is a copy of the whole rows instead; a filter in
 * the view would not do, for SQLite may look into a row before it is filtered out.
 *
 * Invariant: whatever the text, nothing is written, no other file is opened and no setting of the
 * connection changes: an authoriser allows reading and nothing else, for as long as the statement
 * lives. */
#include "lab/store_db.h"
#include <stdio.h>
#include <string.h>

/* ---- what is asked --------------------------------------------------------------------------- */

static int drop_views(store_t *s, err_t *e) {
  int rc = store_execute(s,
                         "DROP VIEW IF EXISTS temp.runs; DROP VIEW IF EXISTS temp.apps;"
                         "DROP VIEW IF EXISTS temp.counters",
                         e);
  if (rc == 0 && s->viewed)
    rc = store_execute(s, s->copied ? "DROP TABLE temp.run" : "DROP VIEW temp.run", e);
  s->viewed = false;
  return rc;
}

/* Everything is seen, or the version of the model that was chosen. */
static int make_run(store_t *s, err_t *e) {
  strbuf_t sql;
  strbuf_init(&sql);
  if (s->copied)
    strbuf_printf(&sql,
                  "CREATE TEMP TABLE run AS SELECT * FROM (SELECT * FROM (%s) WHERE (" ROW_FAULT
                  ") IS NULL) %s; CREATE INDEX temp.run_key ON run(key)",
                  s->select, s->seen ? s->seen : "");
  else
    strbuf_printf(&sql, "CREATE TEMP VIEW run AS SELECT * FROM (%s) %s", s->select,
                  s->seen ? s->seen : "");
  int rc = sql.failed ? err_set(e, GMMU_ENOMEM, "out of memory")
                      : store_execute(s, strbuf_text(&sql), e);
  strbuf_fini(&sql);
  return rc == 0 && s->copied && s->version <= STORE_UNHASHED
             ? store_execute(s, store_fill_added, e)
             : rc;
}

static int make_others(store_t *s, err_t *e) {
  static const char create[] = "CREATE VIEW ";
  strbuf_t sql;
  strbuf_init(&sql);
  for (const char *at = store_views, *next; at; at = next) {
    next = strstr(at + sizeof create - 1, create);
    strbuf_printf(&sql, "CREATE TEMP VIEW %.*s",
                  next ? (int)(next - at - (int)sizeof create + 1) : INT_MAX,
                  at + sizeof create - 1);
  }
  int rc = sql.failed ? err_set(e, GMMU_ENOMEM, "out of memory")
                      : store_execute(s, strbuf_text(&sql), e);
  strbuf_fini(&sql);
  return rc;
}

static int data_version(store_t *s, uint64_t *version, err_t *e) {
  bool found;
  return store_number(s, "PRAGMA data_version", NULL, version, &found, e);
}

/* Whether another row has been written since the rows were last compared with their hashes. */
static int compare(store_t *s, err_t *e) {
  uint64_t version = 0;
  int rc = data_version(s, &version, e);
  if (rc < 0 || (s->compared && version == s->compared_version &&
                 sqlite3_total_changes(s->db) == s->compared_changes))
    return rc;
  rc = whole_scan(s, &s->damaged, e);
  s->compared = rc == 0, s->compared_version = version;
  s->stale = true;
  return rc;
}

/* In a transaction: what is found whole is what will be read. */
static int make_views(store_t *s, err_t *e) {
  int rc = compare(s, e);
  if (rc < 0 || !s->stale) return rc;
  rc = store_execute(s, "PRAGMA query_only = 0", e);
  if (rc == 0) rc = drop_views(s, e);
  s->copied = s->damaged || !s->complete || s->copies;
  if (rc == 0) rc = make_run(s, e);
  if (rc == 0) rc = make_others(s, e);
  s->viewed = rc == 0, s->stale = rc != 0;
  s->compared_changes = sqlite3_total_changes(s->db);
  int back = s->reads ? store_execute(s, "PRAGMA query_only = 1", e) : GMMU_OK;
  return rc < 0 ? rc : back;
}

/* ---- asking ---------------------------------------------------------------------------------- */

/* Functions that reach out of the database: code, memory, the settings of SQLite. */
static bool is_forbidden(const char *function) {
  static const char *const names[] = {"fts3_tokenizer", "load_extension", "sqlite_log"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (sqlite3_stricmp(function, names[i]) == 0) return true;
  return false;
}

static int only_reading(void *ctx, int action, const char *a, const char *b, const char *c,
                        const char *d) {
  (void)ctx, (void)a, (void)c, (void)d;
  switch (action) {
  case SQLITE_SELECT:
  case SQLITE_READ:
  case SQLITE_RECURSIVE: return SQLITE_OK;
  case SQLITE_FUNCTION: return is_forbidden(b) ? SQLITE_DENY : SQLITE_OK;
  default: return SQLITE_DENY;
  }
}

static int bad_query(store_t *s, err_t *e) {
  sqlite3 *db = s->db;
  /* `run` is a view here, which SQLite says before it asks the authoriser */
  if (sqlite3_errcode(db) == SQLITE_AUTH || strncmp(sqlite3_errmsg(db), "cannot modify", 13) == 0)
    return err_set(e, GMMU_EINVAL, "a query may only read: one SELECT");
  if ((sqlite3_errcode(db) & 0xff) != SQLITE_ERROR) return store_fail(s, e);
  return err_set(e, GMMU_EINVAL, "the query is wrong: %s", sqlite3_errmsg(db));
}

static int compile(store_t *s, const char *sql, sqlite3_stmt **out, err_t *e) {
  const char *rest = "";
  *out = NULL;
  if (sqlite3_prepare_v2(s->db, sql, -1, out, &rest) != SQLITE_OK) return bad_query(s, e);
  if (*out && !rest[strspn(rest, " \t\r\n;")] && sqlite3_column_count(*out)) return GMMU_OK;
  return err_set(e, GMMU_EINVAL, "a query is one SELECT, not %s", *out ? "several" : "nothing");
}

typedef struct {
  sqlite3_stmt *row, *valid; /* the query; whether a text is JSON */
} query_t;

/* A document stays one in the output. */
static bool is_document(const query_t *q, const char *text) {
  if (text[0] != '{' && text[0] != '[') return false;
  sqlite3_bind_text(q->valid, 1, text, -1, SQLITE_STATIC);
  bool yes = sqlite3_step(q->valid) == SQLITE_ROW && sqlite3_column_int(q->valid, 0);
  sqlite3_reset(q->valid);
  return yes;
}

/* Infinity is no number in JSON. */
static bool is_number(const char *text) {
  text += *text == '-';
  return *text >= '0' && *text <= '9';
}

static store_type_t type_of(const query_t *q, int type, const char *text) {
  if (type == SQLITE_NULL) return STORE_NULL;
  if (type == SQLITE_INTEGER || type == SQLITE_FLOAT)
    return is_number(text) ? STORE_NUMBER : STORE_TEXT;
  return is_document(q, text) ? STORE_JSON : STORE_TEXT;
}

static int tell_head(sqlite3_stmt *q, store_value_fn on_head, void *ctx, err_t *e) {
  int rc = GMMU_OK, count = sqlite3_column_count(q);
  for (int i = 0; i < count && rc == 0 && on_head; i++) {
    const store_value_t v = {.column = (uint32_t)i,
                             .columns = (uint32_t)count,
                             .name = sqlite3_column_name(q, i),
                             .text = ""};
    rc = on_head(ctx, &v, e);
  }
  return rc;
}

static int tell_row(const query_t *q, store_value_fn on_value, void *ctx, err_t *e) {
  int rc = GMMU_OK, count = sqlite3_column_count(q->row);
  for (int i = 0; i < count && rc == 0; i++) {
    int type = sqlite3_column_type(q->row, i); /* first: asking for text may convert */
    const char *text = type == SQLITE_NULL ? NULL : (const char *)sqlite3_column_text(q->row, i);
    if (!text) text = "";
    const store_value_t v = {.column = (uint32_t)i,
                             .columns = (uint32_t)count,
                             .name = sqlite3_column_name(q->row, i),
                             .type = type_of(q, type, text),
                             .text = text};
    rc = on_value(ctx, &v, e);
  }
  return rc;
}

static int answer(store_t *s, const query_t *q, store_value_fn on_head, store_value_fn on_value,
                  void *ctx, err_t *e) {
  int step, rc = tell_head(q->row, on_head, ctx, e);
  while (rc == 0 && (step = sqlite3_step(q->row)) != SQLITE_DONE)
    rc = step == SQLITE_ROW ? tell_row(q, on_value, ctx, e) : bad_query(s, e);
  return rc;
}

static int ask(store_t *s, const char *sql, const char *const texts[], uint32_t count,
               store_value_fn on_head, store_value_fn on_value, void *ctx, err_t *e) {
  query_t q = {0};
  /* the first use of these makes them, which the authoriser would forbid */
  sqlite3_exec(s->db, "SELECT 1 FROM json_each('[]'), json_tree('[]')", NULL, NULL, NULL);
  sqlite3_set_authorizer(s->db, only_reading, NULL);
  int rc = compile(s, "SELECT json_valid(?1)", &q.valid, e);
  if (rc == 0) rc = compile(s, sql, &q.row, e);
  for (uint32_t i = 0; i < count && rc == 0; i++)
    sqlite3_bind_text(q.row, (int)i + 1, texts[i], -1, SQLITE_STATIC);
  if (rc == 0) rc = answer(s, &q, on_head, on_value, ctx, e);
  sqlite3_finalize(q.row);
  sqlite3_finalize(q.valid);
  sqlite3_set_authorizer(s->db, NULL, NULL);
  return rc;
}

int store_query(store_t *s, const char *sql, const char *const texts[], uint32_t count,
                store_value_fn on_head, store_value_fn on_value, void *ctx, err_t *e) {
  if (!s->db) return err_set(e, GMMU_ENOENT, "there is no such results store, or it is empty");
  int rc = store_execute(s, "BEGIN", e);
  if (rc < 0) return rc;
  rc = make_views(s, e);
  if (rc == 0) rc = ask(s, sql, texts, count, on_head, on_value, ctx, e);
  sqlite3_exec(s->db, s->viewed ? "COMMIT" : "ROLLBACK", NULL, NULL, NULL);
  return rc;
}

/* ---- versions of the model ------------------------------------------------------------------- */

const char store_models_sql[] =
    "SELECT model AS version FROM run GROUP BY model"
    " ORDER BY model NOT GLOB '*[^0-9]*' AND length(model) BETWEEN 1 AND 9 DESC,"
    " CASE WHEN model NOT GLOB '*[^0-9]*' AND length(model) BETWEEN 1 AND 9"
    " THEN CAST(model AS INTEGER) END DESC, max(finished) DESC, model";

int store_see_model(store_t *s, const char *version, err_t *e) {
  char *copy = sqlite3_mprintf("WHERE model = %Q", version);
  if (!copy) return err_set(e, GMMU_ENOMEM, "out of memory");
  sqlite3_free(s->seen);
  s->seen = copy;
  s->stale = true;
  return GMMU_OK;
}
