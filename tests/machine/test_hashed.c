/* A hashed page table (src/mm/hashed.c, mem.table=fs-hpt) under the machine: what walks read, where
 * it costs, and that no translation is wrong whatever happens to pages. */
#include "cost/cost.h"
#include "help.h"

static gpu_spec_t hashed_spec(bool hashed) {
  gpu_spec_t s = lab_spec();
  setn(&s, "l1tlb.entries", 2), setn(&s, "l2tlb.entries", 4), setn(&s, "l2tlb.ways", 2);
  if (!hashed) return s;
  set(&s, "mem.table", "fs-hpt");
  set(&s, "walk.pwc", "true"), setn(&s, "walk.pwc_bytes", 1024), setn(&s, "walk.pwc_line", 32);
  setn(&s, "walk.pwc_ways", 32);
  return s;
}

/* The radix table with a page-walk cache of as many bytes. */
static gpu_spec_t radix_spec(void) {
  gpu_spec_t s = hashed_spec(true);
  set(&s, "mem.table", "radix");
  setn(&s, "walk.pwc_line", 8), setn(&s, "walk.pwc_ways", 16);
  return s;
}

/* The paper's case, references a walk: far apart, so that page-walk caches of upper levels miss.
 * The step table says where an entry lies: the walk reads that one. */
static void a_walk_reads_its_step_and_its_entry(void **state) {
  (void)state;
  gpu_spec_t on = hashed_spec(true);
  gpu_t *g = run_generator(&on, "gather:footprint=32M,blocks=4,warps=4,steps=12");
  const walk_stats_t *w = g->walker.stats;
  const hashed_stats_t *h = g->walker.hashed;
  assert_int_equal(h->walks, w->walks); /* all of them found their page there */
  assert_int_equal(w->reads, 2 * w->walks);
  assert_int_equal(w->level_reads[1], w->walks);
  assert_true(w->level_pwc[0] * 100 > w->level_reads[0] * 90); /* most steps were known */
  assert_true(h->probes > h->walks);                           /* some had to look elsewhere, */
  assert_true(h->probes * 2 < h->walks * 3);                   /* but few */
  gpu_free(g);
}

static void fewer_reads_make_shorter_walks(void **state) {
  (void)state;
  static const char text[] = "gather:footprint=32M,blocks=4,warps=4,steps=12";
  gpu_spec_t on = hashed_spec(true), off = hashed_spec(false);
  gpu_t *a = run_generator(&off, text), *b = run_generator(&on, text);
  assert_true(b->walker.stats[0].latency.sum * 4 < a->walker.stats[0].latency.sum * 3);
  assert_true(gpu_cycles(b) < gpu_cycles(a));
  gpu_free(a), gpu_free(b);
}

/* One in which it costs: pages in a row. A radix table has their entries in one line, and upper
 * levels in the page-walk cache; here every page's entry lies elsewhere. */
static void pages_in_a_row_cost_a_table_that_scatters_them(void **state) {
  (void)state;
  static const char text[] = "stride:footprint=16M,lane=4K,blocks=4,warps=4,steps=24";
  gpu_spec_t on = hashed_spec(true), off = radix_spec();
  setn(&on, "hpt.cluster", 1);
  gpu_t *a = run_generator(&off, text), *b = run_generator(&on, text);
  assert_true(b->walker.stats[0].dram_reads > a->walker.stats[0].dram_reads);
  assert_true(b->walker.stats[0].latency.sum > a->walker.stats[0].latency.sum);
  gpu_free(a), gpu_free(b);
}

/* And a table that is too small: what finds no place costs a step and the radix table. */
static void what_finds_no_place_is_walked_as_before(void **state) {
  (void)state;
  static const char text[] = "gather:footprint=32M,blocks=4,warps=4,steps=12";
  gpu_spec_t small = hashed_spec(true);
  setn(&small, "hpt.entries", 10), setn(&small, "hpt.probes", 2);
  gpu_t *g = run_generator(&small, text);
  const hashed_stats_t *h = g->walker.hashed;
  assert_true(h->radix > h->walks);
  assert_int_equal(h->walks + h->radix, g->walker.stats[0].walks);
  assert_int_equal(g->walker.stats[0].reads, 2 * h->walks + 5 * h->radix); /* four levels */
  gpu_free(g);
}

/* Pages that go and come again, pages of 2 MB, two programs, walk policies: run.check compares
 * every translation with the page table, and mm_check() the two tables with each other. */
static void no_translation_is_wrong_whatever_happens_to_pages(void **state) {
  (void)state;
  static const char *const how[] = {
      "mem.paging=demand mem.evict=lru mem.bytes=6M",
      "mem.paging=uvm mem.evict=lru mem.bytes=6M link.bandwidth=1000000 uvm.wake=100 uvm.block=10",
      "mem.paging=demand mem.evict=tree mem.bytes=6M hpt.entries=5",
      "mem.manager=large-only walk.policy=nha hpt.cluster=2",
      "mem.format=pascal walk.policy=marching hpt.cluster=1",
      "mem.page=64K walk.policy=simt walk.threads=2",
      "walk.policy=latpc l1tlb.group=1 walk.threads=2",
      "walk.policy=softwalker hpt.entries=5 hpt.probes=1"};
  for (uint32_t i = 0; i < sizeof how / sizeof *how; i++) {
    gpu_spec_t on = hashed_spec(true);
    put_all(&on, "gpu.sms=2 link.fault=1000"), put_all(&on, how[i]);
    gpu_t *g = run_weather(&on, "gather:footprint=8M,blocks=4,warps=4,steps=12,seed=3",
                           "churn:footprint=4M,blocks=4,warps=4,steps=4,launches=3");
    for (uint32_t a = 0; a < 2; a++) {
      const hashed_stats_t *h = &g->walker.hashed[a];
      assert_int_equal(h->walks + h->radix + h->absent, g->walker.stats[a].walks);
      assert_true(h->walks + h->radix > 0);
    }
    gpu_free(g);
  }
}

static void refuse(const char *key, const char *value, const char *what) {
  gpu_spec_t spec = hashed_spec(true);
  setn(&spec, "hpt.cluster", 4), set(&spec, key, value);
  if (strcmp(key, "mem.format") == 0) set(&spec, "mem.manager", "gpu-mmu");
  if (strcmp(key, "l2tlb.whole") == 0) set(&spec, "l2tlb.reach", "8");
  source_t *src = generator("stream:footprint=1M,blocks=1,warps=1,steps=1");
  app_spec_t app = {.name = "x", .source = src};
  gpu_t *g = NULL;
  err_t e = {0};
  assert_int_equal(gpu_new(&spec, &app, 1, &g, &e), GMMU_ERANGE);
  if (!strstr(e.text, what)) fail_msg("%s=%s: %s", key, value, e.text);
  src->ops->free(src);
}
static void what_does_not_go_with_it_is_refused(void **state) {
  (void)state;
  refuse("mem.manager", "mosaic", "gpu-mmu or large-only");
  refuse("mem.manager", "mixed", "gpu-mmu or large-only");
  refuse("mem.format", "hopper", "5 levels at most");
  refuse("walk.fixed", "100", "has no reads");
  refuse("tlb.format", "colt", "hpt.cluster");
  refuse("l2tlb.whole", "true", "hpt.cluster");
  refuse("hpt.cluster", "6", "power of two");
}

static void its_storage_is_known(void **state) {
  (void)state;
  gpu_spec_t s = hashed_spec(true);
  const cost_row_t *r;
  for (uint32_t i = 0; (r = cost_row(i)); i++)
    if (strcmp(r->mechanism, "fs-hpt") == 0) {
      cost_t c = {0};
      assert_true(r->on(&s));
      r->work_out(&s, &c);
      assert_int_equal(c.count, 32);
      assert_int_equal(c.each, 21 + 256 + 1); /* 64 MB in lines of 32 bytes */
      return;
    }
  fail_msg("no row for it");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_walk_reads_its_step_and_its_entry),
      cmocka_unit_test(fewer_reads_make_shorter_walks),
      cmocka_unit_test(pages_in_a_row_cost_a_table_that_scatters_them),
      cmocka_unit_test(what_finds_no_place_is_walked_as_before),
      cmocka_unit_test(no_translation_is_wrong_whatever_happens_to_pages),
      cmocka_unit_test(what_does_not_go_with_it_is_refused),
      cmocka_unit_test(its_storage_is_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
