/* Any bytes as a PTX module. Beyond not crashing: an error has a text and a place; what loads can
 * be linked or says why not; its kernels run for a while on memory of their own, in both loops, and
 * leave the same bytes behind. */
#include "ptx/ptx.h"
#include <stdlib.h>
#include <string.h>

#define BUFFER_BYTES 4096u

typedef struct {
  int code;
  uint64_t warp_insts;
  uint8_t memory[BUFFER_BYTES];
} outcome_t;

/* Parameters: every 8-byte word is the buffer's address, so that pointers point somewhere. */
static void run_kernel(ptx_t *p, const ptx_kernel_t *k, uint64_t buffer, bool portable,
                       outcome_t *o) {
  uint64_t params[64];
  err_t e = {0};
  ptx_fault_t fault;
  ptx_stats_t stats = {0};
  ptx_options_t options = {.stuck_insts = 2000, .max_insts = 4000, .portable = portable};
  ptx_launch_t l = {
      .grid = {2, 1, 1}, .block = {40, 1, 1}, .dynamic_shared_bytes = 64, .params = params};
  for (uint32_t i = 0; i < 64; i++) params[i] = buffer;
  if (ptx_kernel_info(k)->param_bytes > sizeof params || ptx_kernel_info(k)->local_bytes > 70000)
    return;
  o->code = ptx_run(p, k, &l, &options, &stats, &fault, &e);
  o->warp_insts = stats.warp_insts;
  if (o->code < 0 && (!e.text[0] || e.code != o->code)) abort();
}

static void run_program(const char *text, size_t size, bool portable, outcome_t *o) {
  devmem_t *mem;
  ptx_t *p;
  err_t e = {0};
  uint64_t buffer;
  char shown[1024];
  memset(o, 0, sizeof *o);
  if (devmem_new(&mem, &e) < 0 || ptx_new(mem, &p, &e) < 0) abort();
  if (devmem_alloc(mem, BUFFER_BYTES, 0, "buffer", &buffer, &e) < 0) abort();
  int r = ptx_load(p, "fuzz", text, size, &e);
  if (r >= 0) r = ptx_link(p, &e);
  if (r < 0 && (e.code != r || err_format(&e, shown, sizeof shown) <= 0)) abort();
  for (uint32_t i = 0; r >= 0 && i < 4 && ptx_kernel_at(p, i); i++)
    run_kernel(p, ptx_kernel_at(p, i), buffer, portable, o);
  devmem_read(mem, buffer, o->memory, BUFFER_BYTES, &e);
  if (devmem_check(mem, &e) < 0) abort();
  ptx_free(p);
  devmem_free(mem);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  outcome_t a, b;
  run_program((const char *)data, size, false, &a);
  run_program((const char *)data, size, true, &b);
  if (a.code != b.code || a.warp_insts != b.warp_insts ||
      memcmp(a.memory, b.memory, BUFFER_BYTES) != 0)
    abort();
  return 0;
}
