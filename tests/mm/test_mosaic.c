/* Mosaic's sections 4.1 to 4.4, sentence by sentence in our words, and the test that holds the
 * manager to it:
 *
 * 4.1 pages that follow each other in virtual memory do so in a frame: contiguity_is_conserved
 * 4.1 a large frame has pages of one application: frames_are_of_one_space
 * 4.1 after the transfer the coalescer looks at the frame: transfer_map_coalesce
 * 4.1 it coalesces only if every page of the frame is allocated: only_full_frames
 * 4.1 and if they follow each other in virtual memory, too: a_full_frame_of_scattered_pages
 * 4.1 on deallocation CAC is asked about the coalesced pages concerned: below_the_threshold
 * 4.1 pages of several splintered frames end in one: two_halves_become_one
 * 4.1 frames that compaction has emptied are CoCoA's again: emptied_frames_are_free
 * 4.2 contiguous, aligned, of one space, or not coalesced: unaligned_pages_stay_base,
 *     a_full_frame_of_scattered_pages, a_mixed_frame_is_not_coalesced
 * 4.2 others allocate without contiguity, frames of several applications: in test_mm.c,
 *     frames_of_a_large_frame_go_to_the_spaces_in_turn
 * 4.2 2 MB portions of a large allocation get frames of their own: contiguity_is_conserved
 * 4.2 these are ready to be coalesced without any migration: nothing_moves
 * 4.2 other base pages go to any free page: unaligned_pages_stay_base
 * 4.2 the free frame list has frames without an allocated page: emptied_frames_are_free
 * 4.2 an aligned 2 MB region takes a frame from it: a_region_takes_a_free_frame
 * 4.2 free base page lists are per application: frames_are_of_one_space
 * 4.2 an empty one takes a frame from the free frame list: an_empty_list_takes_a_frame
 * 4.3 large bit on level 3, disabled bits on level 4, no flush: coalescing_needs_no_flush
 * 4.3 the walker sees the large bit, then reads the first leaf entry: a_walk_reads_the_first_leaf
 * 4.3 the walk of other pages is as ever: a_walk_reads_the_first_leaf
 * 4.3 entries of base pages in TLBs stay good, coalesced pages take none, large entries are asked
 *     first: tests/machine/test_mosaic.c
 * 4.3 large and base mapping agree on the frame: nothing_moves
 * 4.4 pages freed in a coalesced frame are nobody else's meanwhile: holes_are_kept
 * 4.4 fewer than the threshold: splintered, then compacted: below_the_threshold
 * 4.4 the threshold is configurable: the_threshold_is_as_configured
 * 4.4 into uncoalesced frames of the same application: two_halves_become_one
 * 4.4 inside one memory channel: migration_stays_in_its_channel
 * 4.4 the emptied frame goes to the free frame list: emptied_frames_are_free
 * 4.4 at the threshold or above it goes to the emergency list: the_emergency_list
 * 4.4 which is asked when nothing is free nor can be compacted: the_emergency_list,
 *     compaction_comes_before_the_emergency_list
 * 4.4 what memory still has can be had in the end: every_frame_can_be_had
 * 4.4 splintering clears the bits and flushes the large page: below_the_threshold
 * 4.4 copies go through DRAM or by bulk copy (6.4: or are free): the_copy_is_told; what each costs,
 *     and what a splinter flushes: tests/machine/test_paging.c
 * 6.4 no CAC: without_cac_nothing_moves
 * 6.4 index and occupancy of pre-fragmented memory: fragments_are_as_asked,
 *     compaction_frees_fragmented_frames */
#include "unit.h"

#define LARGE (2 * MB)
#define PAGE  (4 * KB)

static mm_spec_t mosaic_spec(uint64_t bytes, uint32_t spaces) {
  mm_spec_t s = spec_4k("mosaic", bytes, spaces);
  s.cac = (mm_cac_t){.compact = true, .splinter_below = 50};
  return s;
}

static mm_t *mosaic_make(uint64_t bytes, uint32_t spaces) {
  mm_spec_t s = mosaic_spec(bytes, spaces);
  return mm_make(&s);
}

static uint64_t count_kind(const mm_actions_t *a, mm_action_kind_t kind) {
  uint64_t n = 0;
  for (size_t i = 0; i < a->count; i++) n += a->item[i].kind == kind;
  return n;
}

static bool is_large(const mm_t *m, asid_t asid, uint64_t va) {
  ppn_t ppn;
  bool large = false;
  return mm_translate(m, asid, (vpn_t){va / PAGE}, &ppn, &large) && large;
}

static mm_large_t large_of(const mm_t *m, uint64_t frame) {
  mm_large_t l;
  mm_large_frame(m, frame / 512, &l);
  return l;
}

static void part_ok(mm_t *m, asid_t asid, uint64_t va, uint64_t bytes, mm_actions_t *out) {
  err_t e = {0};
  if (mm_release_part(m, asid, (vaddr_t){va}, bytes, out, &e)) fail_msg("%s", e.text);
}

/* ---- 4.1, 4.2: allocation ---- */

static void contiguity_is_conserved(void **state) {
  (void)state;
  mm_t *m = mosaic_make(32 * MB, 2);
  alloc_ok(m, 0, GB, 3 * LARGE);
  for (uint64_t off = 0; off < 3 * LARGE; off += PAGE) {
    uint64_t first = frame_at(m, 0, GB + off / LARGE * LARGE);
    assert_int_equal(first % 512, 0);
    assert_int_equal(frame_at(m, 0, GB + off), first + off % LARGE / PAGE);
    assert_true(is_large(m, 0, GB + off));
  }
  check_mm(m);
  mm_free(m);
}

static void nothing_moves(void **state) {
  (void)state;
  mm_t *m = mosaic_make(32 * MB, 1);
  mm_actions_t a = {0};
  assert_int_equal(mm_reserve(m, 0, (vaddr_t){GB}, LARGE, &a, NULL), 0);
  uint64_t before[512];
  for (uint64_t i = 0; i < 512; i++) {
    assert_int_equal(mm_touch(m, 0, (vpn_t){GB / PAGE + (i * 37) % 512}, &a, NULL), 0);
    before[(i * 37) % 512] = frame_at(m, 0, GB + (i * 37) % 512 * PAGE);
  }
  for (uint64_t i = 0; i < 512; i++) assert_int_equal(frame_at(m, 0, GB + i * PAGE), before[i]);
  assert_true(is_large(m, 0, GB));
  assert_int_equal(count_kind(&a, MM_MIGRATE), 0);
  mm_actions_fini(&a);
  mm_free(m);
}

static void transfer_map_coalesce(void **state) {
  (void)state;
  mm_t *m = mosaic_make(32 * MB, 1);
  mm_actions_t a = {0};
  assert_int_equal(mm_reserve(m, 0, (vaddr_t){GB}, LARGE, &a, NULL), 0);
  assert_int_equal(a.count, 0);
  assert_int_equal(frame_at(m, 0, GB), UNMAPPED);
  for (uint64_t i = 0; i < 511; i++)
    assert_int_equal(mm_touch(m, 0, (vpn_t){GB / PAGE + i}, NULL, NULL), 0);
  assert_false(is_large(m, 0, GB));
  assert_int_equal(mm_touch(m, 0, (vpn_t){GB / PAGE + 511}, &a, NULL), 0);
  assert_int_equal(a.count, 3);
  assert_int_equal(a.item[0].kind, MM_TRANSFER);
  assert_int_equal(a.item[0].pages, 1);
  assert_int_equal(a.item[0].ppn.v, frame_at(m, 0, GB + 511 * PAGE));
  assert_int_equal(a.item[1].kind, MM_MAP);
  assert_int_equal(a.item[2].kind, MM_COALESCE);
  assert_int_equal(a.item[2].vpn.v, GB / PAGE);
  assert_int_equal(mm_touch(m, 0, (vpn_t){GB / PAGE + 511}, &a, NULL), 0); /* it is there */
  assert_int_equal(a.count, 3);
  mm_actions_fini(&a);
  mm_free(m);
}

static void only_full_frames(void **state) {
  (void)state;
  mm_t *m = mosaic_make(32 * MB, 1);
  assert_int_equal(mm_reserve(m, 0, (vaddr_t){GB}, LARGE, NULL, NULL), 0);
  for (uint64_t i = 0; i < 512; i++) {
    assert_false(is_large(m, 0, GB + 3 * PAGE));
    assert_int_equal(mm_touch(m, 0, (vpn_t){GB / PAGE + i}, NULL, NULL), 0);
  }
  assert_true(is_large(m, 0, GB + 3 * PAGE));
  assert_int_equal(usage_of(m).large_frames[0], 512);
  mm_free(m);
}

static void unaligned_pages_stay_base(void **state) {
  (void)state;
  mm_t *m = mosaic_make(32 * MB, 1);
  alloc_ok(m, 0, GB + MB, LARGE + LARGE); /* half, one whole, half */
  for (uint64_t off = 0; off < 2 * LARGE; off += PAGE)
    assert_int_equal(is_large(m, 0, GB + MB + off), off >= MB && off < 3 * MB);
  assert_int_equal(usage_of(m).held_frames[0], 1024); /* both halves share a frame */
  check_mm(m);
  mm_free(m);
}

/* 512 pages, every other one of virtual memory: their frame is full, and no large page. */
static void a_full_frame_of_scattered_pages(void **state) {
  (void)state;
  mm_t *m = mosaic_make(32 * MB, 1);
  for (uint64_t i = 0; i < 512; i++) alloc_ok(m, 0, GB + 2 * i * PAGE, PAGE);
  assert_int_equal(large_of(m, frame_at(m, 0, GB)).used, 512);
  assert_false(large_of(m, frame_at(m, 0, GB)).coalesced);
  for (uint64_t i = 0; i < 512; i++) assert_false(is_large(m, 0, GB + 2 * i * PAGE));
  assert_int_equal(mm_counts(m).coalesced, 0);
  mm_free(m);
}

/* Space 1 needs a place when only frames of space 0 have some: its page becomes a guest, and the
 * frame, full again, does not become a large page. */
static void a_mixed_frame_is_not_coalesced(void **state) {
  (void)state;
  mm_t *m = mosaic_make(4 * MB, 2); /* one large frame, and one for tables */
  assert_int_equal(mm_reserve(m, 0, (vaddr_t){GB}, LARGE, NULL, NULL), 0);
  for (uint64_t i = 1; i < 512; i++)
    assert_int_equal(mm_touch(m, 0, (vpn_t){GB / PAGE + i}, NULL, NULL), 0);
  for (uint64_t i = 0; usage_of(m).free_frames; i++) alloc_ok(m, 1, GB + i * PAGE, PAGE);
  mm_large_t l = large_of(m, frame_at(m, 0, GB + PAGE));
  assert_true(l.owner == 0 && l.used == 512 && l.guests == 1 && !l.coalesced);
  assert_false(is_large(m, 0, GB + PAGE));
  assert_int_equal(mm_counts(m).coalesced, 0);
  check_mm(m);
  mm_free(m);
}

/* Although the free base page list has more places than that. */
static void a_region_takes_a_free_frame(void **state) {
  (void)state;
  mm_t *m = mosaic_make(32 * MB, 1);
  alloc_ok(m, 0, GB, 500 * PAGE), alloc_ok(m, 0, 2 * GB, 500 * PAGE);
  part_ok(m, 0, GB, 400 * PAGE, NULL), part_ok(m, 0, 2 * GB, 400 * PAGE, NULL); /* 200 are left */
  mm_usage_t before = usage_of(m);
  alloc_ok(m, 0, 4 * GB + LARGE, LARGE);
  assert_int_equal(usage_of(m).free_large_frames, before.free_large_frames - 1);
  assert_int_equal(usage_of(m).held_frames[0], before.held_frames[0] + 512);
  assert_true(is_large(m, 0, 4 * GB + LARGE));
  alloc_ok(m, 0, 4 * GB + 2 * LARGE, 500 * PAGE); /* these are no region: they go to the list */
  assert_int_equal(usage_of(m).free_large_frames, before.free_large_frames - 1);
  assert_int_equal(usage_of(m).held_frames[0], before.held_frames[0] + 512);
  mm_free(m);
}

/* Regions that two buffers make up together: the first touch comes after both. */
static void a_region_may_belong_to_two_buffers(void **state) {
  (void)state;
  mm_t *m = mosaic_make(32 * MB, 1);
  assert_int_equal(mm_reserve(m, 0, (vaddr_t){GB}, MB + 256, NULL, NULL), 0);
  assert_int_equal(mm_reserve(m, 0, (vaddr_t){GB + MB + 256}, MB - 256, NULL, NULL), 0);
  for (uint64_t i = 0; i < 512; i++)
    assert_int_equal(mm_touch(m, 0, (vpn_t){GB / PAGE + i}, NULL, NULL), 0);
  assert_true(is_large(m, 0, GB));
  release_ok(m, 0, GB + MB + 256); /* 257 pages stay: more than half */
  assert_true(is_large(m, 0, GB));
  check_mm(m);
  mm_free(m);
}

static void frames_are_of_one_space(void **state) {
  (void)state;
  mm_t *m = mosaic_make(64 * MB, 3);
  for (uint64_t i = 0; i < 20; i++)
    for (asid_t a = 0; a < 3; a++) alloc_ok(m, a, GB + i * 3 * MB, (i % 5 + 1) * 17 * PAGE);
  mm_usage_t u = usage_of(m);
  for (uint64_t f = 0; f < u.frames; f++) {
    uint8_t owner = mm_frame_owner(m, (ppn_t){f});
    if (owner < 3) assert_int_equal(large_of(m, f).owner, owner);
  }
  assert_int_equal(mm_counts(m).guests, 0);
  mm_free(m);
}

static void an_empty_list_takes_a_frame(void **state) {
  (void)state;
  mm_t *m = mosaic_make(32 * MB, 2);
  alloc_ok(m, 0, GB, PAGE);
  uint64_t before = usage_of(m).free_large_frames;
  alloc_ok(m, 0, 2 * GB, 511 * PAGE); /* the rest of the frame; tables have one of their own */
  assert_int_equal(usage_of(m).free_large_frames, before);
  alloc_ok(m, 0, 2 * GB + LARGE, PAGE);
  assert_int_equal(usage_of(m).free_large_frames, before - 1);
  mm_free(m);
}

/* ---- 4.3: coalescer and walker ---- */

static void coalescing_needs_no_flush(void **state) {
  (void)state;
  mm_t *m = mosaic_make(32 * MB, 1);
  mm_actions_t a = {0};
  assert_int_equal(mm_alloc(m, 0, (vaddr_t){GB}, 2 * LARGE, &a, NULL), 0);
  assert_int_equal(count_kind(&a, MM_COALESCE), 2);
  assert_int_equal(count_kind(&a, MM_SHOOTDOWN), 0);
  assert_int_equal(a.count, 3);
  mm_actions_fini(&a);
  mm_free(m);
}

static void a_walk_reads_the_first_leaf(void **state) {
  (void)state;
  mm_t *m = mosaic_make(32 * MB, 1);
  alloc_ok(m, 0, GB, LARGE + MB);
  mm_walk_t first, w;
  mm_walk(m, 0, (vpn_t){GB / PAGE}, &first);
  for (uint64_t i = 1; i < 768; i++) {
    mm_walk(m, 0, (vpn_t){GB / PAGE + i}, &w);
    assert_true(w.mapped);
    assert_int_equal(w.levels, 4);
    assert_int_equal(w.large, i < 512);
    if (i < 512) assert_int_equal(w.entry[3].v, first.entry[3].v);
    if (i > 512) assert_int_equal(w.entry[3].v % PAGE, i % 512 * 8);
    if (i < 512) assert_int_equal(w.ppn.v, first.ppn.v + i);
  }
  mm_free(m);
}

/* ---- 4.4: deallocation ---- */

static void holes_are_kept(void **state) {
  (void)state;
  mm_t *m = mosaic_make(32 * MB, 2);
  alloc_ok(m, 0, GB, LARGE);
  uint64_t frame = frame_at(m, 0, GB + 7 * PAGE);
  part_ok(m, 0, GB + 7 * PAGE, PAGE, NULL);
  assert_true(is_large(m, 0, GB));
  for (uint64_t i = 0; i < 100; i++) { /* neither the same space nor another gets the place */
    alloc_ok(m, 0, 4 * GB + i * 8 * PAGE, PAGE);
    alloc_ok(m, 1, 4 * GB + i * 8 * PAGE, PAGE);
  }
  assert_int_equal(mm_frame_owner(m, (ppn_t){frame}), MM_OWNER_NONE);
  alloc_ok(m, 0, GB + 7 * PAGE, PAGE); /* but the same page does */
  assert_int_equal(frame_at(m, 0, GB + 7 * PAGE), frame);
  assert_true(is_large(m, 0, GB + 7 * PAGE));
  check_mm(m);
  mm_free(m);
}

static void below_the_threshold(void **state) {
  (void)state;
  mm_t *m = mosaic_make(32 * MB, 1);
  mm_actions_t a = {0};
  alloc_ok(m, 0, GB, LARGE);
  part_ok(m, 0, GB, 256 * PAGE, &a); /* 256 of 512 are left: not below a half */
  assert_int_equal(count_kind(&a, MM_SPLINTER), 0);
  assert_true(is_large(m, 0, GB + MB));
  part_ok(m, 0, GB + MB, PAGE, &a);
  assert_int_equal(count_kind(&a, MM_SPLINTER), 1);
  assert_false(is_large(m, 0, GB + MB + PAGE));
  const mm_action_t *last = &a.item[a.count - 1]; /* the whole large page is flushed */
  assert_int_equal(last->kind, MM_SHOOTDOWN);
  assert_int_equal(last->vpn.v, GB / PAGE);
  assert_int_equal(last->pages, 512);
  mm_walk_t w;
  mm_walk(m, 0, (vpn_t){GB / PAGE + 300}, &w);
  assert_true(w.mapped && !w.large && w.levels == 4);
  assert_int_equal(w.entry[3].v % PAGE, 300 * 8);
  check_mm(m);
  mm_actions_fini(&a);
  mm_free(m);
}

static void the_threshold_is_as_configured(void **state) {
  (void)state;
  for (uint32_t percent = 0; percent <= 100; percent += 20) {
    mm_spec_t s = mosaic_spec(32 * MB, 1);
    s.cac.splinter_below = percent;
    mm_t *m = mm_make(&s);
    uint64_t left = 512;
    alloc_ok(m, 0, GB, LARGE);
    while (left && !mm_counts(m).splintered) part_ok(m, 0, GB + --left * PAGE, PAGE, NULL);
    uint64_t least = (512 * percent + 99) / 100; /* the fewest that may stay a large page */
    assert_int_equal(left, least ? least - 1 : 0);
    assert_int_equal(mm_counts(m).splintered, percent > 0);
    mm_free(m);
  }
}

static void two_halves_become_one(void **state) {
  (void)state;
  mm_t *m = mosaic_make(32 * MB, 2);
  mm_actions_t a = {0};
  alloc_ok(m, 0, GB, LARGE), alloc_ok(m, 0, 2 * GB, LARGE), alloc_ok(m, 1, GB, PAGE);
  uint64_t from = frame_at(m, 0, 2 * GB + MB);
  part_ok(m, 0, GB, 300 * PAGE, &a); /* 212 pages: splintered, nowhere to go */
  assert_int_equal(count_kind(&a, MM_MIGRATE), 0);
  part_ok(m, 0, 2 * GB, 256 * PAGE, &a);
  part_ok(m, 0, 2 * GB + 500 * PAGE, 12 * PAGE, &a); /* 244 more: together 456 fit a frame */
  assert_int_equal(mm_counts(m).migrated, 244);
  assert_int_equal(frame_at(m, 0, 2 * GB + MB) / 512, frame_at(m, 0, GB + MB + MB / 2) / 512);
  assert_int_equal(mm_frame_owner(m, (ppn_t){from}), MM_OWNER_NONE);
  assert_int_equal(usage_of(m).held_frames[0], 512);
  check_mm(m);
  mm_actions_fini(&a);
  mm_free(m);
}

static void emptied_frames_are_free(void **state) {
  (void)state;
  mm_t *m = mosaic_make(32 * MB, 1);
  alloc_ok(m, 0, GB, LARGE), alloc_ok(m, 0, 2 * GB, LARGE);
  uint64_t before = usage_of(m).free_large_frames;
  part_ok(m, 0, GB, 300 * PAGE, NULL), part_ok(m, 0, 2 * GB, 300 * PAGE, NULL);
  assert_int_equal(usage_of(m).free_large_frames, before + 1);
  assert_int_equal(mm_counts(m).compacted, 1);
  alloc_ok(m, 0, 3 * GB, 14 * LARGE); /* all but the one with data and that of the tables */
  assert_int_equal(usage_of(m).large_frames[0], 14 * 512);
  mm_free(m);
}

static uint32_t even_and_odd(const void *ctx, uint64_t large) { return (void)ctx, large % 2; }

static void migration_stays_in_its_channel(void **state) {
  (void)state;
  mm_spec_t s = mosaic_spec(32 * MB, 1);
  s.channel = even_and_odd, s.channels = 2;
  mm_t *m = mm_make(&s);
  mm_actions_t a = {0};
  alloc_ok(m, 0, GB, 4 * LARGE); /* large frames 0 to 3 */
  part_ok(m, 0, GB, 400 * PAGE, &a), part_ok(m, 0, GB + LARGE, 400 * PAGE, &a);
  assert_int_equal(count_kind(&a, MM_MIGRATE), 0); /* 0 and 1: other channels */
  part_ok(m, 0, GB + 3 * LARGE, 400 * PAGE, &a);
  assert_true(count_kind(&a, MM_MIGRATE) > 0);
  for (size_t i = 0; i < a.count; i++)
    if (a.item[i].kind == MM_MIGRATE)
      assert_int_equal(a.item[i].ppn.v / 512 % 2, a.item[i].to_ppn.v / 512 % 2);
  assert_int_equal(frame_at(m, 0, GB + 3 * LARGE + 400 * PAGE) / 512, 1);
  check_mm(m);
  mm_actions_fini(&a);
  mm_free(m);
}

static void the_emergency_list(void **state) {
  (void)state;
  mm_t *m = mosaic_make(8 * MB, 1); /* four large frames, one of them for tables */
  mm_actions_t a = {0};
  alloc_ok(m, 0, GB, 3 * LARGE);
  part_ok(m, 0, GB + LARGE, 100 * PAGE, &a); /* 412 are left */
  assert_int_equal(count_kind(&a, MM_SPLINTER), 0);
  mm_actions_clear(&a);
  uint64_t free_frames = usage_of(m).free_frames;
  assert_int_equal(mm_alloc(m, 0, (vaddr_t){GB + 8 * LARGE}, 50 * PAGE, &a, NULL), 0);
  assert_int_equal(count_kind(&a, MM_SPLINTER), 1);
  assert_int_equal(count_kind(&a, MM_MIGRATE), 0);
  assert_int_equal(mm_counts(m).emergencies, 1);
  assert_false(is_large(m, 0, GB + LARGE + 200 * PAGE));
  assert_true(is_large(m, 0, GB)); /* nothing is missing there */
  assert_int_equal(frame_at(m, 0, GB + 8 * LARGE) / 512,
                   frame_at(m, 0, GB + 2 * LARGE - PAGE) / 512);
  assert_int_equal(usage_of(m).free_frames, free_frames - 51); /* and a leaf */
  assert_int_equal(mm_counts(m).guests, 0);
  check_mm(m);
  mm_actions_fini(&a);
  mm_free(m);
}

static void compaction_comes_before_the_emergency_list(void **state) {
  (void)state;
  mm_t *m = mosaic_make(8 * MB, 1); /* four large frames, one of them for tables */
  mm_actions_t a = {0};
  alloc_ok(m, 0, GB, LARGE); /* loses a page: on the emergency list */
  alloc_ok(m, 0, 2 * GB + PAGE, 300 * PAGE), alloc_ok(m, 0, 3 * GB + PAGE, 300 * PAGE);
  part_ok(m, 0, GB, PAGE, NULL);
  part_ok(m, 0, 2 * GB + PAGE, 100 * PAGE, NULL); /* two loose frames, 500 pages: one will do */
  assert_int_equal(usage_of(m).free_large_frames, 0);
  assert_int_equal(mm_alloc(m, 0, (vaddr_t){4 * GB}, LARGE, &a, NULL), 0);
  assert_true(is_large(m, 0, 4 * GB) && is_large(m, 0, GB + PAGE));
  assert_true(count_kind(&a, MM_MIGRATE) > 0);
  assert_int_equal(mm_counts(m).compacted, 1);
  assert_int_equal(mm_counts(m).emergencies, 0);
  check_mm(m);
  mm_actions_fini(&a);
  mm_free(m);
}

static void the_copy_is_told(void **state) {
  (void)state;
  for (mm_copy_t copy = MM_COPY_DRAM; copy <= MM_COPY_FREE; copy++) {
    mm_spec_t s = mosaic_spec(32 * MB, 1);
    s.cac.copy = copy;
    mm_t *m = mm_make(&s);
    mm_actions_t a = {0};
    alloc_ok(m, 0, GB, 2 * LARGE);
    part_ok(m, 0, GB, 400 * PAGE, &a), part_ok(m, 0, GB + LARGE, 400 * PAGE, &a);
    assert_true(count_kind(&a, MM_MIGRATE) > 0);
    for (size_t i = 0; i < a.count; i++)
      if (a.item[i].kind == MM_MIGRATE) assert_int_equal(a.item[i].copy, copy);
    mm_actions_fini(&a);
    mm_free(m);
  }
}

static void without_cac_nothing_moves(void **state) {
  (void)state;
  mm_spec_t s = mosaic_spec(8 * MB, 2);
  s.cac.compact = false;
  mm_t *m = mm_make(&s);
  mm_actions_t a = {0};
  alloc_ok(m, 0, GB, 3 * LARGE);
  part_ok(m, 0, GB, 500 * PAGE, &a), part_ok(m, 0, GB + LARGE, 500 * PAGE, &a);
  assert_int_equal(count_kind(&a, MM_SPLINTER), 0);
  assert_int_equal(mm_alloc(m, 1, (vaddr_t){GB}, 900 * PAGE, &a, NULL),
                   0); /* against the guarantee */
  assert_int_equal(count_kind(&a, MM_MIGRATE), 0);
  assert_true(mm_counts(m).guests > 0);
  check_mm(m);
  mm_actions_fini(&a);
  mm_free(m);
}

/* ---- 6.4 ---- */

static void fragments_are_as_asked(void **state) {
  (void)state;
  mm_spec_t s = mosaic_spec(200 * MB, 1);
  s.fragments = (mm_fragments_t){.index = 60, .occupancy = 25, .seed = 3};
  mm_t *m = mm_make(&s);
  uint64_t fragmented = 0;
  for (uint64_t l = 0; l < 100; l++) {
    mm_large_t x = large_of(m, l * 512);
    fragmented += x.used > 0;
    if (x.used) assert_int_equal(x.used, 128);
    if (x.used) assert_int_equal(x.owner, MM_OWNER_OTHER);
  }
  assert_int_equal(fragmented, 60);
  assert_int_equal(usage_of(m).other_frames, 60 * 128);
  check_mm(m);
  mm_free(m);
}

/* Every frame has some data of nobody in it: with CAC there are large pages nevertheless. */
static void compaction_frees_fragmented_frames(void **state) {
  (void)state;
  for (int compact = 0; compact < 2; compact++) {
    mm_spec_t s = mosaic_spec(64 * MB, 1);
    s.fragments = (mm_fragments_t){.index = 100, .occupancy = 25, .seed = 3};
    s.cac.compact = compact;
    mm_t *m = mm_make(&s);
    mm_actions_t a = {0};
    assert_int_equal(mm_alloc(m, 0, (vaddr_t){GB}, 8 * LARGE, &a, NULL), 0);
    assert_int_equal(usage_of(m).large_frames[0], compact ? 8 * 512 : 0);
    assert_int_equal(count_kind(&a, MM_MIGRATE) > 0, compact);
    assert_int_equal(usage_of(m).other_frames, 32 * 128);
    check_mm(m);
    mm_actions_fini(&a);
    mm_free(m);
  }
}

/* ---- full memory ---- */

static void every_frame_can_be_had(void **state) {
  (void)state;
  mm_t *m = mosaic_make(16 * MB, 2);
  alloc_ok(m, 0, GB, 3 * LARGE), alloc_ok(m, 1, GB, 3 * LARGE);
  part_ok(m, 0, GB + PAGE, 20 * PAGE, NULL);
  while (mm_alloc(m, 1, (vaddr_t){4 * GB + usage_of(m).data_frames[1] * PAGE}, PAGE, NULL, NULL) ==
         0) {
  }
  assert_int_equal(usage_of(m).free_frames, 0);
  check_mm(m);
  mm_usage_t before = usage_of(m), after;
  assert_int_equal(mm_alloc(m, 0, (vaddr_t){9 * GB}, PAGE, NULL, NULL), GMMU_ENOSPACE);
  after = usage_of(m);
  assert_memory_equal(&before, &after, sizeof before);
  mm_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(contiguity_is_conserved),
      cmocka_unit_test(nothing_moves),
      cmocka_unit_test(transfer_map_coalesce),
      cmocka_unit_test(only_full_frames),
      cmocka_unit_test(unaligned_pages_stay_base),
      cmocka_unit_test(a_full_frame_of_scattered_pages),
      cmocka_unit_test(a_mixed_frame_is_not_coalesced),
      cmocka_unit_test(a_region_takes_a_free_frame),
      cmocka_unit_test(a_region_may_belong_to_two_buffers),
      cmocka_unit_test(frames_are_of_one_space),
      cmocka_unit_test(an_empty_list_takes_a_frame),
      cmocka_unit_test(coalescing_needs_no_flush),
      cmocka_unit_test(a_walk_reads_the_first_leaf),
      cmocka_unit_test(holes_are_kept),
      cmocka_unit_test(below_the_threshold),
      cmocka_unit_test(the_threshold_is_as_configured),
      cmocka_unit_test(two_halves_become_one),
      cmocka_unit_test(emptied_frames_are_free),
      cmocka_unit_test(migration_stays_in_its_channel),
      cmocka_unit_test(the_emergency_list),
      cmocka_unit_test(compaction_comes_before_the_emergency_list),
      cmocka_unit_test(the_copy_is_told),
      cmocka_unit_test(without_cac_nothing_moves),
      cmocka_unit_test(fragments_are_as_asked),
      cmocka_unit_test(compaction_frees_fragmented_frames),
      cmocka_unit_test(every_frame_can_be_had),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
