/* The host's memory: every refusal is survived with nothing changed, and none is wasted. */
#include "counting_host.h"
#include "mm/manager.h"
#include "unit.h"

typedef int (*op_t)(mm_t *m, mm_actions_t *out);

static int op_alloc_far(mm_t *m, mm_actions_t *out) { /* new nodes on every level, two regions */
  return mm_alloc(m, 1, (vaddr_t){(UINT64_C(1) << 40) + MB}, 5 * MB, out, NULL);
}
static int op_alloc_many(mm_t *m, mm_actions_t *out) { /* every stripe and some large frames more */
  return mm_alloc(m, 0, (vaddr_t){8 * GB}, 20 * MB, out, NULL);
}
static int op_alloc_shared(mm_t *m, mm_actions_t *out) { /* only a place in the list */
  return mm_alloc(m, 0, (vaddr_t){GB + 256}, 256, out, NULL);
}
static int op_touch(mm_t *m, mm_actions_t *out) { /* the first page of a region: table and frame */
  return mm_touch(m, 1, (vpn_t){(3 * GB + MB) >> mm_base_shift(m)}, out, NULL);
}
static int op_reserve(mm_t *m, mm_actions_t *out) {
  return mm_reserve(m, 0, (vaddr_t){16 * GB}, 20 * MB, out, NULL);
}
static int op_release_part(mm_t *m, mm_actions_t *out) { /* mosaic splinters one and compacts */
  return mm_release_part(m, 1, (vaddr_t){GB + MB / 2}, 3 * MB, out, NULL);
}
static int op_evict(mm_t *m, mm_actions_t *out) {
  return mm_evict(m, 0, (vpn_t){2 * GB >> mm_base_shift(m)}, 2 * MB >> mm_base_shift(m), out, NULL);
}
static int op_release(mm_t *m, mm_actions_t *out) {
  return mm_release(m, 0, (vaddr_t){2 * GB}, out, NULL);
}
static int op_release_all(mm_t *m, mm_actions_t *out) { return mm_release_all(m, 0, out, NULL); }

static const op_t ops[] = {op_alloc_far, op_alloc_many, op_alloc_shared,
                           op_touch,     op_reserve,    op_release_part,
                           op_evict,     op_release,    op_release_all};
#define OPS (sizeof ops / sizeof *ops)

/* A kind of manager. Fragments are everywhere: an allocation has to compact first. */
typedef struct {
  const char *manager;
  uint64_t base_bytes;
  uint32_t fragments;
  mm_colours_t colours;
} kind_t;

#define TWO_COLOURS(own_tables)                                                                    \
  { .functions = 1, .function = {0x95}, .of_space = {1, 2}, .tables = (own_tables) }

/* A manager with some allocations: as many in space 0 as its list has room for at first. */
static mm_t *prepared(const mm_host_t *host, const kind_t *kind) {
  mm_spec_t spec = spec_4k(kind->manager, 128 * MB, 2);
  spec.base_bytes = kind->base_bytes;
  spec.cac = (mm_cac_t){.compact = true, .splinter_below = 80};
  spec.fragments = (mm_fragments_t){kind->fragments, 30, 1};
  spec.colours = kind->colours;
  mm_t *m;
  assert_int_equal(mm_new_on(host, &spec, &m, NULL), 0);
  alloc_ok(m, 0, GB, 256);
  alloc_ok(m, 0, 2 * GB, 3 * MB);
  alloc_ok(m, 1, GB, 4 * MB);
  assert_int_equal(mm_reserve(m, 1, (vaddr_t){3 * GB}, 4 * MB, NULL, NULL), 0);
  for (uint64_t i = 0; i < 6; i++) alloc_ok(m, 0, 4 * GB + i * MB, 1);
  return m;
}

/* Everything the two can be asked agrees. */
static void expect_equal(const mm_t *a, const mm_t *b) {
  mm_usage_t ua = usage_of(a), ub = usage_of(b);
  assert_memory_equal(&ua, &ub, sizeof ua);
  for (uint64_t f = 0; f < ua.frames; f++) {
    uint8_t owner = mm_frame_owner(a, (ppn_t){f});
    assert_int_equal(owner, mm_frame_owner(b, (ppn_t){f}));
    if (owner >= GMMU_MAX_APPS) continue;
    mm_walk_t wa, wb;
    memset(&wa, 0, sizeof wa), memset(&wb, 0, sizeof wb);
    vpn_t vpn = {pool_vpn(&a->pool, (uint32_t)f)};
    mm_walk(a, owner, vpn, &wa), mm_walk(b, owner, vpn, &wb);
    assert_true(wa.mapped && wa.ppn.v == f);
    assert_memory_equal(&wa, &wb, sizeof wa);
  }
  check_mm(a);
}

/* Refuses request n of the operation; returns false if it needs fewer. Then repeats it unhindered,
 * and compares with a manager that never met a refusal. */
static bool refused_at(uint64_t n, op_t op, const kind_t *kind) {
  counting_t count = {0}, other = {0};
  mm_host_t host = counting_host(&count), other_host = counting_host(&other);
  mm_t *m = prepared(&host, kind), *ref = prepared(&other_host, kind);
  mm_actions_t out = {0};
  count.refuse_at = count.requests + n;
  int rc = op(m, &out);
  bool refused = count.requests >= count.refuse_at;
  assert_int_equal(rc, refused ? GMMU_ENOMEM : GMMU_OK);
  if (refused) {
    assert_int_equal(out.count, 0);
    expect_equal(m, ref);
    assert_int_equal(op(m, &out), 0);
  }
  assert_int_equal(op(ref, NULL), 0);
  expect_equal(m, ref);
  mm_actions_fini(&out);
  mm_free(m), mm_free(ref);
  assert_int_equal(count.live_bytes, 0);
  return refused;
}

static void refuse_everywhere(const kind_t *kind) {
  uint64_t refused = 0;
  for (size_t op = 0; op < OPS; op++)
    for (uint64_t n = 1; refused_at(n, ops[op], kind); n++) refused++;
  assert_true(refused > OPS); /* some need nothing, most a lot */
}

static void a_refused_request_changes_nothing(void **state) {
  (void)state;
  for (size_t i = 0; mm_manager_all[i]; i++)
    for (uint64_t base = 4 * KB; base <= 64 * KB; base *= 16) {
      kind_t kind = {.manager = mm_manager_name(mm_manager_all[i]), .base_bytes = base};
      refuse_everywhere(&kind);
    }
  for (uint64_t base = 4 * KB; base <= 64 * KB; base *= 16)
    refuse_everywhere(&(kind_t){.manager = "mosaic", .base_bytes = base, .fragments = 100});
  for (uint32_t tables = 0; tables < 2; tables++)
    refuse_everywhere(&(kind_t){.manager = "coloured",
                                .base_bytes = 4 * KB,
                                .fragments = 30,
                                .colours = TWO_COLOURS(tables)});
}

static void refuse_creation(const char *manager) {
  mm_spec_t spec = spec_4k(manager, 128 * MB, 2);
  spec.fragments = (mm_fragments_t){10, 10, 1};
  spec.colours = (mm_colours_t)TWO_COLOURS(true);
  for (uint64_t n = 1;; n++) {
    counting_t count = {.refuse_at = n};
    mm_host_t host = counting_host(&count);
    mm_t *m;
    int rc = mm_new_on(&host, &spec, &m, NULL);
    assert_int_equal(rc, m ? GMMU_OK : GMMU_ENOMEM);
    mm_free(m);
    assert_int_equal(count.live_bytes, 0);
    if (rc) continue;
    assert_true(n > 1);
    return;
  }
}

static void a_refused_request_at_creation_leaves_nothing(void **state) {
  (void)state;
  refuse_creation("mosaic");
  refuse_creation("coloured");
}

static void unused_memory_costs_a_bit_per_frame(void **state) {
  (void)state;
  counting_t count = {0};
  mm_host_t host = counting_host(&count);
  mm_spec_t spec = spec_4k("gpu-mmu", 80 * GB, 2);
  mm_t *m;
  assert_int_equal(mm_new_on(&host, &spec, &m, NULL), 0);
  assert_in_range(count.live_bytes, 0, 4 * MB); /* 2.5 MB of bits, a header per large frame */
  mm_free(m);
}

/* What n operations cost the host, in bytes per frame then in use; in an order that `step`, prime
 * to n, gives. */
static uint64_t bytes_in_order(const char *manager, uint64_t stride, uint64_t bytes, uint64_t n,
                               uint64_t step) {
  counting_t count = {0};
  mm_host_t host = counting_host(&count);
  mm_spec_t spec = spec_4k(manager, 4 * GB, 2);
  mm_t *m;
  assert_int_equal(mm_new_on(&host, &spec, &m, NULL), 0);
  uint64_t empty = count.live_bytes;
  for (uint64_t i = 0; i < n; i++)
    for (asid_t a = 0; a < 2; a++) alloc_ok(m, a, GB + i * step % n * stride, bytes);
  mm_usage_t u = usage_of(m);
  uint64_t used = u.frames - u.free_frames, live = count.live_bytes - empty;
  for (asid_t a = 0; a < 2; a++) assert_int_equal(mm_release_all(m, a, NULL, NULL), 0);
  assert_int_equal(count.live_bytes, empty);
  mm_free(m);
  return (live + used - 1) / used;
}

static uint64_t bytes_per_frame(const char *manager, uint64_t stride, uint64_t bytes, uint64_t n) {
  return bytes_in_order(manager, stride, bytes, n, 1);
}

static void a_frame_in_use_costs_at_most_32_bytes(void **state) {
  (void)state;
  assert_in_range(bytes_per_frame("gpu-mmu", 0, GB, 1), 1, 32);
  assert_in_range(bytes_per_frame("gpu-mmu", 4 * KB, 4 * KB, 100000), 1, 32); /* page by page */
  assert_in_range(bytes_per_frame("gpu-mmu", 2 * MB, MB, 256), 1, 32);        /* half used */
  assert_in_range(bytes_per_frame("large-only", 0, GB, 1), 1, 32);
  assert_in_range(bytes_per_frame("large-only", 2 * MB, 4 * KB, 256), 1, 32);
  assert_in_range(bytes_per_frame("mosaic", 0, GB, 1), 1, 32);
  assert_in_range(bytes_per_frame("mosaic", 4 * KB, 4 * KB, 100000), 1, 32);
  assert_in_range(bytes_per_frame("mosaic", 2 * MB, MB, 256), 1, 32);
  assert_in_range(bytes_per_frame("coloured", 0, GB, 1), 1, 32);
  assert_in_range(bytes_in_order("gpu-mmu", 4 * KB, 4 * KB, 1 << 16, 40503), 1, 32); /* scattered */
  assert_in_range(bytes_in_order("mosaic", 4 * KB, 4 * KB, 1 << 16, 40503), 1, 32);
  assert_in_range(bytes_in_order("gpu-mmu", 4 * KB, 4 * KB, 1 << 16, 0xffff), 1, 32); /* down */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_refused_request_changes_nothing),
      cmocka_unit_test(a_refused_request_at_creation_leaves_nothing),
      cmocka_unit_test(unused_memory_costs_a_bit_per_frame),
      cmocka_unit_test(a_frame_in_use_costs_at_most_32_bytes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
