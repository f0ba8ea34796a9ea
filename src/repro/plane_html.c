/* The page of an atlas of pairs: the plane with applications as dots and pairs as lines, the claims
 * at each operating point, and every run by hand. SVG, no script and nothing from elsewhere. */
#include "repro/plane.h"
#include <inttypes.h>
#include <stdio.h>

#define WIDE   720
#define HIGH   440
#define LEFT   70
#define BOTTOM 50

/* 16 log2(v + 1), by its first bits. */
static uint32_t scale(uint64_t v) {
  uint32_t e = 63 - (uint32_t)__builtin_clzll(v + 1);
  uint64_t fraction = e >= 4 ? (v + 1) >> (e - 4) : (v + 1) << (4 - e);
  return 16 * e + (uint32_t)(fraction & 15);
}

typedef struct {
  uint32_t least[PLANE_AXES], most[PLANE_AXES];
} range_t;

static range_t range_of(const plane_t *p) {
  range_t w = {{UINT32_MAX, UINT32_MAX}, {0, 0}};
  for (uint32_t i = 0; i < p->apps; i++)
    for (uint32_t k = 0; k < PLANE_AXES; k++) {
      uint32_t v = scale(p->app[i].at[k]);
      if (v < w.least[k]) w.least[k] = v;
      if (v > w.most[k]) w.most[k] = v;
    }
  return w;
}

static uint32_t place(const range_t *w, uint32_t axis, uint64_t v) {
  uint32_t room = axis == PLANE_BYTES ? WIDE - LEFT - 90 : HIGH - BOTTOM - 40;
  uint32_t span = w->most[axis] - w->least[axis], at = scale(v) - w->least[axis];
  uint32_t far = room * at / (span ? span : 1);
  return axis == PLANE_BYTES ? LEFT + 20 + far : HIGH - BOTTOM - 10 - far;
}

/* A line at each power of four. */
static void grid(const range_t *w, strbuf_t *out) {
  for (uint32_t axis = 0; axis < PLANE_AXES; axis++)
    for (uint32_t e = 0; e < 40; e += 2) {
      uint64_t v = (1ull << e) - 1;
      if (scale(v) < w->least[axis] || scale(v) > w->most[axis]) continue;
      uint32_t at = place(w, axis, v);
      if (axis == PLANE_BYTES)
        strbuf_printf(out,
                      "<line x1=\"%u\" x2=\"%u\" y1=\"20\" y2=\"%d\" stroke=\"#8884\"/><text "
                      "x=\"%u\" y=\"%d\" text-anchor=\"middle\">2^%u</text>\n",
                      at, at, HIGH - BOTTOM, at, HIGH - BOTTOM + 16, e);
      else
        strbuf_printf(out,
                      "<line x1=\"%d\" x2=\"%d\" y1=\"%u\" y2=\"%u\" stroke=\"#8884\"/><text "
                      "x=\"%d\" y=\"%u\" text-anchor=\"end\">2^%u</text>\n",
                      LEFT, WIDE - 20, at, at, LEFT - 6, at + 4, e);
    }
  strbuf_printf(out,
                "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">DRAM bytes per walk</text><text "
                "x=\"4\" y=\"14\">pages until one is used again, median</text>\n",
                WIDE / 2, HIGH - 8);
}

static void picture(const plane_t *p, strbuf_t *out) {
  static const char *const fill[] = {"#1b6ca8", "#d1495b", "#2a9d55", "#a06cd5"};
  range_t w = range_of(p);
  strbuf_printf(out,
                "<svg class=\"plane\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"applications "
                "by DRAM bytes per walk and page reuse\">\n",
                WIDE, HIGH);
  grid(&w, out);
  for (uint32_t i = 0; i < p->pairs; i++) {
    const plane_app_t *a = &p->app[p->pair[i][0]], *b = &p->app[p->pair[i][1]];
    strbuf_printf(out,
                  "<line x1=\"%u\" y1=\"%u\" x2=\"%u\" y2=\"%u\" stroke=\"#888\" "
                  "stroke-dasharray=\"4 3\"><title>%s_%s</title></line>\n",
                  place(&w, PLANE_BYTES, a->at[0]), place(&w, PLANE_REUSE, a->at[1]),
                  place(&w, PLANE_BYTES, b->at[0]), place(&w, PLANE_REUSE, b->at[1]), a->name,
                  b->name);
  }
  for (uint32_t i = 0; i < p->apps; i++) {
    const plane_app_t *a = &p->app[i];
    uint32_t x = place(&w, PLANE_BYTES, a->at[0]), y = place(&w, PLANE_REUSE, a->at[1]);
    strbuf_printf(out,
                  "<circle cx=\"%u\" cy=\"%u\" r=\"5\" fill=\"%s\"><title>%s: %" PRIu64
                  " bytes per walk, %" PRIu64 " pages</title></circle><text x=\"%u\" "
                  "y=\"%u\">%s</text>\n",
                  x, y, fill[a->quadrant], a->name, a->at[0], a->at[1], x + 7, y + 4, a->name);
  }
  strbuf_str(out, "</svg>\n");
}

static void claims_table(const atlas_t *a, const plane_map_t *m, uint32_t at, strbuf_t *out) {
  static const char *const border[] = {"#8888", "#777", "#111", "#0a7d28"};
  static const uint32_t width[] = {1, 2, 2, 4};
  const plane_t *p = &m->plane;
  strbuf_printf(out,
                "<h2>At <code>%s%s</code></h2>\n<div class=\"scroll\"><table><tr><th>pair</th>",
                a->gpu, repro_points[at].suffix);
  for (uint32_t c = 0; c < atlas_claims(a); c++) {
    strbuf_str(out, "<th>"), strbuf_html(out, a->claim[c].what);
    if (a->claim[c].paper)
      strbuf_str(out, " ("), atlas_number(out, a->claim[c].paper), strbuf_str(out, ")");
    strbuf_str(out, "</th>");
  }
  strbuf_str(out, "</tr>\n");
  for (uint32_t i = 0; i < p->pairs; i++) {
    strbuf_printf(out, "<tr><th>%s_%s</th>", p->app[p->pair[i][0]].name,
                  p->app[p->pair[i][1]].name);
    for (uint32_t c = 0; c < atlas_claims(a); c++) {
      const atlas_cell_t *v = &m->cell[c][at][i];
      char fill[8];
      atlas_colour(&a->claim[c], v->value, fill);
      strbuf_printf(out, "<td style=\"background:%s;color:#000;border:%upx solid %s\">", fill,
                    width[v->holds], border[v->holds]);
      atlas_number(out, v->value), strbuf_str(out, "</td>");
    }
    strbuf_str(out, "</tr>\n");
  }
  strbuf_str(out, "</table></div>\n");
}

static void by_hand(repro_t *r, const atlas_t *a, const plane_t *p, strbuf_t *out) {
  strbuf_str(out, "<h2>Every pair by hand</h2>\n<p>The second design's is shown; "
                  "<code>--design</code> names another.</p>\n<div class=\"scroll\"><table>\n");
  for (uint32_t at = 0; at < REPRO_POINTS; at++)
    for (uint32_t i = 0; i < p->pairs; i++) {
      lab_run_t run = plane_run(r, a, p, i, at, 1, 0);
      strbuf_t line;
      strbuf_init(&line);
      lab_command(&run, &line);
      strbuf_str(out, "<tr><td style=\"text-align:left\"><code>");
      strbuf_html(out, strbuf_text(&line)), strbuf_str(out, "</code></td></tr>\n");
      strbuf_fini(&line);
    }
  strbuf_str(out, "</table></div>\n");
}

void plane_html(repro_t *r, const atlas_t *a, const plane_map_t *m, strbuf_t *out) {
  atlas_head(a->title, ": pairs by what applications do", out);
  strbuf_printf(
      out,
      "<p>%sEvery dot is an application, placed by two numbers of a run alone under SharedTLB on "
      "<code>maxwell</code> and of its program: <code>gmmu characterize</code> prints both. "
      "Colours "
      "are the four quadrants of the two rankings. Dashed lines are the %u pairs: one for each two "
      "quadrants and for each with itself, members nearest to the middle of their quadrant first. "
      "No mechanism is run before they are drawn.</p>\n<p>In the tables red is towards the paper's "
      "value (in parentheses), blue against it, in percent. Borders: thin, no direction beyond the "
      "noise of seeds; grey, the direction; black, half of the paper's size; green, its "
      "size. %s</p>\n",
      r->plan->quick ? "QUICK: its numbers mean nothing. " : "", m->plane.pairs,
      atlas_left_legend(a));
  picture(&m->plane, out);
  for (uint32_t at = 0; at < REPRO_POINTS; at++) claims_table(a, m, at, out);
  by_hand(r, a, &m->plane, out);
  strbuf_str(out, "</body></html>\n");
}
