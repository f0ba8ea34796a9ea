/* Preparing a launch: its sizes, parameters and the memory of blocks and warps. */
#include "ptx/exec.h"
#include <stdlib.h>
#include <string.h>

#define MAX_BLOCK_THREADS 1024u
#define MAX_SHARED_BYTES  (4u << 20)

int ptx_launch_check(const ptx_kernel_t *k, const ptx_launch_t *l, err_t *e) {
  uint64_t threads = 1;
  for (uint32_t i = 0; i < 3; i++) {
    if (!l->grid[i] || !l->block[i])
      return err_set(e, GMMU_EINVAL, "kernel '%s': an empty grid or block", k->info.name);
    if (l->block[i] > MAX_BLOCK_THREADS)
      return err_set(e, GMMU_EINVAL, "kernel '%s': a block has at most %u threads", k->info.name,
                     MAX_BLOCK_THREADS);
    threads *= l->block[i];
  }
  if (threads > MAX_BLOCK_THREADS)
    return err_set(e, GMMU_EINVAL, "kernel '%s': a block has at most %u threads", k->info.name,
                   MAX_BLOCK_THREADS);
  if (k->info.max_threads && threads > k->info.max_threads)
    return err_set(e, GMMU_EINVAL, "kernel '%s' was compiled for blocks of at most %u threads",
                   k->info.name, k->info.max_threads);
  if ((uint64_t)l->grid[1] * l->grid[2] > UINT32_MAX / (uint64_t)l->grid[0])
    return err_set(e, GMMU_EINVAL, "kernel '%s': too many blocks", k->info.name);
  if (l->dynamic_shared_bytes > MAX_SHARED_BYTES)
    return err_set(e, GMMU_EINVAL, "kernel '%s': too much shared memory", k->info.name);
  if (!l->params && k->info.param_bytes)
    return err_set(e, GMMU_EINVAL, "kernel '%s' needs parameters", k->info.name);
  return 0;
}

static exec_result_t (*best_loop(bool portable))(pexec_t *, pwarp_t *, uint32_t) {
  (void)portable;
#ifdef PTX_HAVE_AVX2
  if (!portable && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return ptx_exec_avx2;
#endif
  return ptx_exec_generic;
}

static void set_options(pexec_t *x, const ptx_options_t *o) {
  if (o) x->options = *o;
  if (!x->options.resident_warps) x->options.resident_warps = 2048;
  if (!x->options.quantum) x->options.quantum = 64;
  if (!x->options.sms) x->options.sms = 1;
  x->sms = x->options.sms;
}

static uint32_t round64(uint64_t v) { return (uint32_t)((v + 63) & ~(uint64_t)63); }

static uint64_t workspace_of(const ptx_t *p, uint32_t module) {
  for (const pmodule_t *m = p->modules; m; m = m->next)
    if (m->index == module) return m->workspace ? m->workspace->address : 0;
  return 0;
}

int pexec_init(pexec_t *x, ptx_t *p, const ptx_kernel_t *k, const ptx_launch_t *l,
               const ptx_options_t *o, err_t *e) {
  *x = (pexec_t){.program = p, .kernel = k, .mem = p->mem, .pool = p->pool_lanes, .e = e};
  int r = ptx_launch_check(k, l, e);
  if (r < 0) return r;
  memcpy(x->grid, l->grid, sizeof x->grid), memcpy(x->block, l->block, sizeof x->block);
  x->dynamic_shared_bytes = l->dynamic_shared_bytes;
  x->shared_bytes =
      (l->dynamic_shared_bytes ? k->dynamic_at : k->info.shared_bytes) + l->dynamic_shared_bytes;
  x->local_stride = round64(k->local_bytes), x->param_stride = round64(k->param_lane_bytes);
  x->param_bytes = k->info.param_bytes;
  x->params = calloc(1, (size_t)x->param_bytes + 32);
  if (!x->params) return err_set(e, GMMU_ENOMEM, "no memory for parameters");
  if (x->param_bytes) memcpy(x->params, l->params, x->param_bytes);
  x->launch_id = ++p->launches;
  x->workspace = workspace_of(p, k->info.module);
  set_options(x, o);
  x->run = best_loop(x->options.portable);
  return 0;
}

void ptx_launch_describe(const ptx_kernel_t *k, const ptx_launch_t *l, const ptx_options_t *options,
                         launch_t *out) {
  uint32_t dynamic = l->dynamic_shared_bytes;
  *out = (launch_t){.name = k->info.name,
                    .inst = k->row,
                    .inst_count = k->info.insts,
                    .where = k->where,
                    .file = k->file,
                    .files = k->files,
                    .overlaps = l->overlaps,
                    .stream = l->stream,
                    .after = l->after,
                    .afters = l->afters,
                    .regs_per_thread = k->info.regs_per_thread,
                    .shared_bytes = dynamic ? k->dynamic_at + dynamic : k->info.shared_bytes};
  memcpy(out->grid, l->grid, sizeof out->grid), memcpy(out->block, l->block, sizeof out->block);
  uint32_t most = options ? options->sm_registers / (launch_warps(out) * WARP_LANES) : 0;
  if (most && out->regs_per_thread > most) out->regs_per_thread = most;
}

uint64_t ptx_local_bytes(const ptx_kernel_t *k, uint32_t warps) {
  return (uint64_t)round64(k->local_bytes) * WARP_LANES * warps;
}

void pexec_fini(pexec_t *x) { free(x->params); }

void *pexec_alloc(size_t bytes) {
  bytes = (bytes + 63) & ~(size_t)63;
  void *p = aligned_alloc(64, bytes);
  if (p) memset(p, 0, bytes);
  return p;
}

uint32_t pexec_warps(const pexec_t *x) {
  return (x->block[0] * x->block[1] * x->block[2] + WARP_LANES - 1) / WARP_LANES;
}

size_t pexec_warp_bytes(const pexec_t *x) {
  return round64(x->kernel->frame_bytes) + 64 +
         (size_t)WARP_LANES * (x->local_stride + x->param_stride);
}

void pwarp_memory(const pexec_t *x, pwarp_t *w, uint8_t *memory) {
  if (w->own_regs) free(w->regs);
  w->own_regs = false;
  w->regs = memory, w->reg_bytes = round64(x->kernel->frame_bytes);
  w->local = memory + w->reg_bytes + 64;
  w->param = w->local + (size_t)WARP_LANES * x->local_stride;
}

/* What a kernel may read before it writes: zero, so that runs are alike. The part of local memory
 * that only deep recursion reaches is left alone. */
static void clear_warp(const pexec_t *x, pwarp_t *w) {
  const pcode_t *c = x->kernel->code[0];
  memset(w->regs, 0, w->reg_bytes);
  size_t used =
      c->local_bytes < x->local_stride && x->kernel->codes == 1 ? c->local_bytes : x->local_stride;
  if (used > 4096) used = 4096;
  for (uint32_t l = 0; used && l < WARP_LANES; l++)
    memset(w->local + (size_t)l * x->local_stride, 0, used);
}

static uint32_t set_threads(const pexec_t *x, pwarp_t *w) {
  uint32_t threads = x->block[0] * x->block[1] * x->block[2], mask = 0;
  for (uint32_t l = 0; l < WARP_LANES; l++) {
    uint32_t t = w->index * WARP_LANES + l;
    if (t < threads) mask |= 1u << l;
    w->tid[0][l] = t % x->block[0];
    w->tid[1][l] = t / x->block[0] % x->block[1];
    w->tid[2][l] = t / x->block[0] / x->block[1];
  }
  return mask;
}

void pblock_start(pexec_t *x, pblock_t *b, uint64_t cta) {
  b->ctaid[0] = (uint32_t)(cta % x->grid[0]);
  b->ctaid[1] = (uint32_t)(cta / x->grid[0] % x->grid[1]);
  b->ctaid[2] = (uint32_t)(cta / x->grid[0] / x->grid[1]);
  b->live_threads = x->block[0] * x->block[1] * x->block[2];
  memset(b->barrier, 0, sizeof b->barrier);
  if (x->shared_bytes) memset(b->shared, 0, x->shared_bytes);
  for (uint32_t i = 0; i < b->warps; i++) {
    pwarp_t *w = b->warp[i];
    w->block = b, w->index = i, w->red = NULL, w->polling = false, w->held = 0;
    w->watch = (pwatch_t){0};
    clear_warp(x, w);
    warp_begin(x, w, set_threads(x, w), x->kernel->code[0]);
  }
}
