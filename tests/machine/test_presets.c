/* Every preset makes a machine that runs with all checks on; but for page colours and MIG, which
 * not every GPU has. The first argument, if given, says of how many pairs of a GPU and a design one
 * is run: designs are dealt out to GPUs by turns, so that each has several of the other. Of chips
 * of today, which have two or three designs, five times as many are. */
#include "gpu/presets.h"
#include "help.h"

#define CYCLES 5000 /* of a machine in turns: four times, so that both have one */

static void run_with_checks(const gpu_spec_t *spec, const char *gpu, const char *design) {
  source_t *src[2] = {generator("hotset:footprint=4M,hot=64K"), generator("stream:footprint=4M")};
  app_spec_t apps[2] = {{.name = "a", .source = src[0]}, {.name = "b", .source = src[1]}};
  bool turns = strcmp(design, "timeslice") == 0;
  gpu_limits_t limits = {.cycles = turns ? 4 * CYCLES : CYCLES};
  err_t e = {0};
  gpu_t *g;
  if (gpu_new(spec, apps, 2, &g, &e) < 0) {
    /* What the GPU's TLBs cannot have is refused with a sentence. */
    bool entries = strcmp(design, "star") == 0 || strcmp(design, "colt") == 0;
    bool shared = strncmp(design, "latpc", 5) == 0 && strstr(e.text, "l1tlb.group");
    bool kept = strcmp(design, "scratchpad") == 0 &&
                (strstr(e.text, "l1d.unified") || strstr(e.text, "tlb.peer"));
    bool table = strcmp(design, "fs-hpt") == 0 &&
                 (strstr(e.text, "hashed page table") || strstr(e.text, "hpt.cluster"));
    if (!shared && !kept && !table && (!entries || !strstr(e.text, "tlb.format")))
      fail_msg("%s, %s: %s", gpu, design, e.text);
    for (uint32_t a = 0; a < 2; a++) src[a]->ops->free(src[a]);
    return;
  }
  if (gpu_run(g, &limits, UINT64_MAX, &e) < 0) fail_msg("%s, %s: %s", gpu, design, e.text);
  gpu_settle(g);
  if (gpu_check(g, &e) < 0) fail_msg("%s, %s: %s", gpu, design, e.text);
  for (uint32_t a = 0; a < 2; a++) {
    if (!g->cores.stats[a].warp_instructions) print_error("%s, %s\n", gpu, design);
    assert_true(g->cores.stats[a].warp_instructions > 0);
    src[a]->ops->free(src[a]);
  }
  gpu_free(g);
}

static bool has_colours(const gpu_spec_t *spec) { return strcmp(spec->map.kind, "hash") == 0; }

static void is_refused(const gpu_spec_t *spec, const char *key) {
  source_t *src[2] = {generator("stream"), generator("stream")};
  app_spec_t apps[2] = {{.name = "a", .source = src[0]}, {.name = "b", .source = src[1]}};
  err_t e = {0};
  gpu_t *g;
  assert_int_equal(gpu_new(spec, apps, 2, &g, &e), GMMU_ERANGE);
  assert_string_equal(e.key, key);
  for (uint32_t a = 0; a < 2; a++) src[a]->ops->free(src[a]);
}

static void is_meant(const gpu_spec_t *spec, const char *gpu, const char *design) {
  char doubt[320];
  gpu_spec_doubt(spec, doubt, sizeof doubt);
  bool one_size = spec->memory.large_bytes <= spec->memory.base_bytes; /* star */
  if (one_size && strcmp(spec->memory.manager, "mosaic") == 0 && !spec->tlb.ideal)
    assert_non_null(strstr(doubt, "it does nothing here"));
  else if (doubt[0])
    fail_msg("%s, %s: %s", gpu, design, doubt);
}

/* Large pages need entries in some TLB, unless there is none, or it always hits. */
static void large_pages_without_entries_are_doubted(void **state) {
  (void)state;
  static const struct {
    const char *options; /* beside two levels without large entries */
    bool doubted;
  } cases[] = {
      {"mem.manager=mosaic", true},
      {"mem.manager=large-only", true},
      {"mem.manager=gpu-mmu", false},
      {"mem.manager=mosaic l1tlb.large_entries=16", false},
      {"mem.manager=mosaic l2tlb.large_entries=16", false},
      {"mem.manager=mosaic tlb.levels=1 l2tlb.large_entries=16", true}, /* of a level not there */
      {"mem.manager=mosaic tlb.ideal=true", false},
      {"mem.manager=mosaic tlb.levels=0", false},
      {"mem.manager=mosaic mem.page=2M", true}, /* a base page is as large: nothing to do */
      {"mem.manager=large-only mem.page=2M", false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    gpu_spec_t spec;
    char options[128], doubt[320], *save = NULL;
    gpu_spec_init(&spec);
    set(&spec, "tlb.levels", "2");
    snprintf(options, sizeof options, "%s", cases[i].options);
    for (char *o = strtok_r(options, " ", &save); o; o = strtok_r(NULL, " ", &save)) {
      char *value = strchr(o, '=');
      *value = 0;
      set(&spec, o, value + 1);
    }
    gpu_spec_doubt(&spec, doubt, sizeof doubt);
    if (!!doubt[0] != cases[i].doubted) fail_msg("%s: '%s'", cases[i].options, doubt);
  }
}

static bool chip_of_today(const char *gpu) {
  gpu_spec_t spec;
  err_t e = {0};
  gpu_spec_init(&spec);
  if (gpu_spec_load(&spec, "gpu", gpu, &e) < 0) fail_msg("%s: %s", gpu, e.text);
  return strcmp(spec.memory.manager, "mixed") == 0;
}

static void every_gpu_runs_under_every_design(void **state) {
  uint64_t every = *(uint64_t *)*state, runs = 0;
  for (const preset_t *p = preset_all; p->name; p++)
    for (const preset_t *d = preset_all; d->name; d++) {
      uint64_t pair = (uint64_t)(d - preset_all) + (uint64_t)(p - preset_all);
      if (strcmp(p->kind, "gpu") || strcmp(d->kind, "design")) continue;
      gpu_spec_t spec;
      err_t e = {0};
      gpu_spec_init(&spec);
      if (gpu_spec_load(&spec, "gpu", p->name, &e) < 0) fail_msg("%s: %s", p->name, e.text);
      if (gpu_spec_load(&spec, "design", d->name, &e) < 0) fail_msg("%s: %s", d->name, e.text);
      is_meant(&spec, p->name, d->name);
      /* Chips of today take long to build: designs are tried on the others. */
      bool mig = strcmp(d->name, "mig") == 0 && spec.core.mig;
      if (chip_of_today(p->name) && strcmp(d->name, "native") && strcmp(d->name, "ideal") && !mig)
        continue;
      set(&spec, "run.check", "true");
      /* Where there are turns, everybody has some. */
      setn(&spec, "share.quantum", CYCLES / 10), set(&spec, "share.cost", "fixed");
      if (strcmp(spec.memory.manager, "coloured") == 0 && !has_colours(&spec))
        is_refused(&spec, "mem.manager");
      else if (strcmp(d->name, "mig") == 0 && !mig)
        is_refused(&spec, "gpu.mig");
      else if (pair % (chip_of_today(p->name) ? (every + 4) / 5 : every) == 0)
        run_with_checks(&spec, p->name, d->name), runs++;
    }
  print_message("%llu pairs ran\n", (unsigned long long)runs);
  assert_true(runs > 100 / every);
}

int main(int argc, char **argv) {
  uint64_t every = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(large_pages_without_entries_are_doubted),
      cmocka_unit_test_prestate(every_gpu_runs_under_every_design, &every),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
