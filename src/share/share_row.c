/* The rows of the applications, their turns and their colours. */
#include "share/colours.h"
#include "share/mig.h"
#include "share/share.h"
#include "share/turns.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- applications ---- */

static const char *const share_modes[] = {"space", "time", "threads", "mig", NULL};
static const char *share_mode(uint32_t i) { return share_modes[i < 4 ? i : 4]; }
static const char *const share_costs[] = {"state", "fixed", NULL};
static const char *share_cost(uint32_t i) { return share_costs[i < 2 ? i : 2]; }

static const opt_t share_options[] = {
    {"mode", OPT_NAME, offsetof(share_spec_t, mode), 0, 0, 0, "",
     "space: SMs of their own; time: all SMs, in turn; threads: all SMs, a part of each; mig: an "
     "instance of the GPU each",
     share_mode, "space"},
    {"threads", OPT_U32, offsetof(share_spec_t, threads), 0, 100, 0, "%",
     "threads: what one application may have of an SM's threads, blocks, registers and shared "
     "memory; 0: equal parts, or as --sms divides the chip",
     NULL, NULL},
    {"quantum", OPT_U32, offsetof(share_spec_t, quantum_cycles), 1, UINT32_MAX, 2000000, "cycles",
     "time: length of a turn while others wait (a guess: about 2 ms)", NULL, NULL},
    {"cost", OPT_NAME, offsetof(share_spec_t, cost), 0, 0, 0, "",
     "time: a change takes what registers and shared memory in use take through DRAM, or fixed",
     share_cost, "state"},
    {"switch", OPT_U32, offsetof(share_spec_t, switch_cycles), 0, 1u << 30, 0, "cycles",
     "time: a change with share.cost=fixed, after the last access", NULL, NULL},
    {"flush_l1", OPT_BOOL, offsetof(share_spec_t, flush_l1), 0, 1, 1, "",
     "time: a turn starts with empty L1 caches", NULL, NULL},
    {"flush_tlbs", OPT_BOOL, offsetof(share_spec_t, flush_tlbs), 0, 1, 0, "",
     "time: a turn starts with empty TLBs, as where tags have no address space", NULL, NULL},
    {"stagger", OPT_U32, offsetof(share_spec_t, stagger_cycles), 0, 1u << 24, 0, "cycles",
     "each application's first kernel begins so much later than that of the one before it", NULL,
     NULL},
    {"kernels", OPT_U32, offsetof(share_spec_t, kernels), 1, REQUEST_KERNELS, 32, "kernels",
     "kernels of several streams of one application that run at once (CUDA C++ Programming Guide: "
     "32 with compute capability 5.0 and 6.1, 128 with 7.0 and from 7.5 on)",
     NULL, NULL},
    {"mig", OPT_BITS, offsetof(share_spec_t, mig), 1, 7, 0, "",
     "mig: the instances, 3; 2; 2 for 3g, 2g and 2g; none: equal ones", NULL, NULL},
    {"mig_tlb", OPT_BOOL, offsetof(share_spec_t, mig_tlb), 0, 1, 1, "",
     "mig: instances share the last TLB level, as on the A100 (CCS 2023); false: each has one of "
     "the same size",
     NULL, NULL},
    {"mig_walkers", OPT_BOOL, offsetof(share_spec_t, mig_walkers), 0, 1, 1, "",
     "mig: instances share the walkers and the page-walk cache (STAR, MICRO 2024); false: each has "
     "as many",
     NULL, NULL},
    {0},
};
static const option_group_t share_groups[] = {
    {"share", "how applications share the SMs", share_options, offsetof(gpu_spec_t, share)},
    {0},
};

static int init_turn(const share_t *h, const app_t *p, uint32_t sms, err_t *e) {
  if (!sms || sms == p->sms) return GMMU_OK;
  return err_set(e, GMMU_ERANGE,
                 "application %s wants %u SMs; with share.mode=%s it has all %u in turn", p->name,
                 sms, share_spec(h)->share.mode, p->sms);
}

/* As large as some of the SMs are of the chip, if that is said; or share.threads; or equal. */
static int init_part(const share_t *h, app_t *p, uint32_t sms, err_t *e) {
  uint32_t percent = share_spec(h)->share.threads;
  if (sms > p->sms)
    return err_set(e, GMMU_ERANGE, "application %s wants as much as %u SMs of %u", p->name, sms,
                   p->sms);
  if (sms && percent) {
    err_set(e, GMMU_ERANGE, "%u%% of every SM, or as much as %u of %u SMs: which of them?", percent,
            sms, p->sms);
    return err_for_key(e, "share.threads");
  }
  p->part_of = sms ? sms : percent ? percent : 1;
  p->part_whole = sms ? p->sms : percent ? 100 : h->apps;
  p->part = sm_part(&share_spec(h)->sm, p->part_of, p->part_whole);
  return GMMU_OK;
}

static int all_sms(share_t *h, err_t *e) {
  int rc = 0;
  for (uint32_t a = 0; a < h->apps && rc == 0; a++) {
    app_t *p = &h->app[a];
    p->sms = share_spec(h)->core.sms;
    rc = h->parts ? init_part(h, p, h->given[a].sms, e) : init_turn(h, p, h->given[a].sms, e);
  }
  return rc;
}

static int own_sms(share_t *h, err_t *e) {
  uint32_t sms = share_spec(h)->core.sms;
  for (uint32_t a = 0; a < h->apps; a++) {
    app_t *p = &h->app[a];
    uint32_t begin = gpu_share_begin(sms, h->apps, a), wanted = h->given[a].sms;
    p->first_sm = wanted ? h->given[a].first_sm : begin;
    p->sms = wanted ? wanted : gpu_share_begin(sms, h->apps, a + 1) - begin;
    if (p->first_sm + p->sms > sms)
      return err_set(e, GMMU_ERANGE, "application %s wants SMs %u .. %u, but the GPU has %u",
                     p->name, p->first_sm, p->first_sm + p->sms - 1, sms);
    for (uint32_t b = 0; b < a; b++)
      if (p->first_sm < h->app[b].first_sm + h->app[b].sms &&
          h->app[b].first_sm < p->first_sm + p->sms)
        return err_set(e, GMMU_ERANGE, "applications %s and %s want the same SMs", h->app[b].name,
                       p->name);
  }
  return GMMU_OK;
}

static int mig_sms(share_t *h, err_t *e) {
  int rc = mig_divide(share_spec(h), h->apps, h->mig, e);
  for (uint32_t a = 0; a < h->apps && rc == 0; a++) {
    app_t *p = &h->app[a];
    p->first_sm = h->mig[a].first_sm, p->sms = h->mig[a].sms;
    if (h->given[a].sms && h->given[a].sms != p->sms)
      return err_set(e, GMMU_ERANGE, "application %s wants %u SMs; its MIG instance, %ug, has %u",
                     p->name, h->given[a].sms, h->mig[a].profile, p->sms);
  }
  return rc;
}

static int share_init(void *block, err_t *e) {
  share_t *h = block;
  uint32_t sms = share_spec(h)->core.sms, count = h->apps;
  bool all = gpu_all_sms(&share_spec(h)->share);
  h->apps = 0; /* nobody, if there are too many */
  h->parts = strcmp(share_spec(h)->share.mode, "threads") == 0;
  if (all && (!count || count > GMMU_MAX_APPS))
    return err_set(e, GMMU_ERANGE, "%u applications; at most %u", count, GMMU_MAX_APPS);
  if (!count || count > GMMU_MAX_APPS || (!all && count > sms))
    return err_set(e, GMMU_ERANGE, "%u applications on %u SMs; at most %u, and one SM each", count,
                   sms, GMMU_MAX_APPS);
  h->apps = count;
  for (uint32_t a = 0; a < count; a++) {
    app_t *p = &h->app[a];
    snprintf(p->name, sizeof p->name, "%s", h->given[a].name);
    p->source = h->given[a].source, p->once = h->given[a].once;
  }
  if (mig_wanted(&share_spec(h)->share)) return mig_sms(h, e);
  return all ? all_sms(h, e) : own_sms(h, e);
}

static void share_fini(void *block) {
  share_t *h = block;
  for (uint32_t a = 0; a < h->apps; a++)
    for (uint32_t k = 0; k < REQUEST_KERNELS; k++) {
      kernel_t *x = h->app[a].kernel[k];
      if (!x) continue;
      if (x->source && x->source != h->app[a].source) x->source->ops->free(x->source);
      sm_code_fini(&x->code);
      free(x);
    }
}

static void page_unmapped(void *block, asid_t asid, vpn_t vpn) {
  share_t *h = block;
  err_set(&share_ev(h)->error, GMMU_EFAULT,
          "application %u (%s) accessed %#llx, outside every allocation", asid, h->app[asid].name,
          (unsigned long long)vpn.v << share_memory(h)->page_shift);
  engine_fail(share_ev(h), GMMU_EFAULT);
}
static const hooks_t *share_hooks(const void *block) {
  static const hooks_t hooks = {.unmapped = page_unmapped};
  (void)block;
  return &hooks;
}

void share_head_json(const share_t *h, uint32_t app, json_t *j) {
  const app_t *p = &h->app[app];
  uint64_t instructions = share_cores(h)->stats[app].warp_instructions;
  json_key(j, "name"), json_str(j, p->name);
  json_key(j, "first_sm"), json_u64(j, p->first_sm);
  json_key(j, "sms"), json_u64(j, p->sms);
  if (h->parts) json_key(j, "percent_of_sm"), json_ratio(j, 100ull * p->part_of, p->part_whole, 2);
  if (h->mig[app].profile) json_key(j, "mig"), json_u64(j, h->mig[app].profile);
  json_key(j, "runs"), json_u64(j, p->runs);
  json_key(j, "launches"), json_u64(j, p->launches);
  json_key(j, "first_end_cycle"), json_u64(j, p->first_end);
  json_key(j, "complete_cycles"), json_u64(j, p->complete_cycles);
  json_key(j, "complete_instructions"), json_u64(j, p->complete_instructions);
  json_key(j, "ipc"), json_ratio(j, instructions, share_ev(h)->now, 6);
  json_key(j, "complete_ipc"), json_ratio(j, p->complete_instructions, p->complete_cycles, 6);
}

static const component_t share_row = {.name = "applications",
                                      .stage = STAGE_APPS,
                                      .options = share_groups,
                                      .init = share_init,
                                      .fini = share_fini,
                                      .hooks = share_hooks};

/* ---- turns ---- */

#define X(n, u, h) STAT_DESC(turn_stats_t, n, u, h),
static const stat_desc_t turn_list[] = {TURN_STATS(X){0}};
#undef X
static const stat_group_t turns_stats[] = {
    {"apps[].turn", "turns on the SMs, if applications share time", turn_list},
    {0},
};

static void turns_app_json(const void *block, uint32_t app, json_t *j) {
  stat_json_object(j, "turn", &((const turns_t *)block)->stats[app], turn_list);
}

static const component_t turns_row = {.name = "turns",
                                      .stage = STAGE_BLOCKS,
                                      .init = turns_init,
                                      .fini = turns_fini,
                                      .check = turns_check,
                                      .stats = turns_stats,
                                      .app_json = turns_app_json};

/* ---- colours ---- */

static void request_entered(void *block, const request_t *r) { colours_note(block, r); }
static const hooks_t *colours_hooks(const void *block) {
  static const hooks_t hooks = {.l2_entered = request_entered};
  return ((const colours_t *)block)->watch ? &hooks : NULL;
}

#define X(n, u, h) STAT_DESC(colour_stats_t, n, u, h),
static const stat_desc_t colour_list[] = {COLOUR_STATS(X){0}};
#undef X
static const stat_group_t colours_stats[] = {
    {"apps[].colour", "page colours; with mem.manager=coloured", colour_list},
    {0},
};

static void colours_app_json(const void *block, uint32_t app, json_t *j) {
  const colours_t *c = block;
  if (!c->stats) return;
  stat_json_begin(j, "colour");
  stat_json(j, &c->stats[app], colour_list);
  json_key(j, "list");
  json_begin_array(j);
  for (uint64_t m = c->of.of_space[app]; m; m &= m - 1) json_u64(j, (uint64_t)__builtin_ctzll(m));
  json_end_array(j);
  json_end_object(j);
}

static const component_t colours_row = {.name = "page colours",
                                        .stage = STAGE_OBSERVERS, /* after map, memory and L2 */
                                        .init = colours_init,
                                        .fini = colours_fini,
                                        .hooks = colours_hooks,
                                        .check = colours_check,
                                        .stats = colours_stats,
                                        .app_json = colours_app_json};
