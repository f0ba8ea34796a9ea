#include "base/demangle.h"
#include "unit.h"
#include <string.h>

static void is_called(const char *symbol, const char *name) {
  strbuf_t s;
  strbuf_init(&s);
  demangle(symbol, &s);
  assert_string_equal(strbuf_text(&s), name);
  strbuf_fini(&s);
}

static void functions_lose_types_and_parameters(void **state) {
  (void)state;
  is_called("_Z6gatherPKiPf", "gather");
  is_called("_Z6gatherIiEvPT_", "gather<int>");
  is_called("_ZN5graph4walkIN6thrust5tupleIifEEEEvT_", "graph::walk<thrust::tuple<int, float> >");
  is_called("_ZN12_GLOBAL__N_16kernelEPi", "(anonymous namespace)::kernel");
  is_called("_Z5applyIXadL_Z3addiiEEEvPi", "apply<&(add(int, int))>");
}

static void other_names_stay(void **state) {
  (void)state;
  is_called("gather", "gather");
  is_called("", "");
  is_called("_Z", "_Z");
  is_called("_Z999x", "_Z999x");
  char longest[10000];
  memset(longest, 'I', sizeof longest);
  memcpy(longest, "_Z1f", 4);
  longest[sizeof longest - 1] = 0;
  is_called(longest, longest);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(functions_lose_types_and_parameters),
      cmocka_unit_test(other_names_stay),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
