/* Every preset makes a machine that runs with all checks on; but for page colours, which not every
 * GPU has. */
#include "gpu/presets.h"
#include "help.h"

#define CYCLES 5000

static void run_with_checks(const gpu_spec_t *spec, const char *gpu, const char *design) {
  source_t *src[2] = {generator("hotset:footprint=4M,hot=64K"), generator("stream:footprint=4M")};
  app_spec_t apps[2] = {{.name = "a", .source = src[0]}, {.name = "b", .source = src[1]}};
  gpu_limits_t limits = {.cycles = CYCLES};
  err_t e = {0};
  gpu_t *g;
  if (gpu_new(spec, apps, 2, &g, &e) < 0) fail_msg("%s, %s: %s", gpu, design, e.text);
  if (gpu_run(g, &limits, UINT64_MAX, &e) < 0) fail_msg("%s, %s: %s", gpu, design, e.text);
  gpu_settle(g);
  if (gpu_check(g, &e) < 0) fail_msg("%s, %s: %s", gpu, design, e.text);
  for (uint32_t a = 0; a < 2; a++) {
    if (!g->sm_stats[a].warp_instructions) print_error("%s, %s\n", gpu, design);
    assert_true(g->sm_stats[a].warp_instructions > 0);
    src[a]->ops->free(src[a]);
  }
  gpu_free(g);
}

static bool has_colours(const gpu_spec_t *spec) { return strcmp(spec->map.kind, "hash") == 0; }

static void is_refused(const gpu_spec_t *spec) {
  source_t *src[2] = {generator("stream"), generator("stream")};
  app_spec_t apps[2] = {{.name = "a", .source = src[0]}, {.name = "b", .source = src[1]}};
  err_t e = {0};
  gpu_t *g;
  assert_int_equal(gpu_new(spec, apps, 2, &g, &e), GMMU_ERANGE);
  assert_string_equal(e.key, "mem.manager");
  for (uint32_t a = 0; a < 2; a++) src[a]->ops->free(src[a]);
}

static void every_gpu_runs_under_every_design(void **state) {
  (void)state;
  for (const preset_t *p = preset_all; p->name; p++)
    for (const preset_t *d = preset_all; d->name; d++) {
      if (strcmp(p->kind, "gpu") || strcmp(d->kind, "design")) continue;
      gpu_spec_t spec;
      err_t e = {0};
      gpu_spec_init(&spec);
      if (gpu_spec_load(&spec, "gpu", p->name, &e) < 0) fail_msg("%s: %s", p->name, e.text);
      if (gpu_spec_load(&spec, "design", d->name, &e) < 0) fail_msg("%s: %s", d->name, e.text);
      set(&spec, "run.check", "true");
      /* Where there are turns, everybody has some. */
      setn(&spec, "share.quantum", CYCLES / 10), set(&spec, "share.cost", "fixed");
      if (strcmp(spec.memory.manager, "coloured") == 0 && !has_colours(&spec))
        is_refused(&spec);
      else
        run_with_checks(&spec, p->name, d->name);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_gpu_runs_under_every_design)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
