/* A page of its own, without scripts: the paragraph, the stall stacks before and after as one
 * picture, the tables. Colours are meant to keep WCAG AA in both modes (not measured): text 4.5 to
 * 1 and areas 3 to 1 against the page. */
#include "base/ratio.h"
#include "explain/explain_text.h"
#include "explain/report.h"
#include <stdio.h>
#include <string.h>

/* ---- text ------------------------------------------------------------------------------------ */

/* With what is between backquotes as code. */
static void prose(strbuf_t *out, const char *text) {
  bool code = false;
  for (const char *end; *text; text = end + (*end == '`')) {
    strbuf_t part;
    end = strchr(text, '`') ? strchr(text, '`') : text + strlen(text);
    strbuf_init(&part);
    strbuf_add(&part, text, (size_t)(end - text));
    if (code) strbuf_str(out, "<code>");
    strbuf_html(out, strbuf_text(&part));
    if (code) strbuf_str(out, "</code>");
    strbuf_fini(&part);
    code = !code;
  }
}

static const char style[] =
    ":root{color-scheme:light dark;--page:#fff;--ink:#1b1b1f;--soft:#55555e;--line:#c9c9d1;--panel:"
    "#f4f4f7}\n"
    "@media(prefers-color-scheme:dark){:root{--page:#16161a;--ink:#ececf1;--soft:#b4b4c0;--line:"
    "#44444e;--panel:#222228}}\n"
    "body{background:var(--page);color:var(--ink);font:16px/1.5 "
    "system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}\n"
    "h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}\n"
    "p.why{font-size:1.05rem;max-width:48rem}\n"
    "pre,code{font-family:ui-monospace,monospace;font-size:.9em}\n"
    "pre{background:var(--panel);padding:.7rem 1rem;overflow-x:auto}\n"
    "div.wide{overflow-x:auto}\n"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}\n"
    "th,td{padding:.25rem .7rem;border-bottom:1px solid var(--line);text-align:left;"
    "vertical-align:top}\n"
    "td.n,th.n{text-align:right;white-space:nowrap}\n"
    "tr.named td{font-weight:600}\n"
    "td.s{color:var(--soft)}\n"
    "svg{width:100%;height:auto;font:13px system-ui,sans-serif}svg text{fill:var(--ink)}\n"
    "svg rect.seg{stroke:var(--page);stroke-width:1}\n";

/* ---- stall stacks ---------------------------------------------------------------------------- */

/* Translation in blues, memory in oranges, the rest in greys: on white and on the dark page alike
 * every one of them has a contrast of 3 to 1. */
static const char *colour_of(uint32_t part) {
  if (!part) return "#2e8b57"; /* issued */
  switch ((stall_t)(part - 1)) {
  case STALL_TLB1: return "#7a8cf0";
  case STALL_TLB2: return "#5b6fe0";
  case STALL_WALK_QUEUE: return "#8a5fd6";
  case STALL_WALK_L2: return "#a05ac0";
  case STALL_WALK_DRAM: return "#c04fa8";
  case STALL_FAULT: return "#d6457f";
  case STALL_L1: return "#c98a1b";
  case STALL_L2: return "#cc7429";
  case STALL_DRAM: return "#c9592f";
  case STALL_ALU: return "#4f9a94";
  case STALL_BARRIER: return "#77828c";
  case STALL_STRUCTURAL: return "#8b8177";
  default: return "#84848c";
  }
}

static const char *part_name(uint32_t part) { return part ? stall_names[part - 1] : "issued"; }

#define LEFT  250
#define WIDTH 700 /* of the longest bar */
#define ROW   44

static void stack_bar(strbuf_t *out, const explain_run_t *r, uint32_t y, uint64_t longest) {
  uint32_t share[REPORT_PARTS], at = 0;
  uint64_t width = explain_cycles(r) * WIDTH / longest;
  report_shares(&r->stats, share);
  strbuf_printf(out, "<text x=\"%d\" y=\"%u\" text-anchor=\"end\">", LEFT - 8, y + 14);
  strbuf_html(out, r->name);
  strbuf_printf(out, "</text><text x=\"%d\" y=\"%u\" text-anchor=\"end\">%llu cycles</text>\n",
                LEFT - 8, y + 30, (unsigned long long)explain_cycles(r));
  for (uint32_t p = 0; p < REPORT_PARTS; p++) {
    if (!share[p]) continue;
    uint64_t x0 = at * width * 10 / 1000, x1 = (at + share[p]) * width * 10 / 1000;
    strbuf_printf(out,
                  "<rect class=\"seg\" x=\"%llu.%llu\" y=\"%u\" width=\"%llu.%llu\" height=\"28\" "
                  "fill=\"%s\"><title>%s: %u.%u %%</title></rect>\n",
                  (unsigned long long)(LEFT + x0 / 10), (unsigned long long)(x0 % 10), y + 2,
                  (unsigned long long)((x1 - x0) / 10), (unsigned long long)((x1 - x0) % 10),
                  colour_of(p), part_name(p), share[p] / 10, share[p] % 10);
    at += share[p];
  }
}

static void legend(strbuf_t *out, const bool used[REPORT_PARTS], uint32_t y) {
  uint32_t x = LEFT;
  for (uint32_t p = 0; p < REPORT_PARTS; p++) {
    if (!used[p]) continue;
    uint32_t width = 28 + 8 * (uint32_t)strlen(part_name(p));
    if (x + width > LEFT + WIDTH) x = LEFT, y += 20;
    strbuf_printf(out,
                  "<rect x=\"%u\" y=\"%u\" width=\"12\" height=\"12\" fill=\"%s\"/><text x=\"%u\" "
                  "y=\"%u\">%s</text>\n",
                  x, y, colour_of(p), x + 17, y + 11, part_name(p));
    x += width;
  }
}

static void stacks(const explain_view_t *w, strbuf_t *out) {
  const explain_run_t *run[EXPLAIN_STACKS];
  bool used[REPORT_PARTS] = {false};
  uint32_t n = explain_stacks(w, run), share[REPORT_PARTS];
  uint64_t longest = 1;
  for (uint32_t i = 0; i < n; i++) {
    if (explain_cycles(run[i]) > longest) longest = explain_cycles(run[i]);
    report_shares(&run[i]->stats, share);
    for (uint32_t p = 0; p < REPORT_PARTS; p++) used[p] |= share[p] != 0;
  }
  strbuf_printf(
      out,
      "<h2>Where the time of the warp slots went, before and after</h2>\n<svg viewBox=\"0 "
      "0 %d %u\" role=\"img\" aria-label=\"stall stacks\">\n",
      LEFT + WIDTH + 10, n * ROW + 50);
  for (uint32_t i = 0; i < n; i++) stack_bar(out, run[i], i * ROW, longest);
  legend(out, used, n * ROW + 8);
  strbuf_str(out, "</svg>\n<p>A bar is as long as its run; its parts are shares of the warp "
                  "slots' time. A part's name and share show when the pointer is on it.</p>\n");
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void percent_cell(strbuf_t *out, int64_t num, uint64_t den) {
  strbuf_str(out, "<td class=\"n\">");
  if (den)
    explain_percent(num, den, out);
  else
    strbuf_str(out, "-");
  strbuf_str(out, "</td>");
}

static void machine_row(const explain_view_t *w, const explain_run_t *r, strbuf_t *out) {
  const explain_verdict_t *v = w->v;
  bool compared = r->done && r->kind != EXPLAIN_BASE;
  int64_t regained = r->kind == EXPLAIN_CAUSE ? v->regained[r->cause]
                                              : (int64_t)v->base - (int64_t)explain_cycles(r);
  strbuf_printf(out, "<tr%s><td>",
                r->kind == EXPLAIN_CAUSE && r->cause == v->cause ? " class=\"named\"" : "");
  strbuf_html(out, r->name);
  if (r->done)
    strbuf_printf(out, "</td><td class=\"n\">%llu</td>", (unsigned long long)explain_cycles(r));
  else
    strbuf_str(out, "</td><td class=\"n\">-</td>");
  percent_cell(out, regained, compared ? v->base : 0);
  percent_cell(out, regained, compared && v->cost > 0 ? (uint64_t)v->cost : 0);
  strbuf_str(out, "<td class=\"s\">");
  if (!r->done) strbuf_html(out, r->settings.none ? r->settings.none : r->error.text);
  for (uint32_t i = 0; r->done && i < r->settings.count; i++) {
    strbuf_str(out, "<code>"), strbuf_html(out, r->settings.at[i]), strbuf_str(out, "</code> ");
  }
  if (r->short_of) strbuf_str(out, "still too few");
  strbuf_str(out, "</td></tr>\n");
}

static void machines(const explain_view_t *w, strbuf_t *out) {
  strbuf_str(out, "<h2>Machines</h2>\n<div class=\"wide\"><table><tr><th>machine</th><th "
                  "class=\"n\">cycles</th><th class=\"n\">regains</th><th class=\"n\">of the "
                  "cost</th><th>settings</th></tr>\n");
  for (uint32_t i = 0; i < w->x->runs; i++) machine_row(w, &w->x->run[i], out);
  strbuf_str(out, "</table></div>\n");
}

static void responsible(const explain_view_t *w, const char *list, const char *what,
                        strbuf_t *out) {
  explain_row_t row[EXPLAIN_ROWS], all;
  uint32_t n = explain_rows(w, list, row, &all);
  if (!n) return;
  strbuf_printf(out, "<h2>By %s</h2>\n<div class=\"wide\"><table><tr><th>%s</th>", what, what);
  for (uint32_t m = 0; m < MEASURES; m++)
    if (measures[m].explain) strbuf_printf(out, "<th class=\"n\">%s</th>", measures[m].title);
  strbuf_str(out, "</tr>\n");
  for (uint32_t i = 0; i < n; i++) {
    strbuf_str(out, "<tr><td>"), strbuf_html(out, row[i].name), strbuf_str(out, "</td>");
    for (uint32_t m = 0; m < MEASURES; m++)
      if (measures[m].explain) percent_cell(out, (int64_t)row[i].of[m], all.of[m]);
    strbuf_str(out, "</tr>\n");
  }
  strbuf_str(out, "</table></div>\n");
}

void explain_html(const explain_view_t *w, strbuf_t *out) {
  strbuf_t text;
  strbuf_init(&text);
  strbuf_str(out, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta "
                  "name=\"viewport\" content=\"width=device-width\"><title>gmmu explain: ");
  strbuf_html(out, w->name);
  strbuf_printf(out, "</title><style>\n%s</style></head><body>\n<h1>What translation costs ",
                style);
  strbuf_html(out, w->source);
  strbuf_str(out, " on "), strbuf_html(out, w->gpu);
  strbuf_str(out, "</h1>\n<p class=\"why\">");
  explain_paragraph(w, &text);
  prose(out, strbuf_text(&text));
  strbuf_str(out, "</p>\n<p>Try next:</p>\n<pre>");
  strbuf_clear(&text);
  explain_next(w, &text);
  strbuf_html(out, strbuf_text(&text));
  strbuf_str(out, "</pre>\n");
  stacks(w, out);
  machines(w, out);
  responsible(w, "by_array", "array", out);
  responsible(w, "by_kernel", "kernel", out);
  responsible(w, "by_line", "line", out);
  strbuf_str(out, "<p>gmmu " GMMU_VERSION "</p>\n</body></html>\n");
  out->failed |= text.failed;
  strbuf_fini(&text);
}
