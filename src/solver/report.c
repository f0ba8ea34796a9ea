/* What was found, for people, for programs, and as a hash file that presets can load. One list of
 * rows serves all three. */
#include "solver/report.h"
#include "base/bitlist.h"
#include "base/table.h"
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const struct {
  const char *name, *unit;
  size_t at;
} rows[] = {
    {"line", "bytes", offsetof(solver_report_t, line_bytes)},
    {"sector", "bytes", offsetof(solver_report_t, sector_bytes)},
    {"l2", "bytes", offsetof(solver_report_t, l2_bytes)},
    {"ways", "ways", offsetof(solver_report_t, ways)},
    {"sets", "sets", offsetof(solver_report_t, sets)},
    {"banks", "banks", offsetof(solver_report_t, banks)},
    {"row", "bytes", offsetof(solver_report_t, row_bytes)},
    {"modules", "modules", offsetof(solver_report_t, modules)},
    {"mshrs", "per module", offsetof(solver_report_t, mshrs)},
};
#define ROWS (sizeof rows / sizeof *rows)

static const finding_t *finding(const solver_report_t *r, size_t i) {
  return (const finding_t *)(const void *)((const char *)r + rows[i].at);
}

static void functions_text(const gf2_space_t *s, char text[BITLIST_TEXT]) {
  bitlist_t l = {.count = s->rank < BITLIST_MAX ? s->rank : BITLIST_MAX};
  memcpy(l.mask, s->row, l.count * sizeof *l.mask);
  bitlist_text(&l, text, BITLIST_TEXT);
}

/* ---- text ---- */

static void solved_text(const char *what, const solved_t *f, strbuf_t *out) {
  char text[BITLIST_TEXT];
  functions_text(&f->space, text);
  strbuf_printf(out, "%s functions: %s", what, solver_verdict_text(f->verdict));
  if (f->factor) strbuf_printf(out, " (about %u times as many)", f->factor);
  if (f->space.rank)
    strbuf_printf(out, "; %u %% of new addresses agree\n  %s\n", f->confidence, text);
  else
    strbuf_str(out, "\n");
}

void solver_text(const solver_report_t *r, strbuf_t *out) {
  table_t t;
  table_init(&t);
  table_column(&t, "what", TABLE_LEFT);
  table_column(&t, "value", TABLE_RIGHT);
  table_column(&t, "confidence %", TABLE_RIGHT);
  table_column(&t, "samples", TABLE_RIGHT);
  for (size_t i = 0; i < ROWS; i++) {
    const finding_t *f = finding(r, i);
    table_cell(&t, rows[i].name);
    if (f->value)
      table_printf(&t, "%llu %s", (unsigned long long)f->value, rows[i].unit);
    else
      table_cell(&t, "not known");
    table_u64(&t, f->confidence);
    table_u64(&t, f->samples);
  }
  table_render(&t, TABLE_TEXT, out);
  table_fini(&t);
  strbuf_str(out, "\n");
  solved_text("bank", &r->bank, out);
  solved_text("set", &r->set, out);
  if (!r->modules.value) return;
  char text[BITLIST_TEXT];
  functions_text(&r->module, text);
  strbuf_printf(out, "module functions: what both have in common\n  %s\n",
                r->module.rank ? text : "none");
}

/* ---- JSON ---- */

static void solved_json(json_t *j, const char *key, const solved_t *f) {
  char text[BITLIST_TEXT];
  functions_text(&f->space, text);
  json_key(j, key);
  json_begin_object(j);
  json_key(j, "verdict"), json_str(j, solver_verdict_text(f->verdict));
  json_key(j, "functions"), json_str(j, text);
  json_key(j, "factor"), json_u64(j, f->factor);
  json_key(j, "confidence"), json_u64(j, f->confidence);
  json_key(j, "samples"), json_u64(j, f->samples);
  json_end_object(j);
}

void solver_json(const solver_report_t *r, json_t *j) {
  char text[BITLIST_TEXT];
  json_begin_object(j);
  for (size_t i = 0; i < ROWS; i++) {
    const finding_t *f = finding(r, i);
    json_key(j, rows[i].name);
    json_begin_object(j);
    json_key(j, "value");
    if (f->value)
      json_u64(j, f->value);
    else
      json_null(j);
    json_key(j, "unit"), json_str(j, rows[i].unit);
    json_key(j, "confidence"), json_u64(j, f->confidence);
    json_key(j, "samples"), json_u64(j, f->samples);
    json_end_object(j);
  }
  solved_json(j, "bank_functions", &r->bank);
  solved_json(j, "set_functions", &r->set);
  functions_text(&r->module, text);
  json_key(j, "module_functions"), json_str(j, text);
  json_end_object(j);
}

/* ---- a hash file ---- */

typedef void (*setting_fn)(void *ctx, const char *group, const char *key, const char *value);

static void give_functions(const char *key, const gf2_space_t *f, setting_fn fn, void *ctx) {
  char text[BITLIST_TEXT];
  functions_text(f, text);
  fn(ctx, "map", key, text);
}

static void give_number(const char *group, const char *key, uint64_t v, setting_fn fn, void *ctx) {
  char text[24];
  snprintf(text, sizeof text, "%llu", (unsigned long long)v);
  fn(ctx, group, key, text);
}

/* What is certain, as options of a machine, group by group; lines, if a machine can have them. */
static void each_setting(const solver_report_t *r, setting_fn fn, void *ctx) {
  if (r->bank.verdict == SOLVED && r->set.verdict == SOLVED) {
    fn(ctx, "map", "kind", "hash");
    if (r->module.rank) give_functions("module", &r->module, fn, ctx);
    give_functions("bank", &r->bank.space, fn, ctx);
    give_functions("set", &r->set.space, fn, ctx);
  }
  uint64_t line = r->line_bytes.value;
  if (line == 64 || line == 128 || line == 256) give_number("gpu", "line", line, fn, ctx);
  if (r->l2_bytes.value) {
    give_number("l2", "bytes", r->l2_bytes.value, fn, ctx);
    give_number("l2", "ways", r->ways.value, fn, ctx);
    give_number("l2", "slices", 1, fn, ctx);
    if (r->mshrs.value) give_number("l2", "mshrs", r->mshrs.value, fn, ctx);
  }
  if (r->modules.value) {
    give_number("dram", "channels", r->modules.value, fn, ctx);
    give_number("dram", "banks", r->banks.value / r->modules.value, fn, ctx);
    give_number("dram", "row_bytes", r->row_bytes.value, fn, ctx);
  }
}

typedef struct {
  const char *group; /* open */
  strbuf_t *text;
  json_t *json;
} writer_t;

static void yaml_setting(void *ctx, const char *group, const char *key, const char *value) {
  writer_t *w = ctx;
  if (w->group != group) strbuf_printf(w->text, "%s:\n", group);
  w->group = group;
  strbuf_printf(w->text, "  %s: %s\n", key, value);
}

void solver_yaml(const solver_report_t *r, strbuf_t *out) {
  writer_t w = {.text = out};
  each_setting(r, yaml_setting, &w);
}

static void json_setting(void *ctx, const char *group, const char *key, const char *value) {
  writer_t *w = ctx;
  if (w->group != group) {
    if (w->group) json_end_object(w->json);
    json_key(w->json, group);
    json_begin_object(w->json);
  }
  w->group = group;
  json_key(w->json, key);
  json_str(w->json, value);
}

void solver_json_settings(const solver_report_t *r, json_t *j) {
  writer_t w = {.json = j};
  each_setting(r, json_setting, &w);
  if (w.group) json_end_object(j);
}
