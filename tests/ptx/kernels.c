#include "kernels.h"
#include "base/file.h"
#include <stdlib.h>

const kernel_case_t kernel_cases[] = {
    {"vadd", 0, true, 256, 1},   {"gemm", 0, false, 32, 8},    {"tiled", 0, false, 16, 16},
    {"sum", 1, true, 256, 1},    {"collatz", 2, true, 256, 1}, {"stencil", 3, false, 32, 8},
    {"gather", 4, true, 256, 1}, {"dpoly", 6, true, 128, 1},   {"special", 1, true, 256, 1},
    {"fibs", 5, true, 64, 1},    {NULL, 0, false, 0, 0}};

static int make_inputs(kernels_t *k, err_t *e) {
  uint32_t n = k->n * k->n;
  uint64_t bytes = (uint64_t)n * 4;
  k->ha = calloc(n, 4), k->hb = calloc(n, 4);
  uint64_t *wide = calloc(n, 8);
  int r = k->ha && k->hb && wide ? 0 : GMMU_ENOMEM;
  for (uint32_t i = 0; r == 0 && i < n; i++) {
    double x = (double)(i % 100) / 100;
    k->ha[i] = (float)(i % 13), k->hb[i] = (float)(i % 7);
    __builtin_memcpy(&wide[i], &x, 8);
  }
  if (r == 0) r = devmem_alloc(k->mem, bytes, 0, "a", &k->a, e);
  if (r == 0) r = devmem_alloc(k->mem, bytes, 0, "b", &k->b, e);
  if (r == 0) r = devmem_alloc(k->mem, 2 * bytes, 0, "c", &k->c, e);
  if (r == 0) r = devmem_alloc(k->mem, 2 * bytes, 0, "d", &k->d, e);
  if (r == 0) r = devmem_write(k->mem, k->a, k->ha, bytes, e);
  if (r == 0) r = devmem_write(k->mem, k->b, k->hb, bytes, e);
  if (r == 0) r = devmem_write(k->mem, k->d, wide, 2 * bytes, e);
  free(wide);
  return r;
}

int kernels_new(kernels_t *k, const char *path, uint32_t n, err_t *e) {
  strbuf_t text;
  *k = (kernels_t){.n = n};
  strbuf_init(&text);
  int r = file_read(path, 1 << 20, &text, e);
  if (r == 0) r = devmem_new(&k->mem, e);
  if (r == 0) r = ptx_new(k->mem, &k->p, e);
  if (r == 0) r = ptx_load(k->p, "kernels.ptx", strbuf_text(&text), text.size, e);
  if (r >= 0) r = make_inputs(k, e);
  strbuf_fini(&text);
  return r;
}

void kernels_free(kernels_t *k) {
  ptx_free(k->p);
  devmem_free(k->mem);
  free(k->ha), free(k->hb);
}

static int make_indices(kernels_t *k, err_t *e) { /* a permutation of 0 .. n * n - 1 */
  uint32_t n = k->n * k->n, *at = calloc(n, 4);
  for (uint32_t i = 0; at && i < n; i++) at[i] = (uint32_t)((uint64_t)i * 40503 % n);
  int r = at ? devmem_write(k->mem, k->b, at, (uint64_t)n * 4, e) : GMMU_ENOMEM;
  free(at);
  return r;
}

int kernels_run(kernels_t *k, const kernel_case_t *c, const ptx_options_t *o, ptx_stats_t *s,
                err_t *e) {
  struct {
    uint64_t p0, p1, p2;
    uint32_t n;
  } three = {k->a, k->b, k->c, c->flat ? k->n * k->n : k->n};
  struct {
    uint64_t p0, p1;
    uint32_t n, m;
  } two = {c->params == 6 ? k->d : k->a, k->c, c->params == 3 ? k->n : k->n * k->n, k->n};
  struct {
    uint64_t p0;
    uint32_t n;
  } one = {k->c, k->n * k->n};
  const void *params = c->params == 0 || c->params == 4   ? (void *)&three
                       : c->params == 2 || c->params == 5 ? (void *)&one
                                                          : (void *)&two;
  int r = devmem_fill(k->mem, k->c, 0, (uint64_t)k->n * k->n * 8, e);
  if (r == 0 && c->params == 4) {
    r = make_indices(k, e);
    three.p0 = k->b, three.p1 = k->a;
  }
  const ptx_kernel_t *kernel = r < 0 ? NULL : ptx_kernel(k->p, -1, c->name, e);
  if (!kernel) return r < 0 ? r : GMMU_ENOENT;
  uint32_t threads = c->bx * c->by, blocks = (k->n * k->n + threads - 1) / threads;
  ptx_launch_t l = {.grid = {blocks, 1, 1},
                    .block = {c->bx, c->by, 1},
                    .dynamic_shared_bytes = 0,
                    .params = params};
  if (!c->flat) l.grid[0] = k->n / c->bx, l.grid[1] = k->n / c->by;
  if (c->params == 5) l.grid[0] = 1;
  r = ptx_run(k->p, kernel, &l, o, s, NULL, e);
  if (c->params == 4) devmem_write(k->mem, k->b, k->hb, (uint64_t)k->n * k->n * 4, e);
  return r;
}
