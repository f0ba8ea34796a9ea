/* Profiles and where they fit. The chip's memory is in slices, its GPCs lie beside them: GPC i at
 * slice i. An instance takes slices from one of its profile's places on, and the GPCs beside them:
 * as many as its number says, or where there is a GPC for every slice (H100: 8), one for each.
 *
 * Invariant: no slice, and so no GPC, channel or frame, is of two instances. */
#include "share/mig.h"
#include "base/strbuf.h"
#include <stdio.h>
#include <string.h>

typedef struct {
  uint32_t number; /* of GPCs: 3 of 3g */
  uint32_t slices; /* of memory */
  uint32_t places; /* bit per slice at which it may begin */
} profile_t;

/* NVIDIA's MIG user guide, "Supported MIG Profiles" and "MIG Placements". */
static const profile_t of_seven[] = {{7, 8, 0x01}, {4, 4, 0x01}, {3, 4, 0x11},
                                     {2, 2, 0x15}, {1, 1, 0x7f}, {0}};
static const profile_t of_four[] = {{4, 4, 0x1}, {2, 2, 0x5}, {1, 1, 0xf}, {0}};
#define MOST 7u /* instances */

static const profile_t *profiles(const gpu_spec_t *s) {
  return s->core.mig == 7 ? of_seven : s->core.mig == 4 ? of_four : NULL;
}

bool mig_wanted(const share_spec_t *s) { return strcmp(s->mode, "mig") == 0; }
uint32_t mig_memory_slices(const gpu_spec_t *s) { return profiles(s)[0].slices; }

static const profile_t *find(const profile_t *all, uint32_t number) {
  while (all->number && all->number != number) all++;
  return all->number ? all : NULL;
}

/* Places for all of them, by trying: taken is a bit per slice of memory. */
static bool place(const profile_t *all, const uint32_t *number, uint32_t count, uint32_t taken,
                  uint32_t *at) {
  if (!count) return true;
  const profile_t *p = find(all, *number);
  for (uint32_t i = 0; p && i < all->slices; i++) {
    uint32_t own = ((1u << p->slices) - 1) << i;
    if (!(p->places >> i & 1) || taken & own) continue;
    *at = i;
    if (place(all, number + 1, count - 1, taken | own, at + 1)) return true;
  }
  return false;
}

static bool fits(const profile_t *all, const uint32_t *number, uint32_t count) {
  uint32_t at[MOST];
  return count <= MOST && place(all, number, count, 0, at);
}

/* ---- what there is ---- */

static bool is_full(const profile_t *all, uint32_t *number, uint32_t count) {
  for (const profile_t *p = all; p->number && count < MOST; p++) {
    number[count] = p->number;
    if (fits(all, number, count + 1)) return false;
  }
  return true;
}

/* Every division that has room for no further instance, larger ones first. */
static void name_all(const profile_t *all, uint32_t *number, uint32_t count, strbuf_t *out) {
  if (count && is_full(all, number, count)) {
    if (out->size) strbuf_str(out, "; ");
    for (uint32_t i = 0; i < count; i++) strbuf_printf(out, "%s%ug", i ? "," : "", number[i]);
    return;
  }
  for (const profile_t *p = all; p->number; p++) {
    if (count && p->number > number[count - 1]) continue;
    number[count] = p->number;
    if (fits(all, number, count + 1)) name_all(all, number, count + 1, out);
  }
}

static int refuse(const profile_t *all, const char *why, err_t *e) {
  strbuf_t names;
  uint32_t number[MOST + 1];
  strbuf_init(&names);
  name_all(all, number, 0, &names);
  err_set(e, GMMU_ERANGE, "%s; there are %s, and parts of these", why, strbuf_text(&names));
  strbuf_fini(&names);
  return err_for_key(e, "share.mig");
}

/* ---- the instances ---- */

static int take_listed(const profile_t *all, const bitlist_t *l, uint32_t apps, uint32_t *number,
                       err_t *e) {
  char why[96];
  for (uint32_t i = 0; i < l->count && i < MOST; i++) {
    number[i] = (uint32_t)__builtin_ctzll(l->mask[i]);
    snprintf(why, sizeof why, "no instance is a %ug", number[i]);
    if (__builtin_popcountll(l->mask[i]) != 1) return refuse(all, "one number each", e);
    if (!find(all, number[i])) return refuse(all, why, e);
  }
  if (!fits(all, number, l->count)) return refuse(all, "these do not fit beside each other", e);
  snprintf(why, sizeof why, "%u applications, but %u instances", apps, l->count);
  return apps > l->count ? refuse(all, why, e) : GMMU_OK;
}

static int take_equal(const profile_t *all, uint32_t apps, uint32_t *number, err_t *e) {
  char why[64];
  snprintf(why, sizeof why, "%u applications, one instance each", apps);
  for (const profile_t *p = all; p->number && apps <= MOST; p++) {
    for (uint32_t i = 0; i < apps; i++) number[i] = p->number;
    if (fits(all, number, apps)) return GMMU_OK;
  }
  return refuse(all, why, e);
}

static int check_chip(const gpu_spec_t *s, err_t *e) {
  const profile_t *all = profiles(s);
  if (!all) {
    err_set(e, GMMU_ERANGE,
            "%u: only a chip of 7 slices, as a100 and h100, or of 4 can be divided by MIG",
            s->core.mig);
    return err_for_key(e, "gpu.mig");
  }
  uint32_t gpcs = s->core.gpcs.count;
  if (gpcs != s->core.mig && gpcs != all->slices) {
    err_set(e, GMMU_ERANGE, "%u GPCs, but MIG has instances of %u slices: %u or %u GPCs", gpcs,
            s->core.mig, s->core.mig, all->slices);
    return err_for_key(e, "gpu.gpcs");
  }
  if (s->dram.channels % all->slices) {
    err_set(e, GMMU_ERANGE, "%u channels cannot be dealt out in %u equal parts, as MIG does",
            s->dram.channels, all->slices);
    return err_for_key(e, "dram.channels");
  }
  if (strcmp(s->map.kind, "hash") == 0 || s->map.partition) {
    err_set(e, GMMU_ERANGE,
            "MIG divides the channels: neither hash nor map.partition goes with it");
    return err_for_key(e, strcmp(s->map.kind, "hash") ? "map.partition" : "map.kind");
  }
  return GMMU_OK;
}

static void settle(const gpu_spec_t *s, const profile_t *p, uint32_t at, mig_instance_t *out) {
  bool gpc_each = s->core.gpcs.count == mig_memory_slices(s);
  uint32_t gpcs = gpc_each ? p->slices : p->number;
  *out = (mig_instance_t){.profile = p->number, .first_slice = at, .slices = p->slices};
  for (uint32_t g = 0; g < at; g++) out->first_sm += gpu_spec_gpc_sms(s, g);
  for (uint32_t g = at; g < at + gpcs; g++) out->sms += gpu_spec_gpc_sms(s, g);
}

int mig_divide(const gpu_spec_t *s, uint32_t apps, mig_instance_t out[GMMU_MAX_APPS], err_t *e) {
  uint32_t number[MOST] = {0}, at[MOST];
  int rc = check_chip(s, e);
  if (rc < 0) return rc;
  const profile_t *all = profiles(s);
  uint32_t count = s->share.mig.count ? s->share.mig.count : apps;
  rc = s->share.mig.count ? take_listed(all, &s->share.mig, apps, number, e)
                          : take_equal(all, apps, number, e);
  if (rc < 0) return rc;
  place(all, number, count, 0, at);
  for (uint32_t a = 0; a < apps; a++) settle(s, find(all, number[a]), at[a], &out[a]);
  return GMMU_OK;
}
