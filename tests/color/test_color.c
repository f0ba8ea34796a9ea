/* Colours of the published functions, and how they are dealt out. */
#include "../base/unit.h"
#include "color/color.h"
#include "gpu/spec.h"

static color_t colors_of(const char *gpu) {
  gpu_spec_t s;
  color_t c;
  err_t e = {0};
  gpu_spec_init(&s);
  if (gpu_spec_load(&s, "gpu", gpu, &e) < 0) fail_msg("%s", e.text);
  color_chip_t chip = {.module = s.map.module, .bank = s.map.bank, .set = s.map.set};
  if (color_init(&c, &chip, &e) < 0) fail_msg("%s", e.text);
  gf2_space_t given = c.module;
  chip.module = (bitlist_t){0}; /* the published modules are what banks and sets share */
  if (color_init(&c, &chip, &e) < 0) fail_msg("%s", e.text);
  assert_true(gf2_equal(&given, &c.module));
  return c;
}

static uint32_t count(const color_t *c, uint64_t page_kb) {
  color_pages_t p;
  color_pages(c, page_kb * 1024, &p);
  return p.colors;
}

static void gtx1080_has_two_colours_at_4_kb(void **state) {
  (void)state;
  color_t c = colors_of("gtx1080");
  assert_int_equal(c.module.rank, 3);
  assert_int_equal(c.bank.rank, 7);
  assert_int_equal(c.set.rank, 10);
  assert_int_equal(count(&c, 4), 2);
  assert_int_equal(count(&c, 8), 1);
  assert_int_equal(count(&c, 64), 1);
  assert_int_equal(count(&c, 2048), 1);
  assert_int_equal(color_largest_page(&c, 2), 4096);
  assert_int_equal(color_largest_page(&c, 4), 0);
}

static void v100_has_eight_colours_at_4_kb(void **state) {
  (void)state;
  static const uint32_t want[][2] = {{4, 8}, {8, 4}, {16, 2}, {32, 2}, {64, 1}, {2048, 1}};
  color_t c = colors_of("v100");
  assert_int_equal(c.module.rank, 5);
  for (uint32_t i = 0; i < 6; i++) assert_int_equal(count(&c, want[i][0]), want[i][1]);
  assert_int_equal(color_largest_page(&c, 2), 32 * 1024);
}

/* The function in the authors' driver is the one of the list with the highest lowest bit. */
static void the_colour_of_gtx1080_is_the_drivers_function(void **state) {
  (void)state;
  color_t c = colors_of("gtx1080");
  color_pages_t p;
  color_pages(&c, 4096, &p);
  assert_int_equal(p.functions.rank, 1);
  assert_true(p.functions.row[0] == 0xce4c3ull << 12);
  assert_int_equal(color_of(&p, 0x1000), 1);
  assert_int_equal(color_of(&p, 0x3fff), 0);
}

static void deal(uint32_t colors, const uint32_t *shares, uint32_t n, const uint32_t *want) {
  color_pages_t p = {.page_bytes = 4096, .colors = colors};
  color_tenant_t t[COLOR_TENANTS_MAX];
  err_t e = {0};
  uint32_t first = 0;
  assert_int_equal(color_deal(&p, shares, n, t, &e), 0);
  for (uint32_t i = 0; i < n; i++) {
    assert_int_equal(t[i].first, first);
    assert_int_equal(t[i].count, want[i]);
    first += t[i].count;
  }
  assert_int_equal(first, colors);
}

static void colours_are_dealt_by_share(void **state) {
  (void)state;
  deal(8, (const uint32_t[]){1, 1}, 2, (const uint32_t[]){4, 4});
  deal(8, (const uint32_t[]){3, 1}, 2, (const uint32_t[]){6, 2});
  deal(8, (const uint32_t[]){1, 1, 1}, 3, (const uint32_t[]){3, 3, 2});
  deal(8, (const uint32_t[]){100, 1}, 2, (const uint32_t[]){7, 1});
  deal(4, (const uint32_t[]){1, 9, 1, 1}, 4, (const uint32_t[]){1, 1, 1, 1});
}

static void more_tenants_than_colours_are_refused(void **state) {
  (void)state;
  color_pages_t p = {.page_bytes = 65536, .colors = 1};
  color_tenant_t t[2];
  err_t e = {0};
  assert_int_equal(color_deal(&p, (const uint32_t[]){1, 1}, 2, t, &e), GMMU_ERANGE);
  assert_string_equal(e.text, "2 tenants, but pages of 64 KB have 1 colour");
}

static void lists_that_make_no_colours_are_refused(void **state) {
  (void)state;
  color_t c;
  err_t e = {0};
  color_chip_t chip = {.bank = {2, {3, 3}}, .set = {1, {3}}};
  assert_true(color_init(&c, &chip, &e) < 0);
  assert_string_equal(e.text, "function 2 is a sum of those before it");
  chip = (color_chip_t){.bank = {1, {3}}};
  assert_true(color_init(&c, &chip, &e) < 0);
  assert_string_equal(e.key, "map.set");
  chip = (color_chip_t){.module = {1, {8}}, .bank = {1, {8}}, .set = {1, {16}}};
  assert_true(color_init(&c, &chip, &e) < 0);
  assert_string_equal(e.key, "map.module");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gtx1080_has_two_colours_at_4_kb),
      cmocka_unit_test(v100_has_eight_colours_at_4_kb),
      cmocka_unit_test(the_colour_of_gtx1080_is_the_drivers_function),
      cmocka_unit_test(colours_are_dealt_by_share),
      cmocka_unit_test(more_tenants_than_colours_are_refused),
      cmocka_unit_test(lists_that_make_no_colours_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
