/* What each generator is for. */
#include "drive.h"

#define FIRST_VA 0x10000000000u
#define ROW      128u

/* The accesses to global memory of one execution: kind, and each active lane's address. */
typedef struct {
  uint32_t warp, place, block, step; /* step: how often this warp was at this instruction */
  uint32_t lanes, pc;
  uint8_t cls, mode, space;
  uint64_t address[WARP_LANES];
} access_t;

typedef struct {
  access_t *item;
  size_t count, capacity;
  uint64_t va[8], bytes[8];
  uint32_t buffers;
  uint64_t classes[IC_COUNT];
  uint32_t visits[64][64]; /* by warp (of few) and instruction */
} log_t;

static void log_command(void *ctx, const command_t *c) {
  log_t *l = ctx;
  if (c->kind != CMD_ALLOC) return;
  l->va[l->buffers] = c->va;
  l->bytes[l->buffers++] = c->bytes;
}

static void log_issue(void *ctx, const event_t *ev) {
  log_t *l = ctx;
  l->classes[ev->inst->cls]++;
  if (!is_memory(ev->inst)) return;
  if (l->count == l->capacity) {
    l->capacity = l->capacity ? 2 * l->capacity : 1024;
    l->item = realloc(l->item, l->capacity * sizeof *l->item);
    assert_non_null(l->item);
  }
  access_t *a = &l->item[l->count++];
  *a = (access_t){.warp = ev->warp,
                  .place = ev->place,
                  .block = ev->block,
                  .pc = ev->pc,
                  .cls = ev->inst->cls,
                  .mode = ev->op->mode,
                  .space = ev->inst->space};
  if (ev->warp < 64 && ev->pc < 64) a->step = l->visits[ev->warp][ev->pc]++;
  for (uint32_t i = 0; i < WARP_LANES; i++)
    if (ev->op->mask >> i & 1) a->address[a->lanes++] = lane_address(ev->op, i);
}

static log_t *run(const char *text) {
  log_t *l = calloc(1, sizeof *l);
  assert_non_null(l);
  drive(text, ORDER_ROBIN, &(watcher_t){log_command, log_issue, l});
  return l;
}
static void forget(log_t *l) { free(l->item), free(l); }

/* Which buffer an address is in. */
static uint32_t buffer_of(const log_t *l, uint64_t a) {
  for (uint32_t i = 0; i < l->buffers; i++)
    if (a >= l->va[i] && a < l->va[i] + l->bytes[i]) return i;
  fail_msg("0x%" PRIx64 " is in no buffer", a);
  return 0;
}
static uint64_t offset_of(const log_t *l, uint64_t a) { return a - l->va[buffer_of(l, a)]; }

static void check_row(const access_t *a) {
  assert_int_equal(a->mode, ADDR_STRIDE);
  assert_int_equal(a->lanes, WARP_LANES);
  for (uint32_t i = 0; i < WARP_LANES; i++) assert_int_equal(a->address[i], a->address[0] + 4 * i);
}

/* --- stream ----------------------------------------------------------------------------------- */

static void stream_loads_two_rows_and_stores_one_at_the_same_place(void **state) {
  (void)state;
  log_t *l = run("stream:blocks=3,warps=2,steps=9,footprint=96K");
  for (size_t i = 0; i < l->count; i++) {
    const access_t *a = &l->item[i];
    uint64_t offset = (a->step * 6ull + a->warp) * ROW % l->bytes[0];
    check_row(a);
    assert_int_equal(a->address[0] % ROW, 0);
    assert_int_equal(offset_of(l, a->address[0]), offset);
    assert_int_equal(buffer_of(l, a->address[0]) == 2, a->cls == IC_STORE);
  }
  assert_int_equal(l->classes[IC_LOAD], 2 * 6 * 9);
  assert_int_equal(l->classes[IC_STORE], 6 * 9);
  assert_int_equal(l->classes[IC_FP32], 4 * 6 * 9);
  forget(l);
}

static void stream_at_its_leanest_has_four_instructions_beside_its_accesses(void **state) {
  (void)state;
  log_t *few = run("stream:blocks=1,warps=1,steps=10,arith=1,footprint=96K");
  log_t *many = run("stream:blocks=1,warps=1,steps=110,arith=1,footprint=96K");
  uint64_t other = 0;
  for (uint32_t c = 0; c < IC_COUNT; c++)
    if (c != IC_LOAD && c != IC_STORE) other += many->classes[c] - few->classes[c];
  assert_int_equal(other, 4 * 100);
  assert_int_equal(many->classes[IC_LOAD] - few->classes[IC_LOAD], 2 * 100);
  assert_int_equal(many->classes[IC_STORE] - few->classes[IC_STORE], 100);
  forget(few);
  forget(many);
}

static void stream_goes_once_over_the_footprint_it_was_asked_for(void **state) {
  (void)state;
  enum { ROWS = (8 << 20) / 128 }; /* of a third of 24 MB */
  log_t *l = run("stream:footprint=24M");
  uint8_t *seen = calloc(3, ROWS);
  uint64_t touched = 0, again = 0;
  for (size_t i = 0; i < l->count; i++) {
    uint64_t a = l->item[i].address[0];
    uint8_t *s = &seen[buffer_of(l, a) * ROWS + offset_of(l, a) / ROW];
    if (*s)
      again++;
    else
      touched++;
    *s = 1;
  }
  assert_int_equal(touched, 3 * ROWS);
  assert_true(again < 3 * 1920); /* the last step's surplus only */
  free(seen);
  forget(l);
}

/* --- stride ----------------------------------------------------------------------------------- */

static void check_stride(const char *text, uint64_t lane, uint64_t start, uint64_t step,
                         uint64_t limit) {
  log_t *l = run(text);
  for (size_t i = 0; i < l->count; i++) {
    const access_t *a = &l->item[i];
    if (a->cls == IC_STORE) continue;
    uint64_t offset = (a->warp * start + a->step * step) % limit;
    assert_int_equal(a->mode, ADDR_STRIDE);
    for (uint32_t j = 0; j < WARP_LANES; j++)
      assert_int_equal(a->address[j] - FIRST_VA, offset + j * lane);
  }
  assert_true(l->count > 0);
  forget(l);
}

static void stride_follows_its_formula(void **state) {
  (void)state;
  check_stride("stride:lane=128,step=4K,blocks=2,warps=3,steps=50,footprint=128K", 128, 4096, 4096,
               128 << 10);
  check_stride("stride:lane=8,width=8,blocks=2,warps=3,steps=50,footprint=64K", 8, 256, 6 * 256,
               64 << 10);
}
static void stride_of_no_bytes_is_a_broadcast(void **state) {
  (void)state;
  check_stride("stride:lane=0,step=4K,blocks=2,warps=3,steps=50,footprint=64K", 0, 4, 4096,
               64 << 10);
}
static void stride_keeps_lanes_together_when_steps_are_odd(void **state) {
  (void)state;
  check_stride("stride:lane=64,step=100,blocks=2,warps=3,steps=2000,footprint=64K", 64, 2048, 100,
               62 << 10);
}

/* --- chase ------------------------------------------------------------------------------------ */

static void chase_visits_every_node_once_per_cycle(void **state) {
  (void)state;
  enum { NODES = 512 };
  log_t *l = run("chase:footprint=64K,node=128,blocks=1,warps=1,steps=1024");
  uint32_t visits[NODES] = {0}, near = 0;
  uint64_t last = 0;
  for (uint32_t i = 0; i < 2 * NODES; i++) {
    const access_t *a = &l->item[i];
    assert_int_equal(a->lanes, 1);
    assert_int_equal(a->mode, ADDR_STRIDE);
    visits[(a->address[0] - FIRST_VA) / 128]++;
    if (i >= NODES) assert_int_equal(a->address[0], l->item[i - NODES].address[0]);
    near += a->address[0] / 4096 == last / 4096;
    last = a->address[0];
  }
  for (uint32_t i = 0; i < NODES; i++) assert_int_equal(visits[i], 2);
  assert_true(near < 2 * NODES / 8); /* 1/16 by chance: 16 pages */
  forget(l);
}

static void chase_of_any_size_is_one_cycle(void **state) {
  (void)state;
  for (uint32_t bits = 0; bits <= 9; bits++) {
    char text[96];
    uint8_t seen[512] = {0};
    snprintf(text, sizeof text, "chase:footprint=64K,node=%u,blocks=1,warps=1,steps=%u,seed=%u",
             65536u >> bits, 1u << bits, bits);
    log_t *l = run(text);
    for (uint32_t i = 0; i < 1u << bits; i++)
      assert_int_equal(seen[(l->item[i].address[0] - FIRST_VA) / (65536u >> bits)]++, 0);
    forget(l);
  }
}

static void chase_loads_through_the_register_it_loaded(void **state) {
  (void)state;
  source_t *s = open_bound("chase:blocks=1,warps=1,steps=1");
  command_t c;
  err_t e = {0};
  uint32_t loads = 0;
  do s->ops->next_command(s, 0, &c, &e);
  while (c.kind != CMD_LAUNCH);
  for (uint32_t i = 0; i < c.launch.inst_count; i++) {
    const inst_t *in = &c.launch.inst[i];
    if (in->cls != IC_LOAD) continue;
    loads++;
    assert_true(in->width == 8 && in->dsts == 2);
    assert_true(in->src[0] == in->dst && in->src[1] == in->dst + 1);
  }
  assert_int_equal(loads, 1);
  s->ops->free(s);
}

/* 2 blocks x 2 warps x 4 lanes are 16 chains over 1024 nodes: in 64 steps all nodes, once each. */
static void chains_of_chase_start_evenly_spread(void **state) {
  (void)state;
  log_t *l = run("chase:footprint=64K,node=64,lanes=4,blocks=2,warps=2,steps=64");
  uint8_t seen[1024] = {0};
  for (size_t i = 0; i < l->count; i++) {
    const access_t *a = &l->item[i];
    assert_int_equal(a->lanes, 4);
    if (a->cls == IC_STORE) continue;
    assert_int_equal(a->mode, ADDR_LIST);
    for (uint32_t j = 0; j < 4; j++) assert_int_equal(seen[(a->address[j] - FIRST_VA) / 64]++, 0);
  }
  forget(l);
}

static void two_lanes_of_chase_are_a_stride(void **state) {
  (void)state;
  log_t *l = run("chase:footprint=64K,node=64,lanes=2,blocks=1,warps=1,steps=512");
  uint8_t seen[1024] = {0};
  for (size_t i = 0; i < l->count; i++) {
    const access_t *a = &l->item[i];
    assert_int_equal(a->mode, ADDR_STRIDE);
    if (a->cls == IC_STORE) continue;
    for (uint32_t j = 0; j < 2; j++) assert_int_equal(seen[(a->address[j] - FIRST_VA) / 64]++, 0);
  }
  forget(l);
}

/* --- gather ----------------------------------------------------------------------------------- */

/* Pearson's statistic over 64 equal parts, in integers: sum (n - m)^2 < limit * m. With 63 degrees
 * of freedom 123 is exceeded once in 100 000 seeds. */
static void check_uniform(const uint64_t bin[64]) {
  uint64_t total = 0, sum = 0;
  for (int i = 0; i < 64; i++) total += bin[i];
  for (int i = 0; i < 64; i++) {
    int64_t d = (int64_t)(bin[i] * 64) - (int64_t)total; /* 64 times the difference */
    sum += (uint64_t)(d * d) / 64;
  }
  if (sum >= 123 * total)
    fail_msg("chi square %" PRIu64 ", GMMU_SEED=%" PRIu64, sum / total, test_seed());
}

static void gather_is_uniform_over_the_footprint(void **state) {
  (void)state;
  char text[96];
  uint64_t high[64] = {0}, low[64] = {0}, lane[64] = {0};
  snprintf(text, sizeof text, "gather:footprint=16M,blocks=4,warps=4,steps=100,seed=%" PRIu64,
           test_seed());
  log_t *l = run(text);
  for (size_t i = 0; i < l->count; i++) {
    const access_t *a = &l->item[i];
    if (a->cls == IC_STORE) continue;
    assert_int_equal(a->mode, ADDR_LIST);
    assert_int_equal(a->lanes, WARP_LANES);
    for (uint32_t j = 0; j < WARP_LANES; j++) {
      uint64_t o = a->address[j] - FIRST_VA;
      high[o >> 18]++;                                               /* 64 parts of 256 KB */
      low[o >> 2 & 63]++;                                            /* words of a 256-byte block */
      uint64_t d = a->address[j] - a->address[(j + 1) % WARP_LANES]; /* are neighbours related? */
      lane[d >> 18 & 63]++;
    }
  }
  check_uniform(high);
  check_uniform(low);
  check_uniform(lane);
  forget(l);
}

/* 128 GB and 16 bytes: the largest. The address is in range (the contract) and still spreads. */
static void gather_spreads_over_the_largest_footprint(void **state) {
  (void)state;
  uint64_t high[64] = {0}, odd = 0, loads = 0;
  log_t *l = run("gather:footprint=128G,width=16,blocks=4,warps=4,steps=100");
  for (size_t i = 0; i < l->count; i++)
    for (uint32_t j = 0; l->item[i].cls == IC_LOAD && j < WARP_LANES; j++) {
      uint64_t o = l->item[i].address[j] - FIRST_VA;
      assert_true(o < 128ull << 30);
      high[o >> 31]++;
      odd += o >> 5 & 1;
      loads++;
    }
  check_uniform(high);
  assert_true(odd > loads * 48 / 100 && odd < loads * 52 / 100);
  forget(l);
}

static bool same_addresses(const char *one, const char *other) {
  log_t *a = run(one), *b = run(other);
  bool same = a->count == b->count;
  for (size_t i = 0; same && i < a->count; i++)
    same = memcmp(a->item[i].address, b->item[i].address, sizeof a->item[i].address) == 0;
  forget(a), forget(b);
  return same;
}
static void random_generators_differ_by_seed_only(void **state) {
  (void)state;
  static const char *const name[] = {"gather", "hotset", "chase"};
  for (int i = 0; i < 3; i++) {
    char one[64], other[64];
    snprintf(one, sizeof one, "%s:blocks=2,warps=2,seed=1", name[i]);
    snprintf(other, sizeof other, "%s:blocks=2,warps=2,seed=2", name[i]);
    assert_true(same_addresses(one, one));
    assert_false(same_addresses(one, other));
  }
}

/* --- hotset ----------------------------------------------------------------------------------- */

static uint64_t hot_loads(const log_t *l) {
  uint64_t hot = 0;
  for (size_t i = 0; i < l->count; i++)
    hot += l->item[i].cls == IC_LOAD && buffer_of(l, l->item[i].address[0]) == 0;
  return hot;
}

static void hotset_reuses_with_the_given_probability(void **state) {
  (void)state;
  for (uint32_t reuse = 0; reuse <= 100; reuse += 10) {
    char text[96];
    snprintf(text, sizeof text, "hotset:blocks=10,warps=10,steps=100,reuse=%u,seed=%" PRIu64, reuse,
             test_seed());
    log_t *l = run(text);
    /* 10 000 draws: the deviation is at most 50, and 5 of them are never exceeded. */
    int64_t off = (int64_t)hot_loads(l) - 100 * (int64_t)reuse;
    if (off < -250 || off > 250) fail_msg("%s: off by %" PRId64, text, off);
    if (reuse == 0 || reuse == 100) assert_int_equal(off, 0);
    forget(l);
  }
}

static void hotset_streams_over_the_rest(void **state) {
  (void)state;
  log_t *l = run("hotset:blocks=2,warps=2,steps=300,footprint=128K,hot=32K,reuse=50");
  uint64_t cold[4] = {0};
  assert_int_equal(l->bytes[0], 32 << 10);
  assert_int_equal(l->bytes[1], 96 << 10);
  for (size_t i = 0; i < l->count; i++) {
    const access_t *a = &l->item[i];
    check_row(a);
    if (buffer_of(l, a->address[0]) != 1) continue;
    uint64_t want = (cold[a->warp]++ * 4 + a->warp) * ROW % (96 << 10);
    assert_int_equal(offset_of(l, a->address[0]), want);
  }
  assert_true(cold[0] && cold[1] && cold[2] && cold[3]);
  forget(l);
}

static void hotset_uses_the_whole_hot_set_evenly(void **state) {
  (void)state;
  char text[96];
  uint64_t bin[64] = {0};
  snprintf(text, sizeof text, "hotset:blocks=10,warps=10,steps=100,hot=256K,seed=%" PRIu64,
           test_seed());
  log_t *l = run(text);
  for (size_t i = 0; i < l->count; i++) {
    uint64_t a = l->item[i].address[0];
    if (buffer_of(l, a) == 0) bin[offset_of(l, a) >> 12]++;
  }
  check_uniform(bin);
  forget(l);
}

/* --- tiled2d ---------------------------------------------------------------------------------- */

/* 2 KB of pitch are 16 tiles across; 3 warps x 4 rows x 5/4 x 2 KB = 30 KB per row of tiles. */
static void tiled2d_follows_the_naive_formula(void **state) {
  (void)state;
  enum { PITCH = 2048, X = 16, Y = 4, BLOCKS = 5, WARPS = 3, STEPS = 20 };
  log_t *l = run("tiled2d:pitch=2K,footprint=130K,blocks=5,warps=3,steps=20");
  uint32_t row[BLOCKS * WARPS] = {0};
  assert_int_equal(l->bytes[0], X * Y * WARPS * 4 * ROW);
  assert_int_equal(l->bytes[1], X * Y * WARPS * ROW);
  for (size_t i = 0; i < l->count; i++) {
    const access_t *a = &l->item[i];
    if (a->space != SPACE_GLOBAL) continue;
    uint32_t tile = (a->block + a->step * BLOCKS) % (X * Y), x = tile % X, y = tile / X;
    uint64_t line =
        a->cls == IC_STORE ? y * WARPS + a->place : (y * WARPS + a->place) * 4 + row[a->warp]++ % 4;
    check_row(a);
    assert_int_equal(buffer_of(l, a->address[0]), a->cls == IC_STORE);
    assert_int_equal(offset_of(l, a->address[0]), line * PITCH + x * ROW);
  }
  assert_int_equal(l->classes[IC_BARRIER], 2 * BLOCKS * WARPS * STEPS);
  forget(l);
}

static void tiled2d_covers_the_matrix_once_by_default(void **state) {
  (void)state;
  log_t *l = run("tiled2d:pitch=2K,footprint=1280K,blocks=8,warps=4");
  size_t rows = l->bytes[0] / ROW;
  uint8_t *seen = calloc(rows, 1);
  assert_int_equal(l->bytes[0] + l->bytes[1], 1280 << 10);
  for (size_t i = 0; i < l->count; i++) {
    const access_t *a = &l->item[i];
    if (a->cls == IC_LOAD && a->space == SPACE_GLOBAL)
      assert_int_equal(seen[offset_of(l, a->address[0]) / ROW]++, 0);
  }
  for (size_t i = 0; i < rows; i++) assert_int_equal(seen[i], 1);
  free(seen);
  forget(l);
}

/* Before the barrier each warp writes its rows, after it each reads what its neighbour wrote. */
static void tiled2d_shares_rows_between_warps(void **state) {
  (void)state;
  log_t *l = run("tiled2d:blocks=1,warps=3,steps=1,pitch=2K,footprint=64K");
  uint32_t writer[12 * 132 / 4] = {0}; /* warp + 1 */
  uint32_t puts = 0, gets = 0;
  for (size_t i = 0; i < l->count; i++) {
    const access_t *a = &l->item[i];
    if (a->space != SPACE_SHARED) continue;
    puts += a->cls == IC_STORE, gets += a->cls == IC_LOAD;
    for (uint32_t j = 0; j < WARP_LANES; j++) {
      uint32_t *word = &writer[a->address[j] / 4];
      assert_int_equal(*word, a->cls == IC_LOAD ? (a->place + 1) % 3 + 1 : 0);
      if (a->cls == IC_STORE) *word = a->place + 1;
    }
  }
  assert_int_equal(puts, 3 * 4);
  assert_int_equal(gets, 3);
  forget(l);
}

/* --- compute ---------------------------------------------------------------------------------- */

static void compute_is_arithmetic_on_data_that_fits_l1(void **state) {
  (void)state;
  log_t *l = run("compute");
  uint64_t total = 0, arithmetic = l->classes[IC_FP32] + l->classes[IC_INT] + l->classes[IC_SFU];
  for (int i = 0; i < IC_COUNT; i++) total += l->classes[i];
  assert_true(arithmetic * 100 > total * 85);
  assert_true(l->classes[IC_FP32] > l->classes[IC_INT] && l->classes[IC_SFU] > 0);
  assert_true(l->bytes[0] / 30 <= 8 << 10); /* per SM */
  for (size_t i = 0; i < l->count; i++) {
    const access_t *a = &l->item[i];
    if (a->cls == IC_LOAD) assert_int_equal(offset_of(l, a->address[0]), a->warp * ROW);
  }
  forget(l);
}

static void compute_goes_round_its_rows(void **state) {
  (void)state;
  log_t *l = run("compute:footprint=12K,blocks=2,warps=2,steps=60");
  for (size_t i = 0; i < l->count; i++) {
    const access_t *a = &l->item[i];
    if (a->cls == IC_LOAD)
      assert_int_equal(offset_of(l, a->address[0]), a->warp * 3072 + a->step % 24 * ROW);
  }
  forget(l);
}

static void compute_shares_rows_among_more_warps_than_rows(void **state) {
  (void)state;
  log_t *l = run("compute:footprint=4K,blocks=5,warps=8,steps=3");
  for (size_t i = 0; i < l->count; i++) {
    const access_t *a = &l->item[i];
    if (a->cls == IC_LOAD) assert_int_equal(a->address[0] - FIRST_VA, a->warp % 32 * ROW);
  }
  forget(l);
}

/* --- common options --------------------------------------------------------------------------- */

static void a_launch_draws_other_numbers_than_the_one_before(void **state) {
  (void)state;
  log_t *l = run("gather:blocks=1,warps=1,steps=1,launches=2");
  assert_int_equal(l->count, 4);
  assert_memory_not_equal(l->item[0].address, l->item[2].address, sizeof l->item[0].address);
  forget(l);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stream_loads_two_rows_and_stores_one_at_the_same_place),
      cmocka_unit_test(stream_at_its_leanest_has_four_instructions_beside_its_accesses),
      cmocka_unit_test(stream_goes_once_over_the_footprint_it_was_asked_for),
      cmocka_unit_test(stride_follows_its_formula),
      cmocka_unit_test(stride_of_no_bytes_is_a_broadcast),
      cmocka_unit_test(stride_keeps_lanes_together_when_steps_are_odd),
      cmocka_unit_test(chase_visits_every_node_once_per_cycle),
      cmocka_unit_test(chase_of_any_size_is_one_cycle),
      cmocka_unit_test(chase_loads_through_the_register_it_loaded),
      cmocka_unit_test(chains_of_chase_start_evenly_spread),
      cmocka_unit_test(two_lanes_of_chase_are_a_stride),
      cmocka_unit_test(gather_is_uniform_over_the_footprint),
      cmocka_unit_test(gather_spreads_over_the_largest_footprint),
      cmocka_unit_test(random_generators_differ_by_seed_only),
      cmocka_unit_test(hotset_reuses_with_the_given_probability),
      cmocka_unit_test(hotset_streams_over_the_rest),
      cmocka_unit_test(hotset_uses_the_whole_hot_set_evenly),
      cmocka_unit_test(tiled2d_follows_the_naive_formula),
      cmocka_unit_test(tiled2d_covers_the_matrix_once_by_default),
      cmocka_unit_test(tiled2d_shares_rows_between_warps),
      cmocka_unit_test(compute_is_arithmetic_on_data_that_fits_l1),
      cmocka_unit_test(compute_goes_round_its_rows),
      cmocka_unit_test(compute_shares_rows_among_more_warps_than_rows),
      cmocka_unit_test(a_launch_draws_other_numbers_than_the_one_before),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
