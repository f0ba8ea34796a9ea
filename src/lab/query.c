/* Questions of users to a store. Invariant: whatever the text, nothing is written, no other file is
 * opened and no setting of the connection changes: an authoriser allows reading and nothing else,
 * for as long as the statement lives. */
#include "lab/store_db.h"
#include <sqlite3.h>
#include <string.h>

static int only_reading(void *ctx, int action, const char *a, const char *b, const char *c,
                        const char *d) {
  (void)ctx, (void)a, (void)b, (void)c, (void)d;
  switch (action) {
  case SQLITE_SELECT:
  case SQLITE_READ:
  case SQLITE_FUNCTION:
  case SQLITE_RECURSIVE: return SQLITE_OK;
  default: return SQLITE_DENY;
  }
}

static int bad_query(store_t *s, err_t *e) {
  sqlite3 *db = store_db(s);
  if (sqlite3_errcode(db) == SQLITE_AUTH)
    return err_set(e, GMMU_EINVAL, "a query may only read: one SELECT");
  if ((sqlite3_errcode(db) & 0xff) != SQLITE_ERROR) return store_fail(s, e);
  return err_set(e, GMMU_EINVAL, "the query is wrong: %s", sqlite3_errmsg(db));
}

static int compile(store_t *s, const char *sql, sqlite3_stmt **out, err_t *e) {
  const char *rest = "";
  *out = NULL;
  if (sqlite3_prepare_v2(store_db(s), sql, -1, out, &rest) != SQLITE_OK) return bad_query(s, e);
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

int store_query(store_t *s, const char *sql, const char *const texts[], uint32_t count,
                store_value_fn on_head, store_value_fn on_value, void *ctx, err_t *e) {
  query_t q = {0};
  if (!store_db(s))
    return err_set(e, GMMU_ENOENT, "there is no such results store, or it is empty");
  /* the first use of these makes them, which the authoriser would forbid */
  sqlite3_exec(store_db(s), "SELECT 1 FROM json_each('[]'), json_tree('[]')", NULL, NULL, NULL);
  sqlite3_set_authorizer(store_db(s), only_reading, NULL);
  int rc = compile(s, "SELECT json_valid(?1)", &q.valid, e);
  if (rc == 0) rc = compile(s, sql, &q.row, e);
  for (uint32_t i = 0; i < count && rc == 0; i++)
    sqlite3_bind_text(q.row, (int)i + 1, texts[i], -1, SQLITE_STATIC);
  if (rc == 0) rc = answer(s, &q, on_head, on_value, ctx, e);
  sqlite3_finalize(q.row);
  sqlite3_finalize(q.valid);
  sqlite3_set_authorizer(store_db(s), NULL, NULL);
  return rc;
}
