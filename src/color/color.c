/* All that is kept are three spaces of functions. Invariant: the module's space lies in the bank's
 * and in the set's, so everything inside a module is on one side of each of its functions. */
#include "color/color.h"

static int read_list(const bitlist_t *l, const char *key, gf2_space_t *s, err_t *e) {
  gf2_init(s);
  for (uint32_t i = 0; i < l->count; i++) {
    if (gf2_add(s, l->mask[i])) continue;
    err_set(e, GMMU_ERANGE, "function %u is a sum of those before it", i + 1);
    return err_for_key(e, key);
  }
  return GMMU_OK;
}

static int missing(const color_chip_t *chip, err_t *e) {
  const char *key = !chip->bank.count ? "map.bank" : "map.set";
  err_set(e, GMMU_EINVAL,
          "no functions: colours follow from bit lists of banks and L2 sets, as gtx1080 and v100 "
          "have them");
  return err_for_key(e, key);
}

int color_init(color_t *c, const color_chip_t *chip, err_t *e) {
  c->chip = *chip;
  if (!chip->bank.count || !chip->set.count) return missing(chip, e);
  int rc = read_list(&chip->bank, "map.bank", &c->bank, e);
  if (rc == 0) rc = read_list(&chip->set, "map.set", &c->set, e);
  if (rc == 0) rc = read_list(&chip->module, "map.module", &c->module, e);
  if (rc < 0) return rc;
  if (!chip->module.count) gf2_meet(&c->bank, &c->set, &c->module);
  if (gf2_within(&c->module, &c->bank) && gf2_within(&c->module, &c->set)) return GMMU_OK;
  err_set(e, GMMU_ERANGE, "a module function is not a sum of bank functions and of set functions");
  return err_for_key(e, "map.module");
}

void color_pages(const color_t *c, uint64_t page_bytes, color_pages_t *out) {
  out->page_bytes = page_bytes;
  gf2_above(&c->module, gf2_pivot(page_bytes), &out->functions);
  out->colors = 1u << out->functions.rank;
}

uint64_t color_largest_page(const color_t *c, uint32_t colors) {
  color_pages_t p;
  for (uint64_t bytes = 1ull << 40; bytes >= 4096; bytes /= 2) {
    color_pages(c, bytes, &p);
    if (p.colors >= colors) return bytes;
  }
  return 0;
}

/* ---- tenants ---- */

/* The tenant with the largest remainder of its due: share * colours / total less what it has. */
static uint32_t neediest(const color_tenant_t *t, uint32_t count, uint64_t colors, uint64_t total) {
  uint32_t best = 0;
  int64_t most = INT64_MIN;
  for (uint32_t i = 0; i < count; i++) {
    int64_t lacks = (int64_t)(t[i].share * colors) - (int64_t)(t[i].count * total);
    if (lacks <= most) continue;
    most = lacks;
    best = i;
  }
  return best;
}

int color_deal(const color_pages_t *p, const uint32_t *shares, uint32_t count,
               color_tenant_t *tenants, err_t *e) {
  uint64_t total = 0;
  if (!count || count > p->colors)
    return err_set(e, GMMU_ERANGE, "%u tenants, but pages of %llu KB have %u colour%s", count,
                   (unsigned long long)p->page_bytes / 1024, p->colors, p->colors > 1 ? "s" : "");
  for (uint32_t i = 0; i < count; i++) {
    tenants[i] = (color_tenant_t){.share = shares[i], .count = 1};
    total += shares[i];
  }
  for (uint32_t left = p->colors - count; left; left--)
    tenants[neediest(tenants, count, p->colors, total)].count++;
  for (uint32_t i = 0, first = 0; i < count; first += tenants[i++].count) tenants[i].first = first;
  return GMMU_OK;
}
