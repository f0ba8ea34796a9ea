#include "streams.h"
#include "trace/gmt.h"
#include <stdlib.h>
#include <unistd.h>

static inst_t rows[STREAMS_ARITH + 2];

static void fill_rows(void) {
  for (uint32_t i = 0; i < STREAMS_ARITH; i++)
    rows[i] =
        (inst_t){.cls = IC_INT, .dst = 1, .dsts = 1, .src = {1, REG_NONE, REG_NONE, REG_NONE}};
  rows[STREAMS_ARITH] = (inst_t){.cls = IC_STORE,
                                 .space = SPACE_GLOBAL,
                                 .width = 4,
                                 .dst = REG_NONE,
                                 .src = {1, REG_NONE, REG_NONE, REG_NONE}};
  rows[STREAMS_ARITH + 1] =
      (inst_t){.cls = IC_EXIT, .dst = REG_NONE, .src = {REG_NONE, REG_NONE, REG_NONE, REG_NONE}};
}

static void write_block(gmt_writer_t *w, uint32_t cta, uint64_t va) {
  err_t e;
  uint32_t block;
  assert_int_equal(gmt_writer_cta_begin(w, cta, &block, &e), 0);
  for (uint32_t i = 0; i < STREAMS_ARITH + 2; i++) {
    warp_op_t op = {.mask = UINT32_MAX};
    if (i == STREAMS_ARITH) op.mode = ADDR_STRIDE, op.base = va + cta * 128ull, op.stride = 4;
    assert_int_equal(gmt_writer_inst(w, block, 0, i, &op, &e), 0);
  }
  assert_int_equal(gmt_writer_cta_end(w, block, &e), 0);
}

static void write_step(gmt_writer_t *w, const step_t *s, uint32_t number) {
  err_t e;
  command_t c = {.kind = CMD_LAUNCH};
  if (!s->blocks) {
    c = (command_t){.kind = CMD_FREE, .va = VA + MB};
    assert_int_equal(gmt_writer_command(w, &c, &e), 0);
    return;
  }
  c.launch = (launch_t){.name = "k",
                        .inst = rows,
                        .inst_count = STREAMS_ARITH + 2,
                        .grid = {s->blocks, 1, 1},
                        .block = {32, 1, 1},
                        .overlaps = s->overlaps,
                        .stream = number,
                        .after = s->after,
                        .afters = s->afters};
  assert_int_equal(gmt_writer_command(w, &c, &e), 0);
  for (uint32_t b = 0; b < s->blocks; b++) write_block(w, b, VA + number * 4 * KB);
}

source_t *streams_recording(const step_t *step, uint32_t steps) {
  char path[] = "/tmp/gmmu-streams-XXXXXX";
  int fd = mkstemp(path);
  gmt_writer_t *w;
  source_t *s;
  err_t e;
  assert_true(fd >= 0);
  close(fd);
  fill_rows();
  assert_int_equal(gmt_writer_new(path, NULL, &w, &e), 0);
  for (uint32_t i = 0; i < 2; i++) {
    command_t alloc = {.kind = CMD_ALLOC, .va = VA + i * MB, .bytes = 512 * KB};
    assert_int_equal(gmt_writer_command(w, &alloc, &e), 0);
  }
  for (uint32_t i = 0; i < steps; i++) write_step(w, &step[i], i);
  assert_int_equal(gmt_writer_close(w, &e), 0);
  assert_int_equal(gmt_open(path, &s, &e), 0);
  unlink(path);
  return s;
}
