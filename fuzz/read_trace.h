#ifndef GMMU_FUZZ_READ_TRACE_H
#define GMMU_FUZZ_READ_TRACE_H
/* Reads a kernel's trace, packed or not, as the importer does. Whatever the bytes say, what is
 * handed out can be written to a .gmt file: rows without flaw, warps and blocks in range, addresses
 * of 48 bits. */
#include "import/irows.h"
#include "import/local.h"
#include "import/ranges.h"
#include "import/raw.h"
#include "import/traceg.h"
#include "trace/gmt_table.h"
#include <stdlib.h>

#define MAX_EVENTS 200000

static void check(bool ok) {
  if (!ok) abort();
}

static int emit(void *ctx, uint64_t va, uint64_t bytes, err_t *e) {
  (void)ctx, (void)e;
  check(va % RANGES_ALIGN == 0 && bytes && va + bytes <= 1ull << 48);
  return 0;
}

typedef struct {
  traceg_t t;
  sass_ops_t ops;
  notes_t notes;
  irows_t rows;
  ranges_t ranges;
  local_t local;
} run_t;

static void instruction(run_t *r, err_t *e) {
  traceg_inst_t *i = &r->t.inst;
  check(!gmt_inst_flaw(&i->row));
  check(i->op.mode <= ADDR_LIST && inst_is_mem(&i->row) == (i->op.mode != ADDR_NONE));
  check(irows_add(&r->rows, i->pc, &i->row, e) == 0);
  if (i->op.mode == ADDR_NONE) return;
  if (i->row.space == SPACE_LOCAL && local_survey(&r->local, &i->row, &i->op))
    local_place(&r->local, &i->row, r->t.cta, &i->op);
  for (uint32_t m = i->op.mask; m; m &= m - 1) {
    uint32_t l = (uint32_t)__builtin_ctz(m);
    uint64_t a = i->op.mode == ADDR_LIST ? i->op.lane[l] : i->op.base + l * (uint64_t)i->op.stride;
    check(a < 1ull << 48);
    check(ranges_touch(&r->ranges, a, a + i->row.width, e) == 0);
  }
}

static void read_all(run_t *r, err_t *e) {
  const uint32_t *b = r->t.header.block;
  int rc = 1;
  for (uint32_t n = 0; n < MAX_EVENTS && rc > 0; n++) {
    rc = traceg_next(&r->t, e);
    check(rc <= TRACEG_BLOCK_END && (rc >= 0 || e->code == rc));
    if (rc == TRACEG_WARP) check(r->t.warp < (b[0] * b[1] * b[2] + 31) / 32);
    if (rc == TRACEG_INST) instruction(r, e);
  }
  check(irows_sort(&r->rows, e) == 0);
  check(ranges_settle(&r->ranges, emit, NULL, e) == 0);
}

typedef struct {
  const void *bytes;
  size_t size;
} input_t;
static int open_input(void *ctx, text_t **out, err_t *e) {
  const input_t *in = ctx;
  return text_open_memory("trace", in->bytes, in->size, out, e);
}

/* A raw trace is grouped first; what it became is a grouped one. */
static void read_trace(const void *bytes, size_t size) {
  run_t r = {.local.base = 0x7e8000000000};
  err_t e = {0};
  text_t *text;
  FILE *grouped;
  input_t in = {bytes, size};
  int rc = raw_group(open_input, &in, &grouped, &e);
  check(rc == 0 || e.code == rc);
  if (rc < 0) return;
  rc = grouped ? text_open_stream(grouped, "grouped", &text, &e) : open_input(&in, &text, &e);
  check(rc == 0 || e.code == rc);
  if (rc < 0) return;
  check(sass_ops_init(&r.ops, &e) == 0 && irows_init(&r.rows, &e) == 0);
  check(ranges_init(&r.ranges, &e) == 0);
  rc = traceg_init(&r.t, text, &r.ops, &r.notes, true, &e);
  check(rc == 0 || e.code == rc);
  if (rc == 0) {
    read_all(&r, &e);
    traceg_fini(&r.t);
  }
  text_close(text);
  sass_ops_fini(&r.ops);
  irows_fini(&r.rows);
  ranges_fini(&r.ranges);
}
#endif
