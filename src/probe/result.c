/* Tables, JSON and SVG of the probes. All numbers come from integers, so that every machine prints
 * the same digits. */
#include "probe/result.h"
#include "base/ratio.h"
#include "base/table.h"
#include "probe/plot.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- for people ---- */

static void size_text(uint64_t bytes, char *buf, size_t n) {
  const char *unit[] = {"B", "KB", "MB", "GB"};
  uint32_t u = 0;
  while (u < 3 && bytes % 1024 == 0 && bytes >= 1024) bytes /= 1024, u++;
  snprintf(buf, n, "%llu %s", (unsigned long long)bytes, unit[u]);
}

static void cycles_text(int64_t hundredths, char *buf, size_t n) {
  int64_t tenths = (llabs(hundredths) + 5) / 10;
  snprintf(buf, n, "%s%lld.%lld", hundredths < 0 ? "-" : "", (long long)(tenths / 10),
           (long long)(tenths % 10));
}

static void shape_text(const shape_t *s, char *buf, size_t n) {
  if (!s->sets)
    snprintf(buf, n, "?");
  else if (s->sets == 1)
    snprintf(buf, n, "fully associative");
  else if (s->victims)
    snprintf(buf, n, "%u sets x %u + %u%s", s->sets, s->ways, s->victims,
             s->folded ? ", hashed" : "");
  else
    snprintf(buf, n, "%u sets x %u%s", s->sets, s->ways, s->folded ? ", hashed" : "");
}

static void level_row(table_t *t, const tlb_probe_t *tlb, const sharing_t *sharing, uint32_t i) {
  const probe_level_t *l = &tlb->level[i];
  char text[64];
  table_printf(t, "L%u", i + 1);
  table_u64(t, l->entries);
  size_text(l->reach_bytes, text, sizeof text);
  table_cell(t, text);
  size_text(l->reach_bytes * l->entries, text, sizeof text);
  table_cell(t, text);
  cycles_text(l->miss - l->hit, text, sizeof text);
  table_cell(t, text);
  shape_text(&l->shape, text, sizeof text);
  table_cell(t, text);
  if (sharing) {
    sharing_words(sharing, i, text, sizeof text);
    table_cell(t, text);
  }
  table_printf(t, "%u", l->confidence);
}

static void level_table(const tlb_probe_t *tlb, const sharing_t *sharing, strbuf_t *out) {
  table_t t;
  table_init(&t);
  table_column(&t, "TLB", TABLE_LEFT);
  table_column(&t, "entries", TABLE_RIGHT);
  table_column(&t, "entry covers", TABLE_RIGHT);
  table_column(&t, "in all", TABLE_RIGHT);
  table_column(&t, "miss, cycles", TABLE_RIGHT);
  table_column(&t, "organisation", TABLE_LEFT);
  if (sharing) table_column(&t, "shared by", TABLE_LEFT);
  table_column(&t, "confidence, %", TABLE_RIGHT);
  for (uint32_t i = 0; i < tlb->levels; i++) level_row(&t, tlb, sharing, i);
  table_render(&t, TABLE_TEXT, out);
  table_fini(&t);
}

static void group_text(const sharing_t *s, uint32_t level, uint32_t group, strbuf_t *out) {
  strbuf_printf(out, "  L%u.%u:", level + 1, group);
  for (uint32_t i = 0; i < s->sms; i++)
    if (s->level[level].group[i] == group) strbuf_printf(out, " %u", i);
  strbuf_str(out, "\n");
}

static void unknown_text(const device_info_t *d, const sharing_level_t *v, uint32_t level,
                         strbuf_t *out) {
  char needed[32], there[32];
  size_text(v->bytes, needed, sizeof needed);
  size_text(d->bytes, there, sizeof there);
  strbuf_printf(out, "\nL%u: who shares it cannot be told: ", level + 1);
  if (v->group)
    strbuf_str(out, "walking over other pages evicts too little\n");
  else
    strbuf_printf(out, "two SMs need %s for pages of their own, and there are %s\n", needed, there);
}

static void groups_text(const device_info_t *d, const sharing_t *s, strbuf_t *out) {
  for (uint32_t l = 0; l < s->levels; l++) {
    const sharing_level_t *v = &s->level[l];
    if (!v->known) {
      unknown_text(d, v, l, out);
      continue;
    }
    strbuf_printf(out, "\nL%u: %u group%s of SMs, %u tests (all pairs: %u), confidence %u %%\n",
                  l + 1, v->groups, v->groups == 1 ? "" : "s", v->tests, s->sms * (s->sms - 1) / 2,
                  v->confidence);
    for (uint32_t g = 0; g < v->groups; g++) group_text(s, l, g, out);
  }
}

/* One step of the probe on a processor is an eighth: nearer is the same. */
static bool as_told(uint32_t found, uint32_t told) {
  uint32_t off = found > told ? found - told : told - found;
  return 8 * off <= told;
}

static void told_text(const told_t *t, const tlb_probe_t *tlb, strbuf_t *out) {
  strbuf_str(out, t->by == TOLD_CPUID ? "cpuid tells" : "Published for this processor");
  for (uint32_t i = 0; i < t->levels; i++)
    strbuf_printf(out, "%s L%u: %u entries", i ? "," : "", t->at[i].level, t->at[i].entries);
  strbuf_str(out, ".");
  for (uint32_t i = 0; i < t->levels; i++) {
    uint32_t l = t->at[i].level - 1;
    if (l >= tlb->levels)
      strbuf_printf(out, " L%u was not found.", l + 1);
    else if (as_told(tlb->level[l].entries, t->at[i].entries))
      strbuf_printf(out, " L%u agrees.", l + 1);
    else
      strbuf_printf(out, " L%u was found with %u, confidence %u %%.", l + 1, tlb->level[l].entries,
                    tlb->level[l].confidence);
  }
  strbuf_str(out, "\n");
}

void result_text(const device_info_t *d, const tlb_probe_t *tlb, const sharing_t *sharing,
                 strbuf_t *out) {
  char base[32], range[32], seen[32];
  cycles_text(tlb->base, base, sizeof base);
  size_text(tlb->bytes, range, sizeof range);
  size_text(tlb_probe_seen(tlb) >> 20 << 20, seen, sizeof seen);
  strbuf_printf(out, "%s: %u level%s of TLBs, confidence %u %%\n\n", d->name, tlb->levels,
                tlb->levels == 1 ? "" : "s", tlb->confidence);
  if (tlb->levels) level_table(tlb, sharing, out);
  strbuf_printf(out,
                "\nAn access that hits everywhere takes %s cycles. Looked at: %s, %u lines of "
                "data at most.\nA level that reaches further than %s may not show: "
                "little of the memory, or of the lines, is beyond it.\n",
                base, range, tlb->lines, seen);
  if (!tlb->levels)
    strbuf_str(out, "No level shows: nothing misses in this range, or the times say nothing.\n");
  if (tlb->data_pages)
    strbuf_printf(out, "Beyond %u pages the data itself no longer stays in its cache.\n",
                  tlb->data_pages);
  if (d->told.levels) told_text(&d->told, tlb, out);
  if (sharing) groups_text(d, sharing, out);
}

/* ---- for programs ---- */

static void number(json_t *j, const char *key, uint64_t v) { json_key(j, key), json_u64(j, v); }

static void cycles(json_t *j, const char *key, int64_t hundredths) {
  json_key(j, key);
  if (hundredths < 0)
    json_i64(j, hundredths / 100);
  else
    json_ratio(j, (uint64_t)hundredths, 100, 2);
}

static void groups_json(const sharing_t *s, uint32_t level, json_t *j) {
  const sharing_level_t *v = &s->level[level];
  number(j, "sharing_tests", v->tests);
  number(j, "sharing_confidence_percent", v->confidence);
  json_key(j, "groups");
  if (!v->known) {
    json_null(j);
    return;
  }
  json_begin_array(j);
  for (uint32_t g = 0; g < v->groups; g++) {
    json_begin_array(j);
    for (uint32_t i = 0; i < s->sms; i++)
      if (v->group[i] == g) json_u64(j, i);
    json_end_array(j);
  }
  json_end_array(j);
}

static void level_json(const tlb_probe_t *tlb, const sharing_t *sharing, uint32_t i, json_t *j) {
  const probe_level_t *l = &tlb->level[i];
  json_begin_object(j);
  number(j, "level", i + 1);
  number(j, "entries", l->entries);
  number(j, "reach_bytes", l->reach_bytes);
  json_key(j, "sets"), l->shape.sets ? json_u64(j, l->shape.sets) : json_null(j);
  json_key(j, "ways"), l->shape.sets ? json_u64(j, l->shape.ways) : json_null(j);
  json_key(j, "victims"), l->shape.sets ? json_u64(j, l->shape.victims) : json_null(j);
  json_key(j, "hashed"), json_bool(j, l->shape.folded);
  cycles(j, "hit_cycles", l->hit);
  cycles(j, "miss_cost_cycles", l->miss - l->hit);
  number(j, "confidence_percent", l->confidence);
  json_key(j, "random_order_agrees"), json_bool(j, l->random_agrees);
  json_key(j, "half_stride_agrees"), json_bool(j, l->half_agrees);
  json_key(j, "organisation_fits"), json_bool(j, l->shape_fits);
  if (sharing) groups_json(sharing, i, j);
  json_end_object(j);
}

static void curve_json(const tlb_probe_t *tlb, json_t *j) {
  json_begin_array(j);
  for (uint32_t i = 0; i < tlb->points; i++) {
    json_begin_object(j);
    number(j, "stride_bytes", tlb->point[i].stride);
    number(j, "pages", tlb->point[i].count);
    cycles(j, "mean_cycles", tlb->point[i].mean);
    cycles(j, "lower_quartile_cycles", tlb->point[i].low);
    json_end_object(j);
  }
  json_end_array(j);
}

static void told_json(const told_t *t, json_t *j) {
  json_key(j, t->by == TOLD_CPUID ? "cpuid" : "published");
  json_begin_array(j);
  for (uint32_t i = 0; i < t->levels; i++) {
    json_begin_object(j);
    number(j, "level", t->at[i].level);
    number(j, "entries", t->at[i].entries);
    json_end_object(j);
  }
  json_end_array(j);
}

void result_json(const device_info_t *d, const tlb_probe_t *tlb, const sharing_t *sharing,
                 json_t *j) {
  json_begin_object(j);
  json_key(j, "device"), json_str(j, d->name);
  number(j, "sms", d->sms);
  number(j, "range_bytes", tlb->bytes);
  cycles(j, "base_cycles", tlb->base);
  cycles(j, "noise_cycles", tlb->noise);
  number(j, "data_lines", tlb->lines);
  number(j, "data_pages", tlb->data_pages);
  number(j, "accesses", tlb->accesses);
  number(j, "confidence_percent", tlb->confidence);
  json_key(j, "levels");
  json_begin_array(j);
  for (uint32_t i = 0; i < tlb->levels; i++) level_json(tlb, sharing, i, j);
  json_end_array(j);
  if (d->told.levels) told_json(&d->told, j);
  json_key(j, "curve"), curve_json(tlb, j);
  json_end_object(j);
}

/* ---- as a picture ---- */

typedef struct {
  uint32_t x_min, x_max; /* log2 of bytes, in thousandths */
  int64_t y_max;
} axes_t;

/* log2 in thousandths: linear between powers of two, which no eye tells from the truth here. */
static uint32_t log2_milli(uint64_t v) {
  uint32_t k = 63 - (uint32_t)__builtin_clzll(v | 1);
  return k * 1000 + (uint32_t)(((v - (1ull << k)) * 1000) >> k);
}

static int32_t x_of(const axes_t *a, uint64_t bytes) {
  uint32_t span = a->x_max > a->x_min ? a->x_max - a->x_min : 1;
  return PLOT_LEFT + (int32_t)((int64_t)(log2_milli(bytes) - a->x_min) *
                               (PLOT_WIDTH - PLOT_LEFT - PLOT_RIGHT) / span);
}

static int32_t y_of(const axes_t *a, int64_t hundredths) { return plot_y(hundredths, a->y_max); }

static axes_t axes_of(const tlb_probe_t *t) {
  axes_t a = {UINT32_MAX, 0, 100};
  for (uint32_t i = 0; i < t->points; i++) {
    uint32_t x = log2_milli(t->point[i].stride * t->point[i].count);
    if (x < a.x_min) a.x_min = x;
    if (x > a.x_max) a.x_max = x;
    if (t->point[i].mean > a.y_max) a.y_max = t->point[i].mean;
  }
  a.y_max += a.y_max / 10;
  return a;
}

static void draw_axes(const axes_t *a, strbuf_t *o) {
  plot_axes("range touched", "cycles per access", o);
  for (uint32_t k = (a->x_min + 999) / 1000; k <= a->x_max / 1000; k += 2) {
    char label[32];
    size_text(1ull << k, label, sizeof label);
    plot_text(o, x_of(a, 1ull << k), PLOT_HEIGHT - PLOT_BOTTOM + 18, "middle", label);
  }
  plot_cycles(a->y_max, o);
}

/* One line for the points from `i` on that have one stride; returns the first of the next. */
static uint32_t draw_curve(const tlb_probe_t *t, const axes_t *a, uint32_t i, uint32_t nth,
                           strbuf_t *o) {
  uint64_t stride = t->point[i].stride;
  char label[48], size[32];
  strbuf_printf(o, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" points=\"",
                plot_colour(nth));
  for (; i < t->points && t->point[i].stride == stride; i++)
    strbuf_printf(o, "%d,%d ", x_of(a, stride * t->point[i].count), y_of(a, t->point[i].mean));
  strbuf_str(o, "\"/>\n");
  size_text(stride, size, sizeof size);
  snprintf(label, sizeof label, "stride %s", size);
  plot_legend(nth, label, o);
  return i;
}

static void draw_level(const tlb_probe_t *t, const axes_t *a, uint32_t i, strbuf_t *o) {
  const probe_level_t *l = &t->level[i];
  char label[64], size[32];
  int32_t x = x_of(a, l->reach_bytes * l->entries);
  strbuf_printf(o, "<path d=\"M%d %dV%d\" stroke=\"#999\" stroke-dasharray=\"4 3\"/>\n", x,
                PLOT_TOP, PLOT_HEIGHT - PLOT_BOTTOM);
  size_text(l->reach_bytes, size, sizeof size);
  snprintf(label, sizeof label, "L%u: %u x %s", i + 1, l->entries, size);
  plot_text(o, x - 4, PLOT_TOP + 12 + 16 * (int32_t)i, "end", label);
}

void result_svg(const device_info_t *d, const tlb_probe_t *tlb, strbuf_t *o) {
  axes_t a = axes_of(tlb);
  plot_begin(d->name, o);
  if (tlb->points) {
    draw_axes(&a, o);
    for (uint32_t i = 0, nth = 0; i < tlb->points; nth++) i = draw_curve(tlb, &a, i, nth, o);
    for (uint32_t i = 0; i < tlb->levels; i++) draw_level(tlb, &a, i, o);
  }
  plot_end(o);
}
