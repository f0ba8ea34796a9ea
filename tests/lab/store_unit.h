#ifndef GMMU_TESTS_LAB_STORE_UNIT_H
#define GMMU_TESTS_LAB_STORE_UNIT_H
/* Stores in a folder of each test's own, and what is in them. */
#include "base/file.h"
#include "lab/store.h"
#include "unit.h"
#include <sqlite3.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define WITH_PLACE(f) cmocka_unit_test_setup_teardown(f, make_place, remove_place)

typedef struct {
  char folder[64], path[128];
} place_t;

static inline int make_place(void **state) {
  place_t *p = calloc(1, sizeof *p);
  snprintf(p->folder, sizeof p->folder, "store-XXXXXX");
  if (!mkdtemp(p->folder)) return -1;
  snprintf(p->path, sizeof p->path, "%s/r.db", p->folder);
  *state = p;
  return 0;
}

static inline int remove_place(void **state) {
  place_t *p = *state;
  char command[192];
  snprintf(command, sizeof command, "chmod -R u+w %s; rm -rf %s", p->folder, p->folder);
  int rc = system(command);
  free(p);
  return rc;
}

static inline store_t *open_store(const char *path) {
  store_t *s;
  err_t e = {0};
  if (store_open(path, STORE_WRITE, &s, &e) < 0) fail_msg("%s: %s", e.file, e.text);
  return s;
}

static inline void put(store_t *s, const char *identity, const char *label, uint64_t host_ms) {
  char key[STORE_KEY_BYTES];
  err_t e = {0};
  store_key(identity, key);
  const store_row_t row = {.key = key,
                           .status = STORE_DONE,
                           .identity = identity,
                           .model = "m",
                           .label = label,
                           .workload = "w",
                           .result = "{ \"cycles\":  7 }",
                           .host_ms = host_ms};
  if (store_put(s, &row, &e) < 0) fail_msg("%s", e.text);
}

static inline store_status_t get(store_t *s, const char *identity, strbuf_t *text) {
  char key[STORE_KEY_BYTES];
  store_status_t status;
  err_t e = {0};
  store_key(identity, key);
  if (store_get(s, key, &status, text, &e) < 0) fail_msg("%s", e.text);
  return status;
}

static inline void refused(const char *path, store_mode_t mode, const char *why) {
  store_t *s;
  err_t e = {0};
  assert_true(store_open(path, mode, &s, &e) < 0);
  assert_null(s);
  if (!strstr(e.text, why)) fail_msg("\"%s\" does not say \"%s\"", e.text, why);
  assert_string_equal(e.file, path);
}

static inline void sql(const char *path, const char *text) {
  sqlite3 *db;
  assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
  if (sqlite3_exec(db, text, NULL, NULL, NULL) != SQLITE_OK) fail_msg("%s", sqlite3_errmsg(db));
  sqlite3_close(db);
}

static inline int rows(const char *path) {
  sqlite3 *db;
  sqlite3_stmt *q;
  assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
  assert_int_equal(sqlite3_prepare_v2(db, "SELECT count(*) FROM run", -1, &q, NULL), SQLITE_OK);
  assert_int_equal(sqlite3_step(q), SQLITE_ROW);
  int count = sqlite3_column_int(q, 0);
  sqlite3_finalize(q);
  sqlite3_close(db);
  return count;
}

/* A number of a query with one. */
static inline int64_t ask(const char *path, const char *query) {
  sqlite3 *db;
  sqlite3_stmt *q;
  assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
  if (sqlite3_prepare_v2(db, query, -1, &q, NULL) != SQLITE_OK) fail_msg("%s", sqlite3_errmsg(db));
  assert_int_equal(sqlite3_step(q), SQLITE_ROW);
  int64_t v = sqlite3_column_int64(q, 0);
  sqlite3_finalize(q);
  sqlite3_close(db);
  return v;
}

static inline void put_status(store_t *s, const char *key, store_status_t status) {
  err_t e = {0};
  const store_row_t row = {.key = key,
                           .status = status,
                           .identity = "{}",
                           .result = status == STORE_DONE ? "{\"cycles\":7}" : "",
                           .error = status == STORE_DONE ? "" : "why"};
  if (store_put(s, &row, &e) < 0) fail_msg("%s", e.text);
}

static inline int collect(void *ctx, const store_value_t *v, err_t *e) {
  static const char type[] = {'-', 'n', 't', 'j'};
  (void)e;
  strbuf_printf(ctx, "%s=%c%s;", v->name, type[v->type], v->text);
  return GMMU_OK;
}

static inline strbuf_t file_of(const char *path) {
  strbuf_t text;
  err_t e = {0};
  strbuf_init(&text);
  if (file_read(path, 1 << 24, &text, &e) < 0) fail_msg("%s", e.text);
  return text;
}
#endif
