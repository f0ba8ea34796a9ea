#include "validate/validate.h"
#include "base/rng.h"
#include "probe/tlb_probe.h"
#include "validate/bench.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MIB (1ull << 20)

typedef struct {
  bench_t *b;
  const validate_options_t *o;
  validate_t *out;
  uint32_t threads, blocks; /* two blocks on every SM fill it */
  uint64_t wave;            /* bytes that all threads touch together, 16 each */
} work_t;

static const struct {
  const char *id, *name, *unit;
} metric[] = {
#define X(id, name, unit) {#id, name, unit},
    VALIDATE_METRICS(X)
#undef X
};

const char *validate_name(uint32_t m) { return m < VALIDATE_COUNT ? metric[m].id : NULL; }

static void know(work_t *w, validate_metric_t m, uint64_t num, uint64_t den) {
  if (!den) return;
  w->out->row[m].value = (num * VALIDATE_THOUSAND + den / 2) / den;
  w->out->row[m].known = true;
}

static int step(const work_t *w, const char *what, err_t *e) {
  if (w->o->stop && w->o->stop()) return err_set(e, GMMU_EINTERRUPTED, "interrupted");
  if (w->o->progress) w->o->progress(w->o->ctx, what);
  return GMMU_OK;
}

/* ---- latencies ---- */

#define LOADS 256u /* with a clock */
#define RING  64u  /* places of a ring that stays in a cache */

static void write_ring(const bench_t *b, const uint64_t *at, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    uint64_t next = b->buffer + at[(i + 1) % count];
    memcpy(bench_host(b, at[i]), &next, sizeof next);
  }
}

static int latency(work_t *w, validate_metric_t m, const char *kernel, bench_params_t p,
                   uint64_t bytes, err_t *e) {
  p.count = LOADS / 16;
  bench_launch_t l = {.kernel = kernel, .blocks = 1, .threads = 1, .p = p};
  int rc = bench_run(w->b, &l, 1, bytes, e);
  if (rc == 0) know(w, m, l.cycles, LOADS);
  return rc;
}

/* A ring of `count` lines one behind the other. */
static int cached(work_t *w, validate_metric_t m, const char *kernel, uint32_t count, err_t *e) {
  uint64_t line = w->b->spec.core.line_bytes, *at = calloc(count, sizeof *at);
  if (!at) return err_set(e, GMMU_ENOMEM, "no memory for a ring of %u lines", count);
  for (uint32_t i = 0; i < count; i++) at[i] = i * line;
  write_ring(w->b, at, count);
  free(at);
  bench_params_t p = {.a = w->b->buffer, .warm = 2 * count};
  return latency(w, m, kernel, p, count * line, e);
}

/* So many lines that L1 has lost each before it is loaded again: what gpu-benches calls L2. Where
 * L1 is as large as L2 there are none. */
static int behind_l1(work_t *w, err_t *e) {
  const gpu_spec_t *s = &w->b->spec;
  uint64_t bytes = 2 * s->l1.bytes;
  if (2 * bytes > s->l2.bytes) return GMMU_OK;
  return cached(w, VALIDATE_L2, "v_load", (uint32_t)(bytes / s->core.line_bytes), e);
}

/* A large buffer's pages, by the managers that choose their size when it is allocated. */
static uint64_t page_of_buffer(const gpu_spec_t *s) {
  bool large =
      strcmp(s->memory.manager, "mixed") == 0 || strcmp(s->memory.manager, "large-only") == 0;
  return large ? s->memory.large_bytes : s->memory.base_bytes;
}

/* Lines nobody has touched, in pages that the L1 TLB knows: in other rows, most of them. */
static int uncached(work_t *w, err_t *e) {
  const gpu_spec_t *s = &w->b->spec;
  uint64_t line = s->core.line_bytes, page = page_of_buffer(s), at[LOADS];
  uint64_t pages = s->tlb.levels ? s->tlb_level[0].entries / 2 : 16;
  while (pages > 1 && pages * page > 64 * MIB) pages--;
  uint64_t lines = page / line - 1;          /* the last one is for the TLB */
  while (pages * lines < 2 * LOADS) pages++; /* else there are not so many */
  rng_t rng = {1};
  for (uint32_t i = 0; i < LOADS; i++) {
    uint64_t a;
    bool new;
    do {
      a = rng_below(&rng, (uint32_t)pages) * page + rng_below(&rng, (uint32_t)lines) * line;
      new = true;
      for (uint32_t k = 0; k < i; k++) new &= at[k] != a;
    } while (!new);
    at[i] = a;
  }
  write_ring(w->b, at, LOADS);
  bench_params_t p = {.a = w->b->buffer + at[0],
                      .b = w->b->buffer + lines * line,
                      .mask = (uint32_t)pages,
                      .stride = (uint32_t)page};
  return latency(w, VALIDATE_DRAM, "v_load", p, pages * page, e);
}

static int latencies(work_t *w, err_t *e) {
  static const struct {
    validate_metric_t m;
    const char *kernel;
  } chain[] = {{VALIDATE_SHARED, "v_shared"}, {VALIDATE_FFMA, "v_ffma"},
               {VALIDATE_IADD, "v_iadd"},     {VALIDATE_IMAD, "v_imad"},
               {VALIDATE_DFMA, "v_dfma"},     {VALIDATE_RSQRT, "v_rsqrt"}};
  int rc = step(w, "latencies", e);
  if (rc == 0) rc = cached(w, VALIDATE_L1, "v_load", RING, e);
  if (rc == 0) rc = behind_l1(w, e);
  if (rc == 0) rc = cached(w, VALIDATE_ATOMIC, "v_atomic", RING, e);
  if (rc == 0) rc = uncached(w, e);
  for (uint32_t i = 0; rc == 0 && i < sizeof chain / sizeof *chain; i++)
    rc = latency(w, chain[i].m, chain[i].kernel, (bench_params_t){0}, MIB, e);
  return rc;
}

/* ---- bandwidths ---- */

static uint64_t up(uint64_t v, uint64_t unit) { return (v + unit - 1) / unit * unit; }
static uint64_t power_below(uint64_t v) { return 1ull << (63 - __builtin_clzll(v)); }

static bench_launch_t stream(const work_t *w, const char *kernel, uint64_t a, uint64_t b,
                             uint64_t c, uint32_t steps, uint64_t modulo) {
  uint64_t base = w->b->buffer;
  return (bench_launch_t){.kernel = kernel,
                          .blocks = w->blocks,
                          .threads = w->threads,
                          .p = {.a = base + a,
                                .b = base + b,
                                .c = base + c,
                                .count = steps,
                                .stride = (uint32_t)w->wave,
                                .mask = (uint32_t)(modulo - 1)}};
}

static int l1_bandwidth(work_t *w, err_t *e) {
  enum { STEPS = 128, THREADS = 512 };
  bench_launch_t l = stream(w, "v_read_l1", 0, 0, 0, 8, THREADS * 16), timed;
  l.blocks = 1, l.threads = THREADS;
  timed = l, timed.p.count = STEPS; /* one launch is not enough where launches empty L1 */
  int rc = bench_run(w->b, &l, 1, MIB, e);
  if (rc == 0) rc = bench_run(w->b, &timed, 1, MIB, e);
  if (rc == 0)
    know(w, VALIDATE_L1_READ, (uint64_t)THREADS * 16 * (STEPS - 8), timed.cycles - l.cycles);
  return rc;
}

static int l2_bandwidth(work_t *w, err_t *e) {
  uint64_t bytes = power_below(w->b->spec.l2.bytes / 2);
  uint32_t steps = (uint32_t)(up(8 * MIB, w->wave) / w->wave);
  bench_launch_t l[2] = {
      stream(w, "v_read", 0, 0, 0, (uint32_t)(up(bytes, w->wave) / w->wave), bytes),
      stream(w, "v_read", 0, 0, 0, steps, bytes)};
  int rc = bench_run(w->b, l, 2, bytes, e);
  if (rc == 0) know(w, VALIDATE_L2_READ, steps * w->wave, l[1].cycles);
  return rc;
}

/* Arrays of 16 MB and more, as of a benchmark that has run before: the same kernel has gone through
 * other arrays, until L2 holds as many dirty lines as it does from then on, and every SM has
 * touched each page. */
static int dram_bandwidth(work_t *w, validate_metric_t m, const char *kernel, uint32_t arrays,
                          err_t *e) {
  const gpu_spec_t *s = &w->b->spec;
  uint64_t page = page_of_buffer(s), l2 = s->l2.bytes + s->l2.bytes / 4;
  uint32_t steps = (uint32_t)(up(16 * MIB, w->wave) / w->wave);
  uint32_t before = (uint32_t)(up(l2 / arrays, w->wave) / w->wave);
  uint64_t bytes = up(steps * w->wave, up(2 * MIB, page));
  uint64_t first = 3 * bytes, each = up(before * w->wave, page), total = first + 3 * each;
  uint64_t all = 1ull << 32; /* no wrapping */
  bench_launch_t l[3] = {
      stream(w, kernel, first, first + each, first + 2 * each, before, all),
      {.kernel = "v_touch",
       .blocks = w->blocks,
       .threads = w->threads,
       .p = {.a = w->b->buffer, .warm = (uint32_t)(first / page), .stride = (uint32_t)page}},
      stream(w, kernel, 0, bytes, 2 * bytes, steps, all)};
  int rc = bench_run(w->b, l, 3, total, e);
  uint64_t peak = (uint64_t)s->dram.channels * s->dram.bus_bytes * s->dram.data_rate;
  peak *= s->dram.clock_mhz; /* in MB/s */
  w->out->peak = peak;
  if (rc == 0) know(w, m, 100 * arrays * steps * w->wave * s->core.clock_mhz, l[2].cycles * peak);
  return rc;
}

static int bandwidths(work_t *w, err_t *e) {
  int rc = step(w, "bandwidths", e);
  if (rc == 0) rc = l1_bandwidth(w, e);
  if (rc == 0) rc = l2_bandwidth(w, e);
  if (rc == 0) rc = dram_bandwidth(w, VALIDATE_DRAM_READ, "v_read", 1, e);
  if (rc == 0) rc = step(w, "bandwidths", e);
  if (rc == 0) rc = dram_bandwidth(w, VALIDATE_DRAM_COPY, "v_copy", 2, e);
  if (rc == 0) rc = dram_bandwidth(w, VALIDATE_DRAM_TRIAD, "v_triad", 3, e);
  return rc;
}

/* ---- gathers, atomics, the tail of a launch ---- */

static int gathers(work_t *w, err_t *e) {
  uint64_t bytes = power_below(w->b->bytes / 4 < 256 * MIB ? w->b->bytes / 4 : 256 * MIB);
  uint64_t threads = (uint64_t)w->blocks * w->threads;
  uint32_t count = (uint32_t)(up(1u << 17, threads) / threads);
  bench_launch_t l = stream(w, "v_gather", 0, 0, 0, count, bytes / 32);
  int rc = bench_run(w->b, &l, 1, bytes, e);
  if (rc == 0)
    know(w, VALIDATE_GATHER, count * threads * w->b->spec.core.clock_mhz, l.cycles * 1000);
  return rc;
}

static int atomics(work_t *w, validate_metric_t m, uint32_t stride, err_t *e) {
  enum { COUNT = 4, THREADS = 256 };
  bench_launch_t l = stream(w, "v_add", 0, 0, 0, COUNT, 1ull << 32);
  l.threads = THREADS, l.blocks = w->b->spec.core.sms, l.p.stride = stride;
  int rc = bench_run(w->b, &l, 1, MIB + (uint64_t)l.blocks * THREADS * stride, e);
  if (rc == 0) know(w, m, (uint64_t)l.blocks * THREADS * COUNT, l.cycles);
  return rc;
}

static int tail(work_t *w, err_t *e) {
  bench_launch_t full = stream(w, "v_ffma", 0, 0, 0, 8, 1ull << 32), more = full;
  more.blocks++;
  int rc = bench_run(w->b, &full, 1, MIB, e);
  if (rc == 0) rc = bench_run(w->b, &more, 1, MIB, e);
  if (rc == 0) know(w, VALIDATE_TAIL, more.cycles, full.cycles);
  return rc;
}

static int others(work_t *w, err_t *e) {
  int rc = step(w, "gathers and atomics", e);
  if (rc == 0) rc = gathers(w, e);
  if (rc == 0) rc = atomics(w, VALIDATE_ATOMIC_ONE, 0, e);
  if (rc == 0) rc = atomics(w, VALIDATE_ATOMIC_MANY, 4, e);
  return rc == 0 ? tail(w, e) : rc;
}

/* ---- TLBs ---- */

static int tlbs(work_t *w, const char *gpu, err_t *e) {
  device_t *d = NULL;
  tlb_probe_t found = {0};
  int rc = step(w, "TLBs", e);
  if (rc == 0) rc = device_sim_new(&w->b->spec, gpu, NULL, &d, e);
  if (rc < 0) return rc;
  d->stop = w->o->stop;
  rc = tlb_probe(d, &(tlb_probe_options_t){0}, &found, e);
  for (uint32_t i = 0; rc == 0 && i < found.levels && i < 3; i++) {
    const probe_level_t *l = &found.level[i];
    know(w, VALIDATE_TLB1 + 2 * i, l->entries * l->reach_bytes, 1024);
    if (l->miss > l->hit) know(w, VALIDATE_TLB1_MISS + 2 * i, (uint64_t)(l->miss - l->hit), 100);
  }
  tlb_probe_fini(&found);
  device_free(d);
  return rc;
}

/* ---- verdicts ---- */

static bool near(uint64_t value, const published_t *p) {
  return value * 10 >= 9ull * p->low && value * 10 <= 11ull * p->high;
}

verdict_t validate_judge(validate_metric_t m, uint64_t value, const published_t *p) {
  bool copies = m == VALIDATE_DRAM_COPY || m == VALIDATE_DRAM_TRIAD, holds = false;
  if (copies)
    holds = (value >= 80 * VALIDATE_THOUSAND && value <= 95 * VALIDATE_THOUSAND) ||
            (p && p->judged && near(value, p));
  else if (!p || !p->judged || (m > VALIDATE_DFMA && m < VALIDATE_TLB1 && m != VALIDATE_ATOMIC))
    return VERDICT_NONE;
  else if (m == VALIDATE_TLB1 || m == VALIDATE_TLB2 || m == VALIDATE_TLB3)
    holds = value == p->low;
  else
    holds = near(value, p);
  return holds ? VERDICT_HOLDS : VERDICT_OFF;
}

int validate_gpu(const gpu_spec_t *spec, const char *gpu, const validate_options_t *o,
                 validate_t *out, err_t *e) {
  *out = (validate_t){0};
  for (uint32_t m = 0; m < VALIDATE_COUNT; m++) {
    out->row[m].name = metric[m].name, out->row[m].unit = metric[m].unit;
    out->row[m].published = published_find(gpu, (validate_metric_t)m);
  }
  work_t w = {.o = o, .out = out, .blocks = 2 * spec->core.sms};
  w.threads = spec->sm.threads / 2 < 1024 ? spec->sm.threads / 2 / 32 * 32 : 1024;
  w.wave = 16ull * w.threads * w.blocks;
  int rc = bench_new(spec, &w.b, e);
  if (rc == 0) rc = latencies(&w, e);
  if (rc == 0) rc = bandwidths(&w, e);
  if (rc == 0) rc = others(&w, e);
  if (rc == 0 && o->tlb && spec->tlb.levels) rc = tlbs(&w, gpu, e);
  bench_free(w.b);
  for (uint32_t m = 0; m < VALIDATE_COUNT; m++) {
    validate_row_t *r = &out->row[m];
    if (r->known) r->verdict = validate_judge((validate_metric_t)m, r->value, r->published);
  }
  return rc;
}
