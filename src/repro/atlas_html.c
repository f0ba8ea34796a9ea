/* The page of an atlas: heat maps as SVG, no script and nothing from elsewhere. A cell is the mean
 * of the points with its two levels; its border says where the claim holds on average. */
#include "repro/atlas.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define CELL   46
#define LEFT   74
#define TOP    26
#define BOTTOM 40

static const char style[] =
    "<style>:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:76rem;"
    "margin:2rem auto;padding:0 1rem}h1{font-size:1.6rem}h2{margin-top:2.2rem}.maps{display:flex;"
    "flex-wrap:wrap;gap:1rem}figure{margin:0}figcaption{font-size:.85rem}svg{width:270px;height:"
    "auto;"
    "font:11px system-ui,sans-serif}svg text{fill:currentColor}svg "
    ".on{fill:#000}svg.plane{width:100%;max-width:900px}table{border-collapse:"
    "collapse;font-size:.8rem}td,th{border:1px solid #8888;padding:.15rem .4rem;text-align:right}"
    "code{font-size:.75rem;word-break:break-all}.scroll{overflow-x:auto}</style>\n";

/* From blue (a loss) over white to red (the paper's value or more). Of what is left: from blue
 * (three times the paper's or more) to red (the paper's or less). */
void atlas_colour(const atlas_claim_t *c, micro_t v, char out[8]) {
  micro_t full = c->paper ? c->paper : 100000;
  if (c->left_of) v = 2 * full - v;
  micro_t t = v > full ? MICRO : v < -full ? -MICRO : 0;
  if (!t) t = micro_div(v, full);
  int fade = (int)((t < 0 ? -t : t) * 155 / MICRO);
  snprintf(out, 8, "#%02x%02x%02x", 255 - (t < 0 ? fade : 0), 255 - fade, 255 - (t > 0 ? fade : 0));
}

typedef struct {
  micro_t mean, least, most;
  uint32_t count, held[ATLAS_SIZE + 1];
} pool_t;

static pool_t pool(const atlas_t *a, const atlas_map_t *m, uint32_t claim, uint32_t dx, uint32_t x,
                   uint32_t dy, uint32_t y) {
  pool_t p = {0};
  micro_t sum = 0;
  (void)a;
  for (uint32_t i = 0; i < m->points; i++) {
    uint32_t level[ATLAS_COLUMNS];
    const atlas_cell_t *v = &m->cell[claim][i];
    atlas_levels(m->points, i, level);
    if (level[dx] != x || level[dy] != y) continue;
    if (!p.count || v->value < p.least) p.least = v->value;
    if (!p.count || v->value > p.most) p.most = v->value;
    p.count++, p.held[v->holds]++, sum += v->value;
  }
  p.mean = p.count ? sum / (micro_t)p.count : 0;
  return p;
}

/* What at least half of the cell's points hold, the strongest. */
static atlas_holds_t most_hold(const pool_t *p) {
  uint32_t n = 0;
  for (int h = ATLAS_SIZE; h > ATLAS_NO; h--) {
    n += p->held[h];
    if (2 * n >= p->count) return (atlas_holds_t)h;
  }
  return ATLAS_NO;
}

void atlas_number(strbuf_t *out, micro_t v) {
  micro_t tenths = ((v < 0 ? -v : v) + 500) / 1000;
  strbuf_printf(out, "%s%" PRId64 ".%" PRId64, v < 0 && tenths ? "-" : "", tenths / 10,
                tenths % 10);
}

const char *atlas_left_legend(const atlas_t *a) {
  for (uint32_t c = 0; c < atlas_claims(a); c++)
    if (a->claim[c].left_of)
      return "Where the paper says how little is left of a loss, less is towards it: red is at "
             "most its value, blue three times that or more; grey, less than was lost; black, at "
             "most twice its value; green, at most 1.5 times.";
  return "";
}

static void one_cell(const atlas_t *a, const atlas_map_t *m, uint32_t claim, uint32_t dx,
                     uint32_t x, uint32_t dy, uint32_t y, strbuf_t *out) {
  static const char *const border[] = {"#bbb", "#777", "#111", "#0a7d28"};
  static const uint32_t width[] = {1, 2, 2, 4};
  static const char *const word[] = {"no direction", "direction", "half the size", "size"};
  static const char *const left[] = {"nothing won back", "less than was lost",
                                     "at most twice the paper's", "at most 1.5 times the paper's"};
  pool_t p = pool(a, m, claim, dx, x, dy, y);
  uint32_t px = LEFT + x * CELL, py = TOP + (ATLAS_LEVELS - 1 - y) * CELL;
  char fill[8];
  if (!p.count) return;
  atlas_holds_t h = most_hold(&p);
  atlas_colour(&a->claim[claim], p.mean, fill);
  strbuf_printf(out,
                "<rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" fill=\"%s\" stroke=\"%s\" "
                "stroke-width=\"%u\"><title>",
                px + 3, py + 3, CELL - 6, CELL - 6, fill, border[h], width[h]);
  strbuf_printf(out, "%u points, mean ", p.count), atlas_number(out, p.mean);
  strbuf_str(out, " %, from "), atlas_number(out, p.least), strbuf_str(out, " to ");
  atlas_number(out, p.most),
      strbuf_printf(out, " %%; %s</title></rect>", a->claim[claim].left_of ? left[h] : word[h]);
  strbuf_printf(out, "<text class=\"on\" x=\"%u\" y=\"%u\" text-anchor=\"middle\">", px + CELL / 2,
                py + CELL / 2 + 4);
  atlas_number(out, p.mean), strbuf_str(out, "</text>\n");
}

static void dots(const atlas_t *a, uint32_t dx, uint32_t dy, strbuf_t *out) {
  for (uint32_t i = 0; i < ATLAS_DOTS; i++) {
    const atlas_dot_t *d = &a->dot[i];
    if (!d->name || d->at[dx] < 0 || d->at[dy] < 0) continue;
    uint32_t x = LEFT + (uint32_t)d->at[dx] * CELL + 10 + 10 * i,
             y = TOP + (uint32_t)(ATLAS_LEVELS - 1 - d->at[dy]) * CELL + 11;
    strbuf_printf(out,
                  "<circle cx=\"%u\" cy=\"%u\" r=\"5\" fill=\"#000\"><title>%s</title></circle>", x,
                  y, d->name);
    strbuf_printf(
        out,
        "<text x=\"%u\" y=\"%u\" text-anchor=\"middle\" style=\"fill:#fff;font-size:8px\">"
        "%c</text>\n",
        x, y + 3, d->name[0] - 32);
  }
}

static void one_map(const atlas_t *a, const atlas_map_t *m, uint32_t claim, uint32_t dx,
                    uint32_t dy, strbuf_t *out) {
  uint32_t wide = LEFT + ATLAS_LEVELS * CELL + 6, high = TOP + ATLAS_LEVELS * CELL + BOTTOM;
  strbuf_printf(out, "<figure><svg viewBox=\"0 0 %u %u\" role=\"img\" aria-label=\"", wide, high);
  strbuf_html(out, a->claim[claim].what);
  strbuf_printf(out, ": %s and %s\">\n", a->dim[dx].name, a->dim[dy].name);
  for (uint32_t x = 0; x < ATLAS_LEVELS; x++)
    for (uint32_t y = 0; y < ATLAS_LEVELS; y++) one_cell(a, m, claim, dx, x, dy, y, out);
  for (uint32_t l = 0; l < ATLAS_LEVELS; l++) {
    strbuf_printf(out, "<text x=\"%u\" y=\"%u\" text-anchor=\"middle\">%s</text>",
                  LEFT + l * CELL + CELL / 2, TOP + ATLAS_LEVELS * CELL + 14, a->dim[dx].label[l]);
    strbuf_printf(out, "<text x=\"%u\" y=\"%u\" text-anchor=\"end\">%s</text>\n", LEFT - 6,
                  TOP + (ATLAS_LEVELS - 1 - l) * CELL + CELL / 2 + 4, a->dim[dy].label[l]);
  }
  strbuf_printf(out, "<text x=\"%u\" y=\"%u\" text-anchor=\"middle\">%s</text>",
                LEFT + ATLAS_LEVELS * CELL / 2, high - 8, a->dim[dx].name);
  strbuf_printf(out, "<text x=\"4\" y=\"14\">%s</text>\n", a->dim[dy].name);
  dots(a, dx, dy, out);
  strbuf_str(out, "</svg></figure>\n");
}

/* How to have any point's bytes again. */
static void by_hand(repro_t *r, const atlas_t *a, const atlas_map_t *m, strbuf_t *out) {
  strbuf_str(out, "<h2>Every point by hand</h2>\n<p>A line gives the same bytes as the atlas used. "
                  "The second design's is shown; <code>--design</code> names another.</p>\n"
                  "<div class=\"scroll\"><table><tr><th>point</th><th>command</th></tr>\n");
  for (uint32_t p = 0; p < m->points; p++) {
    lab_run_t run = atlas_run(r, a, p, 1, 0);
    strbuf_t line;
    strbuf_init(&line);
    lab_command(&run, &line);
    strbuf_printf(out, "<tr><td>%u</td><td style=\"text-align:left\"><code>", p);
    strbuf_html(out, strbuf_text(&line));
    strbuf_str(out, "</code></td></tr>\n");
    strbuf_fini(&line);
  }
  strbuf_str(out, "</table></div>\n");
}

static void claim_part(const atlas_t *a, const atlas_map_t *m, uint32_t c, strbuf_t *out) {
  uint32_t n[ATLAS_SIZE + 1] = {0};
  for (uint32_t p = 0; p < m->points; p++) n[m->cell[c][p].holds]++;
  strbuf_str(out, "<h2>"), strbuf_html(out, a->claim[c].what);
  strbuf_str(out, "</h2>\n<p>");
  if (a->claim[c].paper)
    strbuf_str(out, "The paper has "), atlas_number(out, a->claim[c].paper),
        strbuf_str(out, " %. ");
  uint32_t of = a->claim[c].left_of;
  if (of) {
    strbuf_printf(out, "Of %u points it is less than &ldquo;", m->points);
    strbuf_html(out, a->claim[of - 1].what);
    strbuf_printf(out, "&rdquo; at %u, at most twice the paper's at %u, at most 1.5 times at %u",
                  n[1] + n[2] + n[3], n[2] + n[3], n[3]);
  } else
    strbuf_printf(out, "Of %u points its direction holds at %u", m->points, n[1] + n[2] + n[3]);
  if (!of && a->claim[c].paper)
    strbuf_printf(out, ", half of its size at %u, its size at %u", n[2] + n[3], n[3]);
  strbuf_str(out, ".</p>\n<div class=\"maps\">\n");
  for (uint32_t dx = 0; dx < ATLAS_DIMS; dx++)
    for (uint32_t dy = dx + 1; dy < ATLAS_DIMS; dy++) one_map(a, m, c, dx, dy, out);
  strbuf_str(out, "</div>\n");
}

void atlas_head(const char *title, const char *more, strbuf_t *out) {
  strbuf_str(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>");
  strbuf_html(out, title), strbuf_html(out, more), strbuf_str(out, "</title>\n");
  strbuf_str(out, style), strbuf_str(out, "</head><body>\n<h1>");
  strbuf_html(out, title), strbuf_html(out, more), strbuf_str(out, "</h1>\n");
}

void atlas_html(repro_t *r, const atlas_t *a, const atlas_map_t *m, strbuf_t *out) {
  atlas_head(a->title, "", out);
  strbuf_printf(
      out,
      "<p>%s%u machines and workloads on <code>%s</code>, an orthogonal array over "
      "the dimensions of the maps. A cell is the mean gain or loss in percent of the points "
      "with its two levels; the others vary in it. Red is towards the paper's value, blue "
      "against it. Borders say what at least half of the points hold: thin grey, no "
      "direction beyond the noise of seeds; grey, the direction; black, half of the paper's "
      "size; green, its size. %s Circles are known machines: ",
      r->plan->quick ? "QUICK: its numbers mean nothing. " : "", m->points, a->gpu,
      atlas_left_legend(a));
  for (uint32_t i = 0; i < ATLAS_DOTS && a->dot[i].name; i++)
    strbuf_printf(out, "%s%c, %s", i ? "; " : "", a->dot[i].name[0] - 32, a->dot[i].name);
  strbuf_str(out, ".</p>\n");
  for (uint32_t c = 0; c < atlas_claims(a); c++) claim_part(a, m, c, out);
  by_hand(r, a, m, out);
  strbuf_str(out, "</body></html>\n");
}
