/* A row per design and application. Slowdowns are against the reference: the design `ideal` if it
 * is among them, else the first. */
#include "report.h"
#include "base/ratio.h"
#include <stdio.h>
#include <string.h>

#define COLUMN(t, name) table_column(t, name, TABLE_RIGHT)

static const report_run_t *reference(const report_t *r) {
  for (uint32_t i = 0; i < r->runs; i++)
    if (strcmp(r->run[i].design, "ideal") == 0) return &r->run[i];
  return &r->run[0];
}

/* ---- speed ----------------------------------------------------------------------------------- */

typedef struct {
  uint64_t instructions, cycles;
} speed_t;

/* Of complete executions if there are any: a started one says little, and an application that is
 * not started again is idle to the end of the run. */
static speed_t speed_of(const gpu_summary_t *s) {
  if (s->complete_cycles) return (speed_t){s->complete_instructions, s->complete_cycles};
  return (speed_t){s->instructions, s->cycles};
}

static void speed_cell(table_t *t, const gpu_summary_t *s) {
  speed_t v = speed_of(s);
  char text[RATIO_TEXT_BYTES];
  ratio_format(text, sizeof text, v.instructions, v.cycles, 3);
  table_printf(t, "%s%s", text, s->complete_cycles ? "" : "*");
}

__extension__ typedef unsigned __int128 wide_t;

static void slowdown_cell(table_t *t, const gpu_summary_t *ref, const gpu_summary_t *s) {
  speed_t a = speed_of(ref), b = speed_of(s);
  wide_t num = (wide_t)a.instructions * b.cycles, den = (wide_t)a.cycles * b.instructions;
  while (num >> 64 || den >> 64) num >>= 1, den >>= 1;
  table_ratio(t, (uint64_t)num, (uint64_t)den, 2);
}

/* ---- the main table -------------------------------------------------------------------------- */

static void percent_cell(table_t *t, uint64_t part, uint64_t whole) {
  table_ratio(t, part * 100, whole, 1);
}

static void label_cells(table_t *t, const report_t *r, uint32_t run, uint32_t app) {
  table_printf(t, "%s%s", r->run[run].design, r->run[run].partial ? " (partial)" : "");
  table_cell(t, r->name[app]);
}

static void main_row(table_t *t, const report_t *r, uint32_t run, uint32_t app) {
  const gpu_summary_t *s = &r->run[run].app[app];
  uint64_t warp_time = s->slot_cycles - s->stall[STALL_EMPTY] - s->stall[STALL_TURN];
  label_cells(t, r, run, app);
  speed_cell(t, s);
  slowdown_cell(t, &reference(r)->app[app], s);
  percent_cell(t, s->l1tlb_misses, s->l1tlb_lookups);
  percent_cell(t, s->l2tlb_misses, s->l2tlb_lookups);
  table_ratio(t, s->walk_queue_cycles, s->walks, 1);
  table_ratio(t, s->walk_cycles, s->walks, 1);
  table_ratio(t, s->walk_active_cycles, s->walks ? s->cycles : 0, 1);
  table_ratio(t, s->warps_stalled, s->walks, 1);
  percent_cell(t, s->l2_hits, s->l2_accesses);
  table_ratio(t, s->dram_bytes, s->cycles, 1);
  percent_cell(t, s->translation_stalls, warp_time);
  percent_cell(t, s->memory_stalls, warp_time);
}

static void main_table(const report_t *r, strbuf_t *out) {
  static const char *const headers[] = {"IPC",      "slowdown",   "L1 TLB %", "L2 TLB %",
                                        "queue",    "walk",       "walks",    "warps",
                                        "L2 hit %", "DRAM B/cyc", "xlat %",   "memory %"};
  table_t t;
  table_init(&t);
  table_column(&t, "design", TABLE_LEFT);
  table_column(&t, "application", TABLE_LEFT);
  for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) COLUMN(&t, headers[i]);
  for (uint32_t i = 0; i < r->runs; i++)
    for (uint32_t a = 0; a < r->apps; a++) main_row(&t, r, i, a);
  table_render(&t, TABLE_TEXT, out);
  table_fini(&t);
}

static bool any_incomplete(const report_t *r) {
  for (uint32_t i = 0; i < r->runs; i++)
    for (uint32_t a = 0; a < r->apps; a++)
      if (!r->run[i].app[a].complete_cycles) return true;
  return false;
}

static void legend(const report_t *r, strbuf_t *out) {
  strbuf_printf(
      out,
      "\n"
      "IPC         warp instructions per cycle, of complete executions%s\n"
      "slowdown    IPC under %s over this IPC\n"
      "L1, L2 TLB  misses of its look-ups: all misses, merged included\n"
      "queue       mean cycles until a walker thread takes the walk; walk: from then on\n"
      "walks       mean number of concurrent walks\n"
      "warps       warps stalled per walk\n"
      "L2 hit      of data accesses to the L2 cache\n"
      "DRAM B/cyc  bytes per core cycle, data and page tables\n"
      "xlat        share of the warps' time stalled on translation; memory: on L1, L2 and DRAM\n",
      any_incomplete(r) ? "; * none: of the run so far" : "", reference(r)->design);
}

/* ---- TLBs that share --------------------------------------------------------------------------
 */

static bool any_peers(const report_t *r) {
  for (uint32_t i = 0; i < r->runs; i++)
    for (uint32_t a = 0; a < r->apps; a++)
      if (r->run[i].app[a].peers) return true;
  return false;
}

static void sharing_row(table_t *t, const report_t *r, uint32_t run, uint32_t app) {
  const gpu_summary_t *s = &r->run[run].app[app];
  uint64_t hits = s->l1tlb_lookups - s->l1tlb_misses;
  label_cells(t, r, run, app);
  percent_cell(t, hits, s->l1tlb_lookups);
  percent_cell(t, s->l1tlb_remote, s->l1tlb_lookups);
  percent_cell(t, hits + s->l1tlb_remote, s->l1tlb_lookups);
  table_ratio(t, s->l1tlb_cycles, s->l1tlb_lookups, 2);
}

static void sharing_table(const report_t *r, strbuf_t *out) {
  table_t t;
  table_init(&t);
  table_column(&t, "design", TABLE_LEFT);
  table_column(&t, "application", TABLE_LEFT);
  COLUMN(&t, "local %"), COLUMN(&t, "remote %"), COLUMN(&t, "total %"), COLUMN(&t, "cycles");
  for (uint32_t i = 0; i < r->runs; i++)
    for (uint32_t a = 0; a < r->apps; a++) sharing_row(&t, r, i, a);
  strbuf_str(out, "\nL1 TLB look-ups that hit in the SM's own TLB, that another SM's TLB answered, "
                  "both; mean cycles of a translation\n\n");
  table_render(&t, TABLE_TEXT, out);
  table_fini(&t);
}

/* ---- where time went ------------------------------------------------------------------------- */

#define PARTS (STALLS + 1) /* the instructions that issued, then the reasons */

static uint64_t part_of(const gpu_summary_t *s, uint32_t part) {
  return part ? s->stall[part - 1] : s->instructions;
}

/* Shares in tenths of a percent that add up to 1000 exactly: what rounding down leaves over goes to
 * those that lost most by it. */
static void shares(const gpu_summary_t *s, uint32_t share[PARTS]) {
  uint64_t rest[PARTS], sum = 0;
  for (uint32_t i = 0; i < PARTS; i++) {
    uint64_t scaled = part_of(s, i) * 1000;
    share[i] = s->slot_cycles ? (uint32_t)(scaled / s->slot_cycles) : 0;
    rest[i] = s->slot_cycles ? scaled % s->slot_cycles : 0;
    sum += share[i];
  }
  for (; s->slot_cycles && sum < 1000; sum++) {
    uint32_t most = 0;
    for (uint32_t i = 1; i < PARTS; i++)
      if (rest[i] > rest[most]) most = i;
    share[most]++;
    rest[most] = 0;
  }
}

static bool part_occurs(const report_t *r, uint32_t part) {
  for (uint32_t i = 0; i < r->runs; i++)
    for (uint32_t a = 0; a < r->apps; a++)
      if (part_of(&r->run[i].app[a], part)) return true;
  return false;
}

static void stack_row(table_t *t, const report_t *r, uint32_t run, uint32_t app) {
  uint32_t share[PARTS];
  shares(&r->run[run].app[app], share);
  label_cells(t, r, run, app);
  for (uint32_t i = 0; i < PARTS; i++)
    if (part_occurs(r, i)) table_ratio(t, share[i], 10, 1);
}

static void stack_table(const report_t *r, strbuf_t *out) {
  table_t t;
  table_init(&t);
  table_column(&t, "design", TABLE_LEFT);
  table_column(&t, "application", TABLE_LEFT);
  for (uint32_t i = 0; i < PARTS; i++)
    if (part_occurs(r, i)) COLUMN(&t, i ? stall_names[i - 1] : "issued");
  for (uint32_t i = 0; i < r->runs; i++)
    for (uint32_t a = 0; a < r->apps; a++) stack_row(&t, r, i, a);
  strbuf_str(out, "\nWhere the time of the warp slots went, in % (rows add up to 100; reasons that "
                  "did not occur are left out)\n\n");
  table_render(&t, TABLE_TEXT, out);
  table_fini(&t);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void sms_text(const gpu_summary_t *s, char *buf, size_t size) {
  char part[32] = "";
  if (s->part_whole)
    snprintf(part, sizeof part, "%llu%% of each of ", 100ull * s->part_of / s->part_whole);
  snprintf(buf, size, "%s%u .. %u", part, s->first_sm, s->first_sm + s->sms - 1);
}

/* Designs may divide the SMs otherwise: with turns everybody has all of them. */
static bool other_sms(const report_t *r, uint32_t run) {
  for (uint32_t a = 0; a < r->apps; a++) {
    const gpu_summary_t *x = &r->run[0].app[a], *y = &r->run[run].app[a];
    char was[64], is[64];
    sms_text(x, was, sizeof was), sms_text(y, is, sizeof is);
    if (strcmp(was, is) != 0) return true;
  }
  return false;
}

static void add_sms(const report_t *r, uint32_t run, strbuf_t *out) {
  strbuf_printf(out, "\nSMs under %s: ", r->run[run].design);
  for (uint32_t a = 0; a < r->apps; a++) {
    char sms[64];
    sms_text(&r->run[run].app[a], sms, sizeof sms);
    strbuf_printf(out, "%s%s", a ? ", " : "", sms);
  }
  strbuf_str(out, "\n");
}

static void heading(const report_t *r, strbuf_t *out) {
  table_t t;
  table_init(&t);
  table_column(&t, "application", TABLE_LEFT);
  table_column(&t, "SMs", TABLE_LEFT);
  table_column(&t, "as given", TABLE_LEFT);
  for (uint32_t a = 0; a < r->apps; a++) {
    char sms[64];
    sms_text(&r->run[0].app[a], sms, sizeof sms);
    table_cell(&t, r->name[a]);
    table_cell(&t, sms);
    table_cell(&t, r->text[a]);
  }
  strbuf_printf(out, "gmmu %s, GPU %s\n\n", GMMU_VERSION, r->gpu);
  table_render(&t, TABLE_TEXT, out);
  for (uint32_t i = 1; i < r->runs; i++)
    if (other_sms(r, i)) add_sms(r, i, out);
  strbuf_str(out, "\n");
  table_fini(&t);
}

void report_text(const report_t *r, strbuf_t *out) {
  if (r->runs) {
    heading(r, out);
    main_table(r, out);
    legend(r, out);
    if (any_peers(r)) sharing_table(r, out);
    stack_table(r, out);
  }
  bool partial = r->runs && r->run[r->runs - 1].partial;
  if (partial || r->runs < r->wanted)
    strbuf_printf(out, "\nPARTIAL: %s%u of %u designs are here.\n",
                  partial ? "the last run was ended early; " : "", r->runs, r->wanted);
}
