/* Lists of actions: an array that grows by doubling, reserved before anything changes so that
 * appending cannot fail. A NULL list swallows everything. */
#include "mm/manager.h"
#include <assert.h>
#include <stdlib.h>

void mm_actions_clear(mm_actions_t *a) { a->count = 0; }

void mm_actions_fini(mm_actions_t *a) {
  free(a->item);
  *a = (mm_actions_t){0};
}

int actions_reserve(mm_t *m, mm_actions_t *a, size_t more) {
  if (!a || a->capacity - a->count >= more) return GMMU_OK;
  size_t capacity = a->capacity ? a->capacity : 16;
  while (capacity - a->count < more) capacity *= 2;
  mm_action_t *item = m->host.resize(m->host.ctx, a->item, capacity * sizeof *item);
  if (!item) return GMMU_ENOMEM;
  a->item = item, a->capacity = capacity;
  return GMMU_OK;
}

void actions_push(mm_actions_t *a, const mm_action_t *x) {
  if (!a) return;
  assert(a->count < a->capacity);
  a->item[a->count++] = *x;
}

void actions_push_range(mm_actions_t *a, mm_action_kind_t kind, asid_t asid, span_t pages) {
  mm_action_t x = {.kind = (uint8_t)kind, .asid = asid, .pages = pages.count, .vpn = {pages.first}};
  actions_push(a, &x);
}

void actions_push_map(const mm_t *m, mm_actions_t *a, const back_t *b) {
  mm_action_t x = {
      .kind = MM_TRANSFER, .asid = b->asid, .pages = b->pages.count, .vpn = {b->pages.first}};
  bool large;
  if (!a) return;
  mm_translate(m, b->asid, x.vpn, &x.ppn, &large);
  if (b->transfer) actions_push(a, &x);
  x.kind = MM_MAP;
  actions_push(a, &x);
}

void actions_push_unmap(mm_actions_t *a, asid_t asid, span_t pages) {
  actions_push_range(a, MM_UNMAP, asid, pages);
  actions_push_range(a, MM_SHOOTDOWN, asid, pages);
}
