/* Formats of page tables: the addresses of a walk, worked out by hand from the tables of
 * docs/mm.md. In an empty memory with one space the nodes of the first path take the top frames,
 * root first; so entry i of a walk lies in the i-th frame from the top. Then random operations with
 * pages of all sizes, huge ones included, against a plain array. */
#include "base/rng.h"
#include "unit.h"

#define MEMORY (4 * GB)
#define DUAL   16 /* bytes of an entry of level PDE0, which has two pointers */

typedef struct {
  uint64_t va, bytes; /* of the page */
  uint32_t reads;
  uint32_t index[6]; /* root first */
} walk_t;

static const walk_t pascal[] = {
    {0x1e54e52e6b000, 4 * KB, 5, {0x003, 0x195, 0x072, 0x097, 0x06b}},
    {0xca26269e0000, 64 * KB, 5, {0x001, 0x128, 0x131, 0x034, 0x01e}},
    {0x18b8a6a00000, 2 * MB, 4, {0x000, 0x062, 0x1c5, 0x035}},
    {0x1a47e128b2000, 4 * KB, 5, {0x003, 0x091, 0x1f0, 0x094, 0x0b2}},
    {0x3031892f0000, 64 * KB, 5, {0x000, 0x0c0, 0x18c, 0x049, 0x00f}},
    {0x12a635d800000, 2 * MB, 4, {0x002, 0x0a9, 0x11a, 0x0ec}},
    {0x1d1c40ed90000, 4 * KB, 5, {0x003, 0x147, 0x020, 0x076, 0x190}},
    {0x6dec81e70000, 64 * KB, 5, {0x000, 0x1b7, 0x164, 0x00f, 0x007}},
    {0x2c0109800000, 2 * MB, 4, {0x000, 0x0b0, 0x008, 0x04c}},
    {0xd61a6f036000, 4 * KB, 5, {0x001, 0x158, 0x0d3, 0x078, 0x036}},
};
static const walk_t ampere[] = {
    {0x7b3811e20000, 4 * KB, 5, {0x000, 0x1ec, 0x1c0, 0x08f, 0x020}},
    {0x11a2217380000, 64 * KB, 5, {0x002, 0x068, 0x110, 0x0b9, 0x018}},
    {0x1e436ca00000, 2 * MB, 4, {0x000, 0x079, 0x01b, 0x065}},
    {0x12183c0000000, 512 * MB, 3, {0x002, 0x086, 0x01e}},
    {0x1e5181fb17000, 4 * KB, 5, {0x003, 0x194, 0x0c0, 0x0fd, 0x117}},
    {0x142e139260000, 64 * KB, 5, {0x002, 0x10b, 0x109, 0x0c9, 0x006}},
    {0x12a7ea0800000, 2 * MB, 4, {0x002, 0x0a9, 0x1f5, 0x004}},
    {0x1face0000000, 512 * MB, 3, {0x000, 0x07e, 0x167}},
    {0x12bcc93bd0000, 4 * KB, 5, {0x002, 0x0af, 0x064, 0x09d, 0x1d0}},
    {0x1963658c0000, 64 * KB, 5, {0x000, 0x065, 0x11b, 0x02c, 0x00c}},
};
static const walk_t hopper[] = {
    {0x7131a3f9ebd000, 4 * KB, 6, {0x000, 0x0e2, 0x0c6, 0x11f, 0x0cf, 0x0bd}},
    {0x11d032e0bec0000, 64 * KB, 6, {0x001, 0x03a, 0x00c, 0x170, 0x05f, 0x00c}},
    {0x442f7ddbc00000, 2 * MB, 5, {0x000, 0x088, 0x0bd, 0x1ee, 0x0de}},
    {0xd6996440000000, 512 * MB, 4, {0x000, 0x1ad, 0x065, 0x122}},
    {0x114d4c724ede000, 4 * KB, 6, {0x001, 0x029, 0x153, 0x039, 0x027, 0x0de}},
    {0x1244ecc1e270000, 64 * KB, 6, {0x001, 0x048, 0x13b, 0x060, 0x0f1, 0x007}},
    {0x11eda0a4ee00000, 2 * MB, 5, {0x001, 0x03d, 0x168, 0x052, 0x077}},
    {0x15d2f75c0000000, 512 * MB, 4, {0x001, 0x0ba, 0x0bd, 0x1ae}},
    {0x34c3b72e441000, 4 * KB, 6, {0x000, 0x069, 0x10e, 0x1b9, 0x072, 0x041}},
    {0x12474e694e30000, 64 * KB, 6, {0x001, 0x048, 0x1d3, 0x134, 0x0a7, 0x003}},
};
static const walk_t amd_gfx9[] = {
    {0x3018a38fd000, 4 * KB, 4, {0x060, 0x062, 0x11c, 0x0fd}},
    {0x18f15f550000, 64 * KB, 4, {0x031, 0x1c5, 0x0fa, 0x150}},
    {0xb64c8c200000, 2 * MB, 3, {0x16c, 0x132, 0x061}},
    {0x907a00000000, GB, 2, {0x120, 0x1e8}},
    {0x9e770f420000, 4 * KB, 4, {0x13c, 0x1dc, 0x07a, 0x020}},
    {0x7f1534b90000, 64 * KB, 4, {0x0fe, 0x054, 0x1a5, 0x190}},
    {0x881eae200000, 2 * MB, 3, {0x110, 0x07a, 0x171}},
    {0xc6f840000000, GB, 2, {0x18d, 0x1e1}},
    {0x7731506bf000, 4 * KB, 4, {0x0ee, 0x0c5, 0x083, 0x0bf}},
    {0xec6695e70000, 64 * KB, 4, {0x1d8, 0x19a, 0x0af, 0x070}},
};
static const walk_t x86_4[] = {
    {0x5c907403e000, 4 * KB, 4, {0x0b9, 0x041, 0x1a0, 0x03e}},
    {0x3f984ca00000, 2 * MB, 3, {0x07f, 0x061, 0x065}},
    {0x2e05cb5c7000, 4 * KB, 4, {0x05c, 0x017, 0x05a, 0x1c7}},
    {0xc7a2b2e00000, 2 * MB, 3, {0x18f, 0x08a, 0x197}},
    {0x14f43e7d1000, 4 * KB, 4, {0x029, 0x1d0, 0x1f3, 0x1d1}},
    {0x4cdd93000000, 2 * MB, 3, {0x099, 0x176, 0x098}},
    {0x7ebf86734000, 4 * KB, 4, {0x0fd, 0x0fe, 0x033, 0x134}},
    {0x57eee0000000, 2 * MB, 3, {0x0af, 0x1bb, 0x100}},
    {0x72e6babce000, 4 * KB, 4, {0x0e5, 0x19a, 0x1d5, 0x1ce}},
    {0x9be449a00000, 2 * MB, 3, {0x137, 0x191, 0x04d}},
};

static mm_t *make(const char *format, uint64_t huge, uint32_t spaces) {
  mm_spec_t spec = spec_4k("mixed", MEMORY, spaces);
  spec.format = format, spec.huge_bytes = huge;
  return mm_make(&spec);
}

/* pde0: which read has entries of 16 bytes; none if it is beyond the walk. */
static void expect_walks(const char *format, uint64_t huge, uint32_t pde0, const walk_t *walk) {
  for (uint32_t k = 0; k < 10; k++) {
    const walk_t *x = &walk[k];
    mm_t *m = make(format, huge, 1);
    mm_walk_t w;
    alloc_ok(m, 0, x->va, x->bytes);
    for (uint64_t at = 0; at<x->bytes; at += x->bytes / 4 / KB> 1 ? x->bytes / 2 - 4 * KB : 1) {
      mm_walk(m, 0, (vpn_t){(x->va + at) >> 12}, &w);
      assert_true(w.mapped);
      assert_int_equal(w.ppn.v, at >> 12);
      assert_int_equal(w.levels, x->reads);
      assert_int_equal(w.large, x->bytes >= 2 * MB);
      assert_int_equal(mm_page_order(m, 0, (vpn_t){(x->va + at) >> 12}),
                       __builtin_ctzll(x->bytes) - 12);
      for (uint32_t i = 0; i < x->reads; i++) {
        uint64_t index = x->index[i], frame = MEMORY - (i + 1) * 4 * KB;
        /* AMD's fragment is a run of entries; each page has its own */
        if (i + 1 == x->reads && x->bytes == 64 * KB && pde0 > 6) index += at >> 12;
        assert_int_equal(w.entry[i].v, frame + index * (i == pde0 ? DUAL : 8));
      }
      if (x->bytes == 4 * KB) break;
    }
    check_mm(m);
    release_ok(m, 0, x->va);
    assert_int_equal(usage_of(m).free_frames, MEMORY / (4 * KB));
    mm_free(m);
  }
}

static void x86_walks(void **state) {
  (void)state;
  expect_walks("x86-4", 0, 7, x86_4);
}
static void pascal_walks(void **state) {
  (void)state;
  expect_walks("pascal", 0, 3, pascal);
}
static void ampere_walks(void **state) {
  (void)state;
  expect_walks("ampere", 512 * MB, 3, ampere);
}
static void hopper_walks(void **state) {
  (void)state;
  expect_walks("hopper", 512 * MB, 4, hopper);
}
static void amd_walks(void **state) {
  (void)state;
  expect_walks("amd-gfx9", GB, 7, amd_gfx9);
}

/* 3 MB + 68 KB from 1 MB on: 16 pages of 64 KB, one of 2 MB, one of 64 KB and one of 4 KB. */
static void one_region_holds_several_sizes(void **state) {
  (void)state;
  mm_t *m = make("pascal", 0, 1);
  alloc_ok(m, 0, MB, 3 * MB + 68 * KB);
  assert_int_equal(mm_page_order(m, 0, (vpn_t){MB >> 12}), 4);
  assert_int_equal(mm_page_order(m, 0, (vpn_t){2 * MB >> 12}), 9);
  assert_int_equal(mm_page_order(m, 0, (vpn_t){4 * MB >> 12}), 4);
  assert_int_equal(mm_page_order(m, 0, (vpn_t){(4 * MB + 64 * KB) >> 12}), 0);
  mm_walk_t medium, base;
  mm_walk(m, 0, (vpn_t){4 * MB >> 12}, &medium);
  mm_walk(m, 0, (vpn_t){(4 * MB + 64 * KB) >> 12}, &base);
  assert_int_equal(medium.entry[3].v, base.entry[3].v); /* one dual entry, two tables */
  assert_int_not_equal(medium.entry[4].v >> 12, base.entry[4].v >> 12);
  assert_int_equal(base.entry[4].v & 4095, 16 * 8);
  check_mm(m);
  mm_free(m);
}

/* The same memory where less alignment is asked for: no page is larger. */
static void an_alignment_bounds_the_sizes(void **state) {
  (void)state;
  static const struct {
    uint64_t align;
    uint32_t first, middle; /* orders of the pages at 1 MB and at 2 MB */
  } row[] = {{0, 4, 9},       {512 * MB, 4, 9}, {2 * MB, 4, 9}, {MB, 4, 4},
             {64 * KB, 4, 4}, {32 * KB, 0, 0},  {4 * KB, 0, 0}};
  for (uint32_t i = 0; i < sizeof row / sizeof *row; i++) {
    mm_spec_t spec = spec_4k("mixed", MEMORY, 1);
    spec.format = "pascal", spec.align_bytes = row[i].align;
    mm_t *m = mm_make(&spec);
    alloc_ok(m, 0, MB, 3 * MB + 68 * KB);
    assert_int_equal(mm_page_order(m, 0, (vpn_t){MB >> 12}), row[i].first);
    assert_int_equal(mm_page_order(m, 0, (vpn_t){2 * MB >> 12}), row[i].middle);
    assert_int_equal(mm_page_order(m, 0, (vpn_t){(4 * MB + 64 * KB) >> 12}), 0);
    check_mm(m);
    release_ok(m, 0, MB);
    assert_int_equal(usage_of(m).free_frames, MEMORY / (4 * KB));
    mm_free(m);
  }
}

static void expect_bad_align(const char *manager, uint64_t align) {
  mm_spec_t spec = spec_4k(manager, MEMORY, 1);
  spec.align_bytes = align;
  mm_t *m;
  err_t e = {0};
  assert_true(mm_new(&spec, &m, &e) < 0);
  assert_string_equal(e.key, "align_bytes");
}
static void an_alignment_that_means_nothing_is_refused(void **state) {
  (void)state;
  expect_bad_align("gpu-mmu", 64 * KB);
  expect_bad_align("mixed", 48 * KB);
  expect_bad_align("mixed", 2 * KB);
}

/* Tables of 64-KB pages have 32 entries of 8 bytes: those of neighbours share a frame. */
static void small_tables_share_frames(void **state) {
  (void)state;
  mm_t *m = make("pascal", 0, 1);
  mm_walk_t a, b;
  alloc_ok(m, 0, 0, 64 * KB);
  alloc_ok(m, 0, 2 * MB, 64 * KB);
  mm_walk(m, 0, (vpn_t){0}, &a);
  mm_walk(m, 0, (vpn_t){512}, &b);
  assert_int_equal(b.entry[4].v - a.entry[4].v, 256);
  assert_int_equal(b.entry[3].v - a.entry[3].v, DUAL);
  assert_int_equal(usage_of(m).table_frames[0], 5);
  mm_free(m);
}

static void expect_orders(const mm_t *m, uint64_t va, const uint32_t *order, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    assert_int_equal(mm_page_order(m, 0, (vpn_t){va >> 12}), order[i]);
    va += (4 * KB) << order[i];
  }
}

/* Of 512 MB one page of 4 KB goes: 2 MB pages, and in the one around it 64 KB and 4 KB. */
static void a_hole_splits_every_size(void **state) {
  (void)state;
  mm_t *m = make("hopper", 512 * MB, 1);
  mm_actions_t todo = {0};
  err_t e = {0};
  alloc_ok(m, 0, GB, 512 * MB);
  assert_int_equal(mm_page_order(m, 0, (vpn_t){GB >> 12}), 17);
  assert_int_equal(mm_release_part(m, 0, (vaddr_t){GB + 4 * MB + 4 * KB}, 4 * KB, &todo, &e), 0);
  expect_orders(m, GB, (const uint32_t[]){9, 9, 0}, 3);
  expect_orders(m, GB + 4 * MB + 8 * KB, (const uint32_t[]){0, 0}, 2);
  expect_orders(m, GB + 4 * MB + 64 * KB, (const uint32_t[]){4, 4, 4}, 3);
  expect_orders(m, GB + 6 * MB, (const uint32_t[]){9, 9}, 2);
  bool huge = false;
  for (size_t i = 0; i < todo.count; i++)
    huge |= todo.item[i].kind == MM_SHOOTDOWN && todo.item[i].pages == 1 << 17 &&
            todo.item[i].vpn.v == GB >> 12;
  assert_true(huge);
  check_mm(m);
  mm_actions_fini(&todo);
  mm_free(m);
}

static void expect_refused(const char *format, uint64_t base, uint64_t large, uint64_t huge,
                           const char *key) {
  mm_spec_t spec = spec_4k("mixed", MEMORY, 1);
  spec.format = format, spec.base_bytes = base, spec.large_bytes = large, spec.huge_bytes = huge;
  mm_t *m;
  err_t e = {0};
  assert_true(mm_new(&spec, &m, &e) < 0);
  assert_string_equal(e.key, key);
}

static void sizes_that_a_format_lacks_are_refused(void **state) {
  (void)state;
  expect_refused("pascal", 8 * KB, 2 * MB, 0, "base_bytes");
  expect_refused("pascal", 4 * KB, 4 * MB, 0, "large_bytes");
  expect_refused("pascal", 4 * KB, 2 * MB, 512 * MB, "huge_bytes");
  expect_refused("hopper", 4 * KB, 2 * MB, GB, "huge_bytes");
  expect_refused("amd-gfx9", 64 * KB, 2 * MB, 0, "base_bytes");
  expect_refused("x86-4", 4 * KB, 2 * MB, GB, "huge_bytes");
  expect_refused("fermi", 4 * KB, 2 * MB, 0, "format");
}

/* ---- random operations ---- */

#define WINDOW (3 * GB)
#define PAGES  (WINDOW / (4 * KB))
#define SPACES 3

typedef struct {
  uint8_t held[SPACES][PAGES]; /* 1 + the allocation's number below, or 0 */
  struct {
    uint64_t va, bytes;
  } block[SPACES][64];
} plain_t;

static void compare(const mm_t *m, const plain_t *p, uint8_t *owner) {
  memset(owner, 0, MEMORY / (4 * KB));
  for (asid_t a = 0; a < SPACES; a++)
    for (uint64_t v = 0; v < PAGES; v++) {
      ppn_t ppn;
      bool large;
      bool mapped = mm_translate(m, a, (vpn_t){v}, &ppn, &large);
      assert_int_equal(mapped, p->held[a][v] != 0);
      if (!mapped) continue;
      assert_int_equal(owner[ppn.v], 0);
      owner[ppn.v] = 1;
    }
  check_mm(m);
}

static void fill(plain_t *p, asid_t a, uint64_t va, uint64_t bytes, uint8_t with) {
  memset(&p->held[a][va >> 12], with, bytes >> 12);
}

/* 4 KB to 1.5 GB, each magnitude as likely; half of them at a boundary of their own size. */
static void random_alloc(mm_t *m, plain_t *p, rng_t *rng, asid_t a) {
  uint64_t bytes = (4 * KB) << rng_below(rng, 19), room = WINDOW - bytes - bytes / 2;
  bytes += rng_below(rng, 2) ? 0 : (bytes / 2) >> 12 << 12;
  uint64_t va = rng_below(rng, (uint32_t)(room >> 12)) * 4 * KB;
  if (rng_below(rng, 2)) va = va / bytes * bytes & ~(4 * KB - 1);
  uint32_t i = rng_below(rng, 64);
  if (p->block[a][i].bytes) return;
  for (uint64_t v = va >> 12; v < (va + bytes) >> 12; v++)
    if (p->held[a][v]) return;
  if (mm_alloc(m, a, (vaddr_t){va}, bytes, NULL, NULL)) return;
  p->block[a][i].va = va, p->block[a][i].bytes = bytes;
  fill(p, a, va, bytes, (uint8_t)(i + 1));
}

static void random_release(mm_t *m, plain_t *p, rng_t *rng, asid_t a) {
  uint32_t i = rng_below(rng, 64);
  uint64_t va = p->block[a][i].va, bytes = p->block[a][i].bytes;
  if (!bytes) return;
  if (rng_below(rng, 2) && bytes > 8 * KB) { /* its end stays */
    uint64_t cut = (1 + rng_below(rng, (uint32_t)(bytes >> 12) - 1)) * 4 * KB;
    assert_int_equal(mm_release_part(m, a, (vaddr_t){va}, cut, NULL, NULL), 0);
    fill(p, a, va, cut, 0);
    p->block[a][i].va += cut, p->block[a][i].bytes -= cut;
    return;
  }
  assert_int_equal(mm_release(m, a, (vaddr_t){va}, NULL, NULL), 0);
  fill(p, a, va, bytes, 0);
  p->block[a][i].bytes = 0;
}

static void huge_pages_behave_like_an_array(void **state) {
  (void)state;
  static const struct {
    const char *format;
    uint64_t huge;
  } with[] = {{"ampere", 512 * MB}, {"amd-gfx9", GB}};
  plain_t *p = malloc(sizeof *p);
  uint8_t *owner = malloc(MEMORY / (4 * KB));
  for (size_t f = 0; f < sizeof with / sizeof *with; f++) {
    mm_t *m = make(with[f].format, with[f].huge, SPACES);
    rng_t rng = {test_seed()};
    memset(p, 0, sizeof *p);
    uint32_t huge = 0;
    for (uint32_t step = 0; step < 400; step++) {
      asid_t a = (asid_t)rng_below(&rng, SPACES);
      if (rng_below(&rng, 5) < 3)
        random_alloc(m, p, &rng, a);
      else
        random_release(m, p, &rng, a);
      for (uint64_t v = 0; v < PAGES; v += with[f].huge >> 12)
        huge += mm_page_order(m, a, (vpn_t){v}) > 9;
      if (step % 200 == 199) compare(m, p, owner);
    }
    assert_true(huge > 0);
    for (asid_t a = 0; a < SPACES; a++) assert_int_equal(mm_release_all(m, a, NULL, NULL), 0);
    assert_int_equal(usage_of(m).free_frames, MEMORY / (4 * KB));
    mm_free(m);
  }
  free(p), free(owner);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(x86_walks),
      cmocka_unit_test(pascal_walks),
      cmocka_unit_test(ampere_walks),
      cmocka_unit_test(hopper_walks),
      cmocka_unit_test(amd_walks),
      cmocka_unit_test(one_region_holds_several_sizes),
      cmocka_unit_test(an_alignment_bounds_the_sizes),
      cmocka_unit_test(an_alignment_that_means_nothing_is_refused),
      cmocka_unit_test(small_tables_share_frames),
      cmocka_unit_test(a_hole_splits_every_size),
      cmocka_unit_test(sizes_that_a_format_lacks_are_refused),
      cmocka_unit_test(huge_pages_behave_like_an_array),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
