#include "explain/run_by.h"
#include "base/json_find.h"
#include "base/table.h"
#include "gpu/stats.h"
#include <stdio.h>
#include <string.h>

#define ROWS_SHOWN 20 /* the costliest; the rest is one row */
#define TEXT_BYTES 160

static const struct {
  const char *what, *list;
} lists[] = {{"array", "by_array"}, {"kernel", "by_kernel"}, {"line", "by_line"}};

const char *run_by_list(const char *what) {
  for (uint32_t i = 0; i < sizeof lists / sizeof *lists; i++)
    if (strcmp(what, lists[i].what) == 0) return lists[i].list;
  return NULL;
}

static const char *what_of(const char *list) { return list + strlen("by_"); }

typedef struct {
  const char *json, *list;
  uint32_t app, index;
} row_t;

static void path_of(const row_t *r, const char *key, char path[TEXT_BYTES]) {
  snprintf(path, TEXT_BYTES, "apps[%u].%s[%u].%s", r->app, r->list, r->index, key);
}

static uint64_t number(const row_t *r, const char *key) {
  char path[TEXT_BYTES];
  uint64_t v = 0;
  path_of(r, key, path);
  return json_find_u64(r->json, path, &v) ? v : 0;
}

/* As the JSON has it: what a terminal must not see is escaped there. */
static void text(const row_t *r, const char *key, char out[TEXT_BYTES]) {
  char path[TEXT_BYTES];
  path_of(r, key, path);
  const char *p = json_find(r->json, path);
  uint32_t n = 0;
  if (p && *p == '"')
    for (p++; *p && *p != '"' && n + 1 < TEXT_BYTES; p++) {
      if (*p == '\\' && (p[1] == '"' || p[1] == '\\')) p++;
      out[n++] = *p;
    }
  out[n] = 0;
}

typedef struct {
  uint64_t translation, memory, l1tlb, l2tlb, walks, dram, faults;
} sums_t;

static sums_t sums_of(const row_t *r) {
  static const char *const before[] = {"stall.l1tlb",   "stall.l2tlb",     "stall.walk_queue",
                                       "stall.walk_l2", "stall.walk_dram", "stall.fault"};
  static const char *const behind[] = {"stall.l1", "stall.l2", "stall.dram"};
  sums_t s = {.l1tlb = number(r, "l1tlb_misses"),
              .l2tlb = number(r, "l2tlb_misses"),
              .walks = number(r, "walks"),
              .faults = number(r, "far_faults"),
              .dram = number(r, "dram_read_bytes") + number(r, "dram_write_bytes") +
                      number(r, "dram_walk_bytes")};
  for (uint32_t i = 0; i < 6; i++) s.translation += number(r, before[i]);
  for (uint32_t i = 0; i < 3; i++) s.memory += number(r, behind[i]);
  return s;
}

static void add(sums_t *to, const sums_t *s) {
  to->translation += s->translation, to->memory += s->memory, to->l1tlb += s->l1tlb;
  to->l2tlb += s->l2tlb, to->walks += s->walks, to->dram += s->dram, to->faults += s->faults;
}

static void cells(table_t *t, const sums_t *s, const sums_t *all) {
  table_ratio(t, s->translation * 100, all->translation, 1);
  table_ratio(t, s->memory * 100, all->memory, 1);
  table_ratio(t, s->l1tlb * 100, all->l1tlb, 1);
  table_ratio(t, s->l2tlb * 100, all->l2tlb, 1);
  table_ratio(t, s->walks * 100, all->walks, 1);
  table_ratio(t, s->dram * 100, all->dram, 1);
  table_u64(t, s->walks);
  if (all->faults) table_u64(t, s->faults);
}

static void columns(table_t *t, const char *list, bool lines, bool faults) {
  table_column(t, what_of(list), TABLE_LEFT);
  if (lines) table_column(t, "kernel", TABLE_LEFT), table_column(t, "array", TABLE_LEFT);
  table_column(t, "translation %", TABLE_RIGHT);
  table_column(t, "memory %", TABLE_RIGHT);
  table_column(t, "L1 TLB misses %", TABLE_RIGHT);
  table_column(t, "L2 TLB misses %", TABLE_RIGHT);
  table_column(t, "walks %", TABLE_RIGHT);
  table_column(t, "DRAM bytes %", TABLE_RIGHT);
  table_column(t, "walks", TABLE_RIGHT);
  if (faults) table_column(t, "far faults", TABLE_RIGHT);
}

static void app_text(const char *json, const char *list, uint32_t app, strbuf_t *out) {
  char path[TEXT_BYTES], name[TEXT_BYTES];
  snprintf(path, sizeof path, "apps[%u].%s", app, list);
  uint32_t count = json_find_count(json, path);
  bool lines = strcmp(list, "by_line") == 0;
  sums_t all = {0}, rest = {0};
  for (uint32_t i = 0; i < count; i++) {
    sums_t s = sums_of(&(row_t){json, list, app, i});
    add(&all, &s);
    if (i >= ROWS_SHOWN) add(&rest, &s);
  }
  table_t t;
  table_init(&t);
  columns(&t, list, lines, all.faults);
  for (uint32_t i = 0; i < count && i < ROWS_SHOWN; i++) {
    row_t r = {json, list, app, i};
    sums_t s = sums_of(&r);
    text(&r, "name", name), table_cell(&t, name);
    if (lines) {
      text(&r, "kernel", name), table_cell(&t, name);
      text(&r, "arrays[0]", name), table_cell(&t, name);
    }
    cells(&t, &s, &all);
  }
  if (count > ROWS_SHOWN) {
    table_printf(&t, "%u others", count - ROWS_SHOWN);
    if (lines) table_cell(&t, ""), table_cell(&t, "");
    cells(&t, &rest, &all);
  }
  table_render(&t, TABLE_TEXT, out);
  table_fini(&t);
}

void run_by_text(const gpu_t *g, const char *design, const char *list, uint32_t apps,
                 char (*name)[APP_NAME_BYTES], strbuf_t *out) {
  json_t j;
  json_init(&j);
  json_begin_object(&j);
  gpu_stats_json(g, &j);
  json_end_object(&j);
  for (uint32_t a = 0; a < apps; a++) {
    strbuf_printf(out,
                  "\n%s under %s, by %s: shares of its waiting time for translation and for "
                  "memory, misses, walks and bytes\n",
                  name[a], design, what_of(list));
    app_text(strbuf_text(&j.out), list, a, out);
  }
  json_fini(&j);
}
