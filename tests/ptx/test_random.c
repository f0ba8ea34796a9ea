/* Random programs agree between the interpreter and the scalar reference. */
#include "gen.h"
#include "ptx/ptx.h"
#include "scalar.h"
#include "unit.h"
#include <stdio.h>

#define THREADS 192u
#define BYTES   (THREADS * GEN_OUT_BYTES + 256)

typedef struct {
  uint8_t fast[BYTES], slow[BYTES];
} result_t;

static void fill(uint8_t *m) { memset(m, 0, BYTES); }

static int run_fast(const strbuf_t *text, const gen_shape_t *s, bool portable, uint8_t *out,
                    uint64_t *va, err_t *e) {
  devmem_t *mem;
  ptx_t *p;
  assert_int_equal(devmem_new(&mem, e), 0);
  assert_int_equal(ptx_new(mem, &p, e), 0);
  assert_int_equal(devmem_alloc(mem, BYTES, 256, "buffer", va, e), 0);
  fill(out);
  devmem_write(mem, *va, out, BYTES, e);
  int r = ptx_load(p, "random", strbuf_text(text), text->size, e);
  const ptx_kernel_t *k = r < 0 ? NULL : ptx_kernel(p, -1, "k", e);
  uint64_t params[2] = {*va, *va + THREADS * GEN_OUT_BYTES};
  ptx_launch_t l = {.grid = {s->grid, 1, 1},
                    .block = {s->block, 1, 1},
                    .dynamic_shared_bytes = 0,
                    .params = params};
  ptx_options_t o = {.portable = portable};
  r = k ? ptx_run(p, k, &l, &o, NULL, NULL, e) : -1;
  devmem_read(mem, *va, out, BYTES, NULL);
  ptx_free(p);
  devmem_free(mem);
  return r;
}

static int run_slow(const strbuf_t *text, const gen_shape_t *s, uint8_t *out, uint64_t va,
                    char *why, size_t size) {
  pmodule_t *m;
  err_t e;
  fill(out);
  assert_int_equal(pmodule_parse("random", strbuf_text(text), text->size, &m, &e), 0);
  uint64_t params[2] = {va, va + THREADS * GEN_OUT_BYTES};
  scalar_launch_t l = {{s->grid, 1, 1}, {s->block, 1, 1}, (const uint8_t *)params, va, BYTES, out,
                       100000000};
  int r = scalar_run(m, "k", &l, why, size);
  pmodule_free(m);
  return r;
}

/* Says what went wrong and leaves the program beside the test. */
static void complain(uint64_t seed, const strbuf_t *text, const char *what) {
  FILE *f = fopen("random-failure.ptx", "w");
  if (f) {
    fputs(strbuf_text(text), f);
    fclose(f);
  }
  print_error("GMMU_SEED=%llu GMMU_CASES=1: %s (program in random-failure.ptx)\n",
              (unsigned long long)seed, what);
  fail();
}

static void check_seed(uint64_t seed, result_t *x) {
  rng_t r = {seed};
  strbuf_t text;
  gen_shape_t s;
  err_t e;
  uint64_t va = 0;
  char why[900] = "";
  strbuf_init(&text);
  gen_program(&r, &text, &s);
  if (run_fast(&text, &s, seed & 1, x->fast, &va, &e) < 0) {
    err_format(&e, why, sizeof why);
    complain(seed, &text, why);
  }
  if (run_slow(&text, &s, x->slow, va, why, sizeof why) < 0) complain(seed, &text, why);
  for (uint32_t i = 0; i < BYTES; i++)
    if (x->fast[i] != x->slow[i]) {
      snprintf(why, sizeof why, "block %u x %u: thread %u, byte %u: %02x, reference %02x", s.grid,
               s.block, i / GEN_OUT_BYTES, i % GEN_OUT_BYTES, x->fast[i], x->slow[i]);
      complain(seed, &text, why);
    }
  strbuf_fini(&text);
}

static void random_programs_agree_with_the_reference(void **state) {
  (void)state;
  const char *cases = getenv("GMMU_CASES");
  uint64_t n = cases ? strtoull(cases, NULL, 0) : 3000, seed = test_seed();
  result_t *x = calloc(1, sizeof *x);
  for (uint64_t i = 0; i < n; i++) check_seed(n == 1 ? seed : seed * 1000003 + i, x);
  free(x);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_programs_agree_with_the_reference)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
