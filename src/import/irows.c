#include "import/irows.h"
#include "trace/gmt_format.h"
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define FIRST 1024u

static int no_memory(err_t *e) {
  return err_set(e, GMMU_ENOMEM, "out of memory for a kernel's instructions");
}

int irows_init(irows_t *r, err_t *e) {
  *r = (irows_t){.capacity = FIRST, .mask = 2 * FIRST - 1};
  r->pc = malloc(FIRST * sizeof *r->pc);
  r->row = malloc(FIRST * sizeof *r->row);
  r->slot = calloc(2 * FIRST, sizeof *r->slot);
  if (r->pc && r->row && r->slot) return GMMU_OK;
  irows_fini(r);
  return no_memory(e);
}

void irows_fini(irows_t *r) {
  free(r->pc), free(r->row), free(r->slot);
  *r = (irows_t){0};
}

void irows_clear(irows_t *r) {
  memset(r->slot, 0, (r->mask + 1ull) * sizeof *r->slot);
  r->count = 0;
}

static uint32_t *slot_of(const irows_t *r, uint64_t pc, const inst_t *row) {
  uint32_t i = (uint32_t)XXH64(row, sizeof *row, pc) & r->mask;
  for (; r->slot[i]; i = (i + 1) & r->mask) {
    uint32_t k = r->slot[i] - 1;
    if (r->pc[k] == pc && memcmp(&r->row[k], row, sizeof *row) == 0) break;
  }
  return &r->slot[i];
}

static void number_all(irows_t *r) {
  memset(r->slot, 0, (r->mask + 1ull) * sizeof *r->slot);
  for (uint32_t k = 0; k < r->count; k++) *slot_of(r, r->pc[k], &r->row[k]) = k + 1;
}

static int grow(irows_t *r, err_t *e) {
  uint32_t capacity = r->capacity * 2;
  uint64_t *pc = realloc(r->pc, capacity * sizeof *pc);
  if (pc) r->pc = pc;
  inst_t *row = realloc(r->row, capacity * sizeof *row);
  if (row) r->row = row;
  uint32_t *slot = realloc(r->slot, 2ull * capacity * sizeof *slot);
  if (slot) r->slot = slot;
  if (!pc || !row || !slot) return no_memory(e);
  r->capacity = capacity, r->mask = 2 * capacity - 1;
  number_all(r);
  return GMMU_OK;
}

int irows_add(irows_t *r, uint64_t pc, const inst_t *row, err_t *e) {
  uint32_t *slot = slot_of(r, pc, row);
  if (*slot) return GMMU_OK;
  if (r->count == GMT_MAX_INSTS)
    return err_set(e, GMMU_ERANGE, "more than %u different instructions", GMT_MAX_INSTS);
  if (r->count == r->capacity) {
    int rc = grow(r, e);
    if (rc < 0) return rc;
    slot = slot_of(r, pc, row);
  }
  r->pc[r->count] = pc, r->row[r->count] = *row;
  *slot = ++r->count;
  return GMMU_OK;
}

typedef struct {
  uint64_t pc;
  uint32_t seen;
  inst_t row;
} sortable_t;

static int by_pc(const void *a, const void *b) {
  const sortable_t *x = a, *y = b;
  if (x->pc != y->pc) return x->pc < y->pc ? -1 : 1;
  return (x->seen > y->seen) - (x->seen < y->seen);
}

int irows_sort(irows_t *r, err_t *e) {
  sortable_t *s = malloc((r->count + 1ull) * sizeof *s);
  if (!s) return no_memory(e);
  for (uint32_t k = 0; k < r->count; k++) s[k] = (sortable_t){r->pc[k], k, r->row[k]};
  qsort(s, r->count, sizeof *s, by_pc);
  for (uint32_t k = 0; k < r->count; k++) r->pc[k] = s[k].pc, r->row[k] = s[k].row;
  free(s);
  number_all(r);
  return GMMU_OK;
}

uint32_t irows_find(const irows_t *r, uint64_t pc, const inst_t *row) {
  return *slot_of(r, pc, row) - 1;
}
