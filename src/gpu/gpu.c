/* Builds a machine from its configuration and takes it down; the run is in run.c. */
#include "gpu/gpu.h"
#include "gpu/machine.h"

#define HOST_BYTES_MAX (4ull << 30)

/* Host memory a configuration asks for, as far as options can make it large: requests, tags, TLB
 * entries. */
static uint64_t host_bytes(const gpu_spec_t *s) {
  uint64_t sms = s->core.sms, slices = (uint64_t)s->dram.channels * s->l2.slices;
  uint64_t n =
      sms * (s->sm.lsu_lines * 96ull + s->l1.bytes / s->core.line_bytes * 20 + s->l1.mshrs * 80ull);
  n += s->l2.bytes / s->core.line_bytes * 20 + slices * s->l2.mshrs * 400ull;
  for (uint32_t l = 0; l < s->tlb.levels; l++) {
    const tlb_spec_t *t = &s->tlb_level[l];
    n += gpu_spec_tlbs(s, l) *
         (t->entries * (60ull + 8 * t->reach) + t->large_entries * 60ull + t->mshrs * 300ull);
  }
  return n;
}

/* GPCs are as many SMs as there are; a TLB that is a GPC's needs some. */
static int check_gpcs(const gpu_spec_t *s, err_t *e) {
  uint32_t sms = 0;
  for (uint32_t i = 0; i < s->core.gpcs.count; i++) {
    if (__builtin_popcountll(s->core.gpcs.mask[i]) != 1) {
      err_set(e, GMMU_ERANGE, "one number for each GPC, as in 16; 16; 14");
      return err_for_key(e, "gpu.gpcs");
    }
    sms += gpu_spec_gpc_sms(s, i);
  }
  if (s->core.gpcs.count && sms != s->core.sms) {
    err_set(e, GMMU_ERANGE, "%u SMs in GPCs, but gpu.sms is %u", sms, s->core.sms);
    return err_for_key(e, "gpu.gpcs");
  }
  for (uint32_t l = 0; l < s->tlb.levels; l++) {
    const tlb_spec_t *t = &s->tlb_level[l];
    if (!t->gpc) continue;
    if (!l)
      return err_set(e, GMMU_ERANGE,
                     "l1tlb.gpc must be false: SMs that share a first level are neighbours "
                     "(l1tlb.group)");
    if (!s->core.gpcs.count || t->group || t->deal)
      return err_set(e, GMMU_ERANGE,
                     "l%utlb.gpc needs gpu.gpcs, and neither l%utlb.group nor l%utlb.deal", l + 1,
                     l + 1, l + 1);
  }
  return GMMU_OK;
}

static int check_spec(const gpu_spec_t *s, err_t *e) {
  int rc = check_gpcs(s, e);
  if (rc < 0) return rc;
  if (s->core.sms > GPU_MAX_SMS) return err_set(e, GMMU_ERANGE, "at most %u SMs", GPU_MAX_SMS);
  if (s->core.line_bytes & (s->core.line_bytes - 1)) {
    err_set(e, GMMU_ERANGE, "a line of %u bytes: 64, 128 or 256", s->core.line_bytes);
    return err_for_key(e, "gpu.line");
  }
  if (s->sm.threads < s->sm.warps) return err_set(e, GMMU_ERANGE, "sm.threads is below sm.warps");
  if (s->tlb_level[0].hop_cycles)
    return err_set(
        e, GMMU_ERANGE,
        "l1tlb.hop must be 0: the first level is in the SM (sm.lsu_latency is the way to it)");
  if (s->tlb_level[0].serial)
    return err_set(e, GMMU_ERANGE,
                   "l1tlb.serial must be false: the first level probes both of its arrays at once");
  uint32_t unit = s->tlb_level[0].group ? s->tlb_level[0].group : s->core.sms;
  if (s->core.swapped && s->core.swapped / unit + 2 > s->core.sms / unit)
    return err_set(e, GMMU_ERANGE, "gpu.swapped is %u, but there is no l1tlb group behind it",
                   s->core.swapped);
  if (s->tlb_level[0].deal)
    return err_set(e, GMMU_ERANGE,
                   "l1tlb.deal must be 0: SMs that share a first level are "
                   "neighbours (l1tlb.group)");
  if (host_bytes(s) > HOST_BYTES_MAX)
    return err_set(e, GMMU_ERANGE,
                   "this machine would take about %llu MB of host memory, at most %llu are "
                   "allowed: see gpu.sms, sm.lsu_lines, l2.mshrs and the TLBs' entries and mshrs",
                   (unsigned long long)(host_bytes(s) >> 20),
                   (unsigned long long)(HOST_BYTES_MAX >> 20));
  if (s->dram.bus_bytes * s->dram.burst_length > s->core.line_bytes)
    return err_set(e, GMMU_ERANGE, "a DRAM burst of %u bytes is longer than a line",
                   s->dram.bus_bytes * s->dram.burst_length);
  return GMMU_OK;
}

static int gpu_init(gpu_t *g, const app_spec_t *apps, uint32_t count, err_t *e) {
  int rc = check_spec(&g->spec, e);
  g->share.given = apps, g->share.apps = count;
  if (rc == 0) rc = gpu_build(g, e);
  g->share.given = NULL;
  if (rc < 0) return rc;
  gpu_note_hooks(g);
  g->loop.next_epoch = g->spec.run.epoch_cycles;
  gpu_note_size(g);
  gpu_note_boundary(g);
  rc = share_start(&g->share, e);
  return rc < 0 ? rc : sampling_start(g, e);
}

int gpu_new(const gpu_spec_t *spec, const app_spec_t *apps, uint32_t count, gpu_t **out, err_t *e) {
  *out = NULL;
  arrays_t arrays = {0};
  gpu_t *g = arrays_take(&arrays, sizeof *g);
  if (!g) return component_no_memory(e, "the machine");
  g->loop.arrays = arrays;
  g->spec = *spec;
  int rc = gpu_init(g, apps, count, e);
  if (rc < 0)
    gpu_free(g);
  else
    *out = g;
  return rc;
}

int gpu_timeline(gpu_t *g, const timeline_window_t *window, err_t *e) {
  int rc = timeline_open(&g->timeline, window, e);
  gpu_note_boundary(g);
  return rc;
}
int gpu_timeline_json(const gpu_t *g, strbuf_t *out, err_t *e) {
  return timeline_json(&g->timeline, out, e);
}
uint64_t gpu_timeline_cut(const gpu_t *g) { return g->timeline.cut_at; }

uint64_t gpu_cycles(const gpu_t *g) { return g->ev.now; }
uint32_t gpu_app_runs(const gpu_t *g, uint32_t app) { return g->share.app[app].runs; }
const mm_t *gpu_memory(const gpu_t *g) { return g->memory.mm; }

uint64_t gpu_instructions(const gpu_t *g) {
  uint64_t n = 0;
  for (uint32_t a = 0; a < g->share.apps; a++) n += g->cores.stats[a].warp_instructions;
  return n;
}

uint64_t gpu_requests(const gpu_t *g) {
  uint64_t n = 0;
  for (uint32_t a = 0; a < g->share.apps; a++)
    n += g->cores.stats[a].lines + g->walker.stats[a].reads;
  return n;
}
