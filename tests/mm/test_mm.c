/* What the calls of mm.h promise, whatever the manager; and what each manager promises. */
#include "unit.h"

static void expect_spec_error(mm_spec_t spec, int code, const char *key) {
  mm_t *m;
  err_t e = {0};
  assert_int_equal(mm_new(&spec, &m, &e), code);
  assert_null(m);
  assert_string_equal(e.key, key);
}

static void a_wrong_geometry_is_refused_by_name(void **state) {
  (void)state;
  const mm_spec_t good = spec_4k("gpu-mmu", 16 * MB, 2);
  mm_spec_t s = good;
  s.manager = "gpu-mnu", expect_spec_error(s, GMMU_ENOENT, "");
  s = good, s.base_bytes = 2 * KB, expect_spec_error(s, GMMU_ERANGE, "base_bytes");
  s = good, s.base_bytes = 5000, expect_spec_error(s, GMMU_ERANGE, "base_bytes");
  s = good, s.large_bytes = 3 * MB, expect_spec_error(s, GMMU_ERANGE, "large_bytes");
  s = good, s.base_bytes = 64 * KB, s.large_bytes = 4 * KB;
  expect_spec_error(s, GMMU_ERANGE, "large_bytes");
  s = good, s.memory_bytes = 3 * MB, expect_spec_error(s, GMMU_ERANGE, "memory_bytes");
  s = good, s.memory_bytes = 0, expect_spec_error(s, GMMU_ERANGE, "memory_bytes");
  s = good, s.memory_bytes = 2048 * GB, expect_spec_error(s, GMMU_ERANGE, "memory_bytes");
  s = good, s.spaces = 0, expect_spec_error(s, GMMU_ERANGE, "spaces");
  s = good, s.spaces = GMMU_MAX_APPS + 1, expect_spec_error(s, GMMU_ERANGE, "spaces");
  s = good, s.va_bits = 21, expect_spec_error(s, GMMU_ERANGE, "va_bits");
  s = good, s.va_bits = 64, expect_spec_error(s, GMMU_ERANGE, "va_bits");
  s = good, s.level_bits = 10, expect_spec_error(s, GMMU_ERANGE, "level_bits");
  s = good, s.level_bits = 5, expect_spec_error(s, GMMU_ERANGE, "level_bits");
}

static void managers_are_found_by_name(void **state) {
  (void)state;
  assert_non_null(mm_manager_find("gpu-mmu"));
  assert_non_null(mm_manager_find("large-only"));
  assert_null(mm_manager_find("none"));
  assert_null(mm_manager_find(NULL));
  for (size_t i = 0; mm_manager_all[i]; i++) {
    assert_ptr_equal(mm_manager_find(mm_manager_name(mm_manager_all[i])), mm_manager_all[i]);
    assert_true(strlen(mm_manager_help(mm_manager_all[i])) > 0);
  }
}

static void an_allocation_maps_its_pages_and_no_others(void **state) {
  (void)state;
  mm_t *m = mm_make_4k("gpu-mmu", 16 * MB, 2);
  alloc_ok(m, 1, 0x10000ff0, 0x20); /* straddles a page boundary */
  assert_int_equal(frame_at(m, 1, 0x0ffff000), UNMAPPED);
  assert_int_not_equal(frame_at(m, 1, 0x10000000), UNMAPPED);
  assert_int_not_equal(frame_at(m, 1, 0x10001000), UNMAPPED);
  assert_int_equal(frame_at(m, 1, 0x10002000), UNMAPPED);
  assert_int_equal(frame_at(m, 0, 0x10000000), UNMAPPED);
  assert_int_equal(usage_of(m).data_frames[1], 2);
  assert_int_equal(usage_of(m).allocated_bytes[1], 0x20);
  check_mm(m);
  mm_free(m);
}

static void translation_outside_every_space_is_unmapped(void **state) {
  (void)state;
  mm_t *m = mm_make_4k("gpu-mmu", 16 * MB, 2);
  alloc_ok(m, 0, 0, 4 * KB);
  ppn_t ppn;
  bool large;
  assert_false(mm_translate(m, 2, (vpn_t){0}, &ppn, &large));
  assert_false(mm_translate(m, 255, (vpn_t){0}, &ppn, &large));
  assert_false(mm_translate(m, 0, (vpn_t){UINT64_C(1) << 36}, &ppn, &large));
  mm_walk_t w;
  mm_walk(m, 0, (vpn_t){UINT64_C(1) << 36}, &w);
  assert_false(w.mapped);
  assert_int_equal(w.levels, 0);
  mm_free(m);
}

static void overlapping_allocations_are_refused(void **state) {
  (void)state;
  mm_t *m = mm_make_4k("gpu-mmu", 16 * MB, 2);
  static const uint64_t bad[][2] = {
      {0x10000, 1}, {0x10fff, 1}, {0xff00, 0x200}, {0x10f00, 0x200}, {0xf000, 0x4000}};
  alloc_ok(m, 0, 0x10000, 4 * KB);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    err_t e = {0};
    assert_int_equal(mm_alloc(m, 0, (vaddr_t){bad[i][0]}, bad[i][1], NULL, &e), GMMU_EINVAL);
    assert_non_null(strstr(e.text, "overlaps the allocation 0x10000 + 4096 bytes"));
  }
  alloc_ok(m, 0, 0xff00, 0x100); /* touching is not overlapping */
  alloc_ok(m, 0, 0x11000, 1);
  alloc_ok(m, 1, 0x10000, 4 * KB); /* another space */
  check_mm(m);
  mm_free(m);
}

static void wrong_arguments_are_refused(void **state) {
  (void)state;
  mm_t *m = mm_make_4k("gpu-mmu", 16 * MB, 2);
  uint64_t limit = UINT64_C(1) << 48;
  assert_int_equal(mm_alloc(m, 0, (vaddr_t){0x1000}, 0, NULL, NULL), GMMU_EINVAL);
  assert_int_equal(mm_alloc(m, 2, (vaddr_t){0x1000}, 1, NULL, NULL), GMMU_ERANGE);
  assert_int_equal(mm_alloc(m, 0, (vaddr_t){limit - 1}, 2, NULL, NULL), GMMU_ERANGE);
  assert_int_equal(mm_alloc(m, 0, (vaddr_t){limit}, 1, NULL, NULL), GMMU_ERANGE);
  assert_int_equal(mm_alloc(m, 0, (vaddr_t){4096}, UINT64_MAX, NULL, NULL), GMMU_ERANGE);
  alloc_ok(m, 0, limit - 1, 1);
  assert_int_equal(mm_release(m, 0, (vaddr_t){limit - 2}, NULL, NULL), GMMU_EINVAL);
  assert_int_equal(mm_release(m, 1, (vaddr_t){limit - 1}, NULL, NULL), GMMU_EINVAL);
  assert_int_equal(mm_release(m, 7, (vaddr_t){limit - 1}, NULL, NULL), GMMU_ERANGE);
  assert_int_equal(mm_release_all(m, 7, NULL, NULL), GMMU_ERANGE);
  check_mm(m);
  mm_free(m);
}

static void a_shared_page_stays_until_its_last_allocation_goes(void **state) {
  (void)state;
  mm_t *m = mm_make_4k("gpu-mmu", 16 * MB, 1);
  for (uint64_t i = 0; i < 16; i++) alloc_ok(m, 0, 0x40000 + i * 256, 256);
  assert_int_equal(usage_of(m).data_frames[0], 1);
  uint64_t frame = frame_at(m, 0, 0x40000);
  for (uint64_t i = 0; i < 16; i++) {
    assert_int_equal(frame_at(m, 0, 0x40000), frame);
    release_ok(m, 0, 0x40000 + (i * 7 % 16) * 256);
    check_mm(m);
  }
  assert_int_equal(frame_at(m, 0, 0x40000), UNMAPPED);
  mm_free(m);
}

static void an_allocation_shares_only_its_edge_pages(void **state) {
  (void)state;
  mm_t *m = mm_make_4k("gpu-mmu", 16 * MB, 1);
  alloc_ok(m, 0, 0x1800, 0x1000); /* pages 1, 2 */
  alloc_ok(m, 0, 0x4800, 0x1000); /* pages 4, 5 */
  alloc_ok(m, 0, 0x2800, 0x2000); /* pages 2, 3, 4: shares the outer two */
  assert_int_equal(usage_of(m).data_frames[0], 5);
  release_ok(m, 0, 0x2800);
  assert_int_equal(frame_at(m, 0, 0x3000), UNMAPPED);
  assert_int_equal(usage_of(m).data_frames[0], 4);
  alloc_ok(m, 0, 0x4000, 0x800); /* page 4 again */
  release_ok(m, 0, 0x4800);
  assert_int_not_equal(frame_at(m, 0, 0x4000), UNMAPPED);
  assert_int_equal(frame_at(m, 0, 0x5000), UNMAPPED);
  release_ok(m, 0, 0x4000);
  assert_int_equal(usage_of(m).data_frames[0], 2);
  check_mm(m);
  mm_free(m);
}

static void every_frame_can_be_used_and_one_more_is_refused(void **state) {
  (void)state;
  mm_t *m = mm_make_4k("gpu-mmu", 4 * MB, 1);
  alloc_ok(m, 0, 0, 1018 * 4 * KB);
  mm_usage_t before = usage_of(m), after;
  assert_int_equal(before.table_frames[0], 5); /* two leaves and three levels above */
  assert_int_equal(before.free_frames, 1);
  err_t e = {0};
  assert_int_equal(mm_alloc(m, 0, (vaddr_t){GB}, 1, NULL, &e), GMMU_ENOSPACE);
  assert_non_null(strstr(e.text, "1 of 1024 base frames"));
  after = usage_of(m);
  assert_memory_equal(&before, &after, sizeof before);
  check_mm(m);
  alloc_ok(m, 0, 1018 * 4 * KB, 4 * KB); /* its leaf exists: needs only the last frame */
  assert_int_equal(usage_of(m).free_frames, 0);
  assert_int_equal(mm_alloc(m, 0, (vaddr_t){1019 * 4 * KB}, 1, NULL, &e), GMMU_ENOSPACE);
  check_mm(m);
  mm_free(m);
}

static void a_failed_allocation_changes_no_later_frame(void **state) {
  (void)state;
  mm_t *a = mm_make_4k("gpu-mmu", 8 * MB, 2), *b = mm_make_4k("gpu-mmu", 8 * MB, 2);
  alloc_ok(a, 0, GB, 3 * MB), alloc_ok(b, 0, GB, 3 * MB);
  /* enough frames for the data, not for its tables: fails half way */
  uint64_t rest = usage_of(a).free_frames * 4 * KB;
  assert_int_equal(mm_alloc(a, 1, (vaddr_t){2 * GB}, rest, NULL, NULL), GMMU_ENOSPACE);
  check_mm(a);
  alloc_ok(a, 1, 5 * GB, 2 * MB), alloc_ok(b, 1, 5 * GB, 2 * MB);
  for (uint64_t off = 0; off < 2 * MB; off += 4 * KB) {
    mm_walk_t wa, wb;
    memset(&wa, 0, sizeof wa), memset(&wb, 0, sizeof wb);
    mm_walk(a, 1, (vpn_t){(5 * GB + off) >> 12}, &wa);
    mm_walk(b, 1, (vpn_t){(5 * GB + off) >> 12}, &wb);
    assert_memory_equal(&wa, &wb, sizeof wa);
  }
  mm_free(a), mm_free(b);
}

static void releasing_everything_leaves_nothing(void **state) {
  (void)state;
  for (size_t i = 0; mm_manager_all[i]; i++) {
    mm_t *m = mm_make_4k(mm_manager_name(mm_manager_all[i]), 64 * MB, 2);
    mm_usage_t empty = usage_of(m);
    alloc_ok(m, 0, 0, 5 * MB), alloc_ok(m, 0, 7 * GB, 256), alloc_ok(m, 0, 7 * GB + 256, 256);
    alloc_ok(m, 1, 0, 256);
    assert_int_equal(mm_release_all(m, 0, NULL, NULL), 0);
    check_mm(m);
    assert_int_equal(usage_of(m).data_frames[0] + usage_of(m).table_frames[0], 0);
    assert_int_not_equal(frame_at(m, 1, 0), UNMAPPED);
    assert_int_equal(mm_release_all(m, 1, NULL, NULL), 0);
    assert_int_equal(mm_release_all(m, 1, NULL, NULL), 0);
    mm_usage_t after = usage_of(m);
    assert_memory_equal(&empty, &after, sizeof empty);
    mm_free(m);
  }
}

static void owners_tell_data_from_tables(void **state) {
  (void)state;
  mm_t *m = mm_make_4k("gpu-mmu", 16 * MB, 3);
  alloc_ok(m, 2, 0, 4 * KB);
  mm_walk_t w;
  mm_walk(m, 2, (vpn_t){0}, &w);
  assert_int_equal(mm_frame_owner(m, w.ppn), 2);
  for (uint32_t i = 0; i < w.levels; i++)
    assert_int_equal(mm_frame_owner(m, (ppn_t){w.entry[i].v >> 12}), MM_OWNER_TABLE + 2);
  assert_int_equal(mm_frame_owner(m, (ppn_t){w.ppn.v + 1}), MM_OWNER_NONE);
  assert_int_equal(mm_frame_owner(m, (ppn_t){4096}), MM_OWNER_NONE); /* beyond memory */
  mm_free(m);
}

static void actions_say_what_came_and_went(void **state) {
  (void)state;
  mm_t *m = mm_make_4k("gpu-mmu", 16 * MB, 1);
  mm_actions_t a = {0};
  assert_int_equal(mm_alloc(m, 0, (vaddr_t){0x1000}, 0x2800, &a, NULL), 0);
  assert_int_equal(mm_alloc(m, 0, (vaddr_t){0x3800}, 0x100, &a, NULL), 0); /* shares page 3 */
  assert_int_equal(a.count, 1);
  assert_int_equal(a.item[0].kind, MM_MAP);
  assert_int_equal(a.item[0].vpn.v, 1);
  assert_int_equal(a.item[0].pages, 3);
  assert_int_equal(a.item[0].ppn.v, frame_at(m, 0, 0x1000));
  mm_actions_clear(&a);
  assert_int_equal(mm_release(m, 0, (vaddr_t){0x1000}, &a, NULL), 0);
  assert_int_equal(a.count, 2);
  assert_int_equal(a.item[0].kind, MM_UNMAP);
  assert_int_equal(a.item[1].kind, MM_SHOOTDOWN);
  assert_int_equal(a.item[1].vpn.v, 1);
  assert_int_equal(a.item[1].pages, 2);
  assert_int_equal(mm_release_all(m, 0, &a, NULL), 0);
  assert_int_equal(a.count, 4);
  assert_int_equal(a.item[3].vpn.v, 3);
  mm_actions_fini(&a);
  mm_free(m);
}

static void release_all_merges_neighbours_into_one_range(void **state) {
  (void)state;
  mm_t *m = mm_make_4k("gpu-mmu", 16 * MB, 1);
  mm_actions_t a = {0};
  alloc_ok(m, 0, 0x1000, 0x1000), alloc_ok(m, 0, 0x2000, 0x100), alloc_ok(m, 0, 0x2100, 0x1000);
  alloc_ok(m, 0, 0x9000, 0x100);
  assert_int_equal(mm_release_all(m, 0, &a, NULL), 0);
  assert_int_equal(a.count, 4);
  assert_int_equal(a.item[0].vpn.v, 1);
  assert_int_equal(a.item[0].pages, 3);
  assert_int_equal(a.item[2].vpn.v, 9);
  assert_int_equal(a.item[2].pages, 1);
  mm_actions_fini(&a);
  mm_free(m);
}

/* ---- gpu-mmu ---- */

static void one_space_gets_consecutive_frames(void **state) {
  (void)state;
  mm_t *m = mm_make_4k("gpu-mmu", 16 * MB, 1);
  alloc_ok(m, 0, GB, 6 * MB);
  for (uint64_t i = 0; i < 6 * MB / (4 * KB); i++)
    assert_int_equal(frame_at(m, 0, GB + i * 4 * KB), i);
  mm_free(m);
}

static void frames_of_a_large_frame_go_to_the_spaces_in_turn(void **state) {
  (void)state;
  for (uint32_t spaces = 2; spaces <= 5; spaces++) {
    mm_t *m = mm_make_4k("gpu-mmu", 64 * MB, spaces);
    for (uint32_t a = 0; a < spaces; a++) alloc_ok(m, (asid_t)a, GB, 8 * MB);
    for (uint64_t frame = 0; frame < 2048; frame++) {
      uint32_t first = mm_frame_owner(m, (ppn_t){frame & ~UINT64_C(511)});
      assert_int_equal(mm_frame_owner(m, (ppn_t){frame}), (first + frame % 512) % spaces);
    }
    assert_int_equal(mm_frame_owner(m, (ppn_t){0}), 0);
    mm_free(m);
  }
}

static void stripes_begin_differently_from_large_frame_to_large_frame(void **state) {
  (void)state;
  mm_t *m = mm_make_4k("gpu-mmu", 256 * MB, 2);
  alloc_ok(m, 0, GB, 64 * MB), alloc_ok(m, 1, GB, 64 * MB);
  uint32_t begins[2] = {0};
  for (uint64_t l = 0; l < 60; l++) begins[mm_frame_owner(m, (ppn_t){l * 512})]++;
  assert_in_range(begins[0], 20, 40);
  mm_free(m);
}

static void frames_do_not_depend_on_the_order_between_spaces(void **state) {
  (void)state;
  mm_t *x = mm_make_4k("gpu-mmu", 64 * MB, 3), *y = mm_make_4k("gpu-mmu", 64 * MB, 3);
  for (asid_t a = 0; a < 3; a++)
    for (uint64_t i = 0; i < 4; i++) alloc_ok(x, a, i * GB, (i + 1) * MB);
  for (uint64_t i = 0; i < 4; i++)
    for (asid_t a = 3; a-- > 0;) alloc_ok(y, a, i * GB, (i + 1) * MB);
  for (asid_t a = 0; a < 3; a++)
    for (uint64_t i = 0; i < 4; i++)
      for (uint64_t off = 0; off < (i + 1) * MB; off += 4 * KB) {
        mm_walk_t wx, wy;
        mm_walk(x, a, (vpn_t){(i * GB + off) >> 12}, &wx);
        mm_walk(y, a, (vpn_t){(i * GB + off) >> 12}, &wy);
        assert_int_equal(wx.ppn.v, wy.ppn.v);
        assert_memory_equal(wx.entry, wy.entry, 4 * sizeof wx.entry[0]);
      }
  mm_free(x), mm_free(y);
}

static void an_exhausted_stripe_takes_from_the_others(void **state) {
  (void)state;
  mm_t *m = mm_make_4k("gpu-mmu", 8 * MB, 4);
  alloc_ok(m, 1, 0, 7 * MB);
  assert_int_equal(usage_of(m).data_frames[1], 1792);
  check_mm(m);
  alloc_ok(m, 2, 0, 512 * KB);
  check_mm(m);
  mm_free(m);
}

/* Frame bits 0 and 3 decide; space 0 has one colour of two, space 1 the other. */
static mm_spec_t two_colours(uint64_t memory_bytes) {
  mm_spec_t s = spec_4k("coloured", memory_bytes, 2);
  s.colours =
      (mm_colours_t){.functions = 1, .function = {0x9}, .of_space = {0x1, 0x2}, .tables = true};
  return s;
}
static uint32_t colour_of(uint64_t frame) { return (frame ^ frame >> 3) & 1; }

static void wrong_colours_are_refused_by_name(void **state) {
  (void)state;
  mm_spec_t s = two_colours(16 * MB);
  s.colours.functions = MM_MAX_COLOUR_BITS + 1;
  expect_spec_error(s, GMMU_ERANGE, "functions");
  s = two_colours(16 * MB), s.colours.of_space[1] = 0,
  expect_spec_error(s, GMMU_ERANGE, "of_space");
  s = two_colours(16 * MB), s.colours.of_space[1] = 6,
  expect_spec_error(s, GMMU_ERANGE, "of_space");
}

static void pages_and_tables_lie_in_the_colours_of_their_space(void **state) {
  (void)state;
  mm_spec_t s = two_colours(16 * MB);
  mm_t *m = mm_make(&s);
  for (asid_t a = 0; a < 2; a++) alloc_ok(m, a, GB, 3 * MB);
  for (uint64_t f = 0; f < 4096; f++) {
    uint8_t owner = mm_frame_owner(m, (ppn_t){f});
    if (owner != MM_OWNER_NONE) assert_int_equal(owner % MM_OWNER_TABLE, colour_of(f));
  }
  check_mm(m);
  mm_free(m);
}

/* 2048 frames of each colour: a space that asks for one more gets nothing, and says why. */
static void a_full_colour_is_an_error_that_changes_nothing(void **state) {
  (void)state;
  mm_spec_t s = two_colours(16 * MB);
  mm_t *m = mm_make(&s);
  alloc_ok(m, 0, GB, 7 * MB);
  mm_usage_t before = usage_of(m);
  assert_int_equal(before.open_frames[1], 2048);
  assert_in_range(before.open_frames[0], 240, 255); /* less tables */
  mm_actions_t out = {0};
  err_t e = {0};
  assert_int_equal(mm_alloc(m, 0, (vaddr_t){2 * GB}, MB, &out, &e), GMMU_ENOSPACE);
  assert_non_null(strstr(e.text, "of them in its colours"));
  mm_usage_t after = usage_of(m);
  assert_memory_equal(&before, &after, sizeof after);
  assert_int_equal(out.count, 0);
  check_mm(m);
  alloc_ok(m, 1, GB, 7 * MB); /* the other tenant does not notice */
  mm_actions_fini(&out);
  mm_free(m);
}

/* Of eight colours three: pages side by side are in all of them. */
static void pages_spread_over_the_colours_of_a_space(void **state) {
  (void)state;
  mm_spec_t s = spec_4k("coloured", 64 * MB, 1);
  s.colours = (mm_colours_t){.functions = 3, .function = {1, 2, 4}, .of_space = {0x92}};
  mm_t *m = mm_make(&s);
  alloc_ok(m, 0, GB, 12 * MB);
  uint32_t pages[8] = {0};
  for (uint64_t va = GB; va < GB + 12 * MB; va += 4 * KB) pages[frame_at(m, 0, va) & 7]++;
  for (uint32_t c = 0; c < 8; c++) assert_int_equal(pages[c], 0x92 >> c & 1 ? 1024 : 0);
  mm_free(m);
}

/* What a space has stays, what comes later is of the colours it chose; not of others' colours. */
static void a_space_chooses_among_its_colours(void **state) {
  (void)state;
  err_t e = {0};
  mm_spec_t s = two_colours(16 * MB);
  s.colours.of_space[0] = 0x3;
  mm_t *m = mm_make(&s);
  alloc_ok(m, 0, GB, 4 * MB);
  assert_int_equal(mm_use_colours(m, 0, 0x2, &e), 0);
  alloc_ok(m, 0, 2 * GB, MB);
  for (uint64_t v = 2 * GB; v < 2 * GB + MB; v += 4 * KB) {
    ppn_t frame;
    bool large;
    assert_true(mm_translate(m, 0, (vpn_t){v / (4 * KB)}, &frame, &large));
    assert_int_equal(colour_of(frame.v), 1);
  }
  assert_int_equal(mm_use_colours(m, 1, 0x1, &e), GMMU_ERANGE);
  assert_int_equal(mm_use_colours(m, 1, 0, &e), GMMU_ERANGE);
  assert_int_equal(mm_use_colours(m, 2, 1, &e), GMMU_ERANGE);
  assert_int_equal(mm_check(m, &e), 0);
  mm_free(m);
  m = mm_make_4k("gpu-mmu", 16 * MB, 1);
  assert_int_equal(mm_use_colours(m, 0, 1, &e), GMMU_EINVAL);
  assert_non_null(strstr(e.text, "has no page colours"));
  mm_free(m);
}

static void without_functions_there_is_one_colour(void **state) {
  (void)state;
  mm_t *m = mm_make_4k("coloured", 16 * MB, 2);
  alloc_ok(m, 0, GB, 8 * MB), alloc_ok(m, 1, GB, 7 * MB);
  check_mm(m);
  mm_free(m);
}

static void tables_lie_at_the_top_of_memory(void **state) {
  (void)state;
  mm_t *m = mm_make_4k("gpu-mmu", 16 * MB, 1);
  alloc_ok(m, 0, 0, 4 * KB);
  for (uint64_t frame = 4092; frame < 4096; frame++)
    assert_int_equal(mm_frame_owner(m, (ppn_t){frame}), MM_OWNER_TABLE);
  assert_int_equal(usage_of(m).table_frames[0], 4);
  mm_free(m);
}

/* ---- large-only ---- */

static void large_only_backs_a_byte_with_a_large_frame(void **state) {
  (void)state;
  mm_t *m = mm_make_4k("large-only", 16 * MB, 1);
  alloc_ok(m, 0, GB + 0x5123, 1);
  mm_usage_t u = usage_of(m);
  assert_int_equal(u.data_frames[0], 512);
  assert_int_equal(u.needed_frames[0], 1);
  assert_int_equal(u.free_large_frames, 6); /* one for the data, one broken for the tables */
  mm_walk_t w;
  mm_walk(m, 0, (vpn_t){(GB >> 12) + 5}, &w);
  assert_true(w.mapped && w.large);
  assert_int_equal(w.levels, 3);
  assert_int_equal(w.ppn.v, 5);
  assert_int_equal(u.table_frames[0], 3); /* no leaf level */
  mm_free(m);
}

static void large_pages_are_shared_by_neighbours(void **state) {
  (void)state;
  mm_t *m = mm_make_4k("large-only", 16 * MB, 1);
  alloc_ok(m, 0, GB, 256), alloc_ok(m, 0, GB + MB, 2 * MB), alloc_ok(m, 0, GB + 3 * MB, 256);
  assert_int_equal(usage_of(m).data_frames[0], 1024);
  assert_int_equal(usage_of(m).needed_frames[0], 1 + 512 + 1);
  release_ok(m, 0, GB + MB);
  assert_int_equal(usage_of(m).data_frames[0], 1024);
  release_ok(m, 0, GB);
  assert_int_equal(usage_of(m).data_frames[0], 512);
  assert_int_equal(frame_at(m, 0, GB), UNMAPPED);
  check_mm(m);
  mm_free(m);
}

static void large_only_needs_a_whole_free_large_frame(void **state) {
  (void)state;
  mm_t *m = mm_make_4k("large-only", 8 * MB, 2);
  alloc_ok(m, 0, 0, 6 * MB);
  mm_usage_t before = usage_of(m), after;
  assert_int_equal(mm_alloc(m, 1, (vaddr_t){0}, 1, NULL, NULL), GMMU_ENOSPACE);
  after = usage_of(m);
  assert_memory_equal(&before, &after, sizeof before);
  check_mm(m);
  mm_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_wrong_geometry_is_refused_by_name),
      cmocka_unit_test(managers_are_found_by_name),
      cmocka_unit_test(an_allocation_maps_its_pages_and_no_others),
      cmocka_unit_test(translation_outside_every_space_is_unmapped),
      cmocka_unit_test(overlapping_allocations_are_refused),
      cmocka_unit_test(wrong_arguments_are_refused),
      cmocka_unit_test(a_shared_page_stays_until_its_last_allocation_goes),
      cmocka_unit_test(an_allocation_shares_only_its_edge_pages),
      cmocka_unit_test(every_frame_can_be_used_and_one_more_is_refused),
      cmocka_unit_test(a_failed_allocation_changes_no_later_frame),
      cmocka_unit_test(releasing_everything_leaves_nothing),
      cmocka_unit_test(owners_tell_data_from_tables),
      cmocka_unit_test(actions_say_what_came_and_went),
      cmocka_unit_test(release_all_merges_neighbours_into_one_range),
      cmocka_unit_test(one_space_gets_consecutive_frames),
      cmocka_unit_test(frames_of_a_large_frame_go_to_the_spaces_in_turn),
      cmocka_unit_test(wrong_colours_are_refused_by_name),
      cmocka_unit_test(pages_and_tables_lie_in_the_colours_of_their_space),
      cmocka_unit_test(a_full_colour_is_an_error_that_changes_nothing),
      cmocka_unit_test(pages_spread_over_the_colours_of_a_space),
      cmocka_unit_test(a_space_chooses_among_its_colours),
      cmocka_unit_test(without_functions_there_is_one_colour),
      cmocka_unit_test(stripes_begin_differently_from_large_frame_to_large_frame),
      cmocka_unit_test(frames_do_not_depend_on_the_order_between_spaces),
      cmocka_unit_test(an_exhausted_stripe_takes_from_the_others),
      cmocka_unit_test(tables_lie_at_the_top_of_memory),
      cmocka_unit_test(large_only_backs_a_byte_with_a_large_frame),
      cmocka_unit_test(large_pages_are_shared_by_neighbours),
      cmocka_unit_test(large_only_needs_a_whole_free_large_frame),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
