/* See drive.h. A warp is (slot, current instruction); the order picks among the live ones. */
#include "drive.h"

#define MAX_SLOTS 4096

typedef struct {
  source_t *s;
  const launch_t *l;
  const watcher_t *w;
  uint32_t launch, warps, per_block;
  uint32_t slot[MAX_SLOTS], pc[MAX_SLOTS]; /* by warp of the launch */
} run_t;

uint64_t test_seed(void) {
  const char *text = getenv("GMMU_SEED");
  return text ? strtoull(text, NULL, 0) : 1;
}

uint64_t lane_address(const warp_op_t *op, uint32_t lane) {
  assert_int_not_equal(op->mode, ADDR_NONE);
  return op->mode == ADDR_LIST ? op->lane[lane] : op->base + (uint64_t)(lane * op->stride);
}

bool is_memory(const inst_t *i) {
  return i->cls == IC_LOAD || i->cls == IC_STORE || i->cls == IC_ATOMIC;
}
bool is_global(const inst_t *i) { return is_memory(i) && i->space == SPACE_GLOBAL; }

const char *small_spec(const gen_ops_t *g, char buf[128]) {
  snprintf(buf, 128, "%s:blocks=6,warps=3,steps=5,footprint=2M,launches=2", g->name);
  return buf;
}

source_t *open_bound(const char *text) {
  source_t *s;
  err_t e = {0};
  if (gen_open(text, &s, &e) < 0) fail_msg("%s: %s: %s", text, e.key, e.text);
  assert_int_equal(s->ops->bind(s, MAX_SLOTS, 64, &e), GMMU_OK);
  return s;
}

static void begin_blocks(run_t *r, order_t order) {
  uint32_t blocks = (uint32_t)launch_blocks(r->l);
  err_t e = {0};
  assert_true(r->warps <= MAX_SLOTS);
  for (uint32_t b = 0; b < blocks; b++) {
    uint32_t *slot = r->slot + b * r->per_block, *pc = r->pc + b * r->per_block;
    for (uint32_t i = 0; i < r->per_block; i++) {
      uint32_t warp = b * r->per_block + i;
      slot[i] = order == ORDER_REVERSE ? r->warps - 1 - warp : warp;
    }
    assert_int_equal(r->s->ops->cta_begin(r->s, 0, b, r->per_block, slot, pc, &e), GMMU_OK);
  }
}

static void issue(run_t *r, uint32_t warp) {
  /* Garbage before the call: what step() leaves alone must not be read. */
  warp_op_t op;
  memset(&op, 0xa5, sizeof op);
  uint32_t pc = r->pc[warp];
  assert_true(pc < r->l->inst_count);
  r->pc[warp] = r->s->ops->step(r->s, 0, r->slot[warp], &op);
  assert_int_not_equal(r->pc[warp], STREAM_FAIL);
  event_t ev = {r->launch, warp, warp % r->per_block, warp / r->per_block, pc, &r->l->inst[pc],
                &op,       r->l};
  if (r->w->issue) r->w->issue(r->w->ctx, &ev);
}

static void run_warps(run_t *r, bool reverse) {
  for (uint32_t i = 0; i < r->warps; i++) {
    uint32_t warp = reverse ? r->warps - 1 - i : i;
    while (r->pc[warp] != STREAM_END) issue(r, warp);
  }
}

static void run_mixed(run_t *r, bool random) {
  rng_t rng = {test_seed()};
  for (uint32_t live = r->warps, turn = 0; live; turn++) {
    uint32_t warp = random ? rng_below(&rng, r->warps) : turn % r->warps;
    if (r->pc[warp] == STREAM_END) continue;
    issue(r, warp);
    if (r->pc[warp] == STREAM_END) live--;
  }
}

static void run_launch(run_t *r, order_t order) {
  begin_blocks(r, order);
  if (order == ORDER_WARPS || order == ORDER_REVERSE)
    run_warps(r, order == ORDER_REVERSE);
  else
    run_mixed(r, order == ORDER_RANDOM);
}

void drive_source(source_t *s, order_t order, const watcher_t *w) {
  command_t c;
  err_t e = {0};
  run_t *r = calloc(1, sizeof *r);
  *r = (run_t){.s = s, .w = w};
  do {
    assert_int_equal(s->ops->next_command(s, 0, &c, &e), GMMU_OK);
    if (w->command) w->command(w->ctx, &c);
    if (c.kind != CMD_LAUNCH) continue;
    r->l = &c.launch;
    r->per_block = launch_warps(&c.launch);
    r->warps = (uint32_t)launch_blocks(&c.launch) * r->per_block;
    run_launch(r, order);
    r->launch++;
  } while (c.kind != CMD_END);
  free(r);
}

void drive(const char *text, order_t order, const watcher_t *w) {
  source_t *s = open_bound(text);
  drive_source(s, order, w);
  s->ops->free(s);
}
