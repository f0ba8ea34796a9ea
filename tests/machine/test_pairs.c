/* Mechanisms in pairs on random machines, all invariants on: two designs in a stack are refused
 * with a sentence, because they set an option differently or because the machine cannot have both,
 * or they run, every translation compared with the page table.
 *
 * GMMU_ACCESSES=n goes on drawing, in turn pairs and machines with everything drawn, until the
 * programs have made so many accesses (requests of lines), and says how many; GMMU_STEPS makes the
 * programs longer, GMMU_SEED draws others. */
#include "random_machine.h"
#include <inttypes.h>

/* Mechanisms that the arena compares, and those of their parts and kin that it leaves out. */
static const char *const design[] = {
#define DESIGN(name) name,
#define STACK(name)
#include "lab/contest.def"
#undef DESIGN
#undef STACK
    "dws", "latpc-mshr", "latpc-walk", "softwalker-hybrid", "intlb", "uvm"};
#define DESIGNS     (sizeof design / sizeof *design)
#define MOST_CYCLES 2000000 /* a machine that thrashes need not end */
#define PIECE       50000   /* cycles between two checks of the books */

static uint64_t from_env(const char *name, uint64_t otherwise) {
  const char *text = getenv(name);
  return text ? strtoull(text, NULL, 0) : otherwise;
}

typedef enum { RAN, REFUSED_OPTION, REFUSED_MACHINE } outcome_t;

/* What a machine needs for any of them to have something to do. */
static void prepare(random_machine_t *c) {
  static const char *const plain[][2] = {
      {"tlb.ideal", "false"},   {"tlb.peer", "none"},      {"walk.fixed", "0"},
      {"peer.oracle", "false"}, {"mem.paging", "preload"}, {"mem.evict", "none"},
      {"mem.prefetch", "none"}, {"mem.bytes", "128M"},     {"share.mode", "space"},
      {"l1tlb.group", "1"},     {"mem.manager", "gpu-mmu"}};
  for (uint32_t i = 0; i < sizeof plain / sizeof *plain; i++)
    set(&c->spec, plain[i][0], plain[i][1]);
  setn(&c->spec, "tlb.levels", 2 + rng_below(&c->rng, 2));
  for (uint32_t l = 1; l <= 3; l++) { /* a format has its own way of both */
    char key[32];
    snprintf(key, sizeof key, "l%utlb.victims", l), set(&c->spec, key, "0");
    snprintf(key, sizeof key, "l%utlb.whole", l), set(&c->spec, key, "false");
  }
  c->peers = c->fill = 0;
  c->data = c->walks = L2_NORMAL;
}

static void wrong(const random_machine_t *c, uint64_t seed, uint64_t n, const char *stack,
                  const char *text) {
  fprintf(stderr, "%s: %s\n  machine %" PRIu64 " of GMMU_SEED=%" PRIu64 "\n %s\n", stack, text, n,
          seed, strbuf_text(&c->text));
  fail_msg("%s", stack);
}

/* The programs to their end, or until they have taken long enough; the books are checked all the
 * while. False: this machine cannot be built. */
static bool run_machine(random_machine_t *c, uint64_t seed, uint64_t n, const char *what,
                        uint64_t *accesses) {
  err_t e = {0};
  source_t *src[4];
  app_spec_t apps[4] = {0};
  gpu_t *g = NULL;
  for (uint32_t a = 0; a < c->apps; a++)
    apps[a] = (app_spec_t){.name = "x", .source = src[a] = random_machine_source(c, a)};
  int rc = gpu_new(&c->spec, apps, c->apps, &g, &e);
  if (rc < 0 && ((rc != GMMU_ERANGE && rc != GMMU_EINVAL) || strlen(e.text) < 20))
    wrong(c, seed, n, what, e.text);
  bool made = rc == 0;
  if (made) random_machine_policies(c, g);
  for (uint64_t until = PIECE; rc == 0 && until <= MOST_CYCLES; until += PIECE) {
    rc = gpu_run(g, &c->limits, until, &e);
    if (rc < 0 || gpu_check(g, &e) < 0) wrong(c, seed, n, what, e.text);
  }
  if (made) {
    gpu_settle(g);
    if (gpu_check(g, &e) < 0) wrong(c, seed, n, what, e.text);
    for (uint32_t a = 0; a < c->apps; a++) *accesses += g->cores.stats[a].lines;
    gpu_free(g);
  }
  for (uint32_t a = 0; a < c->apps; a++) src[a]->ops->free(src[a]);
  return made;
}

/* `pages`: how pages come and go, and their sizes, are drawn, too; else all of them are there. */
static outcome_t run_pair(uint64_t seed, uint64_t n, uint32_t i, uint32_t k, bool pages,
                          uint64_t steps, uint64_t *accesses) {
  static random_machine_t c; /* large */
  char stack[64];
  err_t e = {0};
  random_machine_init(&c, seed, n);
  prepare(&c);
  if (pages) random_machine_pages(&c);
  random_machine_long(&c, steps);
  snprintf(stack, sizeof stack, "%s+%s", design[i], design[k]);
  if (strstr(stack, "star")) /* it shares sub-entries of the last level */
    set(&c.spec, c.spec.tlb.levels == 2 ? "l2tlb.reach" : "l3tlb.reach", "16");
  outcome_t o = REFUSED_OPTION;
  if (gpu_spec_load(&c.spec, "design", stack, &e) == 0) {
    o = run_machine(&c, seed, n, stack, accesses) ? RAN : REFUSED_MACHINE;
  } else if (!strchr(e.key, '.') || !strstr(e.text, "sets otherwise")) {
    wrong(&c, seed, n, stack, e.text); /* it has the option's name, and a sentence */
  }
  random_machine_fini(&c);
  return o;
}

/* A machine with all that can be drawn. */
static bool run_drawn(uint64_t seed, uint64_t n, uint64_t steps, uint64_t *accesses) {
  static random_machine_t c; /* large */
  random_machine_init(&c, seed, n);
  if (rng_below(&c.rng, 3) == 0) random_machine_counterfactual(&c);
  if (rng_below(&c.rng, 3) == 0) random_machine_odd(&c);
  if (rng_below(&c.rng, 4) == 0) random_machine_pages(&c);
  random_machine_mechanisms(&c);
  if (rng_below(&c.rng, 2) == 0) random_machine_formats(&c);
  random_machine_long(&c, steps);
  bool made = run_machine(&c, seed, n, "all drawn", accesses);
  random_machine_fini(&c);
  return made;
}

static void pairs_run_or_are_refused_with_a_sentence(void **state) {
  (void)state;
  uint64_t seed = test_seed(), n = 0, accesses = 0;
  uint32_t ran[DESIGNS] = {0}, sum[3] = {0};
  for (uint32_t i = 0; i < DESIGNS; i++)
    for (uint32_t k = 0; k < i; k++) {
      outcome_t o = REFUSED_MACHINE;
      for (uint32_t t = 0; t < 3 && o == REFUSED_MACHINE; t++) /* it may lack what both need */
        o = run_pair(seed, n++, i, k, t == 0, 6, &accesses);
      sum[o]++;
      if (o == RAN) ran[i]++, ran[k]++;
    }
  for (uint32_t i = 0; i < DESIGNS; i++)
    if (ran[i] < 3) fail_msg("%s ran in %u pairs only", design[i], ran[i]);
  print_message(
      "%u pairs ran, %u set an option differently, %u were refused by the machine; %" PRIu64
      " accesses\n",
      sum[RAN], sum[REFUSED_OPTION], sum[REFUSED_MACHINE], accesses);
}

/* Two that say the same thing in two ways. */
static void two_that_claim_the_same_hook_are_refused(void **state) {
  (void)state;
  static const char *const same[][3] = {{"dws", "nha", "walk.policy"},
                                        {"simt", "marching", "walk.policy"},
                                        {"latpc", "softwalker", "walk.policy"},
                                        {"star", "colt", "tlb.format"},
                                        {"neidty", "valkyrie", "tlb.peer"}};
  for (uint32_t i = 0; i < sizeof same / sizeof *same; i++) {
    gpu_spec_t s = lab_spec();
    err_t e = {0};
    char stack[64];
    snprintf(stack, sizeof stack, "%s+%s", same[i][0], same[i][1]);
    assert_true(gpu_spec_load(&s, "design", stack, &e) < 0);
    if (strcmp(e.key, same[i][2]) != 0) fail_msg("%s: %s", stack, e.text);
  }
}

static void machines_make_as_many_accesses_as_asked(void **state) {
  (void)state;
  uint64_t wanted = from_env("GMMU_ACCESSES", 0), steps = from_env("GMMU_STEPS", 6), accesses = 0;
  uint64_t seed = test_seed(), n = 1000, told = 0, ran = 0;
  rng_t rng = {seed};
  while (accesses < wanted) {
    uint32_t i = rng_below(&rng, DESIGNS), k = rng_below(&rng, DESIGNS);
    if (i != k) ran += run_pair(seed, n, i, k, true, steps, &accesses) == RAN;
    if (i == k || n % 2) ran += run_drawn(seed, n, steps, &accesses);
    n++;
    if (accesses - told < 1000000) continue;
    told = accesses;
    fprintf(stderr, "%" PRIu64 " accesses, %" PRIu64 " machines\n", accesses, ran);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pairs_run_or_are_refused_with_a_sentence),
      cmocka_unit_test(two_that_claim_the_same_hook_are_refused),
      cmocka_unit_test(machines_make_as_many_accesses_as_asked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
