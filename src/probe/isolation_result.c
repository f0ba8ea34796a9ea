/* What the isolation probe found, for people, for programs and as a picture. */
#include "base/ratio.h"
#include "base/table.h"
#include "probe/isolation.h"
#include "probe/plot.h"
#include <stdio.h>

static bool in_table(const isolation_t *x, uint32_t others) {
  return others % 5 == 0 || others == x->others || others + 1 == x->knee || others == x->knee;
}

static void table_of(const isolation_t *x, strbuf_t *out) {
  table_t t;
  table_init(&t);
  table_column(&t, "others", TABLE_RIGHT);
  for (uint32_t c = 0; c < ISO_CASES; c++)
    table_column(&t, isolation_name((isolation_case_t)c), TABLE_RIGHT);
  for (uint32_t n = 0; n <= x->others; n++) {
    if (!in_table(x, n)) continue;
    table_u64(&t, n);
    for (uint32_t c = 0; c < ISO_CASES; c++) table_u64(&t, (uint64_t)(x->time[c][n] + 50) / 100);
  }
  table_render(&t, TABLE_TEXT, out);
  table_fini(&t);
}

void isolation_text(const device_info_t *d, const isolation_t *x, strbuf_t *out) {
  int64_t ratio = isolation_ratio(x), bound = isolation_bound(x);
  strbuf_printf(out,
                "%s: cycles of a load that misses, beside 0 to %u threads that do the same\n\n",
                d->name, x->others);
  table_of(x, out);
  strbuf_str(out, "\n");
  for (uint32_t c = 0; c < ISO_CASES; c++)
    strbuf_printf(out, "%-5s %s\n", isolation_name((isolation_case_t)c),
                  isolation_help((isolation_case_t)c));
  strbuf_printf(
      out,
      "\nWorst over best with %u others: %lld.%02lld. A pair in one bank takes %lld cycles "
      "more than others:\nrows so far apart make (others + 1) x %lld / %lld = %lld.%02lld.\n",
      x->others, (long long)(ratio / 100), (long long)(ratio % 100),
      (long long)(x->bank_cycle / 100), (long long)(x->bank_cycle / 100),
      (long long)(x->alone / 100), (long long)(bound / 100), (long long)(bound % 100));
  if (x->knee)
    strbuf_printf(out, "Up to %u loads to different banks of a module go on at once", x->knee);
  int64_t in_use = isolation_in_use(x);
  if (in_use)
    strbuf_printf(out,
                  ": the machine counted an MSHR\nas taken for %lld of a load's cycles, so "
                  "they are what %lld.%02lld registers can do",
                  (long long)(x->held / 100), (long long)(in_use / 100), (long long)(in_use % 100));
  if (x->knee) strbuf_str(out, ".\n");
}

static void hundredths(json_t *j, const char *key, int64_t v) {
  json_key(j, key);
  json_ratio(j, v > 0 ? (uint64_t)v : 0, 100, 2);
}

void isolation_json(const device_info_t *d, const isolation_t *x, json_t *j) {
  json_begin_object(j);
  json_key(j, "device"), json_str(j, d->name);
  json_key(j, "others"), json_u64(j, x->others);
  json_key(j, "loads"), json_u64(j, x->loads);
  json_key(j, "knee"), x->knee ? json_u64(j, x->knee) : json_null(j);
  hundredths(j, "alone_cycles", x->alone);
  hundredths(j, "register_held_cycles", x->held);
  hundredths(j, "registers_in_use", isolation_in_use(x));
  hundredths(j, "bank_cycle_cycles", x->bank_cycle);
  hundredths(j, "worst_over_best", isolation_ratio(x));
  hundredths(j, "bound", isolation_bound(x));
  for (uint32_t c = 0; c < ISO_CASES; c++) {
    json_key(j, isolation_name((isolation_case_t)c));
    json_begin_array(j);
    for (uint32_t n = 0; n <= x->others; n++) json_ratio(j, (uint64_t)x->time[c][n], 100, 2);
    json_end_array(j);
  }
  json_end_object(j);
}

/* ---- as a picture ---- */

static int32_t x_of(const isolation_t *x, uint32_t others) {
  int32_t span = PLOT_WIDTH - PLOT_LEFT - PLOT_RIGHT;
  return PLOT_LEFT + (int32_t)(others * (uint32_t)span / (x->others ? x->others : 1));
}

static int64_t highest(const isolation_t *x) {
  int64_t most = 100;
  for (uint32_t c = 0; c < ISO_CASES; c++)
    for (uint32_t n = 0; n <= x->others; n++)
      if (x->time[c][n] > most) most = x->time[c][n];
  return most + most / 10;
}

static void draw(const isolation_t *x, uint32_t c, int64_t most, strbuf_t *o) {
  strbuf_printf(o, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" points=\"",
                plot_colour(c));
  for (uint32_t n = 0; n <= x->others; n++)
    strbuf_printf(o, "%d,%d ", x_of(x, n), plot_y(x->time[c][n], most));
  strbuf_str(o, "\"/>\n");
  plot_legend(c, isolation_name((isolation_case_t)c), o);
}

void isolation_svg(const device_info_t *d, const isolation_t *x, strbuf_t *o) {
  int64_t most = highest(x);
  plot_begin(d->name, o);
  plot_axes("other threads", "cycles per load", o);
  plot_cycles(most, o);
  for (uint32_t n = 0; n <= x->others; n += 5) {
    char label[16];
    snprintf(label, sizeof label, "%u", n);
    plot_text(o, x_of(x, n), PLOT_HEIGHT - PLOT_BOTTOM + 18, "middle", label);
  }
  for (uint32_t c = 0; c < ISO_CASES; c++) draw(x, c, most, o);
  plot_end(o);
}
