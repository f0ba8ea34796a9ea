/* The frame pool: free sets of base and of large frames, and a reverse map by large frame.
 *
 * Invariant: large[l].used is the number of taken bits of its base frames; large frame l is in the
 * free set `larges`, and has no reverse map, exactly if that is 0. So memory nobody uses costs the
 * host one bit per frame and a header per large frame, and neither is touched. */
#include "mm/pool.h"
#include <assert.h>

static uint32_t frames_per_large(const pool_t *p) { return 1u << p->large_order; }
static size_t owner_bytes(const pool_t *p) { return sizeof(uint64_t) << p->large_order; }

static bool init_frames(pool_t *p, uint32_t frames, uint32_t spaces, const mm_colours_t *c) {
  return c ? stripes_init_hash(&p->frames, p->host, frames, c->functions, c->function)
           : stripes_init(&p->frames, p->host, frames, spaces, frames_per_large(p));
}

int pool_init(pool_t *p, const mm_host_t *h, uint32_t frames, uint32_t large_order, uint32_t spaces,
              const mm_colours_t *colours) {
  uint32_t larges = frames >> large_order;
  *p = (pool_t){.host = h, .stock.host = h, .large_order = large_order};
  p->stock.bytes[STOCK_OWNERS] = owner_bytes(p);
  if (!init_frames(p, frames, spaces, colours)) return GMMU_ENOMEM;
  if (!stripes_init(&p->larges, h, larges, 1, 1)) return GMMU_ENOMEM;
  p->large = host_alloc(h, larges * sizeof *p->large);
  return p->large ? GMMU_OK : GMMU_ENOMEM;
}

void pool_fini(pool_t *p) {
  stock_empty(&p->stock);
  if (p->large) {
    for (uint32_t l = 0; l < p->larges.count; l++)
      host_free(p->host, p->large[l].owner, owner_bytes(p));
    host_free(p->host, p->large, p->larges.count * sizeof *p->large);
  }
  stripes_fini(&p->larges, p->host);
  stripes_fini(&p->frames, p->host);
}

/* The large frame, with its reverse map; NULL if the host has no memory. */
static large_frame_t *open_large(pool_t *p, uint32_t large) {
  large_frame_t *l = &p->large[large];
  if (l->used) return l;
  l->owner = stock_take(&p->stock, STOCK_OWNERS);
  if (!l->owner) return NULL;
  stripes_take(&p->larges, large);
  return l;
}

static void tell(const pool_t *p, uint32_t large, uint8_t owner, bool taken) {
  if (p->hooks && p->hooks->changed) p->hooks->changed(p->hooks_ctx, large, owner, taken);
}

static void set_owner(pool_t *p, large_frame_t *l, uint32_t frame, uint8_t owner, uint64_t vpn) {
  l->owner[frame & (frames_per_large(p) - 1)] = vpn << 8 | (uint8_t)~owner;
  l->used++;
  stripes_take(&p->frames, frame);
  p->other += owner == MM_OWNER_OTHER;
  tell(p, frame >> p->large_order, owner, true);
}

int pool_claim(pool_t *p, uint32_t frame, uint8_t owner, uint64_t vpn) {
  large_frame_t *l = open_large(p, frame >> p->large_order);
  if (!l) return GMMU_ENOMEM;
  set_owner(p, l, frame, owner, vpn);
  return GMMU_OK;
}

int pool_claim_large(pool_t *p, uint32_t large, uint8_t owner, uint64_t vpn) {
  assert(!p->large[large].used);
  large_frame_t *l = open_large(p, large);
  if (!l) return GMMU_ENOMEM;
  for (uint32_t i = 0; i < frames_per_large(p); i++)
    set_owner(p, l, (large << p->large_order) + i, owner, vpn + i);
  return GMMU_OK;
}

void pool_give(pool_t *p, uint32_t frame) {
  uint32_t large = frame >> p->large_order;
  large_frame_t *l = &p->large[large];
  uint64_t *word = &l->owner[frame & (frames_per_large(p) - 1)];
  uint8_t owner = (uint8_t) ~*word;
  stripes_give(&p->frames, frame);
  *word = 0;
  p->other -= owner == MM_OWNER_OTHER;
  if (!--l->used) {
    stock_give(&p->stock, STOCK_OWNERS, l->owner);
    l->owner = NULL;
    stripes_give(&p->larges, large);
  }
  tell(p, large, owner, false);
}

void pool_give_large(pool_t *p, uint32_t large) {
  for (uint32_t i = 0; i < frames_per_large(p); i++) pool_give(p, (large << p->large_order) + i);
}

uint32_t pool_table_frame(pool_t *p, asid_t asid) {
  return p->hooks ? p->hooks->table_frame(p->hooks_ctx, asid) : stripes_highest(&p->frames, asid);
}
