/* Page-table shapes: where the entries of a walk lie, computed here by hand from the rules in mm.h.
 * In an empty memory with one space the nodes of the first path are taken root first: from the top
 * frame down, or from slice 0 up where several share the top frame. */
#include "unit.h"

typedef struct {
  uint64_t base_bytes, large_bytes;
  uint32_t va_bits, level_bits;
} shape_t;

static mm_t *make_shape(const char *manager, shape_t s, uint64_t memory_bytes) {
  mm_spec_t spec = {.manager = manager,
                    .memory_bytes = memory_bytes,
                    .base_bytes = s.base_bytes,
                    .large_bytes = s.large_bytes,
                    .va_bits = s.va_bits,
                    .level_bits = s.level_bits,
                    .spaces = 1};
  return mm_make(&spec);
}

static void expect_walk(const mm_t *m, uint64_t va, const uint64_t *entry, uint32_t levels,
                        uint64_t ppn, bool large) {
  mm_walk_t w;
  mm_walk(m, 0, (vpn_t){va >> mm_base_shift(m)}, &w);
  assert_true(w.mapped);
  assert_int_equal(w.levels, levels);
  for (uint32_t i = 0; i < levels; i++) assert_int_equal(w.entry[i].v, entry[i]);
  assert_int_equal(w.ppn.v, ppn);
  assert_int_equal(w.large, large);
}

/* va 0x7f3a_9c4e_5678 at 4 KB pages: indices 0x0fe, 0x0ea, 0x0e2, 0x0e5. */
#define VA UINT64_C(0x7f3a9c4e5678)

static void four_kb_pages_have_four_levels_of_nine_bits(void **state) {
  (void)state;
  mm_t *m = make_shape("gpu-mmu", (shape_t){4 * KB, 2 * MB, 48, 9}, 16 * MB);
  assert_int_equal(mm_levels(m), 4);
  assert_int_equal(mm_base_shift(m), 12);
  assert_int_equal(mm_large_shift(m), 21);
  alloc_ok(m, 0, VA, 1);
  const uint64_t top = 16 * MB;
  const uint64_t entry[] = {top - 0x1000 + 0x0fe * 8, top - 0x2000 + 0x0ea * 8,
                            top - 0x3000 + 0x0e2 * 8, top - 0x4000 + 0x0e5 * 8};
  expect_walk(m, VA, entry, 4, 0, false);
  mm_free(m);
}

static void an_unmapped_walk_reads_down_to_the_empty_entry(void **state) {
  (void)state;
  mm_t *m = make_shape("gpu-mmu", (shape_t){4 * KB, 2 * MB, 48, 9}, 16 * MB);
  mm_walk_t w;
  mm_walk(m, 0, (vpn_t){VA >> 12}, &w);
  assert_false(w.mapped);
  assert_int_equal(w.levels, 0);
  alloc_ok(m, 0, VA, 1);
  mm_walk(m, 0, (vpn_t){(VA >> 12) + 1}, &w); /* same leaf, next entry */
  assert_false(w.mapped);
  assert_int_equal(w.levels, 4);
  assert_int_equal(w.entry[3].v, 16 * MB - 0x4000 + 0x0e6 * 8);
  mm_walk(m, 0, (vpn_t){(VA >> 12) + (1 << 18)}, &w); /* next entry two levels above the leaf */
  assert_false(w.mapped);
  assert_int_equal(w.levels, 2);
  assert_int_equal(w.entry[1].v, 16 * MB - 0x2000 + 0x0eb * 8);
  mm_free(m);
}

static void large_pages_at_four_kb_end_one_level_early(void **state) {
  (void)state;
  mm_t *m = make_shape("large-only", (shape_t){4 * KB, 2 * MB, 48, 9}, 16 * MB);
  alloc_ok(m, 0, VA, 1);
  const uint64_t top = 16 * MB;
  const uint64_t entry[] = {top - 0x1000 + 0x0fe * 8, top - 0x2000 + 0x0ea * 8,
                            top - 0x3000 + 0x0e2 * 8};
  expect_walk(m, VA, entry, 3, 0x0e5, true);
  mm_free(m);
}

/* 64 KB: n = 32, root 5 bits; leaf index = bits 16..24, and 16 nodes of 4 KB share a frame. */
static void sixty_four_kb_pages_have_a_root_of_five_bits(void **state) {
  (void)state;
  mm_t *m = make_shape("gpu-mmu", (shape_t){64 * KB, 2 * MB, 48, 9}, 16 * MB);
  assert_int_equal(mm_levels(m), 4);
  alloc_ok(m, 0, VA, 1);
  const uint64_t frame = 16 * MB - 64 * KB;
  const uint64_t entry[] = {frame + (VA >> 43) * 8, frame + 0x1000 + (VA >> 34 & 511) * 8,
                            frame + 0x2000 + (VA >> 25 & 511) * 8,
                            frame + 0x3000 + (VA >> 16 & 511) * 8};
  expect_walk(m, VA, entry, 4, 0, false);
  assert_int_equal(usage_of(m).table_frames[0], 1);
  mm_free(m);
}

/* A 2 MB large page is 32 leaf entries of 64 KB: the walk has full depth, the translation is large.
 */
static void large_pages_at_sixty_four_kb_are_a_run_of_leaf_entries(void **state) {
  (void)state;
  mm_t *m = make_shape("large-only", (shape_t){64 * KB, 2 * MB, 48, 9}, 16 * MB);
  alloc_ok(m, 0, 6 * MB, 2 * MB);
  const uint64_t frame = 16 * MB - 64 * KB;
  for (uint64_t i = 0; i < 32; i++) {
    const uint64_t entry[] = {frame, frame + 0x1000, frame + 0x2000, frame + 0x3000 + (96 + i) * 8};
    expect_walk(m, 6 * MB + i * 64 * KB, entry, 4, i, true);
  }
  check_mm(m);
  release_ok(m, 0, 6 * MB);
  assert_int_equal(usage_of(m).free_frames, 256);
  mm_free(m);
}

static void two_mb_pages_have_three_levels(void **state) {
  (void)state;
  mm_t *m = make_shape("gpu-mmu", (shape_t){2 * MB, 2 * MB, 48, 9}, 64 * MB);
  assert_int_equal(mm_levels(m), 3);
  alloc_ok(m, 0, VA, 1);
  const uint64_t frame = 62 * MB;
  const uint64_t entry[] = {frame + 0x0fe * 8, frame + 0x1000 + 0x0ea * 8,
                            frame + 0x2000 + 0x0e2 * 8};
  expect_walk(m, VA, entry, 3, 0, false);
  /* a page 1 GB further needs one more leaf node: the next slice of the same frame */
  alloc_ok(m, 0, VA + GB, 1);
  const uint64_t next[] = {entry[0], entry[1] + 8, frame + 0x3000 + 0x0e2 * 8};
  expect_walk(m, VA + GB, next, 3, 1, false);
  assert_int_equal(usage_of(m).table_frames[0], 1);
  mm_free(m);
}

/* 16 MB over 4 KB: 12 bits = one level and 3 bits, so 8 entries of the level above the leaf. */
static void a_large_page_between_levels_is_a_run_of_upper_entries(void **state) {
  (void)state;
  mm_t *m = make_shape("large-only", (shape_t){4 * KB, 16 * MB, 48, 9}, 64 * MB);
  alloc_ok(m, 0, 48 * MB, 1);
  const uint64_t top = 64 * MB;
  for (uint64_t off = 0; off < 16 * MB; off += 12 * KB) {
    const uint64_t entry[] = {top - 0x1000, top - 0x2000, top - 0x3000 + (24 + off / (2 * MB)) * 8};
    expect_walk(m, 48 * MB + off, entry, 3, off / (4 * KB), true);
  }
  check_mm(m);
  mm_free(m);
}

static void one_gb_large_pages_end_two_levels_early(void **state) {
  (void)state;
  mm_t *m = make_shape("large-only", (shape_t){4 * KB, GB, 48, 9}, 2 * GB);
  alloc_ok(m, 0, 3 * GB + 5 * MB, 1);
  const uint64_t entry[] = {2 * GB - 0x1000, 2 * GB - 0x2000 + 3 * 8};
  expect_walk(m, 3 * GB + 4 * KB, entry, 2, 1, true);
  mm_free(m);
}

/* n = 20 at 3 bits would need 7 levels; at 4 bits 5, with a 4-bit root, 128-byte nodes. */
static void narrow_levels_make_deep_tables_of_small_nodes(void **state) {
  (void)state;
  mm_t *m = make_shape("gpu-mmu", (shape_t){4 * KB, 2 * MB, 32, 4}, 16 * MB);
  assert_int_equal(mm_levels(m), 5);
  alloc_ok(m, 0, 0x89abc000, 1);
  const uint64_t frame = 16 * MB - 4 * KB;
  const uint64_t entry[] = {frame + 8 * 8, frame + 128 + 9 * 8, frame + 256 + 10 * 8,
                            frame + 384 + 11 * 8, frame + 512 + 12 * 8};
  expect_walk(m, 0x89abc000, entry, 5, 0, false);
  mm_free(m);
}

static void a_freed_slice_is_used_again_before_a_new_frame(void **state) {
  (void)state;
  mm_t *m = make_shape("gpu-mmu", (shape_t){64 * KB, 2 * MB, 48, 9}, 64 * MB);
  for (uint64_t i = 0; i < 40; i++) alloc_ok(m, 0, i * 32 * MB, 1); /* a leaf each: 43 nodes */
  assert_int_equal(usage_of(m).table_frames[0], 3);
  mm_walk_t w;
  mm_walk(m, 0, (vpn_t){7 * 512}, &w);
  uint64_t slice = w.entry[3].v;
  release_ok(m, 0, 7 * 32 * MB);
  alloc_ok(m, 0, 100 * 32 * MB, 1);
  mm_walk(m, 0, (vpn_t){100 * 512}, &w);
  assert_int_equal(w.entry[3].v, slice);
  check_mm(m);
  for (uint64_t i = 0; i < 40; i++)
    if (i != 7) release_ok(m, 0, i * 32 * MB);
  release_ok(m, 0, 100 * 32 * MB);
  assert_int_equal(usage_of(m).table_frames[0], 0);
  check_mm(m);
  mm_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(four_kb_pages_have_four_levels_of_nine_bits),
      cmocka_unit_test(an_unmapped_walk_reads_down_to_the_empty_entry),
      cmocka_unit_test(large_pages_at_four_kb_end_one_level_early),
      cmocka_unit_test(sixty_four_kb_pages_have_a_root_of_five_bits),
      cmocka_unit_test(large_pages_at_sixty_four_kb_are_a_run_of_leaf_entries),
      cmocka_unit_test(two_mb_pages_have_three_levels),
      cmocka_unit_test(a_large_page_between_levels_is_a_run_of_upper_entries),
      cmocka_unit_test(one_gb_large_pages_end_two_levels_early),
      cmocka_unit_test(narrow_levels_make_deep_tables_of_small_nodes),
      cmocka_unit_test(a_freed_slice_is_used_again_before_a_new_frame),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
