/* Large frames in reading order, a cell each; a cell is filled from below, by its base frames'
 * owners in order of their numbers. Each cell that is drawn is a group whose data- attributes hold
 * what it shows; the counts in the legend are sums over the same cells. */
#include "explain/memmap.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define CELL     14 /* pixels from one cell to the next; */
#define INSIDE   12 /* of them filled */
#define COLUMNS  64
#define LEFT     12
#define TOP      64
#define LINE     18
#define MINWIDTH 640

/* What a base frame may belong to: a space, page tables, nobody here, free. */
enum { OWNER_TABLE = GMMU_MAX_APPS, OWNER_OTHER, OWNERS };

/* Hues that are told apart also by those who see no red or no green, then greys. */
static const char *const colour[] = {"#0072b2", "#e69f00", "#009e73", "#cc79a7",
                                     "#56b4e9", "#d55e00", "#f0e442", "#882255"};
#define COLOURS (sizeof colour / sizeof *colour)

typedef struct {
  const mm_t *mm;
  const memmap_title_t *title;
  strbuf_t *out;
  uint64_t frames;                                         /* large ones */
  uint32_t pages;                                          /* base frames of a large one */
  uint64_t base[OWNERS], owned[OWNERS], coalesced[OWNERS]; /* sums: base frames, large frames */
  uint64_t mixed, used;                                    /* large frames */
} map_t;

/* ---- arguments ------------------------------------------------------------------------------- */

int memmap_parse(const char *text, memmap_t *out, err_t *e) {
  const char *name = strrchr(text, '/'), *at = strrchr(name ? name : text, '@');
  size_t size = at ? (size_t)(at - text) : strlen(text);
  out->cycle = at ? 0 : MEMMAP_END;
  for (const char *p = at ? at + 1 : ""; *p && out->cycle < MEMMAP_END; p++) {
    bool digit = *p >= '0' && *p <= '9' && out->cycle < UINT64_MAX / 20;
    out->cycle = digit ? out->cycle * 10 + (uint64_t)(*p - '0') : MEMMAP_END;
  }
  if (at && (!at[1] || out->cycle == MEMMAP_END))
    return err_set(e, GMMU_EINVAL, "--memmap: \"%.60s\" is no cycle; it is FILE or FILE@CYCLE",
                   at + 1);
  if (!size || size >= sizeof out->path || text[size - 1] == '/' || (size == 1 && *text == '-'))
    return err_set(e, GMMU_EINVAL, "--memmap: \"%.60s\" names no file", text);
  snprintf(out->path, sizeof out->path, "%.*s", (int)size, text);
  return GMMU_OK;
}

int memmap_path(const memmap_t *m, const char *design, uint32_t number, char *path, size_t size,
                err_t *e) {
  const char *name = strrchr(m->path, '/'), *dot = strrchr(name ? name : m->path, '.');
  int head = (int)(dot ? (size_t)(dot - m->path) : strlen(m->path));
  int n = strpbrk(design, "/.")
              ? snprintf(path, size, "%.*s-%u%s", head, m->path, number, m->path + head)
              : snprintf(path, size, "%.*s-%s%s", head, m->path, design, m->path + head);
  if (n >= 0 && (size_t)n < size) return GMMU_OK;
  return err_set(e, GMMU_EINVAL, "--memmap: the path is too long");
}

/* ---- text ------------------------------------------------------------------------------------ */

static const char *owner_colour(uint32_t owner) {
  if (owner == OWNER_TABLE) return "#303030";
  return owner == OWNER_OTHER ? "#b0b0b0" : colour[owner % COLOURS];
}

static void owner_name(const map_t *m, uint32_t owner) {
  if (owner == OWNER_TABLE || owner == OWNER_OTHER)
    strbuf_str(m->out, owner == OWNER_TABLE ? "page tables" : "others");
  else
    strbuf_html(m->out, owner < m->title->apps ? m->title->app[owner] : "?");
}

/* OWNERS: nobody. */
static uint32_t owner_of(uint8_t owner) {
  if (owner == MM_OWNER_NONE) return OWNERS;
  if (owner == MM_OWNER_OTHER) return OWNER_OTHER;
  return owner >= MM_OWNER_TABLE ? OWNER_TABLE : owner;
}

/* ---- cells ----------------------------------------------------------------------------------- */

static void count_owners(const map_t *m, uint64_t frame, uint32_t by[OWNERS]) {
  memset(by, 0, OWNERS * sizeof *by);
  for (uint32_t i = 0; i < m->pages; i++) {
    uint32_t owner = owner_of(mm_frame_owner(m->mm, (ppn_t){frame * m->pages + i}));
    if (owner < OWNERS) by[owner]++;
  }
}

/* In twentieths of a pixel, so that no base frame is lost and nothing depends on rounding. */
static void fill_cell(const map_t *m, uint32_t x, uint32_t y, const uint32_t by[OWNERS],
                      bool coalesced) {
  uint32_t below = 0;
  for (uint32_t o = 0; o < OWNERS; o++) {
    if (!by[o]) continue;
    uint32_t from = 20 * INSIDE * below / m->pages, to = 20 * INSIDE * (below + by[o]) / m->pages;
    if (to == from) to = from + 1; /* seen, if hardly */
    uint32_t top = 20 * INSIDE - to, high = to - from;
    strbuf_printf(m->out,
                  "<rect x=\"%u\" y=\"%u.%02u\" width=\"%u\" height=\"%u.%02u\" fill=\"%s\"%s/>", x,
                  y + top / 20, top % 20 * 5, INSIDE, high / 20, high % 20 * 5, owner_colour(o),
                  coalesced ? "" : " fill-opacity=\"0.7\"");
    below += by[o];
  }
}

static void frame_title(const map_t *m, uint64_t frame, const mm_large_t *f,
                        const uint32_t by[OWNERS]) {
  strbuf_printf(m->out, "<title>large frame %" PRIu64 "%s, %u of %u used", frame,
                f->coalesced ? ", coalesced" : "", f->used, m->pages);
  for (uint32_t o = 0; o < OWNERS; o++) {
    if (!by[o]) continue;
    strbuf_str(m->out, "; ");
    owner_name(m, o);
    strbuf_printf(m->out, " %u", by[o]);
  }
  strbuf_str(m->out, "</title>");
}

static void draw_frame(const map_t *m, uint64_t frame, const mm_large_t *f,
                       const uint32_t by[OWNERS], uint32_t owner) {
  uint32_t x = LEFT + (uint32_t)(frame % COLUMNS) * CELL,
           y = TOP + (uint32_t)(frame / COLUMNS) * CELL;
  strbuf_printf(m->out, "<g class=\"frame\" data-frame=\"%" PRIu64 "\" data-owner=\"", frame);
  if (owner < OWNERS)
    owner_name(m, owner);
  else
    strbuf_str(m->out, f->used ? "mixed" : "none");
  strbuf_printf(m->out,
                "\" data-used=\"%u\" data-guests=\"%u\" data-coalesced=\"%d\" "
                "data-channel=\"%u\">",
                f->used, f->guests, f->coalesced, f->channel);
  frame_title(m, frame, f, by);
  fill_cell(m, x, y, by, f->coalesced);
  if (f->coalesced || owner < OWNERS)
    strbuf_printf(m->out,
                  "<rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" fill=\"none\" "
                  "stroke=\"%s\"%s/>",
                  x, y, INSIDE, INSIDE, f->coalesced ? "#000000" : owner_colour(owner),
                  f->coalesced ? " stroke-width=\"1.5\"" : " stroke-width=\"0.75\"");
  strbuf_str(m->out, "</g>\n");
}

/* Whose it is: the manager's word, or if it deals in base frames only, that of all that are used.
 */
static uint32_t frame_owner(const mm_large_t *f, const uint32_t by[OWNERS]) {
  uint32_t owner = owner_of(f->owner), kinds = 0, last = OWNERS;
  if (owner < OWNERS) return owner;
  for (uint32_t o = 0; o < OWNERS; o++)
    if (by[o]) kinds++, last = o;
  return kinds == 1 ? last : OWNERS;
}

static void one_frame(map_t *m, uint64_t frame) {
  mm_large_t f;
  uint32_t by[OWNERS];
  mm_large_frame(m->mm, frame, &f);
  if (!f.used && f.owner == MM_OWNER_NONE) return;
  count_owners(m, frame, by);
  uint32_t owner = frame_owner(&f, by);
  for (uint32_t o = 0; o < OWNERS; o++) m->base[o] += by[o];
  m->used++;
  if (owner < OWNERS)
    m->owned[owner]++, m->coalesced[owner] += f.coalesced;
  else
    m->mixed++;
  draw_frame(m, frame, &f, by, owner);
}

/* ---- around them ----------------------------------------------------------------------------- */

static uint32_t rows(uint64_t frames) { return (uint32_t)((frames + COLUMNS - 1) / COLUMNS); }

static void begin(const map_t *m) {
  uint32_t width = 2 * LEFT + COLUMNS * CELL, legend = (m->title->apps + 4) * LINE;
  uint32_t height = TOP + rows(m->frames) * CELL + legend + 2 * LEFT;
  if (width < MINWIDTH) width = MINWIDTH;
  strbuf_printf(m->out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
                "viewBox=\"0 0 %u %u\" font-family=\"sans-serif\" font-size=\"12\">\n"
                "<rect width=\"%u\" height=\"%u\" fill=\"#ffffff\"/>\n",
                width, height, width, height, width, height);
  strbuf_printf(m->out, "<text x=\"%u\" y=\"24\" font-size=\"16\">Physical memory, ", LEFT);
  strbuf_html(m->out, m->title->gpu), strbuf_str(m->out, ", "),
      strbuf_html(m->out, m->title->design);
  strbuf_printf(m->out, " (manager %s), cycle %" PRIu64 "</text>\n", m->title->manager,
                m->title->cycle);
  strbuf_printf(m->out,
                "<text x=\"%u\" y=\"44\">%" PRIu64 " large frames of %u base frames, in order; "
                "black frame: one large page (coalesced); filled as far as in use</text>\n",
                LEFT, m->frames, m->pages);
}

/* All cells, free ones too, as a pattern. */
static void background(const map_t *m) {
  strbuf_printf(m->out,
                "<defs><pattern id=\"cells\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" "
                "patternUnits=\"userSpaceOnUse\"><rect width=\"%u\" height=\"%u\" "
                "fill=\"#eeeeee\"/></pattern></defs>\n",
                LEFT, TOP, CELL, CELL, INSIDE, INSIDE);
  uint32_t whole = (uint32_t)(m->frames / COLUMNS), rest = (uint32_t)(m->frames % COLUMNS);
  if (whole)
    strbuf_printf(m->out,
                  "<rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" fill=\"url(#cells)\"/>\n",
                  LEFT, TOP, COLUMNS * CELL, whole * CELL);
  if (rest)
    strbuf_printf(m->out,
                  "<rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" fill=\"url(#cells)\"/>\n",
                  LEFT, TOP + whole * CELL, rest * CELL, CELL);
}

static void legend_row(const map_t *m, uint32_t *y, uint32_t owner) {
  strbuf_printf(m->out,
                "<g class=\"legend\"><rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" "
                "fill=\"%s\"/><text x=\"%u\" y=\"%u\">",
                LEFT, *y - INSIDE + 2, INSIDE, INSIDE, owner_colour(owner), LEFT + 20, *y);
  owner_name(m, owner);
  strbuf_printf(m->out,
                ": %" PRIu64 " base frames; %" PRIu64 " large frames of its own, %" PRIu64
                " of them coalesced</text></g>\n",
                m->base[owner], m->owned[owner], m->coalesced[owner]);
  *y += LINE;
}

static void legend(const map_t *m) {
  uint32_t y = TOP + rows(m->frames) * CELL + LINE + 4;
  for (uint32_t a = 0; a < m->title->apps; a++) legend_row(m, &y, a);
  legend_row(m, &y, OWNER_TABLE);
  if (m->base[OWNER_OTHER]) legend_row(m, &y, OWNER_OTHER);
  strbuf_printf(m->out,
                "<text x=\"%u\" y=\"%u\">%" PRIu64 " large frames of several owners, %" PRIu64
                " free</text>\n",
                LEFT + 20, y, m->mixed, m->frames - m->used);
}

void memmap_svg(const mm_t *mm, const memmap_title_t *title, strbuf_t *out) {
  map_t m = {.mm = mm, .title = title, .out = out};
  mm_usage_t usage;
  mm_usage(mm, &usage);
  m.pages = 1u << (mm_large_shift(mm) - mm_base_shift(mm));
  m.frames = usage.frames / m.pages;
  begin(&m);
  background(&m);
  for (uint64_t f = 0; f < m.frames; f++) one_frame(&m, f);
  legend(&m);
  strbuf_str(out, "</svg>\n");
}
