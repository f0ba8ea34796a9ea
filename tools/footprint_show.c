/* `gmmu characterize` over sizes and GPUs: the study is lab/footprint.c's; here it is shown. */
#include "footprint_show.h"
#include "base/json.h"
#include "base/ratio.h"
#include "base/stop.h"
#include "base/table.h"
#include "cli.h"
#include "footprint_html.h"
#include <string.h>

/* ---- tables ---------------------------------------------------------------------------------- */

static uint64_t first_touches(const pages_t *p) { return p->pages; }

static void program_table(const footprint_t *s, strbuf_t *out) {
  static const char *const headers[] = {"MB",         "touched MB",    "M inst",
                                        "pages/inst", "first touch %", "median reuse"};
  table_t t;
  table_init(&t);
  table_column(&t, "application", TABLE_LEFT);
  table_column(&t, "size", TABLE_LEFT);
  for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
    table_column(&t, headers[i], TABLE_RIGHT);
  for (uint32_t i = 0; i < s->items; i++) {
    const footprint_item_t *x = &s->item[i];
    uint64_t reuse = footprint_median_reuse(&x->pages);
    table_cell(&t, x->name);
    table_cell(&t, x->size);
    table_ratio(&t, x->allocated, 1000000, 1);
    table_ratio(&t, x->pages.pages * PAGES_BYTES, 1000000, 1);
    table_ratio(&t, x->pages.insts, 1000000, 3);
    table_ratio(&t, x->pages.accesses, x->pages.memory_insts, 2);
    table_ratio(&t, first_touches(&x->pages) * 100, x->pages.accesses, 1);
    if (reuse == UINT64_MAX)
      table_cell(&t, "first");
    else
      table_printf(&t, "%llu", (unsigned long long)reuse);
  }
  table_render(&t, TABLE_TEXT, out);
  table_fini(&t);
}

static void cost_table(const footprint_t *s, strbuf_t *out) {
  static const char *const headers[] = {"cost",           "L1 TLB MPKI",  "L2 TLB MPKI",
                                        "walks/1000",     "table B/walk", "DRAM B/walk",
                                        "published MPKI", "published MB"};
  table_t t;
  table_init(&t);
  table_column(&t, "application", TABLE_LEFT);
  table_column(&t, "size", TABLE_LEFT);
  table_column(&t, "GPU", TABLE_LEFT);
  for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
    table_column(&t, headers[i], TABLE_RIGHT);
  for (uint32_t i = 0; i < s->items; i++)
    for (uint32_t g = 0; g < s->spec->gpus; g++) {
      const footprint_item_t *x = &s->item[i];
      const gpu_summary_t *r = &x->cell[g].run[0];
      const footprint_published_t *other = footprint_published(x->name);
      table_cell(&t, x->name);
      table_cell(&t, x->size);
      table_printf(&t, "%s%s", s->spec->gpu[g], x->cell[g].raised ? " *" : "");
      table_ratio(&t, r->cycles, x->cell[g].run[1].cycles, 2);
      table_ratio(&t, r->l1tlb_misses * 1000, r->instructions, 1);
      table_ratio(&t, r->l2tlb_misses * 1000, r->instructions, 1);
      table_ratio(&t, r->walks * 1000, r->instructions, 1);
      table_ratio(&t, r->walk_dram_bytes, r->walks, 1);
      table_ratio(&t, r->dram_bytes, r->walks, 1);
      table_cell(&t, other ? other->mpki : "-");
      table_cell(&t, other ? other->megabytes : "-");
    }
  table_render(&t, TABLE_TEXT, out);
  table_fini(&t);
}

static void print_text(const footprint_t *s, strbuf_t *out) {
  strbuf_str(out, "The programs, whatever runs them:\n\n");
  program_table(s, out);
  strbuf_printf(
      out,
      "\nMB: most allocated at once; touched: pages of 4 KB. pages/inst: different pages of "
      "an instruction that reaches\nmemory. median reuse: other pages since the page's last "
      "access, at least, for half of the accesses; first: no\naccess before.\n\nWhat "
      "translation costs, %s%s:\n\n",
      s->spec->design ? "under " : "on each GPU as it is", s->spec->design ? s->spec->design : "");
  cost_table(s, out);
  strbuf_str(
      out, "\ncost: cycles over those with ideal TLBs. MPKI: misses, primary and merged, per "
           "1000 warp instructions. table B/walk:\nbytes of page tables from DRAM; DRAM B/walk: of "
           "all, with data. * with more "
           "memory than the GPU has. published: " PUBLISHED_SOURCE ".\n");
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void number(json_t *j, const char *key, uint64_t v) {
  json_key(j, key);
  json_u64(j, v);
}

static void run_json(const footprint_t *s, const footprint_item_t *x, uint32_t g, json_t *j) {
  const gpu_summary_t *r = &x->cell[g].run[0];
  json_begin_object(j);
  json_key(j, "gpu"), json_str(j, s->spec->gpu[g]);
  json_key(j, "memory_raised"), json_bool(j, x->cell[g].raised);
  number(j, "cycles", r->cycles);
  number(j, "ideal_cycles", x->cell[g].run[1].cycles);
  number(j, "warp_instructions", r->instructions);
  number(j, "l1tlb_misses", r->l1tlb_misses);
  number(j, "l2tlb_misses", r->l2tlb_misses);
  number(j, "walks", r->walks);
  number(j, "walk_dram_bytes", r->walk_dram_bytes);
  number(j, "dram_bytes", r->dram_bytes);
  json_key(j, "walk_dram_bytes_per_walk"), json_ratio(j, r->walk_dram_bytes, r->walks, 1);
  json_key(j, "dram_bytes_per_walk"), json_ratio(j, r->dram_bytes, r->walks, 1);
  json_key(j, "cost"), json_ratio(j, r->cycles, x->cell[g].run[1].cycles, 4);
  json_end_object(j);
}

static void item_json(const footprint_t *s, const footprint_item_t *x, json_t *j) {
  const footprint_published_t *other = footprint_published(x->name);
  json_begin_object(j);
  json_key(j, "name"), json_str(j, x->name);
  json_key(j, "size"), json_str(j, x->size);
  number(j, "allocated_bytes", x->allocated);
  number(j, "page_bytes", PAGES_BYTES);
  number(j, "pages", x->pages.pages);
  number(j, "warp_instructions", x->pages.insts);
  number(j, "memory_instructions", x->pages.memory_insts);
  number(j, "page_accesses", x->pages.accesses);
  json_key(j, "median_reuse_distance"); /* null: half of the accesses are the first to their page */
  if (footprint_median_reuse(&x->pages) == UINT64_MAX)
    json_raw(j, "null");
  else
    json_u64(j, footprint_median_reuse(&x->pages));
  json_key(j, "reuse_distance"), json_u64s(j, x->pages.reuse, PAGES_BUCKETS);
  if (other) {
    json_key(j, "published_l2tlb_mpki"), json_raw(j, other->mpki);
    json_key(j, "published_megabytes"), json_raw(j, other->megabytes);
    json_key(j, "published_source"), json_str(j, PUBLISHED_SOURCE);
  }
  json_key(j, "runs");
  json_begin_array(j);
  for (uint32_t g = 0; g < s->spec->gpus; g++) run_json(s, x, g, j);
  json_end_array(j);
  json_end_object(j);
}

static void print_json(const footprint_t *s, json_t *j) {
  json_begin_object(j);
  json_key(j, "gmmu"), json_str(j, GMMU_VERSION);
  json_key(j, "design"), json_str(j, s->spec->design ? s->spec->design : "");
  number(j, "seed", s->spec->seed);
  json_key(j, "items");
  json_begin_array(j);
  for (uint32_t i = 0; i < s->items; i++) item_json(s, &s->item[i], j);
  json_end_array(j);
  json_end_object(j);
}

/* ---- the whole ------------------------------------------------------------------------------- */

typedef void picture_fn(const footprint_spec_t *spec, const footprint_item_t *item, uint32_t items,
                        strbuf_t *out);

static int picture(const footprint_t *s, const char *file, picture_fn *draw) {
  strbuf_t text;
  if (!file) return CLI_DONE;
  strbuf_init(&text);
  draw(s->spec, s->item, s->items, &text);
  int status = cli_output(file, &text);
  strbuf_fini(&text);
  return status;
}

static int print(const footprint_t *s, const footprint_show_t *show) {
  strbuf_t text;
  json_t j;
  strbuf_init(&text);
  json_init(&j);
  int status = picture(s, show->html, footprint_html);
  if (status == CLI_DONE) status = picture(s, show->svg, footprint_svg);
  if (show->json) {
    print_json(s, &j);
  } else {
    cli_screen(&text, NULL);
    print_text(s, &text);
  }
  if (status == CLI_DONE) status = cli_output(NULL, show->json ? &j.out : &text);
  strbuf_fini(&text);
  json_fini(&j);
  return status;
}

int footprint_show(const footprint_spec_t *spec, const footprint_show_t *show) {
  footprint_t s;
  err_t e = {0};
  int rc = footprint_new(&s, spec, &e);
  int status = rc < 0 ? cli_refuse(&e) : CLI_DONE;
  if (status == CLI_DONE) {
    stop_listen();
    rc = footprint_run(&s, &e);
    status = rc >= 0 ? print(&s, show) : cli_fail(&e);
    if (rc == GMMU_EINTERRUPTED) status = CLI_INTERRUPTED;
  }
  footprint_free(&s);
  return status;
}
