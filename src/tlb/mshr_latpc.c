/* LATPC's MSHRs (MICRO'25): an MSHR of a first-level TLB is of a group of pages that lie a stride
 * apart, with a bit for each of its pages that is under way. A detector behind the coalescer finds
 * the groups: the first page of an instruction, one that breaks the stride and one in another
 * region begin a group. A miss takes a place in the MSHR of its group, else an MSHR of its own.
 *
 * Invariant: an MSHR is free while none of its bits is set; `of[xlat]` has the place of a
 * translation under way. */
#include "tlb/mshr.h"
#include <string.h>

#define STRIDE_MOST 255 /* of nine bits, signed: reported */

const opt_t latpc_options[] = {
    {"pages", OPT_U32, offsetof(latpc_spec_t, pages), 1, 32, 32, "pages",
     "of a group, at most: bits of an MSHR's mask", NULL, NULL}, /* reported */
    {"region", OPT_U32, offsetof(latpc_spec_t, region_pages), 1, 1 << 20, 512, "pages",
     "that a group does not leave: those of one table", NULL, NULL}, /* reported: VPN >> 9 */
    {"drain", OPT_U32, offsetof(latpc_spec_t, drain), 1, 32, 32, "reads",
     "walk.policy=latpc: of last entries that a walker has under way at once (a guess)", NULL,
     NULL},
    {0},
};

/* ---- the detector ---- */

void latpc_detect(latpc_detector_t *d, const latpc_spec_t *spec, vpn_t vpn, uint32_t order) {
  page_group_t *p = &d->page;
  uint64_t page = vpn.v >> order;
  int64_t stride = (int64_t)(page - d->last);
  bool goes_on = d->any && p->order == order && stride && stride <= STRIDE_MOST &&
                 stride >= -STRIDE_MOST - 1 && (!p->index || stride == p->stride) &&
                 p->index + 1u < spec->pages &&
                 page / spec->region_pages == p->base / spec->region_pages;
  if (goes_on)
    p->stride = (int16_t)stride, p->index++;
  else
    *p = (page_group_t){.base = page, .order = (uint8_t)order};
  d->last = page;
  d->any = true;
}

/* ---- the MSHRs ---- */

typedef struct {
  uint64_t base;
  uint32_t mask; /* 0: it is free */
  int16_t stride;
  uint8_t order;
  asid_t asid;
} latpc_mshr_t;

typedef struct {
  uint32_t mshr;
  uint8_t index;
} latpc_place_t;

typedef struct {
  mshr_env_t env;
  uint32_t used;
  latpc_place_t *of; /* [xlat] */
  latpc_mshr_t at[];
} latpc_t;

static size_t latpc_bytes(const mshr_env_t *env) {
  return sizeof(latpc_t) + env->mshrs * sizeof(latpc_mshr_t) + env->xlats * sizeof(latpc_place_t);
}

static void latpc_init(void *state, const mshr_env_t *env) {
  latpc_t *s = state;
  s->env = *env;
  s->of = (latpc_place_t *)(void *)(s->at + env->mshrs);
}

/* An MSHR whose group has no stride yet takes that of the page that joins. */
static bool joins(const latpc_mshr_t *m, asid_t asid, const page_group_t *g) {
  return m->mask && m->asid == asid && m->order == g->order && m->base == g->base &&
         (m->stride == g->stride || !m->stride || !g->stride) && !(m->mask >> g->index & 1);
}

/* The MSHR of its group, or mshrs. */
static uint32_t own_group(const latpc_t *s, asid_t asid, const page_group_t *g) {
  uint32_t i = 0;
  while (i < s->env.mshrs && !joins(&s->at[i], asid, g)) i++;
  return i;
}

static bool latpc_room(const void *state, asid_t asid, vpn_t vpn, const page_group_t *g,
                       uint32_t due) {
  const latpc_t *s = state;
  (void)vpn;
  return s->used + due < s->env.mshrs || own_group(s, asid, g) < s->env.mshrs;
}

static void latpc_take(void *state, uint32_t xlat, asid_t asid, vpn_t vpn, const page_group_t *g) {
  latpc_t *s = state;
  uint32_t i = own_group(s, asid, g);
  (void)vpn;
  if (i < s->env.mshrs) {
    s->env.stats[asid].grouped++;
    if (g->stride) s->at[i].stride = g->stride;
  } else {
    for (i = 0; s->at[i].mask; i++)
      ;
    s->at[i] =
        (latpc_mshr_t){.base = g->base, .stride = g->stride, .order = g->order, .asid = asid};
    s->used++;
    s->env.stats[asid].entries++;
  }
  s->at[i].mask |= 1u << g->index;
  s->of[xlat] = (latpc_place_t){i, g->index};
}

static void latpc_give(void *state, uint32_t xlat) {
  latpc_t *s = state;
  latpc_mshr_t *m = &s->at[s->of[xlat].mshr];
  m->mask &= ~(1u << s->of[xlat].index);
  s->used -= !m->mask;
}

static bool latpc_check(const void *state, uint32_t under_way) {
  const latpc_t *s = state;
  uint32_t used = 0, pages = 0;
  for (uint32_t i = 0; i < s->env.mshrs; i++) {
    used += s->at[i].mask != 0;
    pages += (uint32_t)__builtin_popcount(s->at[i].mask);
  }
  return used == s->used && pages == under_way;
}

const mshr_ops_t tlb_mshr_latpc = {
    .name = "latpc",
    .help = "pages of an instruction that lie a stride apart share an MSHR (LATPC)",
    .first = true,
    .pages = 32,
    .state_bytes = latpc_bytes,
    .init = latpc_init,
    .room = latpc_room,
    .take = latpc_take,
    .give = latpc_give,
    .check = latpc_check,
};
