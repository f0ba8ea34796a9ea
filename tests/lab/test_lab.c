/* The laboratory with generators for applications, on a machine of a few SMs; verdicts; divisions
 * of the SMs. */
#include "lab/claims.h"
#include "lab/jobs.h"
#include "lab/share.h"
#include "repro/atlas.h"
#include "repro/plane.h"
#include "repro/repro.h"
#include "unit.h"
#include <sqlite3.h>
#include <stdio.h>

typedef struct {
  char folder[64], path[128];
  lab_t *lab;
} own_lab_t;

static int open_lab(void **state) {
  own_lab_t *p = calloc(1, sizeof *p);
  err_t e = {0};
  snprintf(p->folder, sizeof p->folder, "lab-XXXXXX");
  if (!mkdtemp(p->folder)) return -1;
  snprintf(p->path, sizeof p->path, "%s/r.db", p->folder);
  *state = p;
  return lab_open(p->path, STORE_WRITE, 2, &p->lab, &e);
}

static int close_lab(void **state) {
  own_lab_t *p = *state;
  char command[192];
  lab_close(p->lab);
  snprintf(command, sizeof command, "rm -rf %s", p->folder);
  int rc = system(command);
  free(p);
  return rc;
}

static lab_run_t small(const char *first, const char *second) {
  lab_run_t r = {.gpu = "maxwell", .design = "sharedtlb", .sets = 1, .set = {"gpu.sms=6"}};
  snprintf(r.app[r.apps++], sizeof r.app[0], "%s", first);
  if (second) snprintf(r.app[r.apps++], sizeof r.app[0], "%s", second);
  return r;
}

#define STREAM "stream:footprint=256K,blocks=12"
#define GATHER "gather:footprint=1M,steps=2,blocks=12"

static void execute(lab_t *l) {
  err_t e = {0};
  if (lab_execute(l, "test", &e) < 0) fail_msg("%s", e.text);
}

/* ---- runs ---- */

static void what_is_missing_is_run_and_found_then(void **state) {
  const own_lab_t *p = *state;
  lab_run_t r = small(STREAM, NULL);
  lab_begin(p->lab);
  assert_null(lab_run(p->lab, &r));
  assert_null(lab_run(p->lab, &r));
  assert_int_equal(lab_missing(p->lab), 1); /* asked for twice, run once */
  execute(p->lab);
  lab_begin(p->lab);
  const lab_result_t *x = lab_run(p->lab, &r);
  assert_non_null(x);
  assert_int_equal(x->status, LAB_DONE);
  assert_int_equal(lab_missing(p->lab), 0);
  assert_int_equal(lab_found(p->lab), 1);
  assert_true(lab_u64(x, "apps[0].complete_instructions") > 0);
  assert_int_equal(lab_u64(x, "apps[0].sms"), 6);
}

/* Probes, too, are runs. */
static void a_probe_is_kept_like_a_run(void **state) {
  const own_lab_t *p = *state;
  static const char *const set[] = {"gpu.sms=4",       "mem.bytes=1G",
                                    "dram.channels=2", "dram.banks=4",
                                    "l2.ways=4",       "l2.bytes=4K",
                                    "map.module=9 13", "map.bank=9 13; 11 17; 12 18",
                                    "l2.mshrs=9",      "map.set=9 13; 7 15; 8 16"};
  lab_run_t r = {.gpu = "gtx1080", .design = "native", .app = {"probe:hash"}, .apps = 1};
  for (; r.sets < 10; r.sets++) snprintf(r.set[r.sets], sizeof r.set[0], "%s", set[r.sets]);
  lab_begin(p->lab);
  assert_null(lab_run(p->lab, &r));
  execute(p->lab);
  lab_begin(p->lab);
  const lab_result_t *x = lab_run(p->lab, &r);
  assert_non_null(x);
  assert_int_equal(lab_u64(x, "probe.found.mshrs.value"), 9);
  assert_int_equal(lab_u64(x, "probe.found.line.value"), 128);
  assert_int_equal(lab_u64(x, "probe.loaded_line_gone_after"), 4);
  assert_int_equal(lab_u64(x, "probe.stored_line_gone_after"), 7);
}

static void a_probe_that_does_not_exist_is_absent(void **state) {
  const own_lab_t *p = *state;
  static const char *const wrong[] = {"hashes", "hash,others=3", "isolation,others=80",
                                      "isolation,others=7 ", "isolation,"};
  for (uint32_t i = 0; i < 5; i++) {
    lab_run_t r = {.gpu = "gtx1080", .design = "native", .apps = 1};
    snprintf(r.app[0], sizeof r.app[0], "probe:%s", wrong[i]);
    lab_begin(p->lab);
    const lab_result_t *x = lab_run(p->lab, &r);
    assert_non_null(x);
    assert_int_equal(x->status, LAB_ABSENT);
  }
}

/* What changes a result changes the key; what does not, does not. */
static void runs_are_told_apart_by_what_decides_their_results(void **state) {
  const own_lab_t *p = *state;
  lab_run_t r = small(STREAM, GATHER), other;
  lab_begin(p->lab);
  lab_run(p->lab, &r);
  other = r, other.sms[0] = 3, other.sms[1] = 3; /* what equal shares are */
  lab_run(p->lab, &other);
  snprintf(other.set[other.sets++], LAB_TEXT_BYTES, "l2tlb.entries=512"); /* the preset's value */
  lab_run(p->lab, &other);
  assert_int_equal(lab_missing(p->lab), 1);
  other = r, other.sms[0] = 2, other.sms[1] = 4;
  lab_run(p->lab, &other);
  other = r, snprintf(other.set[other.sets++], LAB_TEXT_BYTES, "l2tlb.entries=64");
  lab_run(p->lab, &other);
  other = r, snprintf(other.design, sizeof other.design, "ideal");
  lab_run(p->lab, &other);
  other = r, other.limits.min_cycles = 1000;
  lab_run(p->lab, &other);
  other = r, snprintf(other.app[1], sizeof other.app[1], GATHER ",seed=2");
  lab_run(p->lab, &other);
  assert_int_equal(lab_missing(p->lab), 6);
}

/* Also where they do not come out even: 4 applications on 6 SMs have 1, 2, 1 and 2. */
static void equal_shares_are_the_numbers_that_split_gives(void **state) {
  const own_lab_t *p = *state;
  lab_run_t r = small(STREAM, GATHER);
  for (; r.apps < 4; r.apps++) snprintf(r.app[r.apps], LAB_TEXT_BYTES, STREAM);
  lab_begin(p->lab);
  lab_run(p->lab, &r);
  assert_true(share_split(6, 4, 4, 0, r.sms));
  lab_run(p->lab, &r);
  assert_int_equal(lab_missing(p->lab), 1);
  execute(p->lab);
  lab_begin(p->lab);
  memset(r.sms, 0, sizeof r.sms);
  const lab_result_t *x = lab_run(p->lab, &r);
  static const char *const path[] = {"apps[0].sms", "apps[1].sms", "apps[2].sms", "apps[3].sms"};
  for (uint32_t a = 0; a < 4; a++) assert_int_equal(lab_u64(x, path[a]), 1 + a % 2);
}

/* So that a row can be understood, and checked, without gmmu. */
static void a_key_is_that_of_the_identity_in_the_store(void **state) {
  const own_lab_t *p = *state;
  lab_run_t r = small(STREAM ",seed=7", NULL);
  char key[STORE_KEY_BYTES];
  sqlite3 *db;
  sqlite3_stmt *q;
  lab_begin(p->lab);
  lab_run(p->lab, &r);
  execute(p->lab);
  assert_int_equal(sqlite3_open(p->path, &db), SQLITE_OK);
  assert_int_equal(sqlite3_prepare_v2(db, "SELECT key, identity FROM run", -1, &q, NULL),
                   SQLITE_OK);
  assert_int_equal(sqlite3_step(q), SQLITE_ROW);
  store_key((const char *)sqlite3_column_text(q, 1), key);
  assert_string_equal(key, (const char *)sqlite3_column_text(q, 0));
  sqlite3_finalize(q);
  sqlite3_close(db);
}

static void answer(const own_lab_t *p, const char *text, char *out, size_t size) {
  sqlite3 *db;
  sqlite3_stmt *q;
  assert_int_equal(sqlite3_open(p->path, &db), SQLITE_OK);
  assert_int_equal(sqlite3_prepare_v2(db, text, -1, &q, NULL), SQLITE_OK);
  if (sqlite3_step(q) == SQLITE_ROW)
    snprintf(out, size, "%s", (const char *)sqlite3_column_text(q, 0));
  assert_int_equal(sqlite3_finalize(q), SQLITE_OK);
  sqlite3_close(db);
}

/* So an option that comes with a new policy changes no key. */
static void an_option_at_its_default_is_not_part_of_a_key(void **state) {
  const own_lab_t *p = *state;
  lab_run_t r = small(STREAM, NULL);
  char text[4096] = "";
  snprintf(r.set[r.sets++], sizeof r.set[0], "walk.threads=77");
  lab_begin(p->lab);
  lab_run(p->lab, &r);
  execute(p->lab);
  answer(p, "SELECT json_extract(identity, '$.config') FROM run", text, sizeof text);
  assert_non_null(strstr(text, "\"walk.threads\":77"));
  assert_non_null(strstr(text, "\"gpu.sms\":6"));
  assert_null(strstr(text, "\"walk.hop\""));
}

/* Versions were hashes of sources once. */
static void results_of_another_version_are_kept_and_not_taken(void **state) {
  const own_lab_t *p = *state;
  lab_run_t r = small(STREAM, NULL);
  char text[64] = "", key[STORE_KEY_BYTES], change[256];
  lab_begin(p->lab);
  lab_run(p->lab, &r);
  execute(p->lab);
  store_key("of another version", key);
  snprintf(change, sizeof change, "UPDATE run SET model = 'fedcba9876543210', key = '%s'", key);
  answer(p, change, text, sizeof text);
  err_t e = {0};
  lab_t *again;
  assert_int_equal(lab_open(p->path, STORE_WRITE, 2, &again, &e), 0);
  lab_begin(again);
  assert_null(lab_run(again, &r));
  assert_int_equal(lab_missing(again), 1);
  execute(again);
  lab_close(again);
  answer(p, "SELECT count(*) || ' ' || count(DISTINCT model) FROM runs", text, sizeof text);
  assert_string_equal(text, "2 2");
}

static void what_this_build_lacks_is_absent_and_not_missing(void **state) {
  const own_lab_t *p = *state;
  lab_run_t r = small(STREAM, NULL);
  lab_begin(p->lab);
  snprintf(r.design, sizeof r.design, "perfect");
  const lab_result_t *x = lab_run(p->lab, &r);
  assert_non_null(x);
  assert_int_equal(x->status, LAB_ABSENT);
  assert_non_null(strstr(x->text, "\"perfect\""));
  r = small(STREAM, NULL), snprintf(r.set[r.sets++], LAB_TEXT_BYTES, "tlb.colour=red");
  assert_int_equal(lab_run(p->lab, &r)->status, LAB_ABSENT);
  assert_int_equal(lab_missing(p->lab), 0);
}

/* More SMs than there are: the machine refuses, and would again. */
static void a_machine_that_fails_is_a_result(void **state) {
  const own_lab_t *p = *state;
  lab_run_t r = small(STREAM, NULL);
  r.sms[0] = 7;
  for (int pass = 0; pass < 2; pass++) {
    lab_begin(p->lab);
    const lab_result_t *x = lab_run(p->lab, &r);
    assert_int_equal(x == NULL, pass == 0);
    if (x) assert_int_equal(x->status, LAB_FAILED);
    if (!x) execute(p->lab);
  }
}

static void results_outlive_the_process(void **state) {
  own_lab_t *p = *state;
  lab_run_t r = small(STREAM, NULL);
  err_t e = {0};
  lab_begin(p->lab);
  lab_run(p->lab, &r);
  execute(p->lab);
  lab_close(p->lab);
  assert_int_equal(lab_open(p->path, STORE_READ, 1, &p->lab, &e), 0);
  lab_begin(p->lab);
  assert_non_null(lab_run(p->lab, &r));
}

/* ---- failures ---- */

/* Asks for the run once, executing what is missing: how many that were. */
static uint32_t ask(lab_t *l, const lab_run_t *r, lab_status_t want) {
  lab_begin(l);
  lab_run(l, r);
  uint32_t missing = lab_missing(l);
  if (missing) execute(l);
  lab_begin(l);
  const lab_result_t *x = lab_run(l, r);
  assert_non_null(x);
  assert_int_equal(x->status, want);
  return missing;
}

static void reopen(own_lab_t *p, lab_retry_t retry) {
  err_t e = {0};
  lab_close(p->lab);
  assert_int_equal(lab_open(p->path, STORE_WRITE, 1, &p->lab, &e), 0);
  lab_set_retry(p->lab, retry);
}

/* Who writes rows without hashes says so by the schema's number. */
static void sql(const own_lab_t *p, const char *text) {
  sqlite3 *db;
  assert_int_equal(sqlite3_open(p->path, &db), SQLITE_OK);
  if (sqlite3_exec(db, text, NULL, NULL, NULL) != SQLITE_OK) fail_msg("%s", sqlite3_errmsg(db));
  sqlite3_exec(db, "UPDATE run SET hash = ''; PRAGMA user_version = 1", NULL, NULL, NULL);
  sqlite3_close(db);
}

static void a_failure_is_tried_again_on_demand_only(void **state) {
  own_lab_t *p = *state;
  lab_run_t r = small(STREAM, NULL);
  r.sms[0] = 7;
  assert_int_equal(ask(p->lab, &r, LAB_FAILED), 1);
  reopen(p, LAB_RETRY_LOST);
  assert_int_equal(ask(p->lab, &r, LAB_FAILED), 0);
  reopen(p, LAB_RETRY_NONE);
  assert_int_equal(ask(p->lab, &r, LAB_FAILED), 0);
  reopen(p, LAB_RETRY_ALL);
  assert_int_equal(ask(p->lab, &r, LAB_FAILED), 1); /* and once */
}

static void a_lost_run_is_tried_again_unless_forbidden(void **state) {
  own_lab_t *p = *state;
  lab_run_t r = small(STREAM, NULL);
  assert_int_equal(ask(p->lab, &r, LAB_DONE), 1);
  sql(p, "UPDATE run SET status = 'lost', result = '', error = 'killed'");
  reopen(p, LAB_RETRY_NONE);
  assert_int_equal(ask(p->lab, &r, LAB_FAILED), 0);
  reopen(p, LAB_RETRY_LOST);
  assert_int_equal(ask(p->lab, &r, LAB_DONE), 1);
}

static void a_counter_that_is_not_there_is_an_error(void **state) {
  const own_lab_t *p = *state;
  lab_run_t r = small(STREAM, NULL);
  ask(p->lab, &r, LAB_DONE);
  lab_begin(p->lab);
  const lab_result_t *x = lab_run(p->lab, &r);
  assert_true(lab_u64(x, "cycles") > 0);
  assert_null(lab_error(p->lab));
  assert_int_equal(lab_u64(x, "apps[0].walk.wolks"), 0);
  assert_non_null(lab_error(p->lab));
  assert_non_null(strstr(lab_error(p->lab)->text, "apps[0].walk.wolks"));
}

/* Brief: nothing but the status is read, and texts that were forgotten are read again. */
static void results_may_be_brief_or_forgotten(void **state) {
  own_lab_t *p = *state;
  lab_run_t r = small(STREAM, NULL);
  ask(p->lab, &r, LAB_DONE);
  lab_forget(p->lab);
  lab_begin(p->lab);
  assert_true(lab_u64(lab_run(p->lab, &r), "cycles") > 0);
  reopen(p, LAB_RETRY_LOST);
  lab_set_brief(p->lab, true);
  lab_begin(p->lab);
  assert_string_equal(lab_run(p->lab, &r)->text, "");
}

/* ---- claims ---- */

static void a_claim_is_one_processs_and_ends_with_it(void **state) {
  const own_lab_t *p = *state;
  static const char key[] = "0123456789abcdef0123456789abcdef";
  claims_t *a = claims_open(p->path), *b = claims_open(p->path);
  assert_true(claims_take(a, key));
  assert_true(claims_take(a, key));
  assert_false(claims_take(b, key));
  assert_true(claims_take(b, "1123456789abcdef0123456789abcdef"));
  claims_leave(a, key);
  assert_true(claims_take(b, key));
  claims_close(b);
  assert_true(claims_take(a, key));
  claims_close(a);
  assert_true(claims_take(NULL, key)); /* where there are no locks */
}

/* ---- runs as text ---- */

static void a_run_comes_back_from_its_text(void **state) {
  (void)state;
  lab_run_t r = small(STREAM, GATHER), back;
  char key[STORE_KEY_BYTES];
  strbuf_t text;
  err_t e = {0};
  r.sms[0] = 2, r.sms[1] = 4;
  r.limits = (gpu_limits_t){
      .cycles = 1, .instructions = 2, .min_cycles = UINT64_MAX, .wait_for = 1, .no_relaunch = true};
  strbuf_init(&text);
  for (int i = 0; i < 2; i++)
    assert_int_equal(lab_text_write(&r, "0123456789abcdef0123456789abcdef", &text, &e), 0);
  const char *at = strbuf_text(&text);
  for (int i = 0; i < 2; i++) {
    assert_true(lab_text_read(&at, &back, key, &e));
    assert_string_equal(key, "0123456789abcdef0123456789abcdef");
    assert_memory_equal(&r, &back, sizeof r);
  }
  assert_false(lab_text_read(&at, &back, key, &e));
  assert_int_equal(e.code, 0);
  snprintf(r.app[0], sizeof r.app[0], "a\nb");
  assert_int_equal(lab_text_write(&r, key, &text, &e), GMMU_EINVAL);
  strbuf_fini(&text);
}

static void what_is_no_run_is_refused(void **state) {
  (void)state;
  static const char *const bad[] = {
      "gpu m\n",                                       /* ends too early */
      "gpu m",                                         /* a line without its end */
      "gpu m\ndesign d\napp a\nend x\n",               /* no key */
      "gpu m\nend 0123456789abcdef0123456789abcdef\n", /* nothing to run */
      "colour red\n",
      "sms 3\n",
      "gpu m\napp a\nsms -3\n",
      "gpu m\napp a\nsms 3x\n",
      "cycles 99999999999999999999\n",
      "no_relaunch 2\n",
      "gpu\n",
      "a-key-that-is-far-too-long x\n"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    lab_run_t r;
    char key[STORE_KEY_BYTES];
    err_t e = {0};
    const char *at = bad[i];
    if (lab_text_read(&at, &r, key, &e) || !e.code) fail_msg("%s", bad[i]);
  }
}

/* ---- sharing ---- */

static bool metrics_of(lab_t *l, lab_run_t *r, bool oracle, sharing_t *s) {
  const lab_result_t *bad = NULL;
  if (oracle && !share_oracle(l, r, "sharedtlb", 6, 3, &bad)) return false;
  return share_metrics(l, r, "sharedtlb", false, s, &bad);
}

static void the_oracle_finds_the_best_division(void **state) {
  const own_lab_t *p = *state;
  sharing_t best, other;
  lab_run_t r = small(STREAM, GATHER);
  for (int pass = 0; pass < 3; pass++) {
    lab_begin(p->lab);
    if (metrics_of(p->lab, &r, true, &best)) break;
    assert_true(pass < 2);
    execute(p->lab);
  }
  assert_int_equal(r.sms[0] + r.sms[1], 6);
  for (uint32_t i = 0; i < 2; i++) {
    lab_run_t x = r;
    assert_true(share_split(6, 2, 3, i, x.sms));
    assert_true(metrics_of(p->lab, &x, false, &other));
    assert_true(other.weighted_speedup <= best.weighted_speedup);
  }
}

/* Alone under the same design an application is as fast as itself. */
static void one_application_has_a_speedup_of_one(void **state) {
  const own_lab_t *p = *state;
  sharing_t s;
  lab_run_t r = small(STREAM, NULL);
  r.sms[0] = 6;
  lab_begin(p->lab);
  assert_false(metrics_of(p->lab, &r, false, &s));
  assert_int_equal(lab_missing(p->lab), 1);
  execute(p->lab);
  lab_begin(p->lab);
  assert_true(metrics_of(p->lab, &r, false, &s));
  assert_int_equal(s.weighted_speedup, MICRO);
}

static void divisions_are_complete_and_in_order(void **state) {
  (void)state;
  static const uint32_t two[5][2] = {{5, 25}, {10, 20}, {15, 15}, {20, 10}, {25, 5}};
  uint32_t sms[5], count = 0;
  for (uint32_t i = 0; i < 5; i++) {
    assert_true(share_split(30, 2, 6, i, sms));
    assert_memory_equal(sms, two[i], sizeof two[i]);
  }
  assert_false(share_split(30, 2, 6, 5, sms));
  for (; share_split(30, 3, 6, count, sms); count++) {
    assert_int_equal(sms[0] + sms[1] + sms[2], 30);
    assert_true(sms[0] >= 5 && sms[1] >= 5 && sms[2] >= 5);
  }
  assert_int_equal(count, 10); /* 5 over 2 */
  for (count = 0; share_split(30, 2, 0, count, sms); count++) assert_int_equal(sms[0], count + 1);
  assert_int_equal(count, 29);
  assert_true(share_split(15, 4, 4, 0, sms)); /* equal shares, as near as can be */
  assert_int_equal(sms[0] + sms[1] + sms[2] + sms[3], 15);
  assert_true(sms[0] == 3 && sms[3] == 4);
  assert_false(share_split(2, 3, 3, 0, sms));
}

/* ---- verdicts ---- */

static verdict_t judged(rule_t rule, micro_t paper, micro_t ours) {
  const paper_row_t row = ROW("x", "x", paper, UNIT_PERCENT, rule);
  const our_row_t own = {.there = true, .value = ours};
  return repro_judge(&row, &own);
}

static void a_gain_is_judged_by_sign_and_factor(void **state) {
  (void)state;
  assert_int_equal(judged(RULE_VALUE, 600000, 400000), VERDICT_SIZE);
  assert_int_equal(judged(RULE_VALUE, 600000, 900000), VERDICT_SIZE);
  assert_int_equal(judged(RULE_VALUE, 600000, 399999), VERDICT_DIRECTION);
  assert_int_equal(judged(RULE_VALUE, 600000, 900001), VERDICT_DIRECTION);
  assert_int_equal(judged(RULE_VALUE, 600000, -1), VERDICT_DISAGREES);
  assert_int_equal(judged(RULE_VALUE, 600000, 0), VERDICT_DISAGREES);
  assert_int_equal(judged(RULE_VALUE, -600000, -500000), VERDICT_SIZE);
}

static void a_share_is_judged_by_what_is_lost(void **state) {
  (void)state;
  assert_int_equal(judged(RULE_SHARE, 471000, 500000), VERDICT_SIZE);
  assert_int_equal(judged(RULE_SHARE, 471000, 980000), VERDICT_DIRECTION);
  assert_int_equal(judged(RULE_SHARE, 471000, 1010000), VERDICT_DISAGREES);
}

static void a_rate_has_no_direction(void **state) {
  (void)state;
  assert_int_equal(judged(RULE_RATE, 10000, 14000), VERDICT_SIZE);
  assert_int_equal(judged(RULE_RATE, 10000, 723000), VERDICT_DISAGREES);
  assert_int_equal(judged(RULE_REST, 10000, 14000), VERDICT_SIZE);
  assert_int_equal(judged(RULE_REST, 10000, 0), VERDICT_DIRECTION);
  assert_int_equal(judged(RULE_REST, 10000, 723000), VERDICT_DISAGREES);
}

static void bounds_and_claims_hold_or_do_not(void **state) {
  (void)state;
  assert_int_equal(judged(RULE_ABOVE, 20, 21), VERDICT_DIRECTION);
  assert_int_equal(judged(RULE_ABOVE, 20, 20), VERDICT_DISAGREES);
  assert_int_equal(judged(RULE_BELOW, 20, 19), VERDICT_DIRECTION);
  assert_int_equal(judged(RULE_BELOW, 20, 20), VERDICT_DISAGREES);
  assert_int_equal(judged(RULE_NOTE, 20, 19), VERDICT_NONE);
  const paper_row_t order = {.rule = RULE_ORDER};
  assert_int_equal(repro_judge(&order, &(our_row_t){.there = true, .holds = true}), VERDICT_ORDER);
  assert_int_equal(repro_judge(&order, &(our_row_t){.there = true}), VERDICT_DISAGREES);
  assert_int_equal(repro_judge(&order, &(our_row_t){0}), VERDICT_ABSENT);
}

static void below_the_noise_there_is_no_direction(void **state) {
  (void)state;
  const paper_row_t big = ROW("x", "x", 600000, UNIT_PERCENT, RULE_VALUE),
                    small = ROW("x", "x", 2000, UNIT_PERCENT, RULE_VALUE),
                    above = ROW("x", "x", 0, UNIT_PERCENT, RULE_ABOVE),
                    claim = ROW("x", "x", 0, UNIT_NUMBER, RULE_CLAIM);
  our_row_t o = {.there = true, .value = 4000, .noise = 4000, .has_noise = true};
  assert_int_equal(repro_judge(&big, &o), VERDICT_DISAGREES); /* it would be seen */
  assert_int_equal(repro_judge(&small, &o), VERDICT_NOISE);
  assert_int_equal(repro_judge(&above, &o), VERDICT_NOISE);
  o.value = 4001;
  assert_int_equal(repro_judge(&big, &o), VERDICT_DIRECTION);
  assert_int_equal(repro_judge(&above, &o), VERDICT_DIRECTION);
  o.holds = true;
  assert_int_equal(repro_judge(&claim, &o), VERDICT_DIRECTION); /* without a margin */
  o.has_margin = true, o.margin = 3999;
  assert_int_equal(repro_judge(&claim, &o), VERDICT_NOISE);
}

static void what_did_not_act_is_absent_and_what_is_given_is_not_judged(void **state) {
  (void)state;
  const paper_row_t below =
      ROW("x", "x", 20000, UNIT_PERCENT, RULE_BELOW, .acted = "memory.migrated");
  const paper_row_t planted = ROW("x", "x", 20000, UNIT_PERCENT, RULE_RATE, .given = "planted");
  our_row_t o = {.there = true, .value = 0};
  assert_int_equal(repro_judge(&below, &o), VERDICT_ABSENT);
  o.acted = 1;
  assert_int_equal(repro_judge(&below, &o), VERDICT_DIRECTION);
  o.value = 20000;
  assert_int_equal(repro_judge(&below, &o), VERDICT_DISAGREES);
  assert_int_equal(repro_judge(&planted, &o), VERDICT_NONE);
}

/* "Less than" holds where nothing happens: such a row must name the counter that says otherwise. */
static void every_upper_bound_names_what_acted(void **state) {
  (void)state;
  static const experiment_t *const papers[] = {
      repro_mask,      repro_mask_claims,   repro_mask_more, repro_mosaic, repro_mosaic_more,
      repro_mosaic_mm, repro_mosaic_paging, repro_neidty,    repro_fgpu,   repro_fgpu_probe,
      repro_tlb};
  for (uint32_t p = 0; p < sizeof papers / sizeof *papers; p++)
    for (const experiment_t *x = papers[p]; x->id; x++) {
      bool directed = strstr(x->id, "directed") || strcmp(x->id, "mosaic/torn") == 0 ||
                      strcmp(x->id, "neidty/matched") == 0;
      assert_int_equal(x->searched, directed);
      for (uint32_t i = 0; i < repro_row_count(x); i++) {
        bool bound = x->rows[i].rule == RULE_BELOW || x->rows[i].rule == RULE_REST;
        if (bound && !x->rows[i].acted && !x->rows[i].given)
          fail_msg("%s, row %u: no counter", x->id, i);
      }
    }
}

/* Any three columns of the 64 points have each combination of levels once, any two of the first
 * five columns of the 16 points, too. */
static void an_atlas_is_an_orthogonal_array(void **state) {
  (void)state;
  for (uint32_t x = 0; x < ATLAS_COLUMNS; x++)
    for (uint32_t y = 0; y < x; y++)
      for (uint32_t z = 0; z < y; z++) {
        uint64_t seen = 0;
        for (uint32_t i = 0; i < ATLAS_USUAL; i++) {
          uint32_t l[ATLAS_COLUMNS];
          atlas_levels(ATLAS_USUAL, i, l);
          seen |= 1ull << (l[x] | l[y] << 2 | l[z] << 4);
        }
        assert_true(seen == UINT64_MAX);
      }
  for (uint32_t x = 0; x < ATLAS_DIMS; x++)
    for (uint32_t y = 0; y < x; y++) {
      uint32_t seen = 0;
      for (uint32_t i = 0; i < ATLAS_FEW; i++) {
        uint32_t l[ATLAS_COLUMNS];
        atlas_levels(ATLAS_FEW, i, l);
        seen |= 1u << (l[x] | l[y] << 2);
      }
      assert_int_equal(seen, 0xffff);
    }
}

static void what_is_left_must_be_little(void **state) {
  (void)state;
  const atlas_claim_t c = {"MASK below Ideal", 1, 5, 232000, true, .left_of = 5};
  const atlas_cell_t lost = {.value = 600000, .noise = 10000},
                     nothing = {.value = 5000, .noise = 10000};
  const struct {
    micro_t value;
    atlas_holds_t holds;
  } left[] = {{-20000, ATLAS_SIZE}, {232000, ATLAS_SIZE},      {340000, ATLAS_SIZE},
              {460000, ATLAS_HALF}, {480000, ATLAS_DIRECTION}, {595000, ATLAS_NO},
              {900000, ATLAS_NO}};
  for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
    atlas_cell_t v = {.value = left[i].value, .noise = 10000};
    assert_int_equal(atlas_judge(&c, &v, &lost), left[i].holds);
    assert_int_equal(atlas_judge(&c, &v, &nothing), ATLAS_NO); /* nothing was lost */
  }
}

/* A variation compares two runs that differ in the second application alone: the first has half of
 * the SMs in both, and under cmp half of the colours. */
static void an_atlas_of_variations_runs_the_first_application_alone(void **state) {
  const repro_plan_t plan = {.quick = true};
  const repro_t r = {.plan = &plan};
  const atlas_t *a = &atlas_fgpu;
  (void)state;
  for (uint32_t d = 0; d < a->alone_from; d++) {
    lab_run_t shared = atlas_run(&r, a, 5, d, 0), alone = atlas_run(&r, a, 5, a->alone_from + d, 0);
    bool coloured = strcmp(shared.design, "cmp") == 0;
    assert_string_equal(shared.design, alone.design);
    assert_string_equal(shared.app[0], alone.app[0]);
    assert_int_equal(shared.apps, 2);
    assert_int_equal(alone.apps, 1);
    assert_int_equal(2 * alone.sms[0], share_total_sms(&shared));
    assert_int_equal(alone.sets, shared.sets + coloured);
    if (coloured) assert_string_equal(alone.set[alone.sets - 1], "mem.colours=0 1 2 3");
  }
}

/* Sixteen applications, of which eight come back to a page at once: equal values are in one half.
 */
static plane_t a_plane(bool backwards) {
  static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h",
                                      "i", "j", "k", "l", "m", "n", "o", "p"};
  plane_t p = {.apps = 16};
  for (uint32_t i = 0; i < p.apps; i++) {
    uint32_t k = backwards ? p.apps - 1 - i : i;
    p.app[i] = (plane_app_t){.name = names[k], .at = {100 * (k * 7 % 16), k < 8 ? 1 : k}};
  }
  plane_draw(&p);
  return p;
}

static void pairs_of_the_plane_have_every_two_quadrants_once(void **state) {
  plane_t p = a_plane(false), other = a_plane(true);
  uint32_t seen[PLANE_QUADRANTS][PLANE_QUADRANTS] = {{0}};
  (void)state;
  assert_int_equal(p.pairs, PLANE_PAIRS);
  for (uint32_t i = 0; i < p.apps; i++) {
    assert_int_equal(p.app[i].quadrant >> PLANE_REUSE, i >= 8);
    assert_int_equal(p.app[i].quadrant & 1, p.app[i].at[PLANE_BYTES] >= 800);
  }
  for (uint32_t i = 0; i < p.pairs; i++) {
    const plane_app_t *a = &p.app[p.pair[i][0]], *b = &p.app[p.pair[i][1]];
    assert_true(a->quadrant <= b->quadrant && a != b);
    seen[a->quadrant][b->quadrant]++;
    assert_string_equal(a->name, other.app[other.pair[i][0]].name);
    assert_string_equal(b->name, other.app[other.pair[i][1]].name);
  }
  for (uint32_t i = 0; i < PLANE_QUADRANTS; i++)
    for (uint32_t k = i; k < PLANE_QUADRANTS; k++) assert_int_equal(seen[i][k], 1);
}

#define SECOND UINT64_C(1000000000)

/* Two of four jobs are under way, one has ended: it was as long as its price in seconds, times 2.
 */
static void the_time_left_follows_from_those_that_ended(void **state) {
  static const uint64_t price[] = {5, 10, 10, 20};
  const jobs_t j = {.jobs = 4, .price = price};
  job_queue_t q;
  job_ready_t go;
  uint32_t job;
  err_t e = {0};
  (void)state;
  assert_int_equal(job_queue_init(&q, &j, &e), 0);
  assert_int_equal(job_queue_left_ms(&q, SECOND), 0); /* nothing is known */
  for (uint32_t i = 0; i < 3; i++) assert_true(job_queue_pick(&q, &job, &go, &e));
  job_queue_ended(&q, 0);
  q.run_ns = 10 * SECOND;
  q.begun_ns[1] = q.begun_ns[2] = 100 * SECOND;
  /* 40 s have not begun, for two; those under way have 16 s each. */
  assert_in_range(job_queue_left_ms(&q, 104 * SECOND), 36000, 36100);
  assert_true(job_queue_pick(&q, &job, &go, &e)), job_queue_ended(&q, 1), job_queue_ended(&q, 2);
  q.run_ns = 50 * SECOND, q.begun_ns[3] = 200 * SECOND;
  assert_in_range(job_queue_left_ms(&q, 210 * SECOND), 30000, 30100);
  /* It takes longer than thought: never is there nothing left. */
  assert_in_range(job_queue_left_ms(&q, 400 * SECOND), 20000, 20100);
  job_queue_fini(&q);
}

#define WITH_LAB(f) cmocka_unit_test_setup_teardown(f, open_lab, close_lab)

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_time_left_follows_from_those_that_ended),
      WITH_LAB(what_is_missing_is_run_and_found_then),
      WITH_LAB(a_probe_is_kept_like_a_run),
      WITH_LAB(a_probe_that_does_not_exist_is_absent),
      WITH_LAB(runs_are_told_apart_by_what_decides_their_results),
      WITH_LAB(equal_shares_are_the_numbers_that_split_gives),
      WITH_LAB(a_key_is_that_of_the_identity_in_the_store),
      WITH_LAB(an_option_at_its_default_is_not_part_of_a_key),
      WITH_LAB(results_of_another_version_are_kept_and_not_taken),
      WITH_LAB(what_this_build_lacks_is_absent_and_not_missing),
      WITH_LAB(a_machine_that_fails_is_a_result),
      WITH_LAB(results_outlive_the_process),
      WITH_LAB(a_failure_is_tried_again_on_demand_only),
      WITH_LAB(a_lost_run_is_tried_again_unless_forbidden),
      WITH_LAB(a_counter_that_is_not_there_is_an_error),
      WITH_LAB(results_may_be_brief_or_forgotten),
      WITH_LAB(a_claim_is_one_processs_and_ends_with_it),
      cmocka_unit_test(a_run_comes_back_from_its_text),
      cmocka_unit_test(what_is_no_run_is_refused),
      WITH_LAB(the_oracle_finds_the_best_division),
      WITH_LAB(one_application_has_a_speedup_of_one),
      cmocka_unit_test(divisions_are_complete_and_in_order),
      cmocka_unit_test(a_gain_is_judged_by_sign_and_factor),
      cmocka_unit_test(a_share_is_judged_by_what_is_lost),
      cmocka_unit_test(a_rate_has_no_direction),
      cmocka_unit_test(bounds_and_claims_hold_or_do_not),
      cmocka_unit_test(below_the_noise_there_is_no_direction),
      cmocka_unit_test(what_did_not_act_is_absent_and_what_is_given_is_not_judged),
      cmocka_unit_test(every_upper_bound_names_what_acted),
      cmocka_unit_test(an_atlas_is_an_orthogonal_array),
      cmocka_unit_test(what_is_left_must_be_little),
      cmocka_unit_test(an_atlas_of_variations_runs_the_first_application_alone),
      cmocka_unit_test(pairs_of_the_plane_have_every_two_quadrants_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
