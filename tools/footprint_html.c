/* One picture per GPU, or one of all: footprint to the right, cost upwards, both by powers of two,
 * a line for each application. Positions are integers, so every machine draws the same bytes. Lines
 * differ in colour and dashes, and each is named at its end. */
#include "footprint_html.h"
#include "base/ratio.h"
#include <stdio.h>
#include <string.h>

enum { WIDE = 900, HIGH = 560, LEFT = 60, RIGHT = 130, TOP = 20, BOTTOM = 50, STEPS = 64 };

/* log2 of num / den in STEPS-ths, by squaring; num >= den > 0. */
static uint32_t log2_steps(uint64_t num, uint64_t den) {
  uint32_t whole = 0, part = 0;
  while (num / den >= 2 && whole < 63) {
    if (den >> 62)
      num >>= 1;
    else
      den <<= 1;
    whole++;
  }
  while (num >> 32) num >>= 1, den >>= 1;
  uint64_t x = (num << 31) / den; /* in [2^31, 2^32) */
  for (uint32_t bit = STEPS / 2; bit; bit /= 2) {
    x = x * x >> 31;
    if (x >> 32) part += bit, x >>= 1;
  }
  return whole * STEPS + part;
}

static uint32_t cost_steps(const footprint_cell_t *c) {
  uint64_t a = c->run[0].cycles, b = c->run[1].cycles;
  return b && a > b ? log2_steps(a, b) : 0;
}

typedef struct {
  uint32_t low, high, top; /* of footprints and costs, in steps */
} frame_t;

static frame_t frame_of(const footprint_spec_t *spec, const footprint_item_t *item,
                        uint32_t items) {
  frame_t f = {UINT32_MAX, 0, STEPS};
  for (uint32_t i = 0; i < items; i++) {
    uint32_t x = log2_steps(item[i].allocated + 1, 1);
    if (x < f.low) f.low = x;
    if (x > f.high) f.high = x;
    for (uint32_t g = 0; g < spec->gpus; g++)
      if (cost_steps(&item[i].cell[g]) > f.top) f.top = cost_steps(&item[i].cell[g]);
  }
  f.low = f.low / STEPS * STEPS;
  f.high = (f.high / STEPS + 1) * STEPS;
  f.top = (f.top + STEPS - 1) / STEPS * STEPS;
  return f;
}

static uint32_t at_x(const frame_t *f, uint32_t steps) {
  return LEFT + (steps - f->low) * (WIDE - LEFT - RIGHT) / (f->high - f->low);
}
static uint32_t at_y(const frame_t *f, uint32_t steps) {
  return HIGH - BOTTOM - steps * (HIGH - TOP - BOTTOM) / f->top;
}

static void bytes_text(uint32_t log, char *text, size_t size) {
  static const char *const unit[] = {"B", "KB", "MB", "GB", "TB"};
  snprintf(text, size, "%u %s", 1u << log % 10, unit[log / 10 < 5 ? log / 10 : 4]);
}

static void grid(strbuf_t *out, const frame_t *f) {
  uint32_t named = (f->high - f->low) / STEPS > 12 ? 2 : 1; /* one in so many, or they meet */
  for (uint32_t s = f->low; s <= f->high; s += STEPS) {
    char text[24] = "";
    if (s / STEPS % named == 0) bytes_text(s / STEPS, text, sizeof text);
    strbuf_printf(out, "<line class=\"g\" x1=\"%u\" y1=\"%d\" x2=\"%u\" y2=\"%d\"/>", at_x(f, s),
                  TOP, at_x(f, s), HIGH - BOTTOM);
    strbuf_printf(out, "<text x=\"%u\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", at_x(f, s),
                  HIGH - BOTTOM + 20, text);
  }
  for (uint32_t s = 0; s <= f->top; s += STEPS) {
    strbuf_printf(out, "<line class=\"g\" x1=\"%d\" y1=\"%u\" x2=\"%d\" y2=\"%u\"/>", LEFT,
                  at_y(f, s), WIDE - RIGHT, at_y(f, s));
    strbuf_printf(out, "<text x=\"%d\" y=\"%u\" text-anchor=\"end\">%u</text>\n", LEFT - 8,
                  at_y(f, s) + 4, 1u << s / STEPS);
  }
  strbuf_printf(out,
                "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">memory allocated</text>\n"
                "<text x=\"%d\" y=\"%d\">cycles, over those with ideal TLBs</text>\n",
                (LEFT + WIDE - RIGHT) / 2, HIGH - BOTTOM + 42, LEFT, TOP - 7);
}

typedef struct {
  uint32_t app, gpu;
  char name[96];
  bool fits; /* it ends where the GPU's memory does */
} line_t;

/* A line's points, by footprint: sizes were given in some order. */
static uint32_t points_of(const footprint_spec_t *spec, const footprint_item_t *item,
                          const line_t *l, uint32_t order[FOOTPRINT_SIZES]) {
  uint32_t n = 0;
  for (uint32_t i = l->app; i < spec->sizes * spec->apps; i += spec->apps) {
    if (l->fits && item[i].cell[l->gpu].raised) continue;
    uint32_t k = n++;
    for (; k && item[order[k - 1]].allocated > item[i].allocated; k--) order[k] = order[k - 1];
    order[k] = i;
  }
  return n;
}

/* One line, and its end: names keep apart, downwards. */
static void line(strbuf_t *out, const footprint_spec_t *spec, const footprint_item_t *item,
                 const frame_t *f, const line_t *l, uint32_t number, uint32_t *name_y) {
  static const char *const dash[] = {"", "7 4", "2 3"};
  uint32_t order[FOOTPRINT_SIZES], n = points_of(spec, item, l, order), x = LEFT, y = at_y(f, 0);
  strbuf_printf(out, "<polyline class=\"c%u\" stroke-dasharray=\"%s\" points=\"", number % 7,
                dash[number / 7 % 3]);
  for (uint32_t i = 0; i < n; i++) {
    x = at_x(f, log2_steps(item[order[i]].allocated + 1, 1));
    y = at_y(f, cost_steps(&item[order[i]].cell[l->gpu]));
    strbuf_printf(out, "%u,%u ", x, y);
  }
  strbuf_str(out, "\"/>\n");
  for (uint32_t i = 0; i < n; i++)
    strbuf_printf(out, "<circle class=\"d%u\" cx=\"%u\" cy=\"%u\" r=\"3\"/>", number % 7,
                  at_x(f, log2_steps(item[order[i]].allocated + 1, 1)),
                  at_y(f, cost_steps(&item[order[i]].cell[l->gpu])));
  uint32_t wanted = y + 4;
  for (uint32_t k = 0; k < number; k++)
    if (name_y[k] < wanted + 13 && wanted < name_y[k] + 13) wanted = name_y[k] + 13, k = UINT32_MAX;
  name_y[number] = wanted;
  strbuf_printf(out, "<line class=\"l\" x1=\"%u\" y1=\"%u\" x2=\"%d\" y2=\"%u\"/>", x, y,
                WIDE - RIGHT + 12, wanted - 4);
  strbuf_printf(out, "<text class=\"t%u\" x=\"%d\" y=\"%u\">", number % 7, WIDE - RIGHT + 15,
                wanted);
  strbuf_html(out, l->name);
  strbuf_str(out, "</text>\n");
}

static const char colour_style[] =
    ":root{color-scheme:light dark;--page:#fff;--ink:#1b1b1f;--line:#d5d5dc}\n"
    "@media(prefers-color-scheme:dark){:root{--page:#16161a;--ink:#ececf1;--line:#3a3a44}}\n"
    "svg{font:12px system-ui,sans-serif}svg text{fill:var(--ink)}\n"
    ".g{stroke:var(--line)}.l{stroke:var(--line);stroke-dasharray:1 3}"
    "polyline{fill:none;stroke-width:2}\n";

static const char page_style[] =
    "body{background:var(--page);color:var(--ink);font:16px/1.5 system-ui,sans-serif;"
    "max-width:70rem;margin:2rem auto;padding:0 1rem}h1{font-size:1.4rem}h2{font-size:1.1rem}\n"
    "svg{width:100%;height:auto;overflow:visible}\n"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}"
    "th,td{padding:.2rem .7rem;border-bottom:1px solid var(--line);text-align:right}"
    "th:first-child,td:first-child{text-align:left}\n";

static void colours(strbuf_t *out) {
  static const char *const c[] = {"#0072b2", "#b84a00", "#00805e", "#9c3d7a",
                                  "#7a6a00", "#2f7fb0", "#777777"};
  for (uint32_t i = 0; i < 7; i++)
    strbuf_printf(out, ".c%u{stroke:%s}.d%u{fill:%s}\n", i, c[i], i, c[i]);
}

static void cell(strbuf_t *out, uint64_t num, uint64_t den, uint32_t digits) {
  char text[RATIO_TEXT_BYTES];
  ratio_format(text, sizeof text, num, den, digits);
  strbuf_printf(out, "<td>%s</td>", text);
}

/* The picture's numbers. */
static void numbers(strbuf_t *out, const footprint_spec_t *spec, const footprint_item_t *item,
                    uint32_t items, uint32_t gpu) {
  strbuf_str(out, "<table><tr><th>application</th><th>size</th><th>MB</th><th>cost</th><th>L2 TLB "
                  "misses per 1000 warp instructions</th><th>walks per 1000</th><th>DRAM bytes per "
                  "walk</th><th>median reuse, pages</th><th>published misses per 1000</th>"
                  "<th>published MB</th></tr>\n");
  for (uint32_t a = 0; a < spec->apps; a++)
    for (uint32_t i = a; i < items; i += spec->apps) {
      const gpu_summary_t *r = item[i].cell[gpu].run;
      strbuf_printf(out, "<tr><td>%s</td><td>%s%s</td>", item[i].name, item[i].size,
                    item[i].cell[gpu].raised ? " *" : "");
      cell(out, item[i].allocated, 1000000, 1);
      cell(out, r[0].cycles, r[1].cycles, 2);
      cell(out, r[0].l2tlb_misses * 1000, r[0].instructions, 1);
      cell(out, r[0].walks * 1000, r[0].instructions, 1);
      cell(out, r[0].dram_bytes, r[0].walks, 1);
      uint64_t reuse = footprint_median_reuse(&item[i].pages);
      if (reuse == UINT64_MAX)
        strbuf_str(out, "<td>first</td>");
      else
        strbuf_printf(out, "<td>%llu</td>", (unsigned long long)reuse);
      const footprint_published_t *other = footprint_published(item[i].name);
      strbuf_printf(out, "<td>%s</td><td>%s</td>", other ? other->mpki : "-",
                    other ? other->megabytes : "-");
      strbuf_str(out, "</tr>\n");
    }
  strbuf_str(out, "</table>\n");
}

void footprint_html(const footprint_spec_t *spec, const footprint_item_t *item, uint32_t items,
                    strbuf_t *out) {
  frame_t f = frame_of(spec, item, items);
  strbuf_str(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Cost of "
                  "translation over footprint</title>\n<style>\n");
  strbuf_str(out, colour_style);
  strbuf_str(out, page_style);
  colours(out);
  strbuf_str(out,
             "</style></head><body>\n<h1>What address translation costs, over footprint</h1>\n"
             "<p>Upwards: cycles over those with ideal TLBs. To the right: memory allocated. Each "
             "application alone.</p>\n");
  for (uint32_t g = 0; g < spec->gpus; g++) {
    strbuf_str(out, "<h2>");
    strbuf_html(out, spec->gpu[g]);
    if (spec->design) strbuf_str(out, ", "), strbuf_html(out, spec->design);
    strbuf_printf(out,
                  "</h2>\n<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Cost over "
                  "footprint; the table below has the numbers\">\n",
                  WIDE, HIGH);
    grid(out, &f);
    uint32_t name_y[FOOTPRINT_APPS];
    for (uint32_t a = 0; a < spec->apps; a++) {
      line_t l = {.app = a, .gpu = g};
      snprintf(l.name, sizeof l.name, "%s", item[a].name);
      line(out, spec, item, &f, &l, a, name_y);
    }
    strbuf_str(out, "</svg>\n");
    numbers(out, spec, item, items, g);
  }
  strbuf_str(out,
             "<p>* with more memory than the GPU has. DRAM bytes: of data and page tables. Median "
             "reuse: other pages since the page's last access, at least, for half of the "
             "accesses; first: no access before. Published: " PUBLISHED_SOURCE
             ".</p>\n</body></html>\n");
}

void footprint_svg(const footprint_spec_t *spec, const footprint_item_t *item, uint32_t items,
                   strbuf_t *out) {
  frame_t f = frame_of(spec, item, items);
  uint32_t name_y[FOOTPRINT_APPS * FOOTPRINT_GPUS], number = 0;
  strbuf_printf(
      out,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\" "
      "aria-label=\"Cycles over those with ideal TLBs, over memory allocated\">\n<style>\n",
      WIDE, HIGH);
  strbuf_str(out, colour_style);
  colours(out);
  strbuf_str(out, "</style>\n<rect width=\"100%\" height=\"100%\" style=\"fill:var(--page)\"/>\n");
  grid(out, &f);
  for (uint32_t a = 0; a < spec->apps; a++)
    for (uint32_t g = 0; g < spec->gpus; g++) {
      line_t l = {.app = a, .gpu = g, .fits = true};
      snprintf(l.name, sizeof l.name, "%s%s%.40s", spec->apps > 1 ? item[a].name : "",
               spec->apps > 1 ? " " : "", spec->gpus > 1 ? spec->gpu[g] : "");
      if (spec->apps == 1 && spec->gpus == 1) snprintf(l.name, sizeof l.name, "%s", item[a].name);
      line(out, spec, item, &f, &l, number++, name_y);
    }
  strbuf_str(out, "</svg>\n");
}
