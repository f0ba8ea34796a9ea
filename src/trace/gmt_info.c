/* What a file says of itself: totals from the directory, names from the tables. */
#include "trace/gmt.h"
#include "trace/gmt_file.h"
#include <stdlib.h>

static int fill_kernel(file_t *f, const table_row_t *row, gmt_kernel_info_t *k, err_t *e) {
  table_t t;
  int rc = gmt_file_read_table(f, row, &t, e);
  if (rc < 0) return rc;
  *k = (gmt_kernel_info_t){.name = t.name,
                           .inst_count = t.inst_count,
                           .launches = row->launches,
                           .blocks = row->blocks,
                           .warp_insts = row->warp_insts,
                           .mem_insts = row->mem_insts,
                           .stored_bytes = row->stored_bytes,
                           .footprint_bytes = row->footprint_pages * GMT_PAGE_BYTES};
  t.name = NULL; /* handed over */
  gmt_table_fini(&t);
  return GMMU_OK;
}

static int fill(file_t *f, gmt_info_t *out, err_t *e) {
  out->version = f->version, out->file_bytes = f->bytes, out->commands = f->commands;
  out->kernel = calloc((size_t)f->tables + 1, sizeof *out->kernel);
  if (!out->kernel) return err_set(e, GMMU_ENOMEM, "out of memory");
  for (; out->kernels < f->tables; out->kernels++) {
    int rc = fill_kernel(f, &f->table[out->kernels], &out->kernel[out->kernels], e);
    if (rc < 0) return rc;
  }
  return GMMU_OK;
}

int gmt_info(const char *path, gmt_info_t *out, err_t *e) {
  file_t f;
  *out = (gmt_info_t){0};
  int rc = gmt_file_open(&f, path, e);
  if (rc < 0) return rc;
  rc = fill(&f, out, e);
  gmt_file_close(&f);
  if (rc < 0) gmt_info_fini(out);
  return rc;
}

void gmt_info_fini(gmt_info_t *i) {
  for (uint32_t k = 0; k < i->kernels; k++) free(i->kernel[k].name);
  free(i->kernel);
  *i = (gmt_info_t){0};
}

/* ---- memory ---- */

typedef struct {
  uint64_t va, bytes;
} range_t;

typedef struct {
  range_t *at;
  size_t count, room;
  uint64_t now, peak;
} ranges_t;

static int allocated(ranges_t *r, const command_t *c, err_t *e) {
  if (r->count == r->room) {
    size_t room = r->room ? 2 * r->room : 64;
    range_t *p = realloc(r->at, room * sizeof *p);
    if (!p) return err_set(e, GMMU_ENOMEM, "out of memory");
    r->at = p, r->room = room;
  }
  r->at[r->count++] = (range_t){c->va, c->bytes};
  r->now += c->bytes;
  if (r->now > r->peak) r->peak = r->now;
  return GMMU_OK;
}

/* Programs hold few allocations, and most often free the newest first. */
static void released(ranges_t *r, uint64_t va) {
  for (size_t i = r->count; i-- > 0;) {
    if (r->at[i].va != va) continue;
    r->now -= r->at[i].bytes;
    r->at[i] = r->at[--r->count];
    return;
  }
}

int source_peak_allocated(source_t *s, uint64_t *bytes, err_t *e) {
  command_t c = {0};
  ranges_t r = {0};
  int rc = s->ops->bind(s, 1, 1, e);
  while (rc >= 0 && c.kind != CMD_END) {
    rc = s->ops->next_command(s, 0, &c, e);
    if (rc >= 0 && (c.kind == CMD_ALLOC || c.kind == CMD_ALLOC_HOST)) rc = allocated(&r, &c, e);
    if (rc >= 0 && c.kind == CMD_FREE) released(&r, c.va);
  }
  free(r.at);
  *bytes = r.peak;
  return rc < 0 ? rc : GMMU_OK;
}

int gmt_peak_allocated(const char *path, uint64_t *bytes, err_t *e) {
  source_t *s;
  int rc = gmt_open(path, &s, e);
  if (rc < 0) return rc;
  rc = source_peak_allocated(s, bytes, e);
  s->ops->free(s);
  return rc;
}
