/*
 * The device's math functions give the same bits when compiled by clang to PTX and run by src/ptx
 * as when compiled for the host. So what test_math.c says about errors holds for kernels.
 */
#include <math.h>
#include <stdio.h>

#include "../ptx/unit.h"

#include "base/file.h"
#include "ptx/ptx.h"

#include "gmmu_math_bessel.h"
#include "gmmu_math_f32.h"
#include "gmmu_math_f64.h"

enum { POINTS = 4096, BLOCK = 128 };

typedef struct {
  devmem_t *mem;
  ptx_t *p;
  uint64_t a, b, out;
  double x[POINTS], y[POINTS];
} world_t;

static const double corners[] = {
    0.0,    -0.0,   INFINITY, -INFINITY, NAN,      1,        -1,        2,         -2,
    3,      0.5,    -0.5,     1.5,       0x1p-149, 0x1p-126, 0x1p-1074, 0x1p-1022, 0x1.fffffep-1,
    0x1p24, 0x1p53, 65536,    536870912, 88.7,     -103.9,   709.7,     -745.1};
enum { CORNERS = sizeof corners / sizeof corners[0] };

/* any exponent for a third, moderate values for the rest */
static double draw(uint64_t *s) {
  *s = *s * 6364136223846793005u + 1442695040888963407u;
  double u = (double)(*s >> 11) * 0x1p-53;
  switch ((*s >> 5) % 3) {
  case 0: return ldexp(u - 0.5, (int)((*s >> 33) % 500) - 250);
  case 1: return 4 * u - 2;
  default: return 200 * u - 100;
  }
}

static int setup(void **state) {
  static world_t w;
  err_t e = {0};
  strbuf_t text;
  uint64_t seed = test_seed();
  strbuf_init(&text);
  if (file_read(MATH_PTX, 16 << 20, &text, &e) < 0 || devmem_new(&w.mem, &e) < 0 ||
      ptx_new(w.mem, &w.p, &e) < 0 ||
      ptx_load(w.p, "math.ptx", strbuf_text(&text), text.size, &e) < 0 ||
      devmem_alloc(w.mem, 8 * POINTS, 0, "a", &w.a, &e) < 0 ||
      devmem_alloc(w.mem, 8 * POINTS, 0, "b", &w.b, &e) < 0 ||
      devmem_alloc(w.mem, 8 * POINTS, 0, "out", &w.out, &e) < 0) {
    print_error("%s\n", e.text);
    return -1;
  }
  for (int i = 0; i < POINTS; i++) {
    w.x[i] = i < CORNERS * CORNERS ? corners[i % CORNERS] : draw(&seed);
    w.y[i] = i < CORNERS * CORNERS ? corners[i / CORNERS] : draw(&seed);
  }
  strbuf_fini(&text);
  *state = &w;
  return 0;
}

static int teardown(void **state) {
  world_t *w = *state;
  ptx_free(w->p);
  devmem_free(w->mem);
  return 0;
}

static void run(world_t *w, const char *name, const void *a, const void *b, size_t bytes,
                void *out) {
  err_t e = {0};
  uint64_t params[3] = {w->a, w->b, w->out};
  char kernel[64];
  snprintf(kernel, sizeof kernel, "k_%s", name);
  assert_int_equal(devmem_write(w->mem, w->a, a, bytes, &e), 0);
  assert_int_equal(devmem_write(w->mem, w->b, b, bytes, &e), 0);
  const ptx_kernel_t *k = ptx_kernel(w->p, -1, kernel, &e);
  ptx_launch_t l = {.grid = {POINTS / BLOCK, 1, 1},
                    .block = {BLOCK, 1, 1},
                    .dynamic_shared_bytes = 0,
                    .params = params};
  int r = k ? ptx_run(w->p, k, &l, NULL, NULL, NULL, &e) : -1;
  if (r < 0) print_error("%s: %s\n", kernel, e.text);
  assert_int_equal(r, 0);
  assert_int_equal(devmem_read(w->mem, w->out, out, bytes, &e), 0);
}

static int compare_f(world_t *w, const char *name, float (*one)(float),
                     float (*two)(float, float)) {
  static float a[POINTS], b[POINTS], got[POINTS];
  for (int i = 0; i < POINTS; i++) {
    a[i] = (float)w->x[i];
    b[i] = (float)w->y[i];
  }
  run(w, name, a, b, sizeof a, got);
  for (int i = 0; i < POINTS; i++) {
    float want = one ? one(a[i]) : two(a[i], b[i]);
    if (memcmp(&want, &got[i], sizeof want) && !(isnan(want) && isnan(got[i]))) {
      print_error("%s(%a, %a): host %a, PTX %a\n", name, a[i], b[i], want, got[i]);
      return 1;
    }
  }
  return 0;
}

static int compare_d(world_t *w, const char *name, double (*one)(double),
                     double (*two)(double, double)) {
  static double got[POINTS];
  run(w, name, w->x, w->y, sizeof got, got);
  for (int i = 0; i < POINTS; i++) {
    double want = one ? one(w->x[i]) : two(w->x[i], w->y[i]);
    if (memcmp(&want, &got[i], sizeof want) && !(isnan(want) && isnan(got[i]))) {
      print_error("%s(%a, %a): host %a, PTX %a\n", name, w->x[i], w->y[i], want, got[i]);
      return 1;
    }
  }
  return 0;
}

static void ptx_gives_the_same_bits_as_the_host(void **state) {
  world_t *w = *state;
  int wrong = 0;
#define F1(name) wrong += compare_f(w, #name, gm_##name, NULL);
#define D1(name) wrong += compare_d(w, #name, gm_##name, NULL);
#define F2(name) wrong += compare_f(w, #name, NULL, gm_##name);
#define D2(name) wrong += compare_d(w, #name, NULL, gm_##name);
#include "math_list.def"
  assert_int_equal(wrong, 0);
}

static void overloads_and_std_names_are_the_same_functions(void **state) {
  world_t *w = *state;
  static float a[POINTS], b[POINTS], got[POINTS];
  for (int i = 0; i < POINTS; i++) {
    a[i] = (float)w->x[i];
    b[i] = (float)w->y[i];
  }
  run(w, "overloads", a, b, sizeof a, got);
  for (int i = 0; i < POINTS; i++) assert_true(got[i] == 1.0f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ptx_gives_the_same_bits_as_the_host),
      cmocka_unit_test(overloads_and_std_names_are_the_same_functions),
  };
  return cmocka_run_group_tests_name("math through PTX", tests, setup, teardown);
}
