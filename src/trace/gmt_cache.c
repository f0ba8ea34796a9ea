/* Slots of the largest frame's size in one allocation, in a list from oldest to newest use.
 *
 * Warps copy their piece out (gmt_reader.c), so nobody points into a slot between calls and any
 * slot may be evicted at any time: a cache of one slot is slow but right. Invariant: slot s holds
 * frame f exactly if index.frame[f].slot == s. */
#include "trace/gmt_cache.h"
#include <stdlib.h>

int gmt_cache_init(cache_t *c, uint64_t budget_bytes, err_t *e) {
  uint64_t n = budget_bytes / GMT_MAX_FRAME;
  *c = (cache_t){.slots = n < 1 ? 1 : n > 65536 ? 65536 : (uint32_t)n};
  c->bytes = malloc((size_t)c->slots * GMT_MAX_FRAME); /* the system backs it when it is touched */
  c->slot = malloc(c->slots * sizeof *c->slot);
  if (!c->bytes || !c->slot) {
    gmt_cache_fini(c);
    return err_set(e, GMMU_ENOMEM, "out of memory for the frame cache");
  }
  gmt_cache_clear(c);
  return GMMU_OK;
}

void gmt_cache_fini(cache_t *c) {
  free(c->bytes), free(c->slot);
  *c = (cache_t){0};
}

void gmt_cache_clear(cache_t *c) {
  uint64_t last = c->slots - 1;
  for (uint32_t i = 0; i < c->slots; i++)
    c->slot[i] = (slot_t){NO_SLOT, i ? i - 1 : NO_SLOT, i < last ? i + 1 : NO_SLOT};
  c->oldest = 0, c->newest = (uint32_t)last;
}

static void unlink_slot(cache_t *c, uint32_t s) {
  slot_t *x = &c->slot[s];
  if (x->older == NO_SLOT)
    c->oldest = x->newer;
  else
    c->slot[x->older].newer = x->newer;
  if (x->newer == NO_SLOT)
    c->newest = x->older;
  else
    c->slot[x->newer].older = x->older;
}

static void link_newest(cache_t *c, uint32_t s) {
  c->slot[s].older = c->newest, c->slot[s].newer = NO_SLOT;
  if (c->newest == NO_SLOT)
    c->oldest = s;
  else
    c->slot[c->newest].newer = s;
  c->newest = s;
}

static void link_oldest(cache_t *c, uint32_t s) {
  c->slot[s].newer = c->oldest, c->slot[s].older = NO_SLOT;
  if (c->oldest == NO_SLOT)
    c->newest = s;
  else
    c->slot[c->oldest].older = s;
  c->oldest = s;
}

static int fill(cache_t *c, index_t *x, file_t *f, uint32_t s, uint32_t frame, err_t *e) {
  if (c->slot[s].frame != NO_SLOT) x->frame[c->slot[s].frame].slot = NO_SLOT;
  c->slot[s].frame = NO_SLOT;
  if (s >= c->used) c->used = s + 1;
  c->frames_read++;
  int rc = gmt_file_read_unit(f, &x->frame[frame].where, "frame",
                              c->bytes + (size_t)s * GMT_MAX_FRAME, e);
  if (rc < 0) return rc;
  c->slot[s].frame = frame;
  x->frame[frame].slot = s;
  return GMMU_OK;
}

const uint8_t *gmt_cache_get(cache_t *c, index_t *x, file_t *f, uint32_t frame, err_t *e) {
  uint32_t s = x->frame[frame].slot;
  if (s == NO_SLOT) {
    s = c->oldest;
    if (fill(c, x, f, s, frame, e) < 0) return NULL;
  }
  if (s != c->newest) unlink_slot(c, s), link_newest(c, s);
  return c->bytes + (size_t)s * GMT_MAX_FRAME;
}

void gmt_cache_done(cache_t *c, const index_t *x, uint32_t frame) {
  uint32_t s = x->frame[frame].slot;
  if (s == NO_SLOT || s == c->oldest) return;
  unlink_slot(c, s);
  link_oldest(c, s);
}
