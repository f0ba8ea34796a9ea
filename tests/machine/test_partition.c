/* map.partition: applications have channels, and with them L2 slices and banks, of their own. */
#include "base/rng.h"
#include "help.h"

#define LINES 4000

typedef struct {
  uint64_t place, pa;
} line_t;

static int by_place(const void *a, const void *b) {
  const line_t *x = a, *y = b;
  return x->place < y->place ? -1 : x->place > y->place;
}

/* Lines all over memory and lines side by side, in a map over any number of channels. */
static void no_two_lines_have_one_place(void **state) {
  (void)state;
  static line_t line[LINES];
  rng_t rng = {test_seed()};
  for (uint32_t channels = 1; channels <= 12; channels++)
    for (uint32_t k = 0; k < 4; k++) {
      uint32_t size = 64u << (channels + k) % 3;
      addrmap_spec_t spec = {.kind = k & 1 ? "frame" : "fine",
                             .channel_xor = k & 2,
                             .bank_xor = true,
                             .partition = true};
      addrmap_t m;
      err_t e;
      assert_int_equal(addrmap_init(&m, &spec, channels, 2, 8, 2048, size, &e), 0);
      uint64_t next = 0;
      for (uint32_t i = 0; i < LINES; i++, next += size) {
        if (rng_below(&rng, 50) == 0) next = (uint64_t)rng_below(&rng, 1u << 25) * size;
        place_t p = addrmap_place(&m, next);
        assert_true(p.slice < channels * 2);
        line[i] = (line_t){(uint64_t)p.slice << 32 | p.local, next};
      }
      qsort(line, LINES, sizeof *line, by_place);
      for (uint32_t i = 1; i < LINES; i++)
        if (line[i].place == line[i - 1].place && line[i].pa != line[i - 1].pa)
          fail_msg("GMMU_SEED=%llu: %#llx and %#llx meet", (unsigned long long)test_seed(),
                   (unsigned long long)line[i].pa, (unsigned long long)line[i - 1].pa);
    }
}

/* A map that has been tabulated is the map it was. */
static void tables_are_the_map(void **state) {
  (void)state;
  rng_t rng = {test_seed()};
  for (uint32_t channels = 1; channels <= 16; channels++)
    for (uint32_t k = 0; k < 4; k++) {
      addrmap_spec_t spec = {.kind = k & 1 ? "frame" : "fine", .channel_xor = k & 2};
      uint64_t bytes = (uint64_t)(1 + rng_below(&rng, 3)) << (20 + rng_below(&rng, 19));
      uint32_t slices = 1u << rng_below(&rng, 3), size = 64u << rng_below(&rng, 3);
      addrmap_t m;
      err_t e;
      assert_int_equal(addrmap_init(&m, &spec, channels, slices, 8, 2048, size, &e), 0);
      assert_int_equal(addrmap_tabulate(&m, bytes, &e), 0);
      for (uint32_t i = 0; i < LINES; i++) {
        uint64_t line = rng_next(&rng) % (bytes / size);
        place_t p = addrmap_place(&m, line * size), q = addrmap_work_out(&m, line);
        if (p.slice != q.slice || p.local != q.local)
          fail_msg("GMMU_SEED=%llu: line %#llx", (unsigned long long)test_seed(),
                   (unsigned long long)line);
      }
      addrmap_fini(&m);
    }
}

static gpu_spec_t shared_spec(const char *partition, uint32_t channels) {
  gpu_spec_t s = lab_spec();
  set(&s, "map.partition", partition);
  setn(&s, "dram.channels", channels);
  setn(&s, "l2.slices", 2);
  setn(&s, "l2.bytes", 16 * KB * channels);
  setn(&s, "gpu.sms", 8);
  setn(&s, "l2tlb.group", 0);
  setn(&s, "l1tlb.entries", 4);
  return s;
}

/* Runs `apps` applications that read, write and walk. The caller frees the machine. */
static gpu_t *run_apps(const gpu_spec_t *s, uint32_t apps) {
  source_t *source[8];
  for (uint32_t a = 0; a < apps; a++)
    source[a] = generator(a & 1 ? "gather:footprint=2M,blocks=8,warps=4,steps=3"
                                : "stream:footprint=1M,blocks=8,warps=4,steps=6");
  gpu_t *g = machine(s, source, apps);
  finish(g);
  for (uint32_t a = 0; a < apps; a++) source[a]->ops->free(source[a]);
  return g;
}

static uint64_t accesses(const gpu_t *g, uint32_t channel, uint32_t app) {
  const dram_stats_t *d = dram_stats(g->dram.channel[channel].dram, (uint8_t)app, DRAM_DATA);
  const dram_stats_t *w = dram_stats(g->dram.channel[channel].dram, (uint8_t)app, DRAM_WALK);
  return d->reads + d->writes + w->reads;
}

static void is_of(void *owner, uint32_t entry) {
  assert_int_equal(entry >> 16, *(uint32_t *)owner);
}

static void check_slices(const gpu_t *g, uint32_t channel, uint32_t owner) {
  for (uint32_t k = 0; k < g->spec.l2.slices; k++)
    cache_each(&g->l2.slice[channel * g->spec.l2.slices + k].array, is_of, &owner);
}

/* Banks belong to channels, so those are not shared either. */
static void applications_share_neither_channels_nor_slices(void **state) {
  (void)state;
  for (uint32_t apps = 2; apps <= 4; apps++)
    for (uint32_t channels = apps; channels <= 8; channels += 2) {
      gpu_spec_t s = shared_spec("true", channels);
      gpu_t *g = run_apps(&s, apps);
      uint32_t own = channels / apps;
      for (uint32_t c = 0; c < channels; c++) {
        for (uint32_t a = 0; a < apps; a++) assert_int_equal(accesses(g, c, a) > 0, c / own == a);
        check_slices(g, c, c / own);
      }
      for (uint32_t i = 0; i < apps * apps; i++)
        if (i % (apps + 1)) assert_int_equal(g->l2.evicted_by[i], 0);
      gpu_free(g);
    }
}

static void without_it_they_share_all_channels(void **state) {
  (void)state;
  gpu_spec_t s = shared_spec("false", 4);
  gpu_t *g = run_apps(&s, 2);
  for (uint32_t c = 0; c < 4; c++)
    for (uint32_t a = 0; a < 2; a++) assert_true(accesses(g, c, a) > 0);
  gpu_free(g);
}

static void a_single_application_is_not_affected(void **state) {
  (void)state;
  char *text[2];
  for (uint32_t i = 0; i < 2; i++) {
    gpu_spec_t s = shared_spec(i ? "true" : "false", 6);
    gpu_t *g = run_apps(&s, 1);
    text[i] = stats_text(g);
    gpu_free(g);
  }
  assert_string_equal(text[0], text[1]);
  free(text[0]), free(text[1]);
}

static void more_applications_than_channels_are_refused(void **state) {
  (void)state;
  gpu_spec_t s = shared_spec("true", 2);
  app_spec_t app[3];
  gpu_t *g;
  err_t e = {0};
  for (uint32_t a = 0; a < 3; a++)
    app[a] = (app_spec_t){.name = "x", .source = generator("stream")};
  assert_int_equal(gpu_new(&s, app, 3, &g, &e), GMMU_ERANGE);
  assert_string_equal(e.key, "map.partition");
  for (uint32_t a = 0; a < 3; a++) app[a].source->ops->free(app[a].source);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_two_lines_have_one_place),
      cmocka_unit_test(tables_are_the_map),
      cmocka_unit_test(applications_share_neither_channels_nor_slices),
      cmocka_unit_test(without_it_they_share_all_channels),
      cmocka_unit_test(a_single_application_is_not_affected),
      cmocka_unit_test(more_applications_than_channels_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
