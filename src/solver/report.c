/* What was found, for people, for programs, and as a hash file that presets can load. One list of
 * rows serves all three. */
#include "solver/report.h"
#include "base/bitlist.h"
#include "base/table.h"
#include <stddef.h>
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
  strbuf_printf(out, "%s functions: %s", what, verdict_text(f->verdict));
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
}

/* ---- JSON ---- */

static void solved_json(json_t *j, const char *key, const solved_t *f) {
  char text[BITLIST_TEXT];
  functions_text(&f->space, text);
  json_key(j, key);
  json_begin_object(j);
  json_key(j, "verdict"), json_str(j, verdict_text(f->verdict));
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

void solver_yaml(const solver_report_t *r, strbuf_t *out) {
  char text[BITLIST_TEXT];
  if (r->bank.verdict == SOLVED && r->set.verdict == SOLVED) {
    strbuf_str(out, "map:\n  kind: hash\n");
    functions_text(&r->module, text);
    strbuf_printf(out, "  module: %s\n", text);
    functions_text(&r->bank.space, text);
    strbuf_printf(out, "  bank: %s\n", text);
    functions_text(&r->set.space, text);
    strbuf_printf(out, "  set: %s\n", text);
  }
  if (r->l2_bytes.value)
    strbuf_printf(out, "l2:\n  bytes: %llu\n  ways: %llu\n  slices: 1\n",
                  (unsigned long long)r->l2_bytes.value, (unsigned long long)r->ways.value);
  if (r->modules.value)
    strbuf_printf(out, "dram:\n  channels: %llu\n  banks: %llu\n  row_bytes: %llu\n",
                  (unsigned long long)r->modules.value,
                  (unsigned long long)(r->banks.value / r->modules.value),
                  (unsigned long long)r->row_bytes.value);
}
