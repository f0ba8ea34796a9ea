/* Random warp accesses against a list of bytes: which lines, in which order, with which sectors. */
#include "base/rng.h"
#include "sm/coalesce.h"
#include "unit.h"

typedef struct {
  uint32_t lines;
  uint64_t line[WARP_LANES * 2];
  uint32_t shift;                    /* of a line */
  uint8_t byte[WARP_LANES * 2][256]; /* touched */
} model_t;

static uint64_t test_seed(void) {
  const char *s = getenv("GMMU_SEED");
  return s ? strtoull(s, NULL, 0) : 1;
}

static uint32_t model_line(model_t *m, uint64_t line) {
  for (uint32_t i = 0; i < m->lines; i++)
    if (m->line[i] == line) return i;
  m->line[m->lines] = line;
  memset(m->byte[m->lines], 0, sizeof m->byte[0]);
  return m->lines++;
}

static uint64_t address(const warp_op_t *op, uint32_t lane) {
  return op->mode == ADDR_LIST ? op->lane[lane] : op->base + (uint64_t)(op->stride * (int64_t)lane);
}

static void model_run(model_t *m, const warp_op_t *op, uint32_t width) {
  m->lines = 0;
  for (uint32_t lane = 0; lane < WARP_LANES; lane++)
    for (uint32_t b = 0; (op->mask >> lane & 1) && b < width; b++) {
      uint64_t a = address(op, lane) + b;
      m->byte[model_line(m, a >> m->shift)][a & ((1u << m->shift) - 1)] = 1;
    }
}

static void compare(const model_t *m, const coalesced_t *c, bool full, uint32_t step) {
  bool same = m->lines == c->lines;
  for (uint32_t i = 0; same && i < m->lines; i++) {
    uint32_t touched = 0, covered = 0;
    for (uint32_t s = 0; s < 1u << m->shift >> 5; s++) {
      uint32_t n = 0;
      for (uint32_t b = 0; b < 32; b++) n += m->byte[i][s * 32 + b];
      touched |= (uint32_t)(n > 0) << s;
      covered |= (uint32_t)(n == 32) << s;
    }
    same = m->line[i] == c->line[i] && touched == c->sectors[i];
    if (full) same = same && covered == c->full[i];
  }
  if (!same)
    fail_msg("step %u: coalesced differently (GMMU_SEED=%llu)", step,
             (unsigned long long)test_seed());
}

/* Lanes are aligned to their width, as CUDA demands. */
static void random_access(rng_t *r, warp_op_t *op, uint32_t width) {
  uint32_t window = 64u << rng_below(r, 8);
  op->mask = rng_below(r, 2) ? UINT32_MAX : (uint32_t)rng_next(r);
  op->mode = rng_below(r, 2) ? ADDR_STRIDE : ADDR_LIST;
  op->base = (1ull << 40) + rng_below(r, window) * width;
  op->stride = (int64_t)width * (int64_t)(rng_below(r, 3) ? rng_below(r, 2) : rng_below(r, 40));
  for (uint32_t i = 0; i < WARP_LANES; i++)
    op->lane[i] = (1ull << 40) + rng_below(r, window) * width;
}

static void lines_and_sectors_are_those_of_the_bytes_touched(void **state) {
  (void)state;
  static model_t m;
  coalesced_t c = {0};
  warp_op_t op;
  rng_t r = {test_seed()};
  for (uint32_t step = 0; step < 20000; step++) {
    uint32_t width = 1u << rng_below(&r, 5);
    bool full = rng_below(&r, 2) != 0;
    random_access(&r, &op, width);
    if (!op.mask) continue;
    m.shift = 6 + rng_below(&r, 3);
    model_run(&m, &op, width);
    coalesce(&op, width, m.shift, full, &c);
    compare(&m, &c, full, step);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lines_and_sectors_are_those_of_the_bytes_touched),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
