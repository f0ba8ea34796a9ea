/* Names of arrays from the text of the call that allocates them. */
#include "host/sites.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void is_named(const char *text, const char *name) {
  char got[ARRAY_NAME_BYTES] = "";
  bool found = site_argument(text, got, sizeof got);
  assert_int_equal(found, name != NULL);
  if (name) assert_string_equal(got, name);
}

static void the_first_argument_is_the_array(void **state) {
  (void)state;
  is_named("cudaMalloc(&edges, n * sizeof(int));", "edges");
  is_named("  CHECK(cudaMalloc((void **)&edges, f(a, b)));", "edges");
  is_named("cudaMalloc<float>(&table, n);", "table");
  is_named("cudaMalloc(reinterpret_cast<void **>(&x), 4);", "x");
  is_named("cudaMalloc((void**) &(g->edges[i]), 4);", "g->edges[i]");
  is_named("if (cudaMallocManaged(&this->rows, n) != cudaSuccess)", "this->rows");
  is_named("cudaHostAlloc(&pinned, n, 0);", "pinned");
  is_named("cuMemAlloc_v2(&d, n);", "d");
  is_named("cudaMalloc(\n    &far,\n    n);", "far");
}

static void other_text_has_no_name(void **state) {
  (void)state;
  is_named("", NULL);
  is_named("malloc(12)", NULL);
  is_named("cudaMalloc", NULL);
  is_named("cudaMalloc(", NULL);
  is_named("cudaMalloc(&x", NULL);
  is_named("cudaMalloc(, 12)", NULL);
  is_named("cudaMalloc<", NULL);
  is_named("mycudaFree(&x, 1)", NULL);
}

/* Files that are no programs, offsets that are no numbers. */
static void places_that_are_not_there_have_no_name(void **state) {
  (void)state;
  sites_t s = {0};
  char name[ARRAY_NAME_BYTES];
  assert_false(sites_name(&s, "/nowhere/at/all 0x12\n", name, sizeof name));
  assert_false(sites_name(&s, "relative 0x12\n/dev/null x\n\n \n", name, sizeof name));
  assert_false(sites_name(&s, "", name, sizeof name));
  assert_int_equal(s.count, 3);
  assert_false(sites_name(&s, "", name, sizeof name));
  assert_int_equal(s.count, 3);
  sites_fini(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_first_argument_is_the_array),
      cmocka_unit_test(other_text_has_no_name),
      cmocka_unit_test(places_that_are_not_there_have_no_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
