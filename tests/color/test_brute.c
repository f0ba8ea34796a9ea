/* The planner against brute force, which knows neither modules nor spaces: lines of a gigabyte join
 * the bank and the set they lie in, and all lines of a page join each other. What is connected then
 * must have one colour, and what is not must have another. Every page in soak; a sample else. */
#include "../base/unit.h"
#include "base/rng.h"
#include "color/color.h"
#include "gpu/spec.h"

#define GB      (1ull << 30)
#define SAMPLED (48ull << 20) /* bytes of pages looked at if not all are */
#define NODES   (1u << 17)    /* banks, then sets */

typedef struct {
  uint32_t parent[NODES];
  int64_t color[NODES]; /* of a root; -1: none seen */
} joined_t;

static bool everything;

static uint32_t root(joined_t *j, uint32_t i) {
  while (j->parent[i] != i) i = j->parent[i] = j->parent[j->parent[i]];
  return i;
}
static uint32_t join(joined_t *j, uint32_t a, uint32_t b) {
  a = root(j, a), b = root(j, b);
  return j->parent[a] = b;
}

static uint32_t value(const bitlist_t *l, uint64_t pa) {
  uint32_t v = 0;
  for (uint32_t i = 0; i < l->count; i++) v |= gf2_parity(l->mask[i] & pa) << i;
  return v;
}

static uint32_t join_page(joined_t *j, const color_t *c, uint64_t page, uint64_t bytes) {
  uint32_t all = value(&c->chip.bank, page);
  for (uint64_t pa = page; pa < page + bytes; pa += 128) {
    all = join(j, all, value(&c->chip.bank, pa));
    all = join(j, all, NODES / 2 + value(&c->chip.set, pa));
  }
  return all;
}

static uint64_t page_at(rng_t *r, uint64_t i, uint64_t bytes) {
  return everything ? i * bytes : rng_below(r, (uint32_t)(GB / bytes)) * bytes;
}

/* Two passes over the same pages: join, then compare. */
static void agree(const color_t *c, uint64_t bytes, const char *what) {
  joined_t *j = malloc(sizeof *j);
  color_pages_t p;
  uint64_t pages = (everything ? GB : SAMPLED) / bytes;
  uint32_t groups = 0;
  uint8_t used[1 << 12] = {0};
  color_pages(c, bytes, &p);
  for (uint32_t i = 0; i < NODES; i++) j->parent[i] = i, j->color[i] = -1;
  rng_t first = {test_seed()}, second = first;
  for (uint64_t i = 0; i < pages; i++) join_page(j, c, page_at(&first, i, bytes), bytes);
  for (uint64_t i = 0; i < pages; i++) {
    uint64_t page = page_at(&second, i, bytes);
    uint32_t at = root(j, value(&c->chip.bank, page)), color = color_of(&p, page);
    if (j->color[at] < 0) {
      groups++;
      if (used[color]++)
        fail_msg("%s, page %llu: colour %u twice", what, (unsigned long long)bytes, color);
      j->color[at] = color;
    }
    if (j->color[at] != color)
      fail_msg("GMMU_SEED=%llu: %s: page %llx of %llu bytes has colour %u, its module %d",
               (unsigned long long)test_seed(), what, (unsigned long long)page,
               (unsigned long long)bytes, color, (int)j->color[at]);
  }
  if (groups != p.colors)
    fail_msg("GMMU_SEED=%llu: %s, pages of %llu bytes: %u groups, %u colours",
             (unsigned long long)test_seed(), what, (unsigned long long)bytes, groups, p.colors);
  free(j);
}

static void presets_agree(void **state) {
  (void)state;
  static const char *const gpus[] = {"gtx1080", "v100"};
  for (uint32_t i = 0; i < 2; i++) {
    gpu_spec_t s;
    err_t e = {0};
    color_t c;
    gpu_spec_init(&s);
    assert_int_equal(gpu_spec_load(&s, "gpu", gpus[i], &e), 0);
    color_chip_t chip = {.bank = s.map.bank, .set = s.map.set};
    assert_int_equal(color_init(&c, &chip, &e), 0);
    for (uint64_t bytes = 4096; bytes <= 2 << 20; bytes *= everything ? 2 : 4)
      agree(&c, bytes, gpus[i]);
  }
}

/* A function with its lowest bit where it is told, of address bits below 30. */
static uint64_t function(rng_t *r, uint32_t lowest) {
  return 1ull << lowest | (rng_next(r) & rng_next(r) & (GB - (2ull << lowest)));
}

/* Up to four functions in common, some of them without bits inside a page. */
static color_chip_t random_chip(rng_t *r) {
  color_chip_t chip = {0};
  uint32_t modules = 1 + rng_below(r, 4), bit = 8 + rng_below(r, 4);
  for (uint32_t i = 0; i < modules; i++, bit += 1 + rng_below(r, 2))
    chip.bank.mask[i] = chip.set.mask[i] = function(r, bit);
  chip.bank.count = chip.set.count = modules;
  for (uint32_t i = 0; i < 4; i++) chip.bank.mask[chip.bank.count++] = function(r, bit + i);
  for (uint32_t i = 0; i < 4; i++) chip.set.mask[chip.set.count++] = function(r, bit + 4 + i);
  return chip;
}

static void random_functions_agree(void **state) {
  (void)state;
  rng_t r = {test_seed()};
  for (uint32_t round = 0; round < (everything ? 10 : 6); round++) {
    color_chip_t chip = random_chip(&r);
    color_t c;
    err_t e = {0};
    assert_int_equal(color_init(&c, &chip, &e), 0);
    for (uint64_t bytes = 4096; bytes <= 65536; bytes *= 4) agree(&c, bytes, "random");
  }
}

int main(int argc, char **argv) {
  (void)argv;
  everything = argc > 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(presets_agree),
      cmocka_unit_test(random_functions_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
