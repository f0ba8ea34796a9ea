/* Pools and instances of the TLB hierarchy; what they do is in front.c and level.c. */
#include "tlb/xlat.h"
#include <string.h>

int xlat_pool_init(xlat_pool_t *p, uint32_t capacity, uint32_t words, arrays_t *a) {
  memset(p, 0, sizeof *p);
  p->at = arrays_take(a, capacity * sizeof *p->at);
  p->warp_mask = arrays_take(a, (words > 1 ? (size_t)capacity * words : 1) * sizeof *p->warp_mask);
  if (!p->at || !p->warp_mask) return GMMU_ENOMEM;
  for (uint32_t i = 0; i < capacity; i++) p->at[i].next = i + 1;
#ifdef GMMU_BACKWARDS /* no number of a translation reaches a result */
  for (uint32_t i = 0; i < capacity; i++) p->at[i].next = i ? i - 1 : capacity;
  p->free_head = capacity - 1;
#endif
  p->capacity = capacity;
  p->words = words;
  return GMMU_OK;
}

/* Two buckets per MSHR keep chains short. */
static int pending_init(tlb_pending_t *p, uint32_t mshrs, arrays_t *a) {
  uint32_t bits = 1;
  while (1u << bits < 2 * mshrs) bits++;
  *p = (tlb_pending_t){.bucket = arrays_take(a, sizeof *p->bucket << bits), .shift = 64 - bits};
  if (!p->bucket) return GMMU_ENOMEM;
  for (uint32_t i = 0; i < 1u << bits; i++) p->bucket[i] = XLAT_NONE;
  return GMMU_OK;
}

int tlb_instance_init(tlb_instance_t *t, const tlb_spec_t *spec, const tlb_format_t *format,
                      const tlb_env_t *env, uint32_t large_pages_shift, arrays_t *a, err_t *e) {
  memset(t, 0, sizeof *t);
  t->stalled_head = t->stalled_tail = XLAT_NONE;
  t->mshrs = spec->mshrs;
  t->port.width = spec->ports;
  int rc = tlb_init_format(&t->array, spec, format, env, large_pages_shift, e);
  if (rc == 0 && pending_init(&t->pending, spec->mshrs, a) < 0)
    rc = err_set(e, GMMU_ENOMEM, "out of memory for MSHRs");
  return rc;
}

void tlb_instance_fini(tlb_instance_t *t) { tlb_fini(&t->array); }
