/* What processors tell of their TLBs: CPUID as the makers' manuals describe it. */
#include "help.h"
#include "probe/result.h"
#include "probe/told.h"

typedef struct {
  const char *maker;
  uint32_t signature, subs;
  uint32_t leaf18[4][4];
  uint32_t amd5[4], amd6[4];
} processor_t;

static void answer(void *ctx, uint32_t leaf, uint32_t sub, uint32_t r[4]) {
  const processor_t *p = ctx;
  memset(r, 0, 4 * sizeof *r);
  if (leaf == 0) {
    r[0] = 0x20;
    memcpy(&r[1], p->maker, 4), memcpy(&r[3], p->maker + 4, 4), memcpy(&r[2], p->maker + 8, 4);
  }
  if (leaf == 1) r[0] = p->signature;
  if (leaf == 0x18 && sub < 4) memcpy(r, p->leaf18[sub], sizeof p->leaf18[sub]);
  if (leaf == 0x18 && sub == 0) r[0] = p->subs;
  if (leaf == 0x80000005) memcpy(r, p->amd5, sizeof p->amd5);
  if (leaf == 0x80000006) memcpy(r, p->amd6, sizeof p->amd6);
}

static void intel_tells_in_leaf_18(void **state) {
  processor_t p = {.maker = "GenuineIntel",
                   .subs = 3,
                   .leaf18 = {{0},
                              {0, 4u << 16 | 1, 16, 1 | 1 << 5},     /* data, 4 KB, 4 x 16 */
                              {0, 4u << 16 | 2, 8, 1 | 1 << 5},      /* data, 2 MB, 4 x 8 */
                              {0, 12u << 16 | 3, 128, 3 | 2 << 5}}}; /* both, 12 x 128 */
  (void)state;
  told_t t = told_tlbs(answer, &p, 4096), u = told_tlbs(answer, &p, 2 << 20);
  assert_int_equal(t.by, TOLD_CPUID);
  assert_int_equal(t.levels, 2);
  assert_int_equal(t.at[0].entries, 64);
  assert_int_equal(t.at[1].entries, 1536);
  assert_int_equal(u.at[0].entries, 32);
  assert_int_equal(u.at[1].entries, 1536);
}

static void amd_tells_in_its_own_leaves(void **state) {
  processor_t p = {
      .maker = "AuthenticAMD", .amd5 = {0xff40ff40, 0xff40ff40}, .amd6 = {0x68006400, 0x68006400}};
  (void)state;
  told_t t = told_tlbs(answer, &p, 4096);
  assert_int_equal(t.by, TOLD_CPUID);
  assert_int_equal(t.at[0].entries, 64);
  assert_int_equal(t.at[1].entries, 2048);
  assert_int_equal(t.at[1].ways, 8);
}

static void hidden_leaves_leave_what_is_published(void **state) {
  processor_t p = {.maker = "GenuineIntel", .signature = 0x806f8}; /* family 6, model 8FH */
  (void)state;
  told_t t = told_tlbs(answer, &p, 4096);
  assert_int_equal(t.by, TOLD_PUBLISHED);
  assert_int_equal(t.at[0].entries, 96);
  assert_int_equal(t.at[1].entries, 2048);
  p.signature = 0x10;
  assert_int_equal(told_tlbs(answer, &p, 4096).by, TOLD_NOTHING);
}

static void nonsense_is_told_of_nothing(void **state) {
  processor_t p = {.maker = "GenuineIntel", .subs = UINT32_MAX};
  (void)state;
  memset(p.leaf18, 0xff, sizeof p.leaf18);
  p.subs = UINT32_MAX;
  assert_true(told_tlbs(answer, &p, 4096).levels <= TOLD_LEVELS);
  told_host(4096); /* whatever it is */
}

static void the_result_says_whether_it_agrees(void **state) {
  device_info_t d = {.name = "cpu",
                     .told = {TOLD_CPUID, 3, {{1, 64, 4}, {2, 1536, 12}, {3, 9, 0}}}};
  tlb_probe_t tlb = {.levels = 2,
                     .level = {{.reach_bytes = 4096, .entries = 60, .confidence = 90},
                               {.reach_bytes = 4096, .entries = 1024, .confidence = 40}}};
  strbuf_t text;
  (void)state;
  strbuf_init(&text);
  result_text(&d, &tlb, NULL, &text);
  assert_non_null(strstr(strbuf_text(&text), "L1 agrees. L2 was found with 1024, confidence 40 %. "
                                             "L3 was not found."));
  strbuf_fini(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(intel_tells_in_leaf_18),
                                     cmocka_unit_test(amd_tells_in_its_own_leaves),
                                     cmocka_unit_test(hidden_leaves_leave_what_is_published),
                                     cmocka_unit_test(nonsense_is_told_of_nothing),
                                     cmocka_unit_test(the_result_says_whether_it_agrees)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
