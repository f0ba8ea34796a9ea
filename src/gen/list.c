/* The generators as text for people: written from the same tables the reader uses. */
#include "gen/gen.h"

/* A number of the option as its user would type it. */
static const char *format_value(const opt_t *o, uint64_t v, char buf[32]) {
  opt_t one[] = {*o, {0}};
  one->type = o->type == OPT_SIZE ? OPT_SIZE : OPT_U64; /* v has 64 bits, whatever the field has */
  one->offset = 0;
  const opt_group_t groups[] = {{.prefix = "", .opts = one, .base = &v}, {0}};
  opt_get(groups, o->name, buf, 32);
  return buf;
}

static void list_option(strbuf_t *out, const opt_t *o) {
  char min[32], max[32], def[32];
  strbuf_printf(out, "    %-10s %s .. %s", o->name, format_value(o, o->min, min),
                format_value(o, o->max, max));
  if (o->unit[0]) strbuf_printf(out, " %s", o->unit);
  strbuf_printf(out, ", default %s: %s\n", format_value(o, o->def, def), o->help);
}

void gen_list(strbuf_t *out) {
  for (const gen_ops_t *const *g = gen_all; *g; g++) {
    strbuf_printf(out, "  %-10s %s\n", (*g)->name, (*g)->help);
    for (const opt_t *o = (*g)->options; o->name; o++) list_option(out, o);
  }
}
