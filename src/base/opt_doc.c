#include "base/json.h"
#include "base/opt.h"
#include "base/strbuf.h"
#include "base/table.h"
#include <string.h>

/* What the tables of options look like to a person (--help, docs) and to a program (JSON), plus the
 * checks that a table itself makes sense. Reads the tables through opt.h only, so whatever is
 * printed here is what opt_set() and opt_get() do. */

/* --- tables for people ------------------------------------------------------------------------ */

static const char *type_name(opt_type_t type) {
  static const char *const names[] = {
      [OPT_U32] = "integer", [OPT_U64] = "integer", [OPT_SIZE] = "size",
      [OPT_BOOL] = "bool",   [OPT_NAME] = "name",   [OPT_BITS] = "bit lists"};
  return names[type];
}

static void key_cell(table_t *t, const char *prefix, const char *name, table_style_t style) {
  const char *quote = style == TABLE_MARKDOWN ? "`" : "", *dot = prefix[0] ? "." : "";
  table_printf(t, "%s%s%s%s%s", quote, prefix, dot, name, quote);
}

static void default_cell(table_t *t, const opt_t *o) {
  char text[24];
  if (o->type == OPT_NAME)
    table_cell(t, o->def_name ? o->def_name : "");
  else if (o->type == OPT_BITS)
    table_cell(t, "none");
  else if (o->type == OPT_BOOL)
    table_cell(t, o->def ? "true" : "false");
  else {
    opt_number_text(o, o->def, text, sizeof text);
    table_cell(t, text);
  }
}

static void names_cell(table_t *t, const opt_t *o) {
  strbuf_t list;
  strbuf_init(&list);
  for (uint32_t i = 0; o->names(i); i++) strbuf_printf(&list, "%s%s", i ? ", " : "", o->names(i));
  table_cell(t, strbuf_text(&list));
  strbuf_fini(&list);
}

static void range_cell(table_t *t, const opt_t *o) {
  char min[24], max[24];
  if (o->type == OPT_NAME)
    names_cell(t, o);
  else if (o->type == OPT_BOOL)
    table_cell(t, "true, false");
  else {
    opt_number_text(o, o->min, min, sizeof min);
    opt_number_text(o, o->max, max, sizeof max);
    table_printf(t, "%s%s .. %s", o->type == OPT_BITS ? "bits " : "", min, max);
  }
}

static void describe_group(const opt_group_t *g, table_style_t style, strbuf_t *out) {
  static const char *const headers[] = {"key", "type", "default", "range", "unit", "help"};
  table_t t;
  table_init(&t);
  for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
    table_column(&t, headers[i], TABLE_LEFT);
  for (const opt_t *o = g->opts; o->name; o++) {
    key_cell(&t, g->prefix, o->name, style);
    table_cell(&t, type_name(o->type));
    default_cell(&t, o);
    range_cell(&t, o);
    table_cell(&t, o->unit ? o->unit : "");
    table_cell(&t, o->help ? o->help : "");
  }
  table_render(&t, style, out);
  table_fini(&t);
}

void opt_describe(const opt_group_t *groups, table_style_t style, strbuf_t *out) {
  for (const opt_group_t *g = groups; g->prefix; g++) {
    const char *mark = style == TABLE_MARKDOWN ? "### " : "", *help = g->help ? g->help : "";
    strbuf_printf(out, "%s%s%s%s%s%s\n", g == groups ? "" : "\n", mark, g->prefix,
                  g->prefix[0] && help[0] ? ": " : "", help, style == TABLE_MARKDOWN ? "\n" : "");
    describe_group(g, style, out);
  }
}

/* --- values for programs ---------------------------------------------------------------------- */

static void json_bits(json_t *j, const bitlist_t *l) {
  char text[BITLIST_TEXT];
  bitlist_text(l, text, sizeof text);
  json_str(j, text);
}

static void json_value(json_t *j, const opt_t *o, const void *field) {
  switch (o->type) {
  case OPT_U32: json_u64(j, *(const uint32_t *)field); break;
  case OPT_U64:
  case OPT_SIZE: json_u64(j, *(const uint64_t *)field); break;
  case OPT_BOOL: json_bool(j, *(const bool *)field); break;
  case OPT_NAME: json_str(j, *(const char *const *)field); break;
  case OPT_BITS: json_bits(j, field); break;
  }
}

static bool same_value(const opt_t *o, const void *a, const void *b) {
  switch (o->type) {
  case OPT_U32: return *(const uint32_t *)a == *(const uint32_t *)b;
  case OPT_U64:
  case OPT_SIZE: return *(const uint64_t *)a == *(const uint64_t *)b;
  case OPT_BOOL: return *(const bool *)a == *(const bool *)b;
  case OPT_NAME: return strcmp(*(const char *const *)a, *(const char *const *)b) == 0;
  case OPT_BITS: break;
  }
  const bitlist_t *x = a, *y = b;
  return x->count == y->count && memcmp(x->mask, y->mask, sizeof x->mask) == 0;
}

void opt_json_changed(const opt_group_t *groups, const opt_group_t *from, json_t *j) {
  strbuf_t key;
  strbuf_init(&key);
  json_begin_object(j);
  for (const opt_group_t *g = groups, *f = from; g->prefix; g++, f += f != NULL)
    for (const opt_t *o = g->opts; o->name; o++) {
      const char *value = (const char *)g->base + o->offset;
      if (f && same_value(o, value, (const char *)f->base + o->offset)) continue;
      strbuf_clear(&key);
      strbuf_printf(&key, "%s%s%s", g->prefix, g->prefix[0] ? "." : "", o->name);
      json_key(j, strbuf_text(&key));
      json_value(j, o, value);
    }
  json_end_object(j);
  strbuf_fini(&key);
}

void opt_json(const opt_group_t *groups, json_t *j) { opt_json_changed(groups, NULL, j); }

/* --- checks of the tables --------------------------------------------------------------------- */

static bool is_listed(const opt_t *o, const char *name) {
  for (uint32_t i = 0; o->names(i); i++)
    if (strcmp(o->names(i), name) == 0) return true;
  return false;
}

static const char *wrong_with(const opt_t *o) {
  if (!o->help || !o->help[0]) return "no help text";
  if (o->type == OPT_NAME)
    return o->names && o->def_name && is_listed(o, o->def_name) ? NULL : "default not in its list";
  if (o->type == OPT_U32 && o->max > UINT32_MAX) return "range exceeds 32 bits";
  if (o->type == OPT_BITS) return o->max > 63 ? "a bit above 63" : NULL;
  if (o->type == OPT_BOOL) return o->def > 1 ? "default is not 0 or 1" : NULL;
  return o->def < o->min || o->def > o->max ? "default outside its range" : NULL;
}

/* The same key earlier in the tables: opt_set() would never reach this one. */
static bool is_shadowed(const opt_group_t *groups, const opt_group_t *g, const opt_t *o) {
  for (const opt_group_t *h = groups; h <= g; h++) {
    if (strcmp(h->prefix, g->prefix) != 0) continue;
    for (const opt_t *p = h->opts; p->name && !(h == g && p == o); p++)
      if (strcmp(p->name, o->name) == 0) return true;
  }
  return false;
}

int opt_check(const opt_group_t *groups, err_t *e) {
  for (const opt_group_t *g = groups; g->prefix; g++)
    for (const opt_t *o = g->opts; o->name; o++) {
      const char *wrong = is_shadowed(groups, g, o) ? "declared twice" : wrong_with(o);
      if (!wrong) continue;
      err_set(e, GMMU_ECHECK, "option %s.%s: %s", g->prefix, o->name, wrong);
      return GMMU_ECHECK;
    }
  return GMMU_OK;
}
