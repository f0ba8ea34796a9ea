/* Stores that something has happened to, and files that were made to harm. */
#include "base/rng.h"
#include "lab/claims.h"
#include "store_unit.h"

/* ---- what is damaged ---- */

static uint32_t damaged(store_t *s, const char *key) {
  const store_damage_t *bad;
  uint32_t count = store_damaged(s, &bad);
  if (count && key) assert_string_equal(bad[0].key, key);
  return count;
}

/* Every column but the attempts, changed as if a bit had flipped, in rows that are otherwise fine.
 */
static void a_row_with_any_column_changed_is_as_none(void **state) {
  static const char *const change[] = {"status = 'failed'",
                                       "model = 'n'",
                                       "label = label || ' '",
                                       "workload = 'v'",
                                       "identity = replace(identity, '1', '2')",
                                       "error = 'x'",
                                       "result = replace(result, '7', '8')",
                                       "result = ''",
                                       "result = '{\"cycles\":'",
                                       "gpu = 'h'",
                                       "design = 'e'",
                                       "apps = '[1]'",
                                       "sms = '[2]'",
                                       "settings = '{\"a\":1}'",
                                       "command = 'c'",
                                       "sharing = '{}'",
                                       "host = 'i'",
                                       "host_ms = host_ms + 1",
                                       "host_ms = 'x5'",
                                       "attempts = 2",
                                       "finished = 'y'",
                                       "hash = ''",
                                       "hash = replace(hash, substr(hash, 5, 1), '')",
                                       "hash = x'00'"};
  const place_t *p = *state;
  char text[160];
  for (size_t i = 0; i < sizeof change / sizeof *change; i++) {
    strbuf_t got;
    err_t e = {0};
    store_t *s = open_store(p->path);
    put(s, "[1]", "l", 5);
    put(s, "[3]", "l", 5);
    store_close(s);
    char key[STORE_KEY_BYTES];
    store_key("[1]", key);
    snprintf(text, sizeof text, "UPDATE run SET %s WHERE identity = '[1]'", change[i]);
    sql(p->path, text);
    strbuf_init(&got);
    assert_int_equal(store_open(p->path, STORE_READ, &s, &e), 0);
    assert_int_equal(damaged(s, NULL), 0);
    if (get(s, "[1]", &got) != STORE_NONE) fail_msg("%s", change[i]);
    assert_int_equal(damaged(s, key), 1);
    assert_int_equal(get(s, "[3]", &got), STORE_DONE);
    strbuf_clear(&got);
    const char *q = "SELECT count(*) AS n, sum(cycles) AS c FROM runs";
    if (store_query(s, q, NULL, 0, NULL, collect, &got, &e) < 0) fail_msg("%s", e.text);
    assert_string_equal(strbuf_text(&got), "n=n1;c=n7;");
    assert_int_equal(damaged(s, key), 1);
    store_close(s);
    s = open_store(p->path); /* and what is put then is kept */
    put(s, "[1]", "l", 5);
    assert_int_equal(get(s, "[1]", &got), STORE_DONE);
    store_close(s);
    assert_int_equal(ask(p->path, "SELECT attempts FROM run WHERE identity = '[1]'"), 1);
    strbuf_fini(&got);
    unlink(p->path);
  }
}

/* json_extract() of a row that is no JSON would end the query, wherever it stands. */
static void a_damaged_row_does_not_end_a_query(void **state) {
  const place_t *p = *state;
  store_t *s = open_store(p->path);
  strbuf_t got;
  err_t e = {0};
  put(s, "[1]", "l", 5);
  put(s, "[2]", "l", 5);
  store_close(s);
  sql(p->path, "UPDATE run SET result = '{\"cycles\":', identity = '[' WHERE identity = '[1]'");
  strbuf_init(&got);
  assert_int_equal(store_open(p->path, STORE_READ, &s, &e), 0);
  const char *q = "SELECT count(*) AS n FROM run, json_each(run.result)"
                  " WHERE json_extract(result, '$.cycles') = 7";
  if (store_query(s, q, NULL, 0, NULL, collect, &got, &e) < 0) fail_msg("%s", e.text);
  assert_string_equal(strbuf_text(&got), "n=n1;");
  assert_int_equal(damaged(s, NULL), 1);
  store_close(s);
  strbuf_fini(&got);
}

static void a_query_sees_what_was_put_after_the_last_one(void **state) {
  const place_t *p = *state;
  store_t *s = open_store(p->path);
  err_t e = {0};
  for (int i = 0; i < 3; i++) {
    char identity[8], n[8];
    strbuf_t got;
    strbuf_init(&got);
    snprintf(identity, sizeof identity, "[%d]", i);
    snprintf(n, sizeof n, "n=n%d;", i + 1);
    put(s, identity, "l", 5);
    if (store_query(s, "SELECT count(*) AS n FROM runs", NULL, 0, NULL, collect, &got, &e) < 0)
      fail_msg("%s", e.text);
    assert_string_equal(strbuf_text(&got), n);
    strbuf_fini(&got);
  }
  store_close(s);
}

/* Neither its damage nor its hash goes on. */
static void merging_takes_no_damaged_row_and_replaces_one(void **state) {
  const place_t *p = *state;
  char other[160];
  uint64_t count = 0;
  err_t e = {0};
  snprintf(other, sizeof other, "%s/other.db", p->folder);
  store_t *s = open_store(p->path), *o = open_store(other);
  put_status(s, "a", STORE_DONE);
  put_status(s, "b", STORE_DONE);
  put_status(o, "a", STORE_LOST);
  put_status(o, "b", STORE_DONE);
  put_status(o, "c", STORE_DONE);
  store_close(s), store_close(o);
  sql(p->path, "UPDATE run SET result = '{\"cycles\":8}' WHERE key = 'a'");
  sql(other, "UPDATE run SET result = '{\"cycles\":9}' WHERE key IN ('b', 'c')");
  s = open_store(p->path);
  if (store_merge(s, other, &count, &e) < 0) fail_msg("%s", e.text);
  assert_int_equal(count, 1);
  assert_int_equal(damaged(s, "b"), 2);
  store_close(s);
  assert_int_equal(
      ask(p->path, "SELECT count(*) FROM run WHERE result LIKE '%8}' OR result LIKE '%9}'"), 0);
  assert_int_equal(ask(p->path, "SELECT count(*) FROM run WHERE key = 'a' AND status = 'lost'"), 1);
  assert_int_equal(rows(p->path), 2);
}

static void sharing_is_hashed_and_mends_no_damage(void **state) {
  const place_t *p = *state;
  store_t *s = open_store(p->path);
  err_t e = {0};
  strbuf_t text;
  strbuf_init(&text);
  put(s, "[1]", "l", 5);
  char key[STORE_KEY_BYTES];
  store_key("[1]", key);
  assert_int_equal(store_put_sharing(s, key, "{\"throughput\":1}", &e), 0);
  assert_int_equal(get(s, "[1]", &text), STORE_DONE);
  sql(p->path, "UPDATE run SET result = '{\"cycles\":8}'");
  assert_int_equal(store_put_sharing(s, key, "{\"throughput\":2}", &e), 0);
  assert_int_equal(get(s, "[1]", &text), STORE_NONE);
  store_close(s);
  strbuf_fini(&text);
}

/* ---- what comes with a file ---- */

static void a_files_own_views_and_triggers_are_not_used(void **state) {
  const place_t *p = *state;
  store_t *s = open_store(p->path);
  strbuf_t got;
  err_t e = {0};
  put(s, "[1]", "l", 5);
  store_close(s);
  sql(p->path, "DROP VIEW runs; CREATE VIEW runs AS SELECT 99 AS cycles;"
               "CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM run; END");
  strbuf_init(&got);
  assert_int_equal(store_open(p->path, STORE_READ, &s, &e), 0);
  if (store_query(s, "SELECT cycles FROM runs", NULL, 0, NULL, collect, &got, &e) < 0)
    fail_msg("%s", e.text);
  assert_string_equal(strbuf_text(&got), "cycles=n7;");
  store_close(s);
  s = open_store(p->path);
  put(s, "[2]", "l", 5);
  store_close(s);
  assert_int_equal(rows(p->path), 2);
  strbuf_fini(&got);
}

/* Such a view has no end. */
static void a_view_in_place_of_the_table_is_refused(void **state) {
  const place_t *p = *state;
  store_close(open_store(p->path));
  sql(p->path, "DROP VIEW runs; DROP VIEW apps; DROP VIEW counters; DROP TABLE run;"
               "CREATE VIEW run AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
               " SELECT i AS key, 'done' AS status FROM n");
  refused(p->path, STORE_READ, "no table of runs");
  refused(p->path, STORE_WRITE, "no table of runs");
}

/* ---- repairing ---- */

#define MANY 300

/* So many rows, many longer than a page, whose cycles are known from their identities. They are
 * written at once, as an older gmmu's, and get their hashes when the store is opened. */
static void fill_store(const char *path) {
  strbuf_t text;
  strbuf_init(&text);
  store_close(open_store(path));
  strbuf_str(&text, "PRAGMA user_version = 1; BEGIN;");
  for (int i = 0; i < MANY; i++) {
    char identity[16], key[STORE_KEY_BYTES];
    snprintf(identity, sizeof identity, "[%d]", i);
    store_key(identity, key);
    strbuf_printf(&text,
                  "INSERT INTO run(key, status, model, label, workload, identity, error, result,"
                  " host_ms) VALUES('%s', 'done', 'm', '%s', 'w', '%s', '',"
                  " '{\"cycles\":%d,\"filling\":\"%0*d\"}', 1);",
                  key, identity, identity, 1000 + i, i % 3 * 3000 + 100, i);
  }
  strbuf_str(&text, "COMMIT");
  sql(path, strbuf_text(&text));
  store_close(open_store(path));
  strbuf_fini(&text);
}

/* Every number that a query gives must be one that was put; how many rows there are. */
static int check_sum(void *ctx, const store_value_t *v, err_t *e) {
  int *at = ctx;
  (void)e;
  if (v->column == 0)
    at[0] = atoi(v->text + 1);
  else if (atoi(v->text) != 1000 + at[0])
    fail_msg("cycles of [%d]: %s", at[0], v->text);
  else
    at[1]++;
  return GMMU_OK;
}

static void write_bytes(const char *path, const strbuf_t *bytes) {
  FILE *f = fopen(path, "wb");
  assert_non_null(f);
  assert_int_equal(fwrite(bytes->buf, 1, bytes->size, f), bytes->size);
  fclose(f);
}

/* How many rows, -1 if it is refused. */
static int rows_of(const char *path, bool *told) {
  int at[2] = {0};
  store_t *s;
  err_t e = {0};
  *told = true;
  if (store_open(path, STORE_READ, &s, &e) < 0) return -1;
  int rc = store_query(s, "SELECT identity, json_extract(result, '$.cycles') FROM run", NULL, 0,
                       NULL, check_sum, at, &e);
  *told = damaged(s, NULL) > 0;
  store_close(s);
  if (rc < 0 && e.code == GMMU_ENOENT)
    at[1] = 0; /* an empty file is an empty store */
  else if (rc < 0)
    at[1] = -1;
  return at[1];
}

static void a_malformed_store_is_refused_as_it_is(void **state) {
  const place_t *p = *state;
  fill_store(p->path);
  strbuf_t bytes = file_of(p->path);
  for (size_t page = 1; page < 5; page++) memset(bytes.buf + page * 4096, 0x5a, 4096);
  write_bytes(p->path, &bytes);
  refused(p->path, STORE_WRITE, "damaged");
  strbuf_t after = file_of(p->path);
  assert_int_equal(bytes.size, after.size);
  assert_memory_equal(bytes.buf, after.buf, after.size);
  strbuf_fini(&bytes), strbuf_fini(&after);
}

static bool yes(void) { return true; }

static void repairing_keeps_every_row_that_can_be_read(void **state) {
  const place_t *p = *state;
  char backup[256];
  store_health_t h;
  store_t *s;
  bool told;
  err_t e = {0};
  fill_store(p->path);
  strbuf_t bytes = file_of(p->path);
  size_t pages = bytes.size / 4096;
  memset(bytes.buf + pages / 2 * 4096, 0x5a, 4096); /* one page: few rows are lost */
  write_bytes(p->path, &bytes);
  assert_int_equal(chmod(p->path, 0640), 0);
  assert_int_equal(store_open(p->path, STORE_SAVE, &s, &e), 0);
  assert_int_equal(store_repair(s, yes, &h, backup, sizeof backup, &e), GMMU_EINTERRUPTED);
  store_close(s);
  assert_int_equal(store_open(p->path, STORE_SAVE, &s, &e), 0);
  if (store_repair(s, NULL, &h, backup, sizeof backup, &e) < 0) fail_msg("%s", e.text);
  store_close(s);
  if (h.whole < MANY - 40) fail_msg("%d", (int)h.whole);
  assert_int_equal(rows_of(p->path, &told), (int)h.whole);
  assert_false(told);
  strbuf_t kept = file_of(backup);
  assert_int_equal(kept.size, bytes.size);
  assert_memory_equal(kept.buf, bytes.buf, kept.size);
  struct stat st;
  assert_int_equal(stat(p->path, &st), 0);
  assert_int_equal(st.st_mode & 0777, 0640);
  strbuf_fini(&bytes), strbuf_fini(&kept);
}

static void a_store_with_a_run_under_way_is_not_repaired(void **state) {
  const place_t *p = *state;
  char backup[256];
  store_health_t h;
  store_t *s;
  err_t e = {0};
  fill_store(p->path);
  claims_t *c = claims_open(p->path);
  assert_true(claims_take(c, "0123"));
  assert_int_equal(store_open(p->path, STORE_SAVE, &s, &e), 0);
  assert_int_equal(store_repair(s, NULL, &h, backup, sizeof backup, &e), GMMU_EFORMAT);
  if (!strstr(e.text, "a sweep is using it")) fail_msg("%s", e.text);
  store_close(s);
  claims_close(c);
}

/* Who has it open meanwhile learns of it, and writes nowhere. */
static void a_writer_notices_that_its_store_was_replaced(void **state) {
  const place_t *p = *state;
  char backup[256];
  store_health_t h;
  store_t *s, *writer = open_store(p->path);
  err_t e = {0};
  put(writer, "[1]", "l", 5);
  assert_int_equal(store_open(p->path, STORE_SAVE, &s, &e), 0);
  if (store_repair(s, NULL, &h, backup, sizeof backup, &e) < 0) fail_msg("%s", e.text);
  store_close(s);
  const store_row_t row = {.key = "k", .identity = "{}", .result = "{}"};
  assert_int_equal(store_put(writer, &row, &e), GMMU_EIO);
  if (!strstr(e.text, "moved or replaced")) fail_msg("%s", e.text);
  store_close(writer);
  assert_int_equal(rows(p->path), 1);
}

/* Damaged at random: a number is right or the damage is told of, and nothing crashes. What is
 * repaired is whole, and has whatever could be read. ROUNDS makes it long. */
static void random_damage_never_gives_a_wrong_number(void **state) {
  const place_t *p = *state;
  const char *text = getenv("ROUNDS");
  int rounds = text ? atoi(text) : 60, refusals = 0, partial = 0, unharmed = 0;
  rng_t rng;
  char backup[256];
  rng.s = test_seed();
  fill_store(p->path);
  strbuf_t good = file_of(p->path);
  for (int i = 0; i < rounds; i++) {
    strbuf_t bad;
    strbuf_init(&bad);
    strbuf_add(&bad, good.buf, good.size);
    uint32_t kind = (uint32_t)rng_below(&rng, 4), times = 1 + (uint32_t)rng_below(&rng, 4);
    for (uint32_t k = 0; k < times; k++) {
      size_t at = (size_t)rng_below(&rng, (uint32_t)bad.size);
      size_t size = kind == 0 ? 1 : kind == 1 ? 1 + (size_t)rng_below(&rng, 64) : 4096;
      if (kind == 3) {
        bad.size = at; /* cut off */
        break;
      }
      if (kind == 2) at -= at % 4096;
      for (size_t b = at; b < at + size && b < bad.size; b++)
        bad.buf[b] =
            kind == 0 ? (char)(bad.buf[b] ^ 1 << rng_below(&rng, 8)) : (char)rng_below(&rng, 256);
    }
    write_bytes(p->path, &bad);
    bool told, mended;
    int count = rows_of(p->path, &told);
    if (count >= 0 && count < MANY && !told && bad.size)
      fail_msg("round %d: %d rows and no word", i, count);
    refusals += count < 0, partial += count >= 0 && told, unharmed += count == MANY && !told;
    store_t *s = NULL;
    store_health_t h = {0};
    err_t e = {0};
    int rc = store_open(p->path, STORE_SAVE, &s, &e);
    if (rc == 0) rc = store_repair(s, NULL, &h, backup, sizeof backup, &e);
    if (rc < 0 && s && e.code != GMMU_ENOENT) fail_msg("round %d: %s", i, e.text);
    store_close(s);
    if (rc == 0) {
      int after = rows_of(p->path, &mended);
      if (after != (int)h.whole || mended || after < count)
        fail_msg("round %d: %d of %d rows, %d before", i, after, (int)h.whole, count);
      unlink(backup);
    }
    strbuf_fini(&bad);
  }
  printf("%d rounds: %d refused, %d told of, %d unharmed\n", rounds, refusals, partial, unharmed);
  if (rounds >= 60) assert_true(refusals && partial);
  strbuf_fini(&good);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      WITH_PLACE(a_row_with_any_column_changed_is_as_none),
      WITH_PLACE(a_damaged_row_does_not_end_a_query),
      WITH_PLACE(a_query_sees_what_was_put_after_the_last_one),
      WITH_PLACE(merging_takes_no_damaged_row_and_replaces_one),
      WITH_PLACE(sharing_is_hashed_and_mends_no_damage),
      WITH_PLACE(a_files_own_views_and_triggers_are_not_used),
      WITH_PLACE(a_view_in_place_of_the_table_is_refused),
      WITH_PLACE(a_malformed_store_is_refused_as_it_is),
      WITH_PLACE(repairing_keeps_every_row_that_can_be_read),
      WITH_PLACE(a_store_with_a_run_under_way_is_not_repaired),
      WITH_PLACE(a_writer_notices_that_its_store_was_replaced),
      WITH_PLACE(random_damage_never_gives_a_wrong_number),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
