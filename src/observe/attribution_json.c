/* by_array, by_kernel and by_line: rows that mean the same are put together, the costliest come
 * first. */
#include "base/demangle.h"
#include "base/stat.h"
#include "observe/attribution.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define X(n, u, h) {#n, offsetof(origin_counts_t, n), u, h},
const stat_desc_t origin_list[] = {ORIGIN_COUNTERS(X){0}};
#undef X

/* Some rows of one list that are one to people. */
typedef struct {
  uint64_t cost;                /* warp-cycles */
  uint32_t first, count, index; /* of the members; index: order where nothing else decides */
  origin_counts_t n;
} group_row_t;

static void add(origin_counts_t *to, const origin_counts_t *n) {
  for (const stat_desc_t *d = origin_list; d->name; d++)
    *(uint64_t *)(void *)((char *)to + d->offset) += stat_value(n, d);
  for (uint32_t i = 0; i < ORIGIN_STALLS; i++) to->stall[i] += n->stall[i];
}

static bool counted(const origin_counts_t *n) {
  static const origin_counts_t none = {0};
  return memcmp(n, &none, sizeof none) != 0;
}

static uint64_t bytes_of(const origin_counts_t *n) {
  return n->dram_read_bytes + n->dram_write_bytes + n->dram_walk_bytes;
}

static int costliest(const void *a, const void *b) {
  const group_row_t *x = a, *y = b;
#define DOWN(l, r)                                                                                 \
  if ((l) != (r)) return (l) > (r) ? -1 : 1
  DOWN(x->cost, y->cost);
  DOWN(x->n.walks, y->n.walks);
  DOWN(bytes_of(&x->n), bytes_of(&y->n));
  DOWN(y->index, x->index);
#undef DOWN
  return 0;
}

static void sort_rows(group_row_t *row, uint32_t rows) {
  for (uint32_t i = 0; i < rows; i++)
    for (uint32_t k = 0; k < ORIGIN_STALLS; k++) row[i].cost += row[i].n.stall[k];
  qsort(row, rows, sizeof *row, costliest);
}

static void counts_json(json_t *j, const origin_counts_t *n) {
  for (const stat_desc_t *d = origin_list; d->name; d++)
    json_key(j, d->name), json_u64(j, stat_value(n, d));
  json_key(j, "stall");
  json_begin_object(j);
  for (uint32_t i = 0; i < ORIGIN_STALLS; i++)
    json_key(j, stall_names[STALL_TLB1 + i]), json_u64(j, n->stall[i]);
  json_end_object(j);
}

/* ---- arrays ---- */

static void put_size(strbuf_t *s, uint64_t bytes) {
  static const char *const unit[] = {"B", "KB", "MB", "GB", "TB"};
  uint32_t u = 0;
  while (u < 4 && bytes >> 10 * (u + 1)) u++;
  uint64_t tenths = (bytes >> 10 * u) * 10 + (u ? ((bytes >> 10 * (u - 1)) & 1023) * 10 / 1024 : 0);
  strbuf_printf(s, "%llu", (unsigned long long)(tenths / 10));
  if (tenths % 10) strbuf_printf(s, ".%llu", (unsigned long long)(tenths % 10));
  strbuf_printf(s, " %s", unit[u]);
}

static void array_name(const origins_t *o, uint32_t row, strbuf_t *s) {
  const origin_array_t *a = &o->array[row];
  strbuf_clear(s);
  if (!row) {
    strbuf_str(s, "other");
  } else if (a->name) {
    strbuf_str(s, a->name);
  } else {
    strbuf_printf(s, "%s #%u, ", a->host ? "cudaMallocHost" : "cudaMalloc", a->number);
    put_size(s, a->bytes);
  }
}

static void array_json(json_t *j, const origins_t *o, const group_row_t *r, strbuf_t *name) {
  const origin_array_t *a = &o->array[r->first];
  array_name(o, r->first, name);
  json_begin_object(j);
  json_key(j, "name"), json_str(j, strbuf_text(name));
  json_key(j, "bytes"), json_u64(j, a->bytes);
  json_key(j, "allocations"), json_u64(j, a->allocations);
  counts_json(j, &r->n);
  json_end_object(j);
}

static void arrays_json(json_t *j, const origins_t *o, group_row_t *row, strbuf_t *name) {
  uint32_t rows = 0;
  for (uint32_t i = 0; i < o->arrays; i++)
    if (counted(&o->array[i].n))
      row[rows++] = (group_row_t){.first = i, .index = i, .n = o->array[i].n};
  sort_rows(row, rows);
  json_key(j, "by_array");
  json_begin_array(j);
  for (uint32_t i = 0; i < rows; i++) array_json(j, o, &row[i], name);
  json_end_array(j);
}

/* ---- kernels and lines ---- */

/* What tells a site apart; NULL and 0 of row 0. */
typedef struct {
  const char *kernel, *file;
  uint32_t source, line, site;
  bool machine;
} site_key_t;

static site_key_t key_of(const origins_t *o, uint32_t site) {
  if (!site) return (site_key_t){.kernel = "", .file = ""};
  const origin_kernel_t *k = &o->kernel[o->site[site].kernel];
  const inst_where_t *w = &k->where[o->site[site].inst];
  bool known = w->file && w->source;
  return (site_key_t){.kernel = k->name,
                      .file = known ? k->file[w->file - 1] : "",
                      .source = known ? w->source : 0,
                      .line = w->line,
                      .site = site,
                      .machine = k->machine};
}

static int by_kernel(const site_key_t *x, const site_key_t *y) {
  return x->site && y->site ? strcmp(x->kernel, y->kernel) : (int)(x->site != 0) - (y->site != 0);
}
/* A source line may have become several instructions. */
static int by_line(const site_key_t *x, const site_key_t *y) {
  int c = by_kernel(x, y);
  if (!c && x->file) c = strcmp(x->file, y->file);
  if (!c && x->source != y->source) c = x->source < y->source ? -1 : 1;
  if (!c && !x->source && x->line != y->line) c = x->line < y->line ? -1 : 1;
  return c;
}
static int site_order(const void *a, const void *b) {
  const site_key_t *x = a, *y = b;
  int c = by_line(x, y);
  if (!c && x->line != y->line) c = x->line < y->line ? -1 : 1;
  return c ? c : (x->site > y->site) - (x->site < y->site);
}

typedef struct {
  const origins_t *o;
  site_key_t *key; /* [sites] in order */
  group_row_t *row;
  strbuf_t name;
} sites_t;

/* Neighbours in `key` that are the same to `same` become a row. */
static uint32_t join_sites(const sites_t *s, int (*same)(const site_key_t *, const site_key_t *)) {
  uint32_t rows = 0;
  for (uint32_t i = 0; i < s->o->sites; i++) {
    const origin_counts_t *n = &s->o->site[s->key[i].site].n;
    group_row_t *r = rows ? &s->row[rows - 1] : NULL;
    if (!r || same(&s->key[r->first], &s->key[i]) != 0)
      *(r = &s->row[rows++]) = (group_row_t){.first = i, .index = s->key[i].site};
    r->count++;
    add(&r->n, n);
  }
  uint32_t kept = 0;
  for (uint32_t i = 0; i < rows; i++)
    if (counted(&s->row[i].n)) s->row[kept++] = s->row[i];
  sort_rows(s->row, kept);
  return kept;
}

/* "other" of row 0. */
static const char *kernel_name(const site_key_t *k, strbuf_t *out) {
  strbuf_clear(out);
  if (k->site)
    demangle(k->kernel, out);
  else
    strbuf_str(out, "other");
  return strbuf_text(out);
}

static uint64_t launches(const origins_t *o, const char *kernel) {
  uint64_t n = 0;
  for (uint32_t k = 0; k < o->kernels; k++)
    if (strcmp(o->kernel[k].name, kernel) == 0) n += o->kernel[k].launches;
  return n;
}

static void kernels_json(json_t *j, sites_t *s) {
  uint32_t rows = join_sites(s, by_kernel);
  json_key(j, "by_kernel");
  json_begin_array(j);
  for (uint32_t i = 0; i < rows; i++) {
    const site_key_t *k = &s->key[s->row[i].first];
    json_begin_object(j);
    json_key(j, "name"), json_str(j, kernel_name(k, &s->name));
    json_key(j, "symbol"), json_str(j, k->site ? k->kernel : NULL);
    json_key(j, "launches"), json_u64(j, launches(s->o, k->kernel));
    counts_json(j, &s->row[i].n);
    json_end_object(j);
  }
  json_end_array(j);
}

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static void line_name(const site_key_t *k, strbuf_t *out) {
  kernel_name(k, out);
  if (k->source) {
    strbuf_clear(out);
    strbuf_printf(out, "%s:%u", base_name(k->file), k->source);
  } else if (k->site) {
    if (k->machine)
      strbuf_printf(out, ", PC 0x%x", k->line);
    else if (k->line)
      strbuf_printf(out, ", PTX line %u", k->line);
  }
}

/* Distinct lines of the program's own text: the row's members are in their order. */
static void text_lines_json(json_t *j, const sites_t *s, const group_row_t *r) {
  json_key(j, "ptx_lines");
  json_begin_array(j);
  for (uint32_t i = r->first; i < r->first + r->count; i++)
    if (s->key[i].line && (i == r->first || s->key[i].line != s->key[i - 1].line))
      json_u64(j, s->key[i].line);
  json_end_array(j);
}

/* Has a member before `at` the array, too? */
static bool named_before(const sites_t *s, uint32_t first, uint32_t at, uint32_t array) {
  for (; first < at; first++)
    for (uint32_t i = 0; i < SITE_ARRAYS; i++)
      if (s->o->site[s->key[first].site].seen[i] == array) return true;
  return false;
}

static void line_arrays_json(json_t *j, sites_t *s, const group_row_t *r) {
  bool more = false;
  json_key(j, "arrays");
  json_begin_array(j);
  for (uint32_t i = r->first; i < r->first + r->count; i++) {
    const origin_site_t *x = &s->o->site[s->key[i].site];
    more |= x->more;
    for (uint32_t k = 0; k < SITE_ARRAYS && x->seen[k]; k++) {
      if (named_before(s, r->first, i, x->seen[k])) continue;
      array_name(s->o, x->seen[k], &s->name);
      json_str(j, strbuf_text(&s->name));
    }
  }
  json_end_array(j);
  json_key(j, "more_arrays"), json_bool(j, more);
}

static void line_json(json_t *j, sites_t *s, const group_row_t *r) {
  const site_key_t *k = &s->key[r->first];
  json_begin_object(j);
  line_name(k, &s->name);
  json_key(j, "name"), json_str(j, strbuf_text(&s->name));
  json_key(j, "kernel"), json_str(j, kernel_name(k, &s->name));
  json_key(j, "file"), json_str(j, k->source ? k->file : NULL);
  json_key(j, "line");
  if (k->source)
    json_u64(j, k->source);
  else
    json_null(j);
  text_lines_json(j, s, r);
  line_arrays_json(j, s, r);
  counts_json(j, &r->n);
  json_end_object(j);
}

static void lines_json(json_t *j, sites_t *s) {
  uint32_t rows = join_sites(s, by_line);
  json_key(j, "by_line");
  json_begin_array(j);
  for (uint32_t i = 0; i < rows; i++) line_json(j, s, &s->row[i]);
  json_end_array(j);
}

void attribution_json(const attribution_t *t, uint32_t app, json_t *j) {
  const origins_t *o = &t->app[app];
  uint32_t most = o->arrays > o->sites ? o->arrays : o->sites;
  sites_t s = {.o = o, .key = calloc(o->sites, sizeof *s.key), .row = calloc(most, sizeof *s.row)};
  strbuf_init(&s.name);
  if (s.key && s.row) {
    for (uint32_t i = 0; i < o->sites; i++) s.key[i] = key_of(o, i);
    qsort(s.key, o->sites, sizeof *s.key, site_order);
    arrays_json(j, o, s.row, &s.name);
    kernels_json(j, &s);
    lines_json(j, &s);
  } else {
    j->out.failed = true;
  }
  strbuf_fini(&s.name);
  free(s.key), free(s.row);
}

/* ---- names of one ---- */

void attribution_name_array(const attribution_t *t, uint32_t app, origin_t of, strbuf_t *out) {
  array_name(&t->app[app], of.array, out);
}

void attribution_name_kernel(const attribution_t *t, uint32_t app, origin_t of, strbuf_t *out) {
  site_key_t k = key_of(&t->app[app], of.site);
  kernel_name(&k, out);
}

void attribution_name_line(const attribution_t *t, uint32_t app, origin_t of, strbuf_t *out) {
  site_key_t k = key_of(&t->app[app], of.site);
  line_name(&k, out);
}
