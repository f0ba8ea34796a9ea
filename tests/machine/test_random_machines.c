/* Random small machines with every check on. Whatever their shape: a run ends, every request
 * finishes, what was counted adds up, no translation is wrong, the same instructions are executed
 * as on a plain machine, and running in pieces gives the same bytes as running in one go.
 *
 * Machine n of seed s is always the same: GMMU_SEED=s GMMU_MACHINE=n repeats one alone.
 * GMMU_MACHINES says how many (the first argument, if given, is the default). With GMMU_DIGEST set,
 * the last line has a digest of all statistics: every build must print the same. */
#include "gpu/stats.h"
#include "random_machine.h"

#define HANG_CYCLES                                                                                \
  3000000u /* without an instruction: far more than the slowest walk queue takes */

typedef struct {
  const random_machine_t *c;
  uint64_t seed, n;
} where_t;

/* cmocka cuts long messages, and this one must be complete. */
static void wrong(const where_t *w, const char *what, const char *text) {
  fprintf(stderr, "%s: %s\n  repeat with GMMU_SEED=%llu GMMU_MACHINE=%llu\n %s%s%s\n", what, text,
          (unsigned long long)w->seed, (unsigned long long)w->n, strbuf_text(&w->c->text),
          w->c->limits.cycles ? "\n  with a limit on cycles" : "",
          w->c->limits.instructions ? "\n  with a limit on instructions" : "");
  fail_msg("%s", what);
}

typedef struct {
  gpu_t *g;
  source_t *src[4];
} run_t;

static bool run_open(run_t *r, const where_t *w, const gpu_spec_t *spec) {
  app_spec_t apps[4] = {0};
  err_t e = {0};
  for (uint32_t a = 0; a < w->c->apps; a++) {
    r->src[a] = random_machine_source(w->c, a);
    apps[a] = (app_spec_t){.name = "x", .source = r->src[a]};
  }
  int rc = gpu_new(spec, apps, w->c->apps, &r->g, &e);
  if (rc < 0 && rc != GMMU_ERANGE && rc != GMMU_EINVAL) wrong(w, "gpu_new", e.text);
  if (rc == 0 && spec == &w->c->spec) random_machine_policies(w->c, r->g);
  return rc == 0;
}

static void run_close(run_t *r, const random_machine_t *c) {
  gpu_free(r->g);
  for (uint32_t a = 0; a < c->apps; a++) r->src[a]->ops->free(r->src[a]);
}

/* In pieces of `piece` cycles. */
static void run_all(run_t *r, const where_t *w, uint64_t piece) {
  err_t e = {0};
  int rc = 0;
  uint64_t issued = 0, since = 0;
  for (uint64_t until = piece; rc == 0; until += piece) {
    rc = gpu_run(r->g, &w->c->limits, until, &e);
    if (gpu_instructions(r->g) != issued) since = until;
    issued = gpu_instructions(r->g);
    if (rc == 0 && until - since > HANG_CYCLES) wrong(w, "gpu_run", "hangs");
  }
  if (rc < 0) wrong(w, "gpu_run", e.text);
  gpu_settle(r->g);
  if (gpu_check(r->g, &e) < 0) wrong(w, "gpu_check", e.text);
}

static void check_leftovers(const where_t *w, const gpu_t *g) {
  uint32_t writes = 0, strays = 0; /* walk.free_dram: lines that still come, for nobody */
  for (uint32_t i = 0; i < g->pool.capacity; i++) {
    const request_t *r = &g->pool.at[i];
    bool stray = r->kind == REQ_WALK && r->owner == OWNER_NONE && g->spec.walk.free_dram;
    writes += r->kind == REQ_WRITEBACK || stray;
    strays += stray;
  }
  if (g->pool.used != writes) wrong(w, "end", "requests are still under way");
  if (g->xlat.used || g->walker.active || g->walker.queued)
    wrong(w, "end", "translations are still under way");
  for (uint32_t i = 0; i < g->spec.core.sms; i++)
    if (g->cores.sm[i].resident || g->cores.sm[i].lines_used || g->cores.sm[i].loads_used ||
        mshr_used(&g->l1.l1[i].mshr))
      wrong(w, "end", "an SM is not empty");
  for (uint32_t i = 0; i < g->l2.slices; i++)
    if ((mshr_used(&g->l2.slice[i].mshr) && !strays) || g->l2.slice[i].queue.head != REQ_NONE)
      wrong(w, "end", "an L2 slice is not empty");
  mm_usage_t u;
  mm_usage(g->memory.mm, &u);
  if (u.frames != u.free_frames + u.other_frames) wrong(w, "end", "frames were not given back");
}

/* A plain machine executes the same. */
static void check_executed(const where_t *w, const gpu_t *g) {
  gpu_spec_t plain;
  run_t ref;
  gpu_spec_init(&plain);
  setn(&plain, "gpu.sms", w->c->apps), set(&plain, "tlb.levels", "0");
  set(&plain, "mem.bytes", "128M"), set(&plain, "dram.channels", "1"),
      set(&plain, "l2.bytes", "256K");
  setn(&plain, "gpu.line", w->c->spec.core.line_bytes);
  assert_true(run_open(&ref, w, &plain));
  run_all(&ref, w, HANG_CYCLES);
  for (uint32_t a = 0; a < w->c->apps; a++) {
    const sm_stats_t *x = &g->cores.stats[a], *y = &ref.g->cores.stats[a];
    if (x->warp_instructions != y->warp_instructions || x->lines != y->lines ||
        x->thread_instructions != y->thread_instructions || x->loads != y->loads ||
        x->stores != y->stores || x->atomics != y->atomics || x->blocks != y->blocks ||
        x->barriers != y->barriers || x->shared_accesses != y->shared_accesses)
      wrong(w, "end", "not the instructions a plain machine executes");
  }
  run_close(&ref, w->c);
}

static void check_pieces(const where_t *w, const gpu_t *g, uint64_t piece) {
  run_t again;
  char *a = stats_text(g);
  assert_true(run_open(&again, w, &w->c->spec));
  run_all(&again, w, piece);
  char *b = stats_text(again.g);
  if (strcmp(a, b)) wrong(w, "end", "other statistics when run in pieces");
  free(a), free(b);
  run_close(&again, w->c);
}

static void add_digest(uint64_t *digest, const gpu_t *g) {
  char *text = stats_text(g);
  for (const char *p = text; *p; p++) *digest = (*digest ^ (uint8_t)*p) * 0x100000001b3u;
  free(text);
}

/* Who asks for memory is watched, or not: gpu_check() adds it up, and nothing else changes. */
static void check_unwatched(const where_t *w, const gpu_t *g) {
  gpu_spec_t spec = w->c->spec;
  run_t other;
  set(&spec, "observe.origins", "false");
  assert_true(run_open(&other, w, &spec));
  random_machine_policies(w->c, other.g);
  run_all(&other, w, HANG_CYCLES);
  for (uint32_t a = 0; a < w->c->apps; a++) {
    gpu_summary_t x = {0}, y = {0};
    gpu_summary(g, a, &x), gpu_summary(other.g, a, &y);
    if (memcmp(&x, &y, sizeof x) || gpu_cycles(g) != gpu_cycles(other.g))
      wrong(w, "end", "other statistics when nobody asks where they come from");
  }
  run_close(&other, w->c);
}

/* False if the choices do not make a machine. */
static bool one_machine(uint64_t seed, uint64_t n, uint64_t *digest) {
  static random_machine_t c; /* large */
  random_machine_init(&c, seed, n);
  if (n % 3 == 2) random_machine_counterfactual(&c);
  set(&c.spec, "observe.origins", n % 4 < 3 ? "true" : "false");
  if (n % 3 == 1) random_machine_odd(&c);
  if (n % 2 == 1) random_machine_mechanisms(&c);
  if (n % 5 < 2) random_machine_formats(&c);
  where_t w = {&c, seed, n};
  run_t r;
  bool made = run_open(&r, &w, &c.spec);
  if (made) {
    run_all(&r, &w, HANG_CYCLES);
    if (digest) add_digest(digest, r.g);
    if (c.limits.no_relaunch) check_leftovers(&w, r.g);
    if (c.limits.no_relaunch) check_executed(&w, r.g);
    if (n % 4 == 1) check_unwatched(&w, r.g);
    if (n % 4 == 0) check_pieces(&w, r.g, 1 + rng_below(&c.rng, 5000));
  }
  run_close(&r, &c);
  random_machine_fini(&c);
  return made;
}

static uint64_t from_env(const char *name, uint64_t otherwise) {
  const char *text = getenv(name);
  return text ? strtoull(text, NULL, 0) : otherwise;
}

static void random_machines_keep_every_promise(void **state) {
  uint64_t machines = from_env("GMMU_MACHINES", *(uint64_t *)*state), seed = test_seed(),
           refused = 0;
  uint64_t first = from_env("GMMU_MACHINE", 0), digest = 0xcbf29ce484222325u;
  if (getenv("GMMU_MACHINE") && !getenv("GMMU_MACHINES")) machines = 1;
  for (uint64_t n = first; n < first + machines; n++)
    refused += !one_machine(seed, n, getenv("GMMU_DIGEST") ? &digest : NULL);
  if (getenv("GMMU_DIGEST")) print_message("digest %016llx\n", (unsigned long long)digest);
  /* About a sixth is refused; of fewer than 100 machines, chance says how many. */
  if (machines >= 100) assert_true(refused < machines / 5);
}

int main(int argc, char **argv) {
  uint64_t machines = argc > 1 ? strtoull(argv[1], NULL, 0) : 150;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_prestate(random_machines_keep_every_promise, &machines)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
