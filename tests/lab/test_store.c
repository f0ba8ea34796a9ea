/* The store, in a folder of each test's own. */
#include "lab/store.h"
#include "unit.h"
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
  char folder[64], path[128];
} place_t;

static int make_place(void **state) {
  place_t *p = calloc(1, sizeof *p);
  snprintf(p->folder, sizeof p->folder, "store-XXXXXX");
  if (!mkdtemp(p->folder)) return -1;
  snprintf(p->path, sizeof p->path, "%s/r.db", p->folder);
  *state = p;
  return 0;
}

static int remove_place(void **state) {
  place_t *p = *state;
  char command[192];
  snprintf(command, sizeof command, "chmod -R u+w %s; rm -rf %s", p->folder, p->folder);
  int rc = system(command);
  free(p);
  return rc;
}

static store_t *open_store(const char *path) {
  store_t *s;
  err_t e = {0};
  if (store_open(path, STORE_WRITE, &s, &e) < 0) fail_msg("%s: %s", e.file, e.text);
  return s;
}

static void put(store_t *s, const char *identity, const char *label, uint64_t host_ms) {
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

static store_status_t get(store_t *s, const char *identity, strbuf_t *text) {
  char key[STORE_KEY_BYTES];
  store_status_t status;
  err_t e = {0};
  store_key(identity, key);
  if (store_get(s, key, &status, text, &e) < 0) fail_msg("%s", e.text);
  return status;
}

static void refused(const char *path, store_mode_t mode, const char *why) {
  store_t *s;
  err_t e = {0};
  assert_true(store_open(path, mode, &s, &e) < 0);
  assert_null(s);
  if (!strstr(e.text, why)) fail_msg("\"%s\" does not say \"%s\"", e.text, why);
  assert_string_equal(e.file, path);
}

static void sql(const char *path, const char *text) {
  sqlite3 *db;
  assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
  if (sqlite3_exec(db, text, NULL, NULL, NULL) != SQLITE_OK) fail_msg("%s", sqlite3_errmsg(db));
  sqlite3_close(db);
}

static int rows(const char *path) {
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

/* ---- what it keeps ---- */

static void what_was_put_is_found_after_reopening(void **state) {
  const place_t *p = *state;
  strbuf_t text;
  strbuf_init(&text);
  store_t *s = open_store(p->path);
  assert_int_equal(get(s, "{}", &text), STORE_NONE);
  put(s, "{}", "l", 1);
  store_close(s);
  s = open_store(p->path);
  assert_int_equal(get(s, "{}", &text), STORE_DONE);
  assert_string_equal(strbuf_text(&text), "{\"cycles\":7}");
  store_close(s);
  assert_int_equal(rows(p->path), 1);
  strbuf_fini(&text);
}

static void a_failure_is_kept_with_its_reason(void **state) {
  const place_t *p = *state;
  char key[STORE_KEY_BYTES];
  store_status_t status;
  strbuf_t text;
  err_t e = {0};
  strbuf_init(&text);
  store_t *s = open_store(p->path);
  store_key("[]", key);
  const store_row_t row = {
      .key = key, .status = STORE_FAILED, .identity = "[]", .error = "no memory left"};
  assert_int_equal(store_put(s, &row, &e), 0);
  assert_int_equal(store_get(s, key, &status, &text, &e), 0);
  assert_int_equal(status, STORE_FAILED);
  assert_string_equal(strbuf_text(&text), "no memory left");
  store_close(s);
  strbuf_fini(&text);
}

static void the_same_identity_has_the_same_key_and_another_has_not(void **state) {
  (void)state;
  char a[STORE_KEY_BYTES], b[STORE_KEY_BYTES];
  store_key("{\"l2tlb.entries\": 512}", a);
  store_key("{\"l2tlb.entries\": 512}", b);
  assert_string_equal(a, b);
  store_key("{\"l2tlb.entries\": 513}", b);
  assert_string_not_equal(a, b);
  store_key("", a); /* XXH3's published value for no bytes */
  assert_string_equal(a, "99aa06d3014798d86001c324468d497f");
}

static void a_price_is_the_last_of_the_label_else_the_workloads_mean(void **state) {
  const place_t *p = *state;
  uint64_t ms = 1;
  err_t e = {0};
  store_t *s = open_store(p->path);
  assert_int_equal(store_price(s, "a", "w", &ms, &e), 0);
  assert_int_equal(ms, 0);
  put(s, "1", "a", 100);
  put(s, "2", "b", 300);
  assert_int_equal(store_price(s, "b", "w", &ms, &e), 0);
  assert_int_equal(ms, 300);
  assert_int_equal(store_price(s, "c", "w", &ms, &e), 0);
  assert_int_equal(ms, 200);
  assert_int_equal(store_price(s, "c", "other", &ms, &e), 0);
  assert_int_equal(ms, 0);
  assert_int_equal(store_mean_price(s, &ms, &e), 0);
  assert_int_equal(ms, 200);
  store_close(s);
}

static void an_older_store_gets_the_index_of_prices(void **state) {
  const place_t *p = *state;
  store_close(open_store(p->path));
  sql(p->path, "DROP INDEX run_price; CREATE INDEX run_workload ON run(workload);"
               "CREATE TABLE one(n CHECK (n = 1)); CREATE TABLE none(n CHECK (n = 0))");
  store_close(open_store(p->path));
  sql(p->path, "INSERT INTO one SELECT count(*) FROM sqlite_master WHERE name = 'run_price';"
               "INSERT INTO none SELECT count(*) FROM sqlite_master WHERE name = 'run_workload'");
}

static void sqlite_reads_into_results(void **state) {
  const place_t *p = *state;
  store_t *s = open_store(p->path);
  put(s, "{}", "l", 1);
  store_close(s);
  sql(p->path, "CREATE TABLE seven(x CHECK (x = 7));"
               "INSERT INTO seven SELECT json_extract(result, '$.cycles') FROM run");
}

static void reading_makes_no_file(void **state) {
  const place_t *p = *state;
  store_t *s;
  err_t e = {0};
  uint64_t ms;
  strbuf_t text;
  strbuf_init(&text);
  assert_int_equal(store_open(p->path, STORE_READ, &s, &e), 0);
  assert_int_equal(get(s, "{}", &text), STORE_NONE);
  assert_int_equal(store_price(s, "l", "w", &ms, &e), 0);
  store_close(s);
  assert_int_not_equal(access(p->path, F_OK), 0);
  strbuf_fini(&text);
}

static void folders_are_made(void **state) {
  const place_t *p = *state;
  char deep[192];
  snprintf(deep, sizeof deep, "%s/a/b/r.db", p->folder);
  store_close(open_store(deep));
  assert_int_equal(access(deep, F_OK), 0);
}

/* A number of a query with one. */
static int64_t ask(const char *path, const char *query) {
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

static void put_status(store_t *s, const char *key, store_status_t status) {
  err_t e = {0};
  const store_row_t row = {.key = key,
                           .status = status,
                           .identity = "{}",
                           .result = status == STORE_DONE ? "{\"cycles\":7}" : "",
                           .error = status == STORE_DONE ? "" : "why"};
  if (store_put(s, &row, &e) < 0) fail_msg("%s", e.text);
}

static void a_failure_never_replaces_a_result(void **state) {
  const place_t *p = *state;
  store_t *s = open_store(p->path);
  put_status(s, "a", STORE_LOST);
  put_status(s, "a", STORE_DONE);
  put_status(s, "a", STORE_FAILED);
  store_close(s);
  assert_int_equal(ask(p->path, "SELECT count(*) FROM run WHERE status = 'done'"), 1);
}

static void attempts_are_counted(void **state) {
  const place_t *p = *state;
  store_t *s = open_store(p->path);
  put_status(s, "a", STORE_LOST);
  put_status(s, "a", STORE_FAILED);
  put_status(s, "a", STORE_DONE);
  store_close(s);
  assert_int_equal(ask(p->path, "SELECT attempts FROM run"), 3);
}

/* As the first version with a store made it. */
static const char old_schema[] =
    "CREATE TABLE run(key TEXT PRIMARY KEY NOT NULL, status TEXT NOT NULL, model TEXT NOT NULL,"
    " label TEXT NOT NULL, workload TEXT NOT NULL, identity TEXT NOT NULL, result TEXT NOT NULL,"
    " error TEXT NOT NULL, host_ms INTEGER NOT NULL, finished TEXT NOT NULL DEFAULT"
    " CURRENT_TIMESTAMP) WITHOUT ROWID; PRAGMA application_id=1735224693; PRAGMA user_version=1;"
    "INSERT INTO run VALUES('k', 'done', 'm', 'maxwell mask: a + b, 0 cycles; SMs 3,3', 'a + b',"
    " '{\"apps\":[{\"app\":\"a\",\"sms\":3},{\"app\":\"b\",\"sms\":4}]}', '{\"cycles\":7}', '', 5, "
    "'x')";

static void an_older_store_gets_its_columns_and_keeps_its_rows(void **state) {
  const place_t *p = *state;
  sql(p->path, old_schema);
  store_close(open_store(p->path));
  assert_int_equal(ask(p->path,
                       "SELECT count(*) FROM runs WHERE gpu = 'maxwell' AND design = 'mask'"
                       " AND apps = 'a + b' AND sms = '3,4' AND cycles = 7"
                       " AND attempts = 1"),
                   1);
}

static void an_older_store_is_brought_up_to_date_by_reading_too(void **state) {
  const place_t *p = *state;
  store_t *s;
  err_t e = {0};
  sql(p->path, old_schema);
  assert_int_equal(store_open(p->path, STORE_READ, &s, &e), 0);
  store_close(s);
  assert_int_equal(ask(p->path, "SELECT count(*) FROM runs"), 1);
}

/* Its statements name their columns: a gmmu from before the new ones goes on writing. */
static void an_older_gmmu_can_write_still(void **state) {
  const place_t *p = *state;
  store_close(open_store(p->path));
  sql(p->path, "INSERT OR REPLACE INTO run(key, status, model, label, workload, identity, error,"
               " result, host_ms) VALUES('k', 'done', '', '', '', '{}', '', '{}', 1)");
  assert_int_equal(ask(p->path, "SELECT count(*) FROM runs"), 1);
}

static void merging_brings_every_run_and_loses_none(void **state) {
  const place_t *p = *state;
  char other[160];
  uint64_t count = 0;
  err_t e = {0};
  snprintf(other, sizeof other, "%s/other.db", p->folder);
  store_t *s = open_store(p->path), *o = open_store(other);
  put_status(s, "mine", STORE_DONE);
  put_status(s, "both", STORE_DONE);
  put_status(s, "mended", STORE_LOST);
  put_status(o, "both", STORE_LOST);
  put_status(o, "mended", STORE_DONE);
  put_status(o, "new", STORE_FAILED);
  store_close(o);
  if (store_merge(s, other, &count, &e) < 0) fail_msg("%s", e.text);
  if (store_merge(s, other, &count, &e) < 0)
    fail_msg("%s", e.text); /* again: as often as one likes */
  store_close(s);
  assert_int_equal(count, 3);
  assert_int_equal(rows(p->path), 4);
  assert_int_equal(ask(p->path, "SELECT count(*) FROM run WHERE status = 'done'"), 3);
}

static void a_file_that_is_no_store_is_not_merged(void **state) {
  const place_t *p = *state;
  char other[160];
  uint64_t count = 0;
  err_t e = {0};
  snprintf(other, sizeof other, "%s/other.db", p->folder);
  sql(other, "CREATE TABLE run(key)");
  store_t *s = open_store(p->path);
  put_status(s, "mine", STORE_DONE);
  assert_true(store_merge(s, other, &count, &e) < 0);
  store_close(s);
  assert_int_equal(rows(p->path), 1);
}

/* ---- queries ---- */

static int collect(void *ctx, const store_value_t *v, err_t *e) {
  static const char type[] = {'-', 'n', 't', 'j'};
  (void)e;
  strbuf_printf(ctx, "%s=%c%s;", v->name, type[v->type], v->text);
  return GMMU_OK;
}

static void queries_tell_names_types_and_values(void **state) {
  const place_t *p = *state;
  const char *const texts[] = {"it's"};
  strbuf_t got;
  err_t e = {0};
  strbuf_init(&got);
  store_t *s = open_store(p->path);
  const char *q =
      "SELECT 1 AS a, 2.5 AS b, NULL AS c, ?1 AS d, '{\"x\":1}' AS e, '{x' AS f, 9e999 AS g";
  if (store_query(s, q, texts, 1, NULL, collect, &got, &e) < 0) fail_msg("%s", e.text);
  assert_string_equal(strbuf_text(&got), "a=n1;b=n2.5;c=-;d=tit's;e=j{\"x\":1};f=t{x;g=tInf;");
  store_close(s);
  strbuf_fini(&got);
}

static void queries_can_only_read(void **state) {
  const place_t *p = *state;
  static const char *const bad[] = {"DELETE FROM run",
                                    "SELECT 1; DELETE FROM run",
                                    "ATTACH 'x.db' AS x",
                                    "PRAGMA user_version = 9",
                                    "CREATE TABLE x(y)",
                                    "WITH a AS (SELECT 1) INSERT INTO run SELECT * FROM a",
                                    "SELECT * FROM nowhere",
                                    "SELEC 1",
                                    "VACUUM",
                                    "",
                                    "-- nothing"};
  strbuf_t got;
  strbuf_init(&got);
  store_t *s = open_store(p->path);
  put_status(s, "a", STORE_DONE);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    err_t e = {0};
    if (store_query(s, bad[i], NULL, 0, NULL, collect, &got, &e) == 0) fail_msg("%s", bad[i]);
    assert_true(*e.text != 0);
  }
  put_status(s, "b", STORE_DONE); /* and the store itself still can write */
  store_close(s);
  assert_int_equal(rows(p->path), 2);
  strbuf_fini(&got);
}

static void the_views_are_there_for_all(void **state) {
  const place_t *p = *state;
  err_t e = {0};
  store_t *s = open_store(p->path);
  const store_row_t row = {
      .key = "k",
      .status = STORE_DONE,
      .identity = "{\"limits\":{\"cycles\":9}}",
      .gpu = "g",
      .apps = "[\"x\",\"y\"]",
      .settings = "{\"a.b\":\"1\",\"c.d\":\"2\"}",
      .result = "{\"cycles\":7,\"apps\":[{\"name\":\"x\",\"ipc\":0.5},{\"name\":\"y\"}]}"};
  assert_int_equal(store_put(s, &row, &e), 0);
  const char *sharing =
      "{\"baseline\":\"b\",\"weighted_speedup\":1.5,\"apps\":[{},{\"speedup\":2}]}";
  assert_int_equal(store_put_sharing(s, "k", sharing, &e), 0);
  store_close(s);
  assert_int_equal(ask(p->path, "SELECT count(*) FROM runs WHERE limit_cycles = 9 AND cycles = 7"
                                " AND weighted_speedup = 1.5 AND settings = 'a.b=1 c.d=2'"),
                   1);
  assert_int_equal(ask(p->path, "SELECT count(*) FROM apps WHERE app = 1 AND text = 'y'"
                                " AND speedup = 2 AND ipc IS NULL"),
                   1);
  assert_int_equal(ask(p->path, "SELECT value FROM counters WHERE counter = 'cycles'"), 7);
  assert_int_equal(ask(p->path, "SELECT value * 2 FROM counters WHERE counter = 'apps[0].ipc'"), 1);
}

/* ---- what it refuses ---- */

static void a_newer_schema_is_refused(void **state) {
  const place_t *p = *state;
  store_close(open_store(p->path));
  sql(p->path, "PRAGMA user_version = 99");
  refused(p->path, STORE_WRITE, "newer gmmu (schema 99, this one knows 1)");
  refused(p->path, STORE_READ, "newer gmmu (schema 99, this one knows 1)");
}

static void another_programs_file_is_refused(void **state) {
  const place_t *p = *state;
  sql(p->path, "CREATE TABLE x(y)");
  refused(p->path, STORE_WRITE, "another program's");
}

static void a_file_that_is_no_database_is_refused(void **state) {
  const place_t *p = *state;
  FILE *f = fopen(p->path, "w");
  for (int i = 0; i < 1000; i++) fputs("not a database\n", f);
  fclose(f);
  refused(p->path, STORE_WRITE, "no results store, or it is damaged");
}

static void a_damaged_file_is_told_of(void **state) {
  const place_t *p = *state;
  char junk[8192], identity[16];
  store_status_t status;
  strbuf_t text;
  err_t e = {0};
  store_t *s = open_store(p->path);
  for (int i = 0; i < 200; i++) {
    snprintf(identity, sizeof identity, "%d", i);
    put(s, identity, "l", 1);
  }
  store_close(s);
  int fd = open(p->path, O_WRONLY);
  memset(junk, 0x5a, sizeof junk);
  for (int page = 1; page < 8; page++) /* behind the schema's page */
    assert_int_equal(pwrite(fd, junk, 4096, page * 4096), 4096);
  close(fd);
  strbuf_init(&text);
  int rc = store_open(p->path, STORE_WRITE, &s, &e);
  for (int i = 0; i < 200 && rc == 0; i++) {
    char key[STORE_KEY_BYTES];
    snprintf(identity, sizeof identity, "%d", i);
    store_key(identity, key);
    rc = store_get(s, key, &status, &text, &e);
  }
  assert_true(rc < 0);
  if (!strstr(e.text, "damaged")) fail_msg("%s", e.text);
  store_close(s);
  strbuf_fini(&text);
}

static void a_folder_that_may_not_be_written_is_told_of(void **state) {
  const place_t *p = *state;
  if (geteuid() == 0) skip(); /* nothing is forbidden to root */
  chmod(p->folder, 0555);
  refused(p->path, STORE_WRITE, "cannot be opened or made there");
}

static void a_place_that_is_no_folder_is_told_of(void **state) {
  (void)state;
  store_t *s;
  err_t e = {0};
  assert_true(store_open("/dev/null/x/r.db", STORE_WRITE, &s, &e) < 0);
  assert_true(*e.text != 0);
}

/* A limit on the size of files is the nearest thing to a full disk. */
static void a_full_disk_keeps_what_was_finished(void **state) {
  const place_t *p = *state;
  struct rlimit old, small;
  strbuf_t text;
  err_t e = {0};
  store_t *s = open_store(p->path);
  put(s, "{}", "l", 1);
  strbuf_init(&text);
  strbuf_str(&text, "\"");
  strbuf_fill(&text, 'x', 1 << 20);
  strbuf_str(&text, "\"");
  signal(SIGXFSZ, SIG_IGN);
  getrlimit(RLIMIT_FSIZE, &old);
  small = old, small.rlim_cur = 256 << 10;
  setrlimit(RLIMIT_FSIZE, &small);
  const store_row_t row = {.key = "k", .identity = "{}", .result = strbuf_text(&text)};
  int rc = store_put(s, &row, &e);
  setrlimit(RLIMIT_FSIZE, &old);
  store_close(s);
  assert_int_equal(rc, GMMU_EIO);
  if (!strstr(e.text, "disk")) fail_msg("%s", e.text);
  s = open_store(p->path);
  assert_int_equal(get(s, "{}", &text), STORE_DONE);
  store_close(s);
  strbuf_fini(&text);
}

/* Killed in the middle of a transaction, it leaves a journal that the next reader rolls back. */
static void a_reader_mends_what_a_killed_writer_left(void **state) {
  const place_t *p = *state;
  store_t *s = open_store(p->path);
  err_t e = {0};
  put(s, "{}", "l", 1);
  store_close(s);
  pid_t child = fork();
  if (child == 0) {
    sqlite3 *db;
    sqlite3_open(p->path, &db);
    sqlite3_exec(
        db,
        "PRAGMA cache_size = 1; BEGIN IMMEDIATE; WITH n AS (SELECT 1 AS i UNION ALL SELECT i + 1"
        " FROM n WHERE i < 500) INSERT INTO run(key, status, model, label, workload, identity,"
        " result, error, host_ms) SELECT i, 'done', '', '', '', '', hex(zeroblob(900)), '', 1"
        " FROM n",
        NULL, NULL, NULL);
    raise(SIGKILL);
  }
  waitpid(child, NULL, 0);
  char journal[160];
  snprintf(journal, sizeof journal, "%s-journal", p->path);
  assert_int_equal(access(journal, F_OK), 0);
  assert_int_equal(store_open(p->path, STORE_READ, &s, &e), 0);
  strbuf_t text;
  strbuf_init(&text);
  assert_int_equal(get(s, "{}", &text), STORE_DONE);
  strbuf_fini(&text);
  store_close(s);
  assert_int_equal(rows(p->path), 1);
}

/* ---- several at once ---- */

#define WRITERS 4
#define EACH    25

static void write_some(const char *path, int writer) {
  char identity[32];
  for (int i = 0; i < EACH; i++) {
    store_t *s = open_store(path); /* opens, so that making the schema is raced for too */
    snprintf(identity, sizeof identity, "[%d, %d]", writer, i);
    put(s, identity, "l", 1);
    store_close(s);
  }
}

static void writers_of_several_processes_lose_nothing(void **state) {
  const place_t *p = *state;
  for (int w = 0; w < WRITERS; w++)
    if (fork() == 0) {
      write_some(p->path, w);
      _exit(0);
    }
  for (int w = 0; w < WRITERS; w++) {
    int status;
    wait(&status);
    assert_int_equal(status, 0);
  }
  assert_int_equal(rows(p->path), WRITERS * EACH);
}

#define WITH_PLACE(f) cmocka_unit_test_setup_teardown(f, make_place, remove_place)

int main(void) {
  const struct CMUnitTest tests[] = {
      WITH_PLACE(what_was_put_is_found_after_reopening),
      WITH_PLACE(a_failure_is_kept_with_its_reason),
      cmocka_unit_test(the_same_identity_has_the_same_key_and_another_has_not),
      WITH_PLACE(a_price_is_the_last_of_the_label_else_the_workloads_mean),
      WITH_PLACE(an_older_store_gets_the_index_of_prices),
      WITH_PLACE(sqlite_reads_into_results),
      WITH_PLACE(a_failure_never_replaces_a_result),
      WITH_PLACE(attempts_are_counted),
      WITH_PLACE(an_older_store_gets_its_columns_and_keeps_its_rows),
      WITH_PLACE(an_older_store_is_brought_up_to_date_by_reading_too),
      WITH_PLACE(an_older_gmmu_can_write_still),
      WITH_PLACE(merging_brings_every_run_and_loses_none),
      WITH_PLACE(a_file_that_is_no_store_is_not_merged),
      WITH_PLACE(queries_tell_names_types_and_values),
      WITH_PLACE(queries_can_only_read),
      WITH_PLACE(the_views_are_there_for_all),
      WITH_PLACE(reading_makes_no_file),
      WITH_PLACE(folders_are_made),
      WITH_PLACE(a_newer_schema_is_refused),
      WITH_PLACE(another_programs_file_is_refused),
      WITH_PLACE(a_file_that_is_no_database_is_refused),
      WITH_PLACE(a_damaged_file_is_told_of),
      WITH_PLACE(a_folder_that_may_not_be_written_is_told_of),
      cmocka_unit_test(a_place_that_is_no_folder_is_told_of),
      WITH_PLACE(a_full_disk_keeps_what_was_finished),
      WITH_PLACE(a_reader_mends_what_a_killed_writer_left),
      WITH_PLACE(writers_of_several_processes_lose_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
