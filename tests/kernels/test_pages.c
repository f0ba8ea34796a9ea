/* What pages_count() says of a program, beside a count that keeps every access. */
#include "base/rng.h"
#include "base/unit.h"
#include "lab/pages.h"

#define ACCESSES 6000

typedef struct {
  source_t base;
  uint64_t page[ACCESSES];
  uint32_t count, at;
  bool launched;
} script_t;

static const inst_t insts[2] = {{.cls = IC_LOAD, .space = SPACE_GLOBAL, .width = 4},
                                {.cls = IC_LOAD, .space = SPACE_SHARED, .width = 4}};

static int bind(source_t *s, uint32_t slots, uint32_t per_sm, err_t *e) {
  (void)s, (void)slots, (void)per_sm, (void)e;
  return 0;
}
static int restart(source_t *s, err_t *e) {
  (void)e;
  ((script_t *)s)->at = 0, ((script_t *)s)->launched = false;
  return 0;
}
static int next_command(source_t *s, uint64_t now, command_t *c, err_t *e) {
  script_t *x = (script_t *)s;
  (void)now, (void)e;
  *c = (command_t){.kind = x->launched ? CMD_END : CMD_LAUNCH};
  c->launch =
      (launch_t){.inst = insts, .inst_count = 2, .grid = {1, 1, 1}, .block = {WARP_LANES, 1, 1}};
  x->launched = true;
  return 0;
}
static int cta_begin(source_t *s, uint64_t now, uint32_t cta, uint32_t warps, const uint32_t slot[],
                     uint32_t first[], err_t *e) {
  (void)s, (void)now, (void)cta, (void)warps, (void)slot, (void)e;
  first[0] = 0;
  return 0;
}
/* All lanes of a page, each 8 bytes on; every tenth instruction is one of shared memory. */
static uint32_t step(source_t *s, uint64_t now, uint32_t slot, warp_op_t *op) {
  script_t *x = (script_t *)s;
  (void)now, (void)slot;
  *op = (warp_op_t){.mask = 0xffffffffu,
                    .mode = ADDR_STRIDE,
                    .base = x->page[x->at] * PAGES_BYTES + 8,
                    .stride = 8};
  x->at++;
  return x->at == x->count ? STREAM_END : x->at % 10 == 9 ? 1 : 0;
}

static const source_ops_t ops = {.name = "script",
                                 .bind = bind,
                                 .rewind = restart,
                                 .next_command = next_command,
                                 .cta_begin = cta_begin,
                                 .step = step};

static void reuse_distances_are_exact(void **state) {
  static script_t x;
  rng_t r = {test_seed()};
  err_t e = {0};
  (void)state;
  x = (script_t){.base = {&ops}, .count = ACCESSES};
  for (uint32_t i = 0; i < ACCESSES; i++) /* near and far */
    x.page[i] = rng_below(&r, 4) ? rng_below(&r, 40) : 1000 + rng_below(&r, 3000);
  pages_t got, want = {.insts = ACCESSES};
  assert_int_equal(pages_count(&x.base, &got, &e), 0);
  static bool seen[5000], since[5000];
  for (uint32_t i = 0; i < ACCESSES; i++) {
    if (i % 10 == 9) continue;
    want.memory_insts++, want.accesses++;
    if (!seen[x.page[i]]) {
      seen[x.page[i]] = true, want.pages++;
      continue;
    }
    uint64_t distance = 0;
    memset(since, 0, sizeof since);
    for (uint32_t k = i; k--;) {
      if (k % 10 == 9) continue;
      if (x.page[k] == x.page[i]) break;
      if (!since[x.page[k]]) since[x.page[k]] = true, distance++;
    }
    uint32_t b = 0;
    while (b + 1 < PAGES_BUCKETS && pages_bucket_from(b + 1) <= distance) b++;
    want.reuse[b]++;
  }
  assert_memory_equal(&got, &want, sizeof got);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(reuse_distances_are_exact)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
