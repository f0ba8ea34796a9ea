/* Random hash functions: the address map does what the lists say, and is one-to-one. The lists are
 * written by a maker of its own, and judged by parities of the whole address, bit by bit. */
#include "base/rng.h"
#include "help.h"

#define ROUNDS 60
#define LINES  4096

typedef struct {
  addrmap_spec_t spec;
  uint32_t modules, banks, sets; /* log2; banks and sets inside a module */
  uint32_t row_bytes, bits;      /* of an address */
  uint32_t line;                 /* bytes */
} maze_t;

static uint64_t value(const bitlist_t *l, uint64_t pa) {
  uint64_t v = 0;
  for (uint32_t i = 0; i < l->count; i++)
    for (uint32_t b = 0; b < 64; b++) v ^= (l->mask[i] >> b & pa >> b & 1) << i;
  return v;
}

/* Functions with pivots of their own, module's first, then mixed among themselves: independent. */
static void make_list(rng_t *r, const maze_t *z, uint32_t first, uint32_t more, bitlist_t *l) {
  *l = z->spec.module;
  for (uint32_t i = 0; i < more; i++) {
    uint64_t above = (1ull << z->bits) - (2ull << (first + i));
    l->mask[l->count++] = 1ull << (first + i) | (rng_next(r) & rng_next(r) & above);
  }
  for (uint32_t i = 0; i < 2 * l->count; i++) {
    uint32_t a = rng_below(r, l->count), b = rng_below(r, l->count);
    if (a != b) l->mask[a] ^= l->mask[b];
  }
}

static maze_t make_maze(rng_t *r) {
  maze_t z = {.modules = rng_below(r, 6),
              .banks = rng_below(r, 6),
              .sets = rng_below(r, 7),
              .row_bytes = 512u << rng_below(r, 4),
              .bits = 30 + rng_below(r, 10),
              .line = 64u << rng_below(r, 3)};
  make_list(r, &z, 8 + rng_below(r, 3), z.modules, &z.spec.module);
  z.spec.kind = "hash";
  make_list(r, &z, 15, z.banks, &z.spec.bank);
  make_list(r, &z, 15, z.sets, &z.spec.set);
  return z;
}

typedef struct {
  uint64_t pa, module, bank, set;
  place_t place;
  uint8_t in_bank;
  uint32_t row, in_set;
} seen_t;

static void look(const addrmap_t *m, const maze_t *z, uint64_t pa, seen_t *s) {
  s->pa = pa;
  s->module = value(&z->spec.module, pa);
  s->bank = value(&z->spec.bank, pa);
  s->set = value(&z->spec.set, pa);
  s->place = addrmap_place(m, pa);
  s->in_set = addrmap_set(m, s->place.local, 1u << z->sets);
  addrmap_dram(m, s->place.local, &s->in_bank, &s->row);
}

static bool same_bank(const seen_t *a, const seen_t *b) {
  return a->place.slice == b->place.slice && a->in_bank == b->in_bank;
}
static bool same_set(const seen_t *a, const seen_t *b) {
  return a->place.slice == b->place.slice && a->in_set == b->in_set;
}

static void agrees(const seen_t *a, const seen_t *b) {
  if (a->pa == b->pa) return;
  if (a->place.slice != a->module || same_bank(a, b) != (a->bank == b->bank) ||
      same_set(a, b) != (a->set == b->set) ||
      (a->place.slice == b->place.slice && a->place.local == b->place.local))
    fail_msg("GMMU_SEED=%llu: lines %llx and %llx", (unsigned long long)test_seed(),
             (unsigned long long)a->pa, (unsigned long long)b->pa);
}

static void places_are_what_the_lists_say(void **state) {
  (void)state;
  rng_t r = {test_seed()};
  for (uint32_t round = 0; round < ROUNDS; round++) {
    maze_t z = make_maze(&r);
    addrmap_t m;
    err_t e = {0};
    seen_t a, b;
    assert_int_equal(
        addrmap_init(&m, &z.spec, 1u << z.modules, 1, 1u << z.banks, z.row_bytes, z.line, &e), 0);
    if (addrmap_init_hash(&m, &z.spec, 1u << z.modules, 1u << z.sets, 1ull << z.bits, &e) < 0)
      fail_msg("%s: %s", e.key, e.text);
    if (round & 1) assert_int_equal(addrmap_tabulate(&m, 1ull << z.bits, &e), 0);
    for (uint32_t i = 0; i < LINES; i++) {
      uint32_t shift = (uint32_t)__builtin_ctz(z.line);
      uint64_t line = (rng_next(&r) & ((1ull << z.bits) - 1)) >> shift << shift, other = line;
      for (uint32_t k = rng_below(&r, 4) + 1; k; k--)
        other ^= 1ull << (shift + rng_below(&r, z.bits - shift));
      look(&m, &z, line, &a);
      look(&m, &z, other, &b);
      agrees(&a, &b);
    }
    addrmap_fini(&m);
  }
}

/* All lines of a small memory of four modules, over all of them or over the share of an
 * application: every row of every bank has exactly its lines. */
static void fill_rows(uint32_t channels, uint32_t line) {
  rng_t r = {test_seed()};
  maze_t z = {.modules = 2, .banks = 3, .sets = 4, .row_bytes = 1024, .bits = 22, .line = line};
  make_list(&r, &z, 9, z.modules, &z.spec.module);
  z.spec.kind = "hash";
  make_list(&r, &z, 13, z.banks, &z.spec.bank);
  make_list(&r, &z, 12, z.sets, &z.spec.set);
  addrmap_t m;
  err_t e = {0};
  assert_int_equal(addrmap_init(&m, &z.spec, channels, 1, 8, z.row_bytes, z.line, &e), 0);
  assert_int_equal(addrmap_init_hash(&m, &z.spec, 4, 16, 1u << z.bits, &e), 0);
  uint32_t rows = (1u << (z.bits - 10)) / 8 / channels;
  uint8_t *filled = calloc(channels * 8, rows);
  for (uint64_t pa = 0; pa < 1u << z.bits; pa += line) {
    seen_t s;
    look(&m, &z, pa, &s);
    assert_true(s.place.slice < channels && s.row < rows && s.in_bank < 8);
    filled[(s.place.slice * 8 + s.in_bank) * rows + s.row]++;
  }
  for (uint32_t i = 0; i < channels * 8 * rows; i++) assert_int_equal(filled[i], 1024 / line);
  free(filled);
  addrmap_fini(&m);
}

static void every_row_is_filled_exactly(void **state) {
  (void)state;
  for (uint32_t line = 64; line <= 256; line *= 2) fill_rows(4, line);
}
static void a_share_of_the_modules_holds_everything(void **state) {
  (void)state;
  for (uint32_t line = 64; line <= 256; line *= 2) fill_rows(2, line), fill_rows(1, line);
}

/* What lies in one line lies in one place: a function may not tell its bytes apart. */
static void a_bit_inside_a_line_is_refused(void **state) {
  (void)state;
  for (uint32_t line = 64; line <= 256; line *= 2)
    for (uint32_t below = 0; below < 2; below++) {
      addrmap_spec_t spec = {.kind = "hash"};
      addrmap_t m;
      err_t e = {0};
      spec.set.mask[0] = 1ull << 20 | line >> below;
      spec.set.count = 1;
      assert_int_equal(addrmap_init(&m, &spec, 1, 1, 1, 1024, line, &e), 0);
      int rc = addrmap_init_hash(&m, &spec, 1, 2, 1ull << 30, &e);
      assert_int_equal(rc, below ? GMMU_ERANGE : 0);
      if (below) assert_string_equal(e.key, "map.set");
      addrmap_fini(&m);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(places_are_what_the_lists_say),
      cmocka_unit_test(every_row_is_filled_exactly),
      cmocka_unit_test(a_share_of_the_modules_holds_everything),
      cmocka_unit_test(a_bit_inside_a_line_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
