/* Random operations on every manager against a plain dictionary.
 *
 * The dictionary: for each space and page of a window, how many allocations touch its unit (a page,
 * or a large page) and which frame it had when the unit was first touched. The window is several
 * pieces far apart, so that tables grow and shrink on every level; memory is small enough to be
 * full most of the time. */
#include "base/rng.h"
#include "mm/manager.h"
#include "unit.h"

#define SPACES     3
#define PIECES     6
#define PIECE      (16 * MB)
#define MAX_PAGES  (PIECES * PIECE / (4 * KB))
#define MAX_ALLOCS 4096

typedef struct {
  uint64_t va, bytes;
} block_t;

typedef struct {
  mm_t *m;
  const mm_manager_ops_t *ops;
  rng_t rng;
  uint32_t step, page_shift, unit_shift;
  uint64_t piece_stride;
  uint32_t touched[SPACES][MAX_PAGES]; /* by unit: allocations that touch it */
  uint64_t frame[SPACES][MAX_PAGES];   /* by page */
  block_t block[SPACES][MAX_ALLOCS];
  uint32_t blocks[SPACES];
  uint64_t full, refused; /* how often memory was exhausted, ranges overlapped */
  mm_actions_t actions;
} model_t;

#define REQUIRE(md, cond)                                                                          \
  do {                                                                                             \
    if (!(cond))                                                                                   \
      fail_msg("%s: step %u: %s (GMMU_SEED=%llu)", (md)->ops->name, (md)->step, #cond,             \
               (unsigned long long)test_seed());                                                   \
  } while (0)

/* Window offsets to addresses: piece p lies at p * piece_stride. */
static uint64_t address(const model_t *md, uint64_t off) {
  return off / PIECE * md->piece_stride + off % PIECE;
}
static uint64_t offset(const model_t *md, uint64_t va) {
  return va / md->piece_stride * PIECE + va % md->piece_stride;
}
static uint64_t first_unit(const model_t *md, block_t b) {
  return offset(md, b.va) >> md->unit_shift;
}
static uint64_t last_unit(const model_t *md, block_t b) {
  return (offset(md, b.va) + b.bytes - 1) >> md->unit_shift;
}

static bool overlaps(const model_t *md, asid_t a, block_t b) {
  for (uint32_t i = 0; i < md->blocks[a]; i++) {
    block_t x = md->block[a][i];
    if (b.va < x.va + x.bytes && x.va < b.va + b.bytes) return true;
  }
  return false;
}

static uint64_t new_units(const model_t *md, asid_t a, block_t b) {
  uint64_t n = 0;
  for (uint64_t u = first_unit(md, b); u <= last_unit(md, b); u++) n += !md->touched[a][u];
  return n;
}

/* 256 bytes to 8 MB, each magnitude as likely as any other; 256-byte aligned, inside one piece. */
static block_t random_block(model_t *md) {
  uint64_t bytes = UINT64_C(256) << rng_below(&md->rng, 15);
  bytes += rng_below(&md->rng, (uint32_t)(bytes / 256)) * UINT64_C(256);
  uint64_t piece = rng_below(&md->rng, PIECES);
  uint64_t off = rng_below(&md->rng, (uint32_t)((PIECE - bytes) / 256 + 1)) * UINT64_C(256);
  return (block_t){address(md, piece * PIECE + off), bytes};
}

static void note_alloc(model_t *md, asid_t a, block_t b) {
  uint32_t order = md->unit_shift - md->page_shift;
  for (uint64_t u = first_unit(md, b); u <= last_unit(md, b); u++) {
    if (md->touched[a][u]++) continue;
    for (uint64_t p = u << order; p < (u + 1) << order; p++) {
      md->frame[a][p] = frame_at(md->m, a, address(md, p << md->page_shift));
      REQUIRE(md, md->frame[a][p] != UNMAPPED);
    }
  }
  md->block[a][md->blocks[a]++] = b;
}

static void note_release(model_t *md, asid_t a, uint32_t i) {
  block_t b = md->block[a][i];
  for (uint64_t u = first_unit(md, b); u <= last_unit(md, b); u++) md->touched[a][u]--;
  md->block[a][i] = md->block[a][--md->blocks[a]];
}

/* "No space" is only said when the units that are missing, and the nodes they might need, are more
 * than what is free. */
static void require_really_full(model_t *md, asid_t a, block_t b, const mm_usage_t *u) {
  uint64_t units = new_units(md, a, b);
  uint64_t nodes = 2 * mm_levels(md->m) + (units >> md->m->geo.level_bits);
  if (md->unit_shift != md->page_shift)
    REQUIRE(md, units + nodes > u->free_large_frames);
  else
    REQUIRE(md, units + nodes > u->free_frames);
  md->full++;
}

static void random_alloc(model_t *md) {
  asid_t a = (asid_t)rng_below(&md->rng, SPACES);
  block_t b = random_block(md);
  if (md->blocks[a] == MAX_ALLOCS) return;
  bool overlap = overlaps(md, a, b);
  mm_usage_t before = usage_of(md->m), after;
  size_t actions = md->actions.count;
  int rc = mm_alloc(md->m, a, (vaddr_t){b.va}, b.bytes, &md->actions, NULL);
  REQUIRE(md, overlap == (rc == GMMU_EINVAL));
  md->refused += overlap;
  if (rc) {
    after = usage_of(md->m);
    REQUIRE(md, !memcmp(&before, &after, sizeof before));
    REQUIRE(md, md->actions.count == actions);
    if (!overlap) {
      REQUIRE(md, rc == GMMU_ENOSPACE);
      require_really_full(md, a, b, &before);
    }
    return;
  }
  note_alloc(md, a, b);
}

static void random_release(model_t *md) {
  asid_t a = (asid_t)rng_below(&md->rng, SPACES);
  if (!md->blocks[a]) return;
  uint32_t i = rng_below(&md->rng, md->blocks[a]);
  vaddr_t va = {md->block[a][i].va};
  REQUIRE(md, mm_release(md->m, a, va, &md->actions, NULL) == 0);
  REQUIRE(md, mm_release(md->m, a, va, &md->actions, NULL) == GMMU_EINVAL);
  note_release(md, a, i);
}

static void release_space(model_t *md, asid_t a) {
  REQUIRE(md, mm_release_all(md->m, a, &md->actions, NULL) == 0);
  while (md->blocks[a]) note_release(md, a, 0);
}

static void compare_page(model_t *md, asid_t a, uint64_t page, uint8_t *owner) {
  vpn_t vpn = {address(md, page << md->page_shift) >> md->page_shift};
  ppn_t ppn = {0};
  bool large = false;
  bool mapped = mm_translate(md->m, a, vpn, &ppn, &large);
  REQUIRE(md, mapped == (md->touched[a][page >> (md->unit_shift - md->page_shift)] > 0));
  mm_walk_t w;
  mm_walk(md->m, a, vpn, &w);
  REQUIRE(md, w.mapped == mapped);
  for (uint32_t i = 0; i < w.levels; i++) {
    ppn_t table = {w.entry[i].v >> md->page_shift};
    REQUIRE(md, mm_frame_owner(md->m, table) == MM_OWNER_TABLE + a);
  }
  if (!mapped) return;
  REQUIRE(md, ppn.v == md->frame[a][page]);
  REQUIRE(md, w.ppn.v == ppn.v && w.large == large && w.levels >= 1);
  REQUIRE(md, mm_frame_owner(md->m, ppn) == a);
  REQUIRE(md, !owner[ppn.v]);
  owner[ppn.v] = 1;
}

static void compare(model_t *md) {
  mm_usage_t u = usage_of(md->m);
  uint8_t *owner = calloc(1, u.frames);
  uint64_t used = u.free_frames;
  for (asid_t a = 0; a < SPACES; a++) {
    uint64_t bytes = 0;
    for (uint64_t p = 0; p < (PIECES * PIECE) >> md->page_shift; p++) compare_page(md, a, p, owner);
    for (uint32_t i = 0; i < md->blocks[a]; i++) bytes += md->block[a][i].bytes;
    REQUIRE(md, u.allocated_bytes[a] == bytes);
    REQUIRE(md, u.data_frames[a] >= u.needed_frames[a]);
    used += u.data_frames[a] + u.table_frames[a];
  }
  REQUIRE(md, used == u.frames);
  free(owner);
  err_t e = {0};
  if (mm_check(md->m, &e)) fail_msg("%s: step %u: %s", md->ops->name, md->step, e.text);
}

static void run(const mm_manager_ops_t *ops, const mm_spec_t *spec, uint64_t piece_stride,
                uint32_t steps) {
  model_t *md = calloc(1, sizeof *md);
  md->m = mm_make(spec), md->ops = ops, md->rng.s = test_seed(), md->piece_stride = piece_stride;
  md->page_shift = mm_base_shift(md->m);
  md->unit_shift = ops->whole_large ? mm_large_shift(md->m) : md->page_shift;
  mm_usage_t empty = usage_of(md->m);
  for (md->step = 0; md->step < steps; md->step++) {
    uint32_t dice = rng_below(&md->rng, 100);
    if (dice < 60)
      random_alloc(md);
    else if (dice < 99)
      random_release(md);
    else
      release_space(md, (asid_t)rng_below(&md->rng, SPACES));
    mm_actions_clear(&md->actions);
    if (md->step % 16 == 0) compare(md);
  }
  REQUIRE(md, md->full > 0 && md->refused > 0);
  for (asid_t a = 0; a < SPACES; a++) release_space(md, a);
  compare(md);
  mm_usage_t after = usage_of(md->m);
  REQUIRE(md, !memcmp(&empty, &after, sizeof empty));
  mm_actions_fini(&md->actions);
  mm_free(md->m);
  free(md);
}

static void run_all(mm_spec_t spec, uint64_t piece_stride, uint32_t steps) {
  spec.spaces = SPACES;
  for (size_t i = 0; mm_manager_all[i]; i++) {
    spec.manager = mm_manager_name(mm_manager_all[i]);
    run(mm_manager_all[i], &spec, piece_stride, steps);
  }
}

static void four_kb_pages_behave_like_a_dictionary(void **state) {
  (void)state;
  run_all(spec_4k(NULL, 24 * MB, 0), UINT64_C(1) << 41, 2000);
}

static void sixty_four_kb_pages_behave_like_a_dictionary(void **state) {
  (void)state;
  mm_spec_t spec = spec_4k(NULL, 24 * MB, 0);
  spec.base_bytes = 64 * KB;
  run_all(spec, UINT64_C(1) << 41, 2000);
}

static void two_mb_pages_behave_like_a_dictionary(void **state) {
  (void)state;
  mm_spec_t spec = spec_4k(NULL, 46 * MB, 0);
  spec.base_bytes = 2 * MB;
  run_all(spec, UINT64_C(1) << 41, 2000);
}

/* Five levels of 16 entries, 32 nodes to a frame, large pages that are runs of upper entries. */
static void narrow_levels_behave_like_a_dictionary(void **state) {
  (void)state;
  mm_spec_t spec = spec_4k(NULL, 24 * MB, 0);
  spec.va_bits = 32, spec.level_bits = 4;
  run_all(spec, 512 * MB, 2000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(four_kb_pages_behave_like_a_dictionary),
      cmocka_unit_test(sixty_four_kb_pages_behave_like_a_dictionary),
      cmocka_unit_test(two_mb_pages_behave_like_a_dictionary),
      cmocka_unit_test(narrow_levels_behave_like_a_dictionary),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
