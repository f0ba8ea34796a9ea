#ifndef GMMU_TESTS_IMPORT_HELP_H
#define GMMU_TESTS_IMPORT_HELP_H
/* Traces from text: one kernel of one block of one warp, unless a test says otherwise. */
#include "base/unit.h"
#include "import/traceg.h"
#include <stdio.h>

#define HEAD                                                                                       \
  "-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-shmem = 0\n-nregs = 16\n"        \
  "-binary version = 70\n-shmem base_addr = 0x7e0000000000\n"                                      \
  "-local mem base_addr = 0x7e8000000000\n"
#define V3          "-accelsim tracer version = 3\n"
#define BODY(insts) "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 1\n" insts "\n#END_TB\n"

typedef struct {
  text_t *text;
  sass_ops_t ops;
  notes_t notes;
  traceg_t t;
  err_t e;
  int rc;
} trace_t;

/* x->rc tells whether it could be. */
static inline void trace_open_bytes(trace_t *x, const char *bytes, size_t size) {
  memset(x, 0, sizeof *x);
  assert_int_equal(sass_ops_init(&x->ops, &x->e), 0);
  x->rc = text_open_memory("t", bytes, size, &x->text, &x->e);
  if (x->rc == 0) x->rc = traceg_init(&x->t, x->text, &x->ops, &x->notes, true, &x->e);
}
static inline void trace_open(trace_t *x, const char *text) {
  trace_open_bytes(x, text, strlen(text));
  assert_non_null(x->text);
}
static inline void trace_close(trace_t *x) {
  traceg_fini(&x->t);
  text_close(x->text);
  sass_ops_fini(&x->ops);
}
/* The first instruction of the trace. */
static inline const traceg_inst_t *trace_first(trace_t *x, const char *text) {
  trace_open(x, text);
  while (x->rc >= 0 && (x->rc = traceg_next(&x->t, &x->e)) > 0 && x->rc != TRACEG_INST) continue;
  if (x->rc != TRACEG_INST) fail_msg("line %u: %s", x->e.line, x->e.text);
  return &x->t.inst;
}
/* Reads all of it; the result of the last call. */
static inline int trace_all(trace_t *x, const char *text) {
  trace_open(x, text);
  while (x->rc >= 0 && (x->rc = traceg_next(&x->t, &x->e)) > 0) continue;
  return x->rc;
}
static inline uint64_t trace_address(const warp_op_t *op, uint32_t l) {
  return op->mode == ADDR_STRIDE ? op->base + l * (uint64_t)op->stride : op->lane[l];
}
#endif
