#include "explain/run_by.h"
#include "base/json_find.h"
#include "base/table.h"
#include "gpu/stats.h"
#include "observe/measures.h"
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

/* As the JSON has it: what a terminal must not see is escaped there. */
static void text(const row_t *r, const char *key, char out[TEXT_BYTES]) {
  char path[TEXT_BYTES];
  snprintf(path, sizeof path, "apps[%u].%s[%u].%s", r->app, r->list, r->index, key);
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
  uint64_t of[MEASURES];
} sums_t;

static sums_t sums_of(const row_t *r) {
  char path[TEXT_BYTES];
  sums_t s;
  snprintf(path, sizeof path, "apps[%u].%s[%u]", r->app, r->list, r->index);
  for (uint32_t m = 0; m < MEASURES; m++) s.of[m] = measure_of_row(&measures[m], r->json, path);
  return s;
}

static void add(sums_t *to, const sums_t *s) {
  for (uint32_t m = 0; m < MEASURES; m++) to->of[m] += s->of[m];
}

/* Far faults are counted where there are any. */
static bool counted(const sums_t *all, uint32_t m) {
  return *measures[m].count && (m != MEASURE_far_faults || all->of[m]);
}

static void cells(table_t *t, const sums_t *s, const sums_t *all) {
  for (uint32_t m = 0; m < MEASURES; m++)
    if (*measures[m].share) table_ratio(t, s->of[m] * 100, all->of[m], 1);
  for (uint32_t m = 0; m < MEASURES; m++)
    if (counted(all, m)) table_u64(t, s->of[m]);
}

static void columns(table_t *t, const char *list, bool lines, const sums_t *all) {
  table_column(t, what_of(list), TABLE_LEFT);
  if (lines) table_column(t, "kernel", TABLE_LEFT), table_column(t, "array", TABLE_LEFT);
  for (uint32_t m = 0; m < MEASURES; m++)
    if (*measures[m].share) table_column(t, measures[m].share, TABLE_RIGHT);
  for (uint32_t m = 0; m < MEASURES; m++)
    if (counted(all, m)) table_column(t, measures[m].count, TABLE_RIGHT);
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
  columns(&t, list, lines, &all);
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
