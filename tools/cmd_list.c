/* gmmu list: everything that has a name, from the tables that define it; also what makes the
 * reference pages of docs/. */
#include "assoc/repl.h"
#include "base/table.h"
#include "cache/l2policy.h"
#include "cli.h"
#include "db/db.h"
#include "dram/dram.h"
#include "gen/gen.h"
#include "gmmu/mm.h"
#include "gpu/presets.h"
#include "gpu/spec.h"
#include "gpu/stats.h"
#include "lab/suite.h"
#include "repro/repro.h"
#include "sm/sched.h"
#include "tlb/fill.h"
#include "tlb/format.h"
#include "tlb/peer.h"
#include "trace/gmt.h"
#include "walk/walkpolicy.h"
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { ARG_MARKDOWN = CLI_LONG_ONLY };

static const cli_option_t cli_options[] = {
    {ARG_MARKDOWN, "markdown", NULL, "as Markdown, as in docs/"},
    {0},
};

static const char *code_mark(table_style_t style) { return style == TABLE_MARKDOWN ? "`" : ""; }

static void name_cell(table_t *t, table_style_t style, const char *name) {
  table_printf(t, "%s%s%s", code_mark(style), name, code_mark(style));
}

/* ---- presets --------------------------------------------------------------------------------- */

/* The first sentence of a preset is its description, on however many lines of the comment it begins
 * with. */
static void description_cell(table_t *t, const char *text) {
  strbuf_t words;
  strbuf_init(&words);
  for (; *text == '#'; text += strcspn(text, "\n"), text += *text == '\n') {
    const char *line = text + strspn(text, "# ");
    size_t size = strcspn(line, "\n");
    if (words.size) strbuf_str(&words, " ");
    strbuf_add(&words, line, size);
  }
  const char *end = strstr(strbuf_text(&words), ". ");
  table_printf(t, "%.*s", end ? (int)(end - words.buf) + 1 : (int)words.size, strbuf_text(&words));
  strbuf_fini(&words);
}

static void list_presets(const char *kind, table_style_t style, strbuf_t *out) {
  table_t t;
  table_init(&t);
  table_column(&t, "name", TABLE_LEFT);
  table_column(&t, "what", TABLE_LEFT);
  for (const preset_t *p = preset_all; p->name; p++) {
    if (strcmp(p->kind, kind) != 0) continue;
    name_cell(&t, style, p->name);
    description_cell(&t, p->text);
  }
  table_render(&t, style, out);
  table_fini(&t);
}

static void list_gpus(table_style_t style, strbuf_t *out) { list_presets("gpu", style, out); }
static void list_designs(table_style_t style, strbuf_t *out) { list_presets("design", style, out); }

/* ---- policies -------------------------------------------------------------------------------- */

/* Name and help of the i-th policy of a kind; false behind the last. */
typedef bool (*policy_fn)(uint32_t i, const char **name, const char **help);

#define POLICY(kind_, table_)                                                                      \
  static bool kind_##_at(uint32_t i, const char **name, const char **help) {                       \
    if (!table_[i]) return false;                                                                  \
    *name = table_[i]->name;                                                                       \
    *help = table_[i]->help;                                                                       \
    return true;                                                                                   \
  }
POLICY(sched, sched_all)
POLICY(repl, repl_all)
POLICY(fill, fill_all)
POLICY(peer, peer_all)
POLICY(speculate, speculate_all)
POLICY(victim, victim_all)
POLICY(l2, l2_policy_all)
POLICY(dram, dram_sched_all)
POLICY(walk, walk_policy_all)
POLICY(format, tlb_format_all)
POLICY(mshr, tlb_mshr_all)
#undef POLICY

static bool manager_at(uint32_t i, const char **name, const char **help) {
  if (!mm_manager_all[i]) return false;
  *name = mm_manager_name(mm_manager_all[i]);
  *help = mm_manager_help(mm_manager_all[i]);
  return true;
}

static const struct {
  const char *what, *key; /* the option that chooses it */
  policy_fn at;
} policies[] = {
    {"warp scheduler", "sm.scheduler", sched_at},
    {"replacement, of each cache and TLB", "l2tlb.replacement", repl_at},
    {"TLB fill", "tlb.fill", fill_at},
    {"TLB peer look-up", "tlb.peer", peer_at},
    {"speculation before translation", "tlb.speculate", speculate_at},
    {"place for what a first-level TLB displaces", "tlb.victim", victim_at},
    {"MSHR format, of each TLB", "l2tlb.mshr_format", mshr_at},
    {"L2 insertion", "l2.policy", l2_at},
    {"DRAM scheduler", "dram.scheduler", dram_at},
    {"page-walk scheduler", "walk.policy", walk_at},
    {"format of TLB entries", "tlb.format", format_at},
    {"memory manager", "mem.manager", manager_at},
};

static void list_policies(table_style_t style, strbuf_t *out) {
  table_t t;
  const char *name, *help;
  table_init(&t);
  table_column(&t, "policy", TABLE_LEFT);
  table_column(&t, "setting", TABLE_LEFT);
  table_column(&t, "what", TABLE_LEFT);
  for (size_t k = 0; k < sizeof policies / sizeof *policies; k++)
    for (uint32_t i = 0; policies[k].at(i, &name, &help); i++) {
      table_cell(&t, i ? "" : policies[k].what);
      table_printf(&t, "%s%s=%s%s", code_mark(style), policies[k].key, name, code_mark(style));
      table_cell(&t, help);
    }
  table_render(&t, style, out);
  table_fini(&t);
}

/* ---- rows of the papers ---------------------------------------------------------------------- */

/* How repro_judge() takes a row. */
static const char *judging(const paper_row_t *p) {
  static const char *const words[] = {[RULE_VALUE] = "direction and size",
                                      [RULE_SHARE] = "what is lost of it: direction and size",
                                      [RULE_RATE] = "size",
                                      [RULE_REST] = "size, or less",
                                      [RULE_ABOVE] = "above it",
                                      [RULE_BELOW] = "below it",
                                      [RULE_CLAIM] = "whether it holds",
                                      [RULE_ORDER] = "whether the order holds",
                                      [RULE_NOTE] = "-"};
  return p->given ? "-" : words[p->rule];
}

/* Why it is not judged, or what must have happened for it. */
static void judging_note(table_t *t, const paper_row_t *p) {
  if (p->given)
    table_cell(t, p->given);
  else if (p->rule == RULE_NOTE)
    table_cell(t, strcmp(p->paper, "-") == 0 ? "the paper has no number" : "shown beside it");
  else
    table_printf(t, "%s%s", p->acted ? "absent without " : "", p->acted ? p->acted : "");
}

static void list_rows(table_style_t style, strbuf_t *out) {
  table_t t;
  table_init(&t);
  table_column(&t, "experiment", TABLE_LEFT);
  table_column(&t, "row", TABLE_LEFT);
  table_column(&t, "paper", TABLE_LEFT);
  table_column(&t, "judged by", TABLE_LEFT);
  table_column(&t, "note", TABLE_LEFT);
  for (const experiment_t *const *paper = repro_papers; *paper; paper++)
    for (const experiment_t *x = *paper; x->id; x++)
      for (uint32_t i = 0; i < repro_row_count(x); i++) {
        if (i)
          table_cell(&t, "");
        else
          table_printf(&t, "%s%s%s%s", code_mark(style), x->id, code_mark(style),
                       x->searched ? ", searched" : "");
        table_cell(&t, x->rows[i].what);
        table_cell(&t, x->rows[i].paper);
        table_cell(&t, judging(&x->rows[i]));
        judging_note(&t, &x->rows[i]);
      }
  table_render(&t, style, out);
  table_fini(&t);
}

/* ---- DRAM standards -------------------------------------------------------------------------- */

/* A row for every option that a standard gives, a column for every standard. */
static void list_standards(table_style_t style, strbuf_t *out) {
  opt_group_t groups[GPU_GROUPS];
  gpu_spec_t spec;
  err_t e;
  table_t t;
  table_init(&t);
  table_column(&t, "name", TABLE_LEFT);
  table_column(&t, "what", TABLE_LEFT);
  for (uint32_t i = 1; dram_standard_name(i); i++) {
    name_cell(&t, style, dram_standard_name(i));
    table_cell(&t, dram_standard_help(i));
  }
  table_render(&t, style, out);
  table_fini(&t);
  strbuf_str(out, "\n");
  table_init(&t);
  table_column(&t, "option", TABLE_LEFT);
  for (uint32_t i = 1; dram_standard_name(i); i++)
    table_column(&t, dram_standard_name(i), TABLE_RIGHT);
  gpu_spec_groups(&spec, groups);
  for (const opt_t *o = dram_options; o->name; o++) {
    char key[64], value[64];
    if (!dram_standard_gives(o)) continue;
    snprintf(key, sizeof key, "dram.%s", o->name);
    name_cell(&t, style, key);
    for (uint32_t i = 1; dram_standard_name(i); i++) {
      gpu_spec_init(&spec);
      gpu_spec_set(&spec, "dram.standard", dram_standard_name(i), &e);
      opt_get(groups, key, value, sizeof value);
      table_cell(&t, value);
    }
  }
  table_render(&t, style, out);
  table_fini(&t);
}

/* ---- applications ---------------------------------------------------------------------------- */

/* What a recording tells; dashes if there is none. */
static void recording_cells(table_t *t, const suite_app_t *a) {
  suite_pick_t pick;
  gmt_info_t info = {0};
  char path[PATH_MAX];
  bool cached = false;
  uint64_t peak = 0, insts = 0, launches = 0;
  if (suite_parse(a->name, &pick, NULL) < 0 ||
      suite_recording(&pick, path, sizeof path, &cached, NULL) < 0 || !cached ||
      gmt_info(path, &info, NULL) < 0 || gmt_peak_allocated(path, &peak, NULL) < 0) {
    for (uint32_t i = 0; i < 3; i++) table_cell(t, "-");
    table_cell(t, "no");
    return;
  }
  for (uint32_t k = 0; k < info.kernels; k++) {
    insts += info.kernel[k].warp_insts;
    launches += info.kernel[k].launches;
  }
  gmt_info_fini(&info);
  table_ratio(t, peak, 1000000, 1);
  table_ratio(t, insts, 1000000, 3);
  table_u64(t, launches);
  table_cell(t, "yes");
}

static void papers_cell(table_t *t, uint32_t papers) {
  static const char *const names[] = {"MASK, Mosaic", "NeiDty", "FGPU", "TLB", "-", "-"};
  char text[64] = "";
  for (uint32_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (!(papers >> i & 1)) continue;
    size_t n = strlen(text);
    snprintf(text + n, sizeof text - n, "%s%s", n ? ", " : "", names[i]);
  }
  table_cell(t, text);
}

static void list_apps(table_style_t style, strbuf_t *out) {
  bool recordings = style == TABLE_TEXT; /* the docs are the same everywhere */
  table_t t;
  table_init(&t);
  table_column(&t, "name", TABLE_LEFT);
  table_column(&t, "papers", TABLE_LEFT);
  table_column(&t, "class", TABLE_LEFT);
  if (recordings) {
    table_column(&t, "MB", TABLE_RIGHT);
    table_column(&t, "M inst", TABLE_RIGHT);
    table_column(&t, "launches", TABLE_RIGHT);
    table_column(&t, "cached", TABLE_LEFT);
  }
  table_column(&t, "what", TABLE_LEFT);
  for (const suite_app_t *a = suite_all; a->name; a++) {
    name_cell(&t, style, a->name);
    papers_cell(&t, a->papers);
    table_cell(&t, *a->mask_class ? a->mask_class : "-");
    if (recordings) recording_cells(&t, a);
    table_cell(&t, a->help);
  }
  table_render(&t, style, out);
  table_fini(&t);
}

/* ---- sections -------------------------------------------------------------------------------- */

static void list_options(table_style_t style, strbuf_t *out) {
  opt_group_t groups[GPU_GROUPS];
  gpu_spec_t spec;
  gpu_spec_groups(&spec, groups);
  opt_describe(groups, style, out);
}

static const struct {
  const char *name, *title, *intro;
  void (*list)(table_style_t style, strbuf_t *out);
} sections[] = {
    {"gpus", "GPUs",
     "Given with `--gpu`, by name or as a path to a YAML file like those of `presets/gpu/`.",
     list_gpus},
    {"designs", "Designs",
     "Given with `--design`, by name or as a path to a YAML file like those of `presets/design/`; "
     "applied after the GPU.",
     list_designs},
    {"apps", "Applications",
     "CUDA programs of ours, given as `name` or `name:size=large,seed=3`; sizes are tiny, standard "
     "and large. First the papers'; then, without a paper, those whose size is a footprint, as in "
     "`gups:size=32G` (standard is 64 MB, large 1 GB): `work=N` bounds how many elements they "
     "touch, "
     "and graph applications take `graph=uniform`, `graph=kron` or `input=FILE` (Matrix Market, an "
     "edge list, GAP's .sg; see workloads.md). Class: L1 and L2 TLB miss rate, low or high, in "
     "MASK's "
     "Table 2. The first run of one records it, later ones replay the recording; memory (most "
     "allocated at once), warp instructions and kernel launches are of the recorded standard size.",
     list_apps},
    {"generators", "Generators",
     "Applications with known access patterns, given as `name` or `name:key=value,key=value`. "
     "Sizes take K, M and G (powers of 1024).",
     gen_list},
    {"operators", "Operators",
     "Database operators whose kernels run live, given as `name` or `name:key=value,key=value` "
     "like "
     "other applications, or to `gmmu db`. Each checks its own result. Sizes take K, M and G "
     "(powers of 1024).",
     db_list},
    {"options", "Options",
     "Each can stand in a preset file or be set with `-s key=value`. The defaults hold where "
     "neither the GPU nor the design says otherwise. Sizes take K, M and G (powers of 1024).",
     list_options},
    {"policies", "Policies", "What can be exchanged, and the setting that chooses it.",
     list_policies},
    {"rows", "Rows",
     "Every row of `gmmu reproduce`, under the id of its experiment. A row without a rule is shown "
     "and not judged: the paper has no number for it, or ours follows from the paper's (fitted, "
     "planted, computed) or from how the model is built. Searched: its workloads were looked for "
     "until the direction came out, and its rows are counted apart.",
     list_rows},
    {"standards", "DRAM standards",
     "What `dram.standard` sets, in command cycles at the clock of the table. At another clock "
     "(`dram.clock_mhz`, behind it) times keep their nanoseconds, rounded up; `tccd`, `tccd_l`, "
     "`turnaround` and the cycles of commands stay. What is set after the standard stays. A "
     "channel "
     "of the model is what has a data bus of its own: a GDDR6 chip is two, a channel of HBM2 and "
     "later is two pseudo channels, whose commands take twice the cycles because they share their "
     "buses.\n\n"
     "Sources are open models, for the standards are not public: R2 is Ramulator 2 "
     "(GDDR6_14000_1350mV, HBM2_2000, HBM3_6400), R1 Ramulator (GDDR5_6000), D3 DRAMsim3 "
     "(GDDR5X_8Gb_x32), G5 gem5 (GDDR5_4000_2x32, from a data sheet), Mi Micron's briefs of GDDR5X "
     "and GDDR6. Times are theirs; `trcd` is that of reads, the one of writes is shorter. They "
     "disagree most about refresh: GDDR5 has 1.9 or 3.9 us between refreshes (R1) and 65 ns (G5, "
     "D3) to 260 ns (R1, from DDR3) for one, HBM2 of 8 Gb 220 to 350 ns for all banks; here GDDR5 "
     "takes 65 ns every 1.9 us, and the others refresh one bank after the other. HBM2's `tccd_l` "
     "is 2, 3 or 4 cycles in open models; here 4 (R2). HBM2e has the nanoseconds of HBM2, GDDR6X "
     "those of GDDR6 (a guess).",
     list_standards},
    {"stats", "Statistics",
     "Every counter of `gmmu run --json`, with its place in a run. A TLB miss is a look-up that is "
     "not answered at once, merged ones included; a primary miss starts a request. Beside the "
     "counters stand rates made of them and latencies: count, mean, p50, p95, p99 and max. "
     "`evictor_x_victim` has a matrix for each TLB level, `l1d` and `l2`: row i, column k is how "
     "often application i displaced an entry or a line of application k. Points of `series` are "
     "`interval_cycles` apart; the last one is `last_cycles` long. How the rest is made, "
     "and its shape: `docs/observe.md`.",
     gpu_stats_list},
};
#define SECTIONS (sizeof sections / sizeof *sections)

/* The short names, then the titles. */
static const char *section_name(void *ctx, uint32_t i) {
  (void)ctx;
  if (i < SECTIONS) return sections[i].name;
  return i < 2 * SECTIONS ? sections[i - SECTIONS].title : NULL;
}

static void add_section(size_t i, table_style_t style, strbuf_t *out) {
  if (out->size) strbuf_str(out, "\n");
  if (style == TABLE_MARKDOWN)
    strbuf_printf(out, "# %s\n\n%s\n\n", sections[i].title, sections[i].intro);
  else
    strbuf_printf(out, "%s. %s\n\n", sections[i].title, sections[i].intro);
  sections[i].list(style, out);
}

static int unknown_section(const cli_t *c) {
  const char *near = opt_nearest(c->value, section_name, NULL);
  if (near) return cli_usage(c, "there is no list of \"%s\"; nearest: \"%s\"", c->value, near);
  return cli_usage(
      c,
      "there is no list of \"%s\"; one of: gpus, designs, apps, generators, operators, options, "
      "policies, rows, standards, stats",
      c->value);
}

static int run(cli_t *c) {
  bool wanted[SECTIONS] = {false}, any = false;
  table_style_t style = TABLE_TEXT;
  int id;
  while ((id = cli_next(c)) != CLI_END) {
    if (id == CLI_BAD) return CLI_USAGE;
    if (id == ARG_MARKDOWN) style = TABLE_MARKDOWN;
    if (id != CLI_ARGUMENT) continue;
    size_t i = 0;
    while (i < SECTIONS && strcasecmp(sections[i].name, c->value) &&
           strcasecmp(sections[i].title, c->value))
      i++;
    if (i == SECTIONS) return unknown_section(c);
    any = wanted[i] = true;
  }
  strbuf_t text;
  strbuf_init(&text);
  if (style == TABLE_TEXT) cli_screen(&text, NULL);
  for (size_t i = 0; i < SECTIONS; i++)
    if (wanted[i] || !any) add_section(i, style, &text);
  int status = cli_output(NULL, &text);
  strbuf_fini(&text);
  return status;
}

const subcommand_t cmd_list = {
    .name = "list",
    .summary = "name GPUs, designs, applications, generators, options, policies and statistics",
    .usage = "[gpus|designs|apps|generators|operators|options|policies|rows|standards|stats]...",
    .details = "Without a word everything is listed.\n"
               "\n"
               "  gmmu list gpus designs\n"
               "  gmmu list options\n",
    .options = cli_options,
    .run = run,
};
