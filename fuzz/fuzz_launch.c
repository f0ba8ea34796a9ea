/* Launches of any shape: the first 64 bytes are grid, block, shared memory and parameters, the rest
 * is a PTX module. Beyond not crashing: a launch that is refused or fails has a text; both loops
 * come to the same end and leave the same bytes behind. */
#include "ptx/ptx.h"
#include <stdlib.h>
#include <string.h>

#define BUFFER_BYTES 4096u
#define SHAPE_BYTES  64u

typedef struct {
  uint32_t grid[3], block[3], shared, stuck;
  uint64_t param[4];
} shape_t;
_Static_assert(sizeof(shape_t) == SHAPE_BYTES, "the shape is the first bytes");

typedef struct {
  int code;
  uint64_t warp_insts;
  uint8_t memory[BUFFER_BYTES];
} outcome_t;

/* Parameters repeat the four words of the shape; one that is small is a place in the buffer. */
static void run_kernel(ptx_t *p, const ptx_kernel_t *k, const shape_t *s, uint64_t buffer,
                       bool portable, outcome_t *o) {
  uint64_t params[64];
  err_t e = {0};
  ptx_fault_t fault;
  ptx_stats_t stats = {0};
  ptx_options_t options = {
      .stuck_insts = 1 + s->stuck % 2000, .max_insts = 4000, .portable = portable};
  ptx_launch_t l = {.dynamic_shared_bytes = s->shared, .params = params};
  memcpy(l.grid, s->grid, sizeof l.grid);
  memcpy(l.block, s->block, sizeof l.block);
  for (uint32_t i = 0; i < 64; i++)
    params[i] = s->param[i % 4] < 2 * BUFFER_BYTES ? buffer + s->param[i % 4] : s->param[i % 4];
  if (ptx_kernel_info(k)->param_bytes > sizeof params || ptx_kernel_info(k)->local_bytes > 70000)
    return;
  o->code = ptx_run(p, k, &l, &options, &stats, &fault, &e);
  o->warp_insts = stats.warp_insts;
  if (o->code < 0 && (!e.text[0] || e.code != o->code)) abort();
}

static void run_program(const shape_t *s, const char *text, size_t size, bool portable,
                        outcome_t *o) {
  devmem_t *mem;
  ptx_t *p;
  err_t e = {0};
  uint64_t buffer;
  memset(o, 0, sizeof *o);
  if (devmem_new(&mem, &e) < 0 || ptx_new(mem, &p, &e) < 0) abort();
  if (devmem_alloc(mem, BUFFER_BYTES, 0, "buffer", &buffer, &e) < 0) abort();
  int r = ptx_load(p, "fuzz", text, size, &e);
  if (r >= 0) r = ptx_link(p, &e);
  for (uint32_t i = 0; r >= 0 && i < 2 && ptx_kernel_at(p, i); i++)
    run_kernel(p, ptx_kernel_at(p, i), s, buffer, portable, o);
  devmem_read(mem, buffer, o->memory, BUFFER_BYTES, &e);
  if (devmem_check(mem, &e) < 0) abort();
  ptx_free(p);
  devmem_free(mem);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  outcome_t a, b;
  shape_t s;
  if (size < SHAPE_BYTES) return 0;
  memcpy(&s, data, sizeof s);
  run_program(&s, (const char *)data + SHAPE_BYTES, size - SHAPE_BYTES, false, &a);
  run_program(&s, (const char *)data + SHAPE_BYTES, size - SHAPE_BYTES, true, &b);
  if (a.code != b.code || a.warp_insts != b.warp_insts ||
      memcmp(a.memory, b.memory, BUFFER_BYTES) != 0)
    abort();
  return 0;
}
