/* Invariant: regions of rows are distinct, and cells of columns from `columns` on are 0. */
#include "observe/heat.h"
#include <stdlib.h>
#include <string.h>

int heat_init(heat_t *h) {
  *h = (heat_t){.row = calloc(HEAT_ROWS, sizeof *h->row), .interval_cycles = HEAT_FIRST_CYCLES};
  return h->row ? GMMU_OK : GMMU_ENOMEM;
}

void heat_fini(heat_t *h) { free(h->row); }

/* The row of a region, or h->rows. */
static uint32_t find_row(const heat_t *h, uint64_t region) {
  if (h->last < h->rows && h->row[h->last].region == region) return h->last;
  for (uint32_t i = 0; i < h->rows; i++)
    if (h->row[i].region == region) return i;
  return h->rows;
}

static void add_row(heat_row_t *to, const heat_row_t *from) {
  for (uint32_t c = 0; c < HEAT_COLUMNS; c++) {
    to->lookups[c] += from->lookups[c];
    to->misses[c] += from->misses[c];
  }
}

/* Regions double; those that are one now share a row. */
static void merge_rows(heat_t *h) {
  uint32_t old = h->rows;
  h->shift++;
  h->rows = 0;
  for (uint32_t i = 0; i < old; i++) {
    uint64_t region = h->row[i].region >> 1;
    uint32_t to = find_row(h, region);
    if (to < h->rows) {
      add_row(&h->row[to], &h->row[i]);
      continue;
    }
    if (to != i) h->row[to] = h->row[i];
    h->row[to].region = region;
    h->rows++;
  }
}

static void merge_columns(heat_t *h) {
  for (uint32_t i = 0; i < h->rows; i++) {
    heat_row_t *r = &h->row[i];
    for (uint32_t c = 0; c < HEAT_COLUMNS / 2; c++) {
      r->lookups[c] = r->lookups[2 * c] + r->lookups[2 * c + 1];
      r->misses[c] = r->misses[2 * c] + r->misses[2 * c + 1];
    }
    memset(&r->lookups[HEAT_COLUMNS / 2], 0, sizeof r->lookups / 2);
    memset(&r->misses[HEAT_COLUMNS / 2], 0, sizeof r->misses / 2);
  }
  h->columns = (h->columns + 1) / 2;
  h->interval_cycles *= 2;
}

static heat_row_t *row_of(heat_t *h, uint64_t page) {
  uint32_t i = find_row(h, page >> h->shift);
  while (i == HEAT_ROWS) {
    merge_rows(h);
    i = find_row(h, page >> h->shift);
  }
  if (i == h->rows) {
    h->row[i] = (heat_row_t){.region = page >> h->shift};
    h->rows++;
  }
  h->last = i;
  return &h->row[i];
}

void heat_add(heat_t *h, uint64_t page, uint64_t now, bool miss) {
  heat_row_t *r = row_of(h, page);
  while (now / h->interval_cycles >= HEAT_COLUMNS) merge_columns(h);
  uint32_t c = (uint32_t)(now / h->interval_cycles);
  r->lookups[c]++;
  r->misses[c] += miss;
  if (c >= h->columns) h->columns = c + 1;
}

static int by_region(const void *a, const void *b) {
  const heat_row_t *x = a, *y = b;
  return x->region < y->region ? -1 : x->region > y->region;
}

void heat_sort(heat_t *h) { qsort(h->row, h->rows, sizeof *h->row, by_region); }
