/* The store, in a folder of each test's own. */
#include "store_unit.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

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

static void an_older_store_is_read_as_it_is(void **state) {
  const place_t *p = *state;
  store_t *s;
  err_t e = {0};
  strbuf_t got;
  strbuf_init(&got);
  sql(p->path, old_schema);
  strbuf_t before = file_of(p->path);
  assert_int_equal(store_open(p->path, STORE_READ, &s, &e), 0);
  const char *q = "SELECT gpu, design, apps, sms, cycles FROM runs";
  if (store_query(s, q, NULL, 0, NULL, collect, &got, &e) < 0) fail_msg("%s", e.text);
  assert_string_equal(strbuf_text(&got),
                      "gpu=tmaxwell;design=tmask;apps=ta + b;sms=t3,4;cycles=n7;");
  store_close(s);
  strbuf_t after = file_of(p->path);
  assert_int_equal(before.size, after.size);
  assert_memory_equal(before.buf, after.buf, before.size);
  strbuf_fini(&before), strbuf_fini(&after), strbuf_fini(&got);
}

/* As the last gmmu without hashes left it. */
static void a_store_without_hashes_is_read_and_gets_them(void **state) {
  const place_t *p = *state;
  store_t *s = open_store(p->path);
  strbuf_t text;
  err_t e = {0};
  put(s, "[1]", "l", 5);
  store_close(s);
  sql(p->path, "ALTER TABLE run DROP COLUMN hash; PRAGMA user_version = 1");
  strbuf_init(&text);
  assert_int_equal(store_open(p->path, STORE_READ, &s, &e), 0);
  assert_int_equal(get(s, "[1]", &text), STORE_DONE);
  store_close(s);
  store_close(open_store(p->path));
  assert_int_equal(ask(p->path, "SELECT length(hash) FROM run"), 32);
  assert_int_equal(ask(p->path, "PRAGMA user_version"), STORE_SCHEMA);
  sql(p->path, "UPDATE run SET result = '{\"cycles\":8}'");
  s = open_store(p->path);
  assert_int_equal(get(s, "[1]", &text), STORE_NONE);
  store_close(s);
  strbuf_fini(&text);
}

static void rows_of_an_older_store_get_their_hashes(void **state) {
  const place_t *p = *state;
  const store_damage_t *bad;
  store_t *s;
  err_t e = {0};
  store_health_t h;
  sql(p->path, old_schema);
  sql(p->path,
      "INSERT INTO run VALUES('torn', 'done', 'm', '', '', '{\"apps\":[', '{}', '', 5, 'x')");
  assert_int_equal(store_open(p->path, STORE_SAVE, &s, &e), 0);
  assert_int_equal(store_check(s, NULL, &h, &e), 0);
  store_close(s);
  assert_int_equal(h.unhashed, 1);
  assert_int_equal(h.damaged, 1);
  s = open_store(p->path);
  assert_int_equal(store_check(s, NULL, &h, &e), 0);
  assert_int_equal(h.unhashed, 0);
  assert_int_equal(h.whole, 1);
  assert_int_equal(store_damaged(s, &bad), 1);
  assert_string_equal(bad[0].key, "torn");
  store_close(s);
  assert_int_equal(ask(p->path, "SELECT length(hash) FROM run WHERE key = 'k'"), 32);
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
                                    "SELECT fts3_tokenizer('simple')",
                                    "SELECT fts3_tokenizer('x', x'00')",
                                    "SELECT load_extension('x')",
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
  refused(p->path, STORE_WRITE, "newer gmmu (schema 99, this one knows 2)");
  refused(p->path, STORE_READ, "newer gmmu (schema 99, this one knows 2)");
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

/* ---- versions of the model ---- */

static void put_model(store_t *s, const char *model) {
  char key[STORE_KEY_BYTES], identity[80];
  err_t e = {0};
  snprintf(identity, sizeof identity, "{\"model\":\"%s\"}", model);
  store_key(identity, key);
  const store_row_t row = {.key = key,
                           .status = STORE_DONE,
                           .identity = identity,
                           .model = model,
                           .label = model,
                           .workload = "w",
                           .apps = "[\"a\"]",
                           .sms = "[1]",
                           .settings = "{}",
                           .result = "{\"cycles\":7,\"apps\":[{\"name\":\"a\"}]}"};
  if (store_put(s, &row, &e) < 0) fail_msg("%s", e.text);
}

static int add_line(void *ctx, const store_value_t *v, err_t *e) {
  (void)e;
  strbuf_printf(ctx, "%s\n", v->text);
  return GMMU_OK;
}

static void answer(store_t *s, const char *query, const char *expected) {
  strbuf_t text;
  err_t e = {0};
  strbuf_init(&text);
  if (store_query(s, query, NULL, 0, NULL, add_line, &text, &e) < 0) fail_msg("%s", e.text);
  assert_string_equal(strbuf_text(&text), expected);
  strbuf_fini(&text);
}

static void versions_are_listed_newest_first_numbers_before_hashes(void **state) {
  const place_t *p = *state;
  store_t *s = open_store(p->path);
  put_model(s, "9"), put_model(s, "3f2a90c17be45d01"), put_model(s, "10");
  put_model(s, "77aa00b1c2d3e4f5"), put_model(s, "1234567890123456");
  store_close(s);
  sql(p->path, "UPDATE run SET hash = '', finished = '2020-01-0' || CASE model"
               " WHEN '77aa00b1c2d3e4f5' THEN 3 WHEN '1234567890123456' THEN 2 ELSE 1 END;"
               "PRAGMA user_version = 1"); /* as rows without hashes */
  s = open_store(p->path);
  answer(s, store_models_sql, "10\n9\n77aa00b1c2d3e4f5\n1234567890123456\n3f2a90c17be45d01\n");
  store_close(s);
}

static void queries_see_the_version_that_was_chosen_and_no_other(void **state) {
  const place_t *p = *state;
  store_t *s = open_store(p->path);
  err_t e = {0};
  put_model(s, "1"), put_model(s, "2"), put_model(s, "it's");
  answer(s, "SELECT model FROM runs ORDER BY model", "1\n2\nit's\n");
  store_close(s);
  for (int i = 0; i < 3; i++) {
    static const char *const model[] = {"1", "2", "it's"};
    char line[16];
    snprintf(line, sizeof line, "%s\n", model[i]);
    assert_int_equal(store_open(p->path, STORE_READ, &s, &e), 0);
    if (store_see_model(s, model[i], &e) < 0) fail_msg("%s", e.text);
    answer(s, "SELECT model FROM run", line);
    answer(s, "SELECT model FROM runs", line);
    answer(s, "SELECT model FROM apps", line);
    answer(s, "SELECT sum(value) FROM counters WHERE counter = 'cycles'", "7\n");
    assert_true(store_query(s, "DELETE FROM run", NULL, 0, NULL, add_line, NULL, &e) < 0);
    store_close(s);
  }
  assert_int_equal(rows(p->path), 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      WITH_PLACE(what_was_put_is_found_after_reopening),
      WITH_PLACE(a_failure_is_kept_with_its_reason),
      WITH_PLACE(versions_are_listed_newest_first_numbers_before_hashes),
      WITH_PLACE(queries_see_the_version_that_was_chosen_and_no_other),
      cmocka_unit_test(the_same_identity_has_the_same_key_and_another_has_not),
      WITH_PLACE(a_price_is_the_last_of_the_label_else_the_workloads_mean),
      WITH_PLACE(an_older_store_gets_the_index_of_prices),
      WITH_PLACE(sqlite_reads_into_results),
      WITH_PLACE(a_failure_never_replaces_a_result),
      WITH_PLACE(attempts_are_counted),
      WITH_PLACE(an_older_store_gets_its_columns_and_keeps_its_rows),
      WITH_PLACE(an_older_store_is_read_as_it_is),
      WITH_PLACE(rows_of_an_older_store_get_their_hashes),
      WITH_PLACE(a_store_without_hashes_is_read_and_gets_them),
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
