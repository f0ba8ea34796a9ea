/* TLB-conscious operators (Karnagel et al., DaMoN 2017): its Table 2 by the probes, its figures by
 * the operators of kernels/db, which run live on the presets of its two GPUs.
 *
 * Work is scaled down, ranges are not: sampling and grouping make fewer accesses to as much memory.
 * A group-by whose counts are not those of the plain reference is a failed run, so every number
 * comes from a result that was right. Slow-downs and speed-ups are quotients of cycles, shown minus
 * one, so that "none" is 0. Invariant: a function asks for all its runs before it looks at one. */
#include "base/json_find.h"
#include "repro/repro.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { K80, P100, GPUS };
static const char *const gpu_name[GPUS] = {"k80", "p100"};
/* The largest size of the paper's figures; a P100 of 16 GB has no room for page tables beside so
 * much data, so the simulated one has 18. */
static const uint32_t largest_mb[GPUS] = {11264, 16384};
#define INSIDE_MB 2048 /* the last size that the paper's last TLB covers */

typedef enum { SAMPLE, GROUP } op_t;
/* SCOPED: of sampling; FILLED: plain, of a table that holds all groups before it begins */
typedef enum { PLAIN, SCOPED, NAIVE, COPY, FILLED, FILLED_COPY } form_t;

/* ---- runs ------------------------------------------------------------------------------------ */

static void new_run(lab_run_t *run, uint32_t gpu) {
  *run = (lab_run_t){.apps = 1};
  snprintf(run->gpu, sizeof run->gpu, "%s", gpu_name[gpu]);
  snprintf(run->design, sizeof run->design, "native");
  if (gpu == P100) snprintf(run->set[run->sets++], sizeof run->set[0], "mem.bytes=18G");
}

static uint64_t accesses_of(const repro_t *r, op_t op) {
  return op == SAMPLE ? r->plan->tlb.sampled : r->plan->tlb.inserted;
}

static bool machine_of(repro_t *r, uint32_t gpu, gpu_spec_t *spec) {
  lab_run_t run;
  err_t e = {0};
  new_run(&run, gpu);
  return lab_known_spec(r->lab, &run, spec, &e) == 0;
}

/* A machine that has run has a clock. */
static uint64_t clock_mhz(repro_t *r, uint32_t gpu) {
  gpu_spec_t spec;
  return machine_of(r, gpu, &spec) ? spec.core.clock_mhz : 0;
}

/* Accesses that are made: every thread that the GPU holds draws as often as the others. */
static uint64_t made_of(repro_t *r, uint32_t gpu, op_t op) {
  gpu_spec_t spec;
  uint64_t n = accesses_of(r, op);
  if (op != SAMPLE || !machine_of(r, gpu, &spec)) return n;
  uint64_t threads = (uint64_t)spec.core.sms * spec.sm.warps * WARP_LANES;
  return (n + threads - 1) / threads * threads;
}

static const lab_result_t *operate(repro_t *r, lab_run_t *run, op_t op, form_t form, uint32_t mb,
                                   uint32_t scope_mb, uint32_t threads) {
  static const char *const forms[] = {"", "", ",form=naive", ",form=copy", "", ",form=copy"};
  bool filled = form == FILLED || form == FILLED_COPY;
  char *text = run->app[0];
  size_t n =
      (size_t)snprintf(text, LAB_TEXT_BYTES, "db-%s:size=%uM,accesses=%" PRIu64 ",seed=%" PRIu64,
                       op == SAMPLE ? "sample" : "groupby", mb, accesses_of(r, op), r->plan->seed);
  if (form != PLAIN && form != FILLED)
    n += (size_t)snprintf(text + n, LAB_TEXT_BYTES - n, ",scope=%uM%s", scope_mb, forms[form]);
  if (filled) n += (size_t)snprintf(text + n, LAB_TEXT_BYTES - n, ",filled=true");
  if (threads) snprintf(text + n, LAB_TEXT_BYTES - n, ",threads=%u", threads);
  const lab_result_t *x = lab_run(r->lab, run);
  return repro_has(r, x) ? x : NULL;
}

/* Cycles of the operator; 0: not there. */
static uint64_t cycles_of(repro_t *r, uint32_t gpu, op_t op, form_t form, uint32_t mb,
                          uint32_t scope_mb, uint32_t threads) {
  lab_run_t run;
  new_run(&run, gpu);
  return lab_u64(operate(r, &run, op, form, mb, scope_mb, threads), "apps[0].complete_cycles");
}

/* How much longer `a` takes than `b`, minus one. */
static micro_t longer(uint64_t a, uint64_t b) { return micro_ratio(a, b) - MICRO; }

static void value_row(repro_t *r, uint32_t row, uint64_t a, uint64_t b) {
  micro_t v = longer(a, b) + MICRO;
  repro_value(r, row, longer(a, b));
  repro_note(r, row, "%" PRId64 ".%02u times", v / MICRO, (unsigned)(v % MICRO / 10000));
}

/* ---- sizes ----------------------------------------------------------------------------------- */

#define MAX_SIZES 14
static uint32_t sizes_of(const repro_t *r, uint32_t gpu, uint32_t mb[MAX_SIZES]) {
  static const uint32_t all[] = {64, 128, 256, 512, 1024, 2048, 2304, 4096, 8192},
                        few[] = {64, 512, 1024, 2048, 4096};
  uint32_t n = r->plan->tlb.ends ? sizeof few / sizeof *few : sizeof all / sizeof *all;
  memcpy(mb, r->plan->tlb.ends ? few : all, n * sizeof *mb);
  mb[n++] = largest_mb[gpu];
  return n;
}

/* Cycles of one operator in one form over the sizes; 0: left out. Passes of small scopes are many,
 * so not every size is worth its time. */
#define SMALL_MB 128
static bool costs_little(uint32_t gpu, uint32_t mb) {
  return mb <= SMALL_MB || mb == 512 || mb == 2048 || mb == 4096 || mb == largest_mb[gpu];
}

typedef struct {
  uint64_t cycles[MAX_SIZES];
} curve_t;

static bool curve_of(repro_t *r, uint32_t gpu, op_t op, form_t form, uint32_t scope_mb,
                     curve_t *out) {
  uint32_t mb[MAX_SIZES], n = sizes_of(r, gpu, mb);
  bool ok = true;
  for (uint32_t i = 0; i < n; i++) {
    form_t f = scope_mb && scope_mb < mb[i] ? form : PLAIN; /* one scope holds all */
    bool wanted = scope_mb != SMALL_MB || costs_little(gpu, mb[i]);
    out->cycles[i] = wanted ? cycles_of(r, gpu, op, f, mb[i], scope_mb, 0) : 0;
    ok &= out->cycles[i] || !wanted;
  }
  return ok;
}

static uint64_t at_size(const repro_t *r, uint32_t gpu, const curve_t *c, uint32_t mb) {
  uint32_t size[MAX_SIZES], n = sizes_of(r, gpu, size);
  for (uint32_t i = 0; i < n; i++)
    if (size[i] == mb) return c->cycles[i];
  return 0;
}

static uint64_t at_end(const repro_t *r, uint32_t gpu, const curve_t *c) {
  return at_size(r, gpu, c, largest_mb[gpu]);
}

static void size_table(repro_t *r, const char *title, uint32_t gpu, op_t op, const curve_t *c,
                       const char *const column[], uint32_t columns) {
  uint32_t mb[MAX_SIZES], n = sizes_of(r, gpu, mb);
  table_t *t = repro_table(r, title);
  table_column(t, "MB", TABLE_RIGHT);
  for (uint32_t k = 0; k < columns; k++) table_column(t, column[k], TABLE_RIGHT);
  for (uint32_t i = 0; i < n; i++) {
    table_u64(t, mb[i]);
    for (uint32_t k = 0; k < columns; k++)
      if (c[k].cycles[i])
        repro_cell(t, micro_ratio(made_of(r, gpu, op) * clock_mhz(r, gpu), c[k].cycles[i]), 1);
      else
        table_cell(t, "-");
  }
}

/* ---- probes: table2, total, sharing, assoc --------------------------------------------------- */

static const lab_result_t *probe(repro_t *r, const char *gpu, const char *what, uint64_t disabled) {
  lab_run_t run = {.apps = 1};
  snprintf(run.gpu, sizeof run.gpu, "%s", gpu);
  snprintf(run.design, sizeof run.design, "native");
  snprintf(run.app[0], sizeof run.app[0], "probe:%s", what);
  if (disabled) snprintf(run.set[run.sets++], sizeof run.set[0], "gpu.disabled=%" PRIu64, disabled);
  const lab_result_t *x = lab_run(r->lab, &run);
  return repro_has(r, x) ? x : NULL;
}

static uint64_t level_u64(const lab_result_t *x, uint32_t level, const char *name) {
  char path[64];
  snprintf(path, sizeof path, "levels[%u].%s", level, name);
  return lab_u64(x, path);
}

static micro_t level_cost(const lab_result_t *x, uint32_t level) {
  char path[64];
  uint64_t v = 0;
  snprintf(path, sizeof path, "levels[%u].miss_cost_cycles", level);
  json_find_micro(x->text, path, &v);
  return (micro_t)v;
}

/* The sizes of a level's sharing groups, ascending: size[0 .. return). */
#define MAX_GROUPS 64
static uint32_t group_sizes(const lab_result_t *x, uint32_t level, uint32_t size[MAX_GROUPS]) {
  char path[64];
  snprintf(path, sizeof path, "levels[%u].groups", level);
  uint32_t n = json_find_count(x->text, path);
  if (n > MAX_GROUPS) n = MAX_GROUPS;
  for (uint32_t g = 0; g < n; g++) {
    snprintf(path, sizeof path, "levels[%u].groups[%u]", level, g);
    uint32_t v = json_find_count(x->text, path), i = g;
    for (; i && size[i - 1] > v; i--) size[i] = size[i - 1];
    size[i] = v;
  }
  return n;
}

static void size_words(const uint32_t *size, uint32_t n, char *buf, size_t room) {
  size_t used = 0;
  buf[0] = 0;
  for (uint32_t i = 0; i < n && used < room; i++)
    used += (size_t)snprintf(buf + used, room - used, "%s%u", i ? " " : "", size[i]);
}

/* "3" for 3 3 3 2 2: the most SMs that share. */
static uint32_t most_shared(const lab_result_t *x, uint32_t level) {
  uint32_t size[MAX_GROUPS], n = group_sizes(x, level, size);
  return n ? size[n - 1] : 0;
}

static const struct {
  uint32_t gpu, level, entries, reach_kb, cost, shared;
} table2_want[] = {{K80, 0, 16, 128, 9, 1},
                   {K80, 1, 65, 2048, 55, 3},
                   {K80, 2, 1032, 2048, 177, 13},
                   {P100, 0, 16, 2048, 9, 2},
                   {P100, 1, 65, 32768, 110, 10}};

/* The presets have these values from the paper; what is shown is that the probe finds them. */
#define PLANTED "planted in the preset, from the paper; the probe finds it or does not"

static const paper_row_t table2_rows[] = {
    ROW("K80, L1: entries x reach, cycles of a miss, SMs that share it", "16 x 128 KB, 9, 1", 0,
        UNIT_NUMBER, RULE_CLAIM, .given = PLANTED),
    ROW("K80, L2", "65 x 2048 KB, 55, 3", 0, UNIT_NUMBER, RULE_CLAIM, .given = PLANTED),
    ROW("K80, L3", "~1032 x 2048 KB, ~177, all (13)", 0, UNIT_NUMBER, RULE_CLAIM, .given = PLANTED),
    ROW("P100, L1", "16 x 2048 KB, 9, 2", 0, UNIT_NUMBER, RULE_CLAIM, .given = PLANTED),
    ROW("P100, L2", "65 x 32768 KB, 110, 10", 0, UNIT_NUMBER, RULE_CLAIM, .given = PLANTED),
    ROW("levels that can be seen: K80", "3", 3 * MICRO, UNIT_NUMBER, RULE_RATE, .given = PLANTED),
    ROW("P100 with 16 GB", "2", 2 * MICRO, UNIT_NUMBER, RULE_RATE, .given = PLANTED),
    {0}};

static void table2(repro_t *r) {
  const lab_result_t *x[GPUS] = {probe(r, "k80", "sharing", 0), probe(r, "p100", "sharing", 0)};
  if (!x[K80] || !x[P100]) return;
  for (uint32_t i = 0; i < sizeof table2_want / sizeof *table2_want; i++) {
    const lab_result_t *p = x[table2_want[i].gpu];
    uint32_t l = table2_want[i].level, shared = most_shared(p, l);
    uint64_t entries = level_u64(p, l, "entries"), kb = level_u64(p, l, "reach_bytes") >> 10;
    micro_t off = level_cost(p, l) - (micro_t)table2_want[i].cost * MICRO;
    repro_claim(r, i,
                entries == table2_want[i].entries && kb == table2_want[i].reach_kb &&
                    shared == table2_want[i].shared && off < MICRO && off > -MICRO,
                "%" PRIu64 " x %" PRIu64 " KB, %" PRId64 ".%" PRId64 ", %u", entries, kb,
                level_cost(p, l) / MICRO, level_cost(p, l) % MICRO / 100000, shared);
  }
  repro_value(r, 5, (micro_t)json_find_count(x[K80]->text, "levels") * MICRO);
  repro_value(r, 6, (micro_t)json_find_count(x[P100]->text, "levels") * MICRO);
}

static const paper_row_t total_rows[] = {
    ROW("cycles more behind 2 GB: K80", "241", 241 * MICRO, UNIT_NUMBER, RULE_RATE,
        .given = PLANTED),
    ROW("P100", "119", 119 * MICRO, UNIT_NUMBER, RULE_RATE, .given = PLANTED),
    {0}};

static void total(repro_t *r) {
  for (uint32_t g = 0; g < GPUS; g++) {
    const lab_result_t *x = probe(r, gpu_name[g], "sharing", 0);
    uint32_t levels = x ? json_find_count(x->text, "levels") : 0;
    micro_t sum = 0;
    for (uint32_t l = 0; l < levels; l++) sum += level_cost(x, l);
    if (x) repro_value(r, g, sum);
  }
}

/* The deactivated places of the paper's Table 3, most frequent first but for the last, which is the
 * odd one. */
static const struct {
  uint32_t a, b, boards;
} board[11] = {{10, 11, 161}, {5, 10, 1},  {10, 13, 36}, {10, 12, 23}, {10, 14, 17}, {12, 14, 4},
               {11, 14, 4},   {11, 12, 4}, {13, 14, 2},  {11, 13, 2},  {12, 13, 2}};

static const paper_row_t sharing_rows[] = {
    ROW("K80, L2 TLB, two groups of 2 and three of 3 unless (5, 10) are off", "ten of ten", 0,
        UNIT_NUMBER, RULE_CLAIM, .given = PLANTED),
    ROW("K80, (5, 10) off", "1 3 3 3 3", 0, UNIT_NUMBER, RULE_CLAIM, .given = PLANTED),
    ROW("P100, L2 TLB", "groups of 10, two of 8", 0, UNIT_NUMBER, RULE_CLAIM, .given = PLANTED),
    {0}};

static bool sharing_boards(repro_t *r) {
  uint32_t usual = 0, asked = r->plan->tlb.boards, size[MAX_GROUPS];
  table_t *t = repro_table(r, "SMs that share an L2 TLB of a K80, by the places that are off");
  table_column(t, "off", TABLE_LEFT);
  table_column(t, "boards of 256", TABLE_RIGHT);
  table_column(t, "groups", TABLE_LEFT);
  bool ok = true;
  for (uint32_t i = 0; i < asked; i++) {
    uint64_t off = 1ull << board[i].a | 1ull << board[i].b;
    const lab_result_t *x = probe(r, "k80", "sharing", i ? off : 0);
    char words[96];
    ok &= x != NULL;
    if (!x) continue;
    uint32_t n = group_sizes(x, 1, size);
    size_words(size, n, words, sizeof words);
    table_printf(t, "%u, %u", board[i].a, board[i].b);
    table_u64(t, board[i].boards);
    table_cell(t, words);
    if (i == 1)
      repro_claim(r, 1, strcmp(words, "1 3 3 3 3") == 0, "%s", words);
    else
      usual += strcmp(words, "2 2 3 3 3") == 0;
  }
  if (ok) repro_claim(r, 0, usual == asked - 1, "%u of %u", usual, asked - 1);
  return ok;
}

static void sharing(repro_t *r) {
  uint32_t size[MAX_GROUPS];
  char words[64];
  const lab_result_t *p = probe(r, "p100", "sharing", 0);
  sharing_boards(r);
  if (!p) return;
  uint32_t n = group_sizes(p, 1, size);
  size_words(size, n, words, sizeof words);
  repro_claim(r, 2, strcmp(words, "8 8 10 10 10 10") == 0, "%s", words);
}

static const paper_row_t assoc_rows[] = {
    ROW("K80, L2: sets x ways + others (the paper cites six sets of 8 and one of 17)", "65 in all",
        0, UNIT_NUMBER, RULE_NOTE),
    ROW("K80, L3", "~1032 in all", 0, UNIT_NUMBER, RULE_NOTE),
    ROW("k80-raw, L2: what the public raw data fit", "8 x 8 + 7", 0, UNIT_NUMBER, RULE_CLAIM,
        .given = PLANTED),
    {0}};

static bool shape_is(const lab_result_t *x, uint32_t level, uint32_t sets, uint32_t ways,
                     uint32_t more) {
  return level_u64(x, level, "sets") == sets && level_u64(x, level, "ways") == ways &&
         level_u64(x, level, "victims") == more;
}

static void assoc(repro_t *r) {
  const lab_result_t *k = probe(r, "k80", "sharing", 0), *raw = probe(r, "k80-raw", "tlb", 0);
  const struct {
    const lab_result_t *x;
    uint32_t level, row;
  } at[] = {{k, 1, 0}, {k, 2, 1}, {raw, 1, 2}};
  for (uint32_t i = 0; i < 3; i++)
    if (at[i].x)
      repro_claim(r, at[i].row, shape_is(at[i].x, at[i].level, 8, 8, 7),
                  "%" PRIu64 " x %" PRIu64 " + %" PRIu64, level_u64(at[i].x, at[i].level, "sets"),
                  level_u64(at[i].x, at[i].level, "ways"),
                  level_u64(at[i].x, at[i].level, "victims"));
}

/* ---- fig1 ------------------------------------------------------------------------------------ */

static const paper_row_t fig1_rows[] = {
    ROW("K80 sampling, 11 GB against 2 GB: times longer, minus 1", "12.3 (the largest)", 12300000,
        UNIT_NUMBER, RULE_VALUE),
    ROW("K80 grouping", "about as much", 0, UNIT_NUMBER, RULE_CLAIM),
    ROW("P100 sampling, 16 GB against 2 GB", "3.3", 3300000, UNIT_NUMBER, RULE_VALUE),
    ROW("P100 grouping", "2.3", 2300000, UNIT_NUMBER, RULE_VALUE),
    ROW("K80 is slower behind 128 MB (its region I), too", "yes", 0, UNIT_NUMBER, RULE_CLAIM),
    ROW("P100 is not", "yes", 0, UNIT_NUMBER, RULE_CLAIM),
    {0}};

/* Neither is REPRO_FACTOR times the other. */
static bool as_much(micro_t a, micro_t b) {
  return a > 0 && b > 0 && micro_div(a, b) <= REPRO_FACTOR && micro_div(b, a) <= REPRO_FACTOR;
}

/* How much longer sampling takes at 1 GB than at 64 MB, in both of which the last TLB hits. */
static micro_t region_one(const repro_t *r, uint32_t gpu, const curve_t *c) {
  return longer(at_size(r, gpu, c, 1024), at_size(r, gpu, c, 64));
}

/* What the number of walks at once, a guess, does to it. */
static void walkers(repro_t *r) {
  static const uint32_t threads[] = {2, 4, 8, 16, 32};
  uint64_t c[5][2];
  bool ok = true;
  for (uint32_t i = 0; i < 5; i++)
    for (uint32_t k = 0; k < 2; k++) {
      lab_run_t run;
      new_run(&run, K80);
      snprintf(run.set[run.sets++], sizeof run.set[0], "walk.threads=%u", threads[i]);
      c[i][k] = lab_u64(operate(r, &run, SAMPLE, PLAIN, k ? largest_mb[K80] : INSIDE_MB, 0, 0),
                        "apps[0].complete_cycles");
      ok &= c[i][k] != 0;
    }
  if (!ok) return;
  table_t *t = repro_table(r, "K80 sampling: times longer at 11 GB than at 2 GB, by the number of "
                              "walks at once, which nobody has measured");
  for (uint32_t i = 0; i < 5; i++) {
    char head[16];
    snprintf(head, sizeof head, "%u", threads[i]);
    table_column(t, head, TABLE_RIGHT);
  }
  for (uint32_t i = 0; i < 5; i++) repro_cell(t, micro_ratio(c[i][1], c[i][0]), 1);
}

static void fig1(repro_t *r) {
  static const char *const columns[] = {"sampling", "grouping"};
  curve_t c[GPUS][2];
  bool ok = true;
  for (uint32_t g = 0; g < GPUS; g++)
    for (uint32_t op = SAMPLE; op <= GROUP; op++)
      ok &= curve_of(r, g, (op_t)op, PLAIN, 0, &c[g][op]);
  walkers(r);
  if (!ok) return;
  for (uint32_t g = 0; g < GPUS; g++) {
    curve_t per[2] = {c[g][0], c[g][1]};
    for (uint32_t i = 0; i < MAX_SIZES; i++) /* of as many accesses as sampling makes */
      per[1].cycles[i] = per[1].cycles[i] * made_of(r, g, SAMPLE) / made_of(r, g, GROUP);
    size_table(r, g == K80 ? "K80: million accesses per second" : "P100", g, SAMPLE, per, columns,
               2);
  }
  uint64_t inside[2], end[2];
  for (uint32_t op = SAMPLE; op <= GROUP; op++) {
    inside[op] = at_size(r, K80, &c[K80][op], INSIDE_MB);
    end[op] = at_end(r, K80, &c[K80][op]);
  }
  value_row(r, 0, end[SAMPLE], inside[SAMPLE]);
  micro_t sample = longer(end[SAMPLE], inside[SAMPLE]), group = longer(end[GROUP], inside[GROUP]);
  repro_claim(r, 1, as_much(group, sample), "%" PRId64 ".%" PRId64, group / MICRO,
              group % MICRO / 100000);
  repro_note(r, 1, "judged against the row above: within 1.5 times of it");
  value_row(r, 2, at_end(r, P100, &c[P100][SAMPLE]), at_size(r, P100, &c[P100][SAMPLE], INSIDE_MB));
  value_row(r, 3, at_end(r, P100, &c[P100][GROUP]), at_size(r, P100, &c[P100][GROUP], INSIDE_MB));
  micro_t k = region_one(r, K80, &c[K80][SAMPLE]), p = region_one(r, P100, &c[P100][SAMPLE]);
  repro_claim(r, 4, k > MICRO / 20, "%+" PRId64 " %%", k / 10000);
  repro_claim(r, 5, p < MICRO / 20, "%+" PRId64 " %%", p / 10000);
}

/* ---- fig10 ----------------------------------------------------------------------------------- */

static const paper_row_t fig10_rows[] = {
    ROW("K80, scopes of 2 GB at 11 GB: times faster, minus 1", "12", 12 * MICRO, UNIT_NUMBER,
        RULE_VALUE),
    ROW("P100 at 16 GB", "1", MICRO, UNIT_NUMBER, RULE_VALUE),
    ROW("K80, scopes of 128 MB are a little faster at 512 MB", "yes", 0, UNIT_NUMBER, RULE_CLAIM),
    ROW("and at 4 GB", "yes", 0, UNIT_NUMBER, RULE_CLAIM),
    ROW("but slower than scopes of 2 GB", "yes", 0, UNIT_NUMBER, RULE_CLAIM),
    ROW("P100, scopes of 128 MB do not pay at any size", "yes", 0, UNIT_NUMBER, RULE_CLAIM),
    ROW("scopes that L1's TLB covers do not pay: K80, 2 MB of 64", "yes", 0, UNIT_NUMBER,
        RULE_CLAIM),
    ROW("P100, 32 MB of 1 GB", "yes", 0, UNIT_NUMBER, RULE_CLAIM),
    ROW("P100, 2 GB scopes: the second pass costs, 2.25 GB against 2 GB", "slower", 0, UNIT_NUMBER,
        RULE_CLAIM),
    ROW("and is won back where passes are equal, 4 GB against 2.25 GB", "faster", 0, UNIT_NUMBER,
        RULE_CLAIM),
    ROW("behind 8 GB every pass costs, 8.25 GB against 8 GB", "slower", 0, UNIT_NUMBER, RULE_CLAIM),
    ROW("and as many passes take as long, 10 GB against 8.25 GB, difference", "constant", 50000,
        UNIT_PERCENT, RULE_BELOW, .acted = "passes", .source = PAPER_UNPRINTED),
    {0}};

static void faster_claim(repro_t *r, uint32_t row, uint64_t than, uint64_t cycles, bool faster) {
  if (!than || !cycles) return; /* a size the plan leaves out */
  repro_claim(r, row, faster ? cycles < than : cycles > than, "%" PRId64 " %% of the time",
              micro_ratio(cycles, than) / 10000);
}

/* At how many of the sizes beyond the scope is it faster than the plain form? */
static uint32_t times_faster(const repro_t *r, uint32_t gpu, const curve_t *plain,
                             const curve_t *scoped, uint32_t scope_mb, uint32_t *of) {
  uint32_t mb[MAX_SIZES], n = sizes_of(r, gpu, mb), faster = 0;
  *of = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (mb[i] <= scope_mb || !scoped->cycles[i]) continue;
    ++*of;
    faster += scoped->cycles[i] < plain->cycles[i];
  }
  return faster;
}

/* Sampling in scopes that L1's TLB covers, of memory that the next one does. */
static void small_scopes(repro_t *r) {
  static const struct { uint32_t gpu, mb, scope_mb; } of[] = {{K80, 64, 2}, {P100, 1024, 32}};
  for (uint32_t i = 0; i < 2; i++) {
    uint64_t plain = cycles_of(r, of[i].gpu, SAMPLE, PLAIN, of[i].mb, 0, 0),
             scoped = cycles_of(r, of[i].gpu, SAMPLE, SCOPED, of[i].mb, of[i].scope_mb, 0);
    faster_claim(r, 6 + i, plain, scoped, false);
    if (plain && scoped) repro_margin(r, 6 + i, longer(scoped, plain));
  }
}

/* The saw-tooth of figure 10b: sampling with scopes of 2 GB just behind, and well behind, the size
 * at which a pass is added. Work is the same at every size. */
static void saw_tooth(repro_t *r) {
  enum { AT_2G, AT_2G_MORE, AT_4G, AT_8G, AT_8G_MORE, AT_10G, SIZES };
  static const uint32_t mb[SIZES] = {2048, 2304, 4096, 8192, 8448, 10240};
  static const struct {
    uint32_t from, to;
    bool faster;
  } claim[] = {{AT_2G, AT_2G_MORE, false}, {AT_2G_MORE, AT_4G, true}, {AT_8G, AT_8G_MORE, false}};
  uint64_t c[SIZES];
  bool ok = true;
  for (uint32_t i = 0; i < SIZES; i++)
    ok &= (c[i] = cycles_of(r, P100, SAMPLE, i ? SCOPED : PLAIN, mb[i], INSIDE_MB, 0)) != 0;
  if (!ok) return;
  for (uint32_t i = 0; i < 3; i++) {
    uint64_t from = c[claim[i].from], to = c[claim[i].to];
    faster_claim(r, 8 + i, from, to, claim[i].faster);
    repro_margin(r, 8 + i, claim[i].faster ? longer(from, to) : longer(to, from));
  }
  micro_t far = longer(c[AT_10G], c[AT_8G_MORE]);
  repro_value(r, 11, far < 0 ? -far : far);
  repro_acted(r, 11, (mb[AT_10G] + INSIDE_MB - 1) / INSIDE_MB);
}

static void fig10(repro_t *r) {
  static const char *const columns[] = {"plain", "128 MB scopes", "2 GB scopes"};
  static const uint32_t scope[] = {0, 128, 2048};
  curve_t c[GPUS][3];
  uint32_t of;
  bool ok = true;
  for (uint32_t g = 0; g < GPUS; g++)
    for (uint32_t k = 0; k < 3; k++) ok &= curve_of(r, g, SAMPLE, SCOPED, scope[k], &c[g][k]);
  small_scopes(r);
  saw_tooth(r);
  if (!ok) return;
  for (uint32_t g = 0; g < GPUS; g++) {
    size_table(r, g == K80 ? "K80, sampling: million accesses per second" : "P100", g, SAMPLE, c[g],
               columns, 3);
    value_row(r, g, at_end(r, g, &c[g][0]), at_end(r, g, &c[g][2]));
  }
  faster_claim(r, 2, at_size(r, K80, &c[K80][0], 512), at_size(r, K80, &c[K80][1], 512), true);
  faster_claim(r, 3, at_size(r, K80, &c[K80][0], 4096), at_size(r, K80, &c[K80][1], 4096), true);
  faster_claim(r, 4, at_end(r, K80, &c[K80][2]), at_end(r, K80, &c[K80][1]), false);
  uint32_t faster = times_faster(r, P100, &c[P100][0], &c[P100][1], 128, &of);
  repro_claim(r, 5, !faster, "faster at %u of %u sizes", faster, of);
}

/* ---- fig11 ----------------------------------------------------------------------------------- */

static const paper_row_t fig11_rows[] = {
    ROW("K80, copy with scopes of 2 GB at 11 GB: times faster, minus 1", "11.5", 11500000,
        UNIT_NUMBER, RULE_VALUE),
    ROW("P100 at 16 GB", "1.5", 1500000, UNIT_NUMBER, RULE_VALUE),
    ROW("copy is ahead of naive: K80, 128 MB", "yes", 0, UNIT_NUMBER, RULE_ORDER),
    ROW("K80, 2 GB", "yes", 0, UNIT_NUMBER, RULE_ORDER),
    ROW("P100, 128 MB", "yes", 0, UNIT_NUMBER, RULE_ORDER),
    ROW("P100, 2 GB", "yes", 0, UNIT_NUMBER, RULE_ORDER),
    ROW("K80, naive with 128 MB is still ahead of one pass", "yes", 0, UNIT_NUMBER, RULE_CLAIM),
    ROW("P100, 128 MB is slower than one pass in both forms", "yes", 0, UNIT_NUMBER, RULE_CLAIM),
    ROW("2 GB is ahead of 128 MB (copy, both GPUs)", "yes", 0, UNIT_NUMBER, RULE_ORDER),
    {0}};

enum { ONE_PASS, NAIVE_128, COPY_128, NAIVE_2G, COPY_2G, WAYS };

static void fig11_claims(repro_t *r, uint64_t end[GPUS][WAYS]) {
  for (uint32_t g = 0; g < GPUS; g++)
    for (uint32_t k = 0; k < 2; k++) {
      uint64_t naive = end[g][k ? NAIVE_2G : NAIVE_128], copy = end[g][k ? COPY_2G : COPY_128];
      faster_claim(r, 2 + 2 * g + k, naive, copy, true);
    }
  faster_claim(r, 6, end[K80][ONE_PASS], end[K80][NAIVE_128], true);
  bool slower =
      end[P100][NAIVE_128] > end[P100][ONE_PASS] && end[P100][COPY_128] > end[P100][ONE_PASS];
  repro_claim(r, 7, slower, "naive %" PRId64 " %%, copy %" PRId64 " %% of the time",
              micro_ratio(end[P100][NAIVE_128], end[P100][ONE_PASS]) / 10000,
              micro_ratio(end[P100][COPY_128], end[P100][ONE_PASS]) / 10000);
  bool ahead = true;
  for (uint32_t g = 0; g < GPUS; g++) ahead &= end[g][COPY_2G] < end[g][COPY_128];
  repro_claim(r, 8, ahead, "%" PRId64 " and %" PRId64 " %% of the time",
              micro_ratio(end[K80][COPY_2G], end[K80][COPY_128]) / 10000,
              micro_ratio(end[P100][COPY_2G], end[P100][COPY_128]) / 10000);
}

static void fig11(repro_t *r) {
  static const char *const columns[WAYS] = {"plain", "naive 128 MB", "copy 128 MB", "naive 2 GB",
                                            "copy 2 GB"};
  static const struct {
    form_t form;
    uint32_t scope_mb;
  } way[WAYS] = {{PLAIN, 0}, {NAIVE, 128}, {COPY, 128}, {NAIVE, 2048}, {COPY, 2048}};
  curve_t c[GPUS][WAYS];
  uint64_t end[GPUS][WAYS];
  bool ok = true;
  for (uint32_t g = 0; g < GPUS; g++)
    for (uint32_t k = 0; k < WAYS; k++)
      ok &= curve_of(r, g, GROUP, way[k].form, way[k].scope_mb, &c[g][k]);
  if (!ok) return;
  for (uint32_t g = 0; g < GPUS; g++) {
    size_table(r, g == K80 ? "K80, grouping: million values per second" : "P100", g, GROUP, c[g],
               columns, WAYS);
    for (uint32_t k = 0; k < WAYS; k++) end[g][k] = at_end(r, g, &c[g][k]);
    value_row(r, g, end[g][ONE_PASS], end[g][COPY_2G]);
  }
  fig11_claims(r, end);
}

/* ---- filled ---------------------------------------------------------------------------------- */

static const paper_row_t filled_rows[] = {
    ROW("half-full tables, grouping: K80, 11 GB against 2 GB, times longer, minus 1",
        "12.3 (the largest)", 12300000, UNIT_NUMBER, RULE_VALUE),
    ROW("P100, 16 GB against 2 GB", "2.3", 2300000, UNIT_NUMBER, RULE_VALUE),
    ROW("copy with scopes of 2 GB: K80 at 11 GB, times faster, minus 1", "11.5", 11500000,
        UNIT_NUMBER, RULE_VALUE),
    ROW("P100 at 16 GB", "1.5", 1500000, UNIT_NUMBER, RULE_VALUE),
    ROW("against tables that are nearly empty, time at the largest size: K80", "-", 0, UNIT_NUMBER,
        RULE_NOTE),
    ROW("P100", "-", 0, UNIT_NUMBER, RULE_NOTE),
    {0}};

/* The paper's tables are half full at the end; ours, with few insertions, stay nearly empty unless
 * they are filled before. */
static void filled(repro_t *r) {
  for (uint32_t g = 0; g < GPUS; g++) {
    uint64_t inside = cycles_of(r, g, GROUP, FILLED, INSIDE_MB, 0, 0),
             end = cycles_of(r, g, GROUP, FILLED, largest_mb[g], 0, 0),
             copy = cycles_of(r, g, GROUP, FILLED_COPY, largest_mb[g], INSIDE_MB, 0),
             empty = cycles_of(r, g, GROUP, PLAIN, largest_mb[g], 0, 0);
    if (inside && end) value_row(r, g, end, inside);
    if (copy && end) value_row(r, 2 + g, end, copy);
    if (empty && end) repro_value(r, 4 + g, micro_ratio(end, empty));
  }
}

/* ---- threads --------------------------------------------------------------------------------- */

static const paper_row_t threads_rows[] = {
    ROW("K80 groups 8 GB faster with fewer than 1000 threads than with all", "yes", 0, UNIT_NUMBER,
        RULE_CLAIM),
    ROW("P100 does not", "yes", 0, UNIT_NUMBER, RULE_CLAIM),
    {0}};

static void threads(repro_t *r) {
  static const uint32_t count[] = {128, 256, 512, 992, 2048, 4096, 8192, 0};
  const uint32_t n = sizeof count / sizeof *count;
  uint64_t c[GPUS][8];
  bool ok = true;
  for (uint32_t g = 0; g < GPUS; g++)
    for (uint32_t i = 0; i < n; i++)
      ok &= (c[g][i] = cycles_of(r, g, GROUP, PLAIN, 8192, 0, count[i])) != 0;
  if (!ok) return;
  table_t *t = repro_table(r, "Grouping in 8 GB: million values per second");
  table_column(t, "threads", TABLE_RIGHT);
  for (uint32_t g = 0; g < GPUS; g++) table_column(t, g == K80 ? "K80" : "P100", TABLE_RIGHT);
  for (uint32_t i = 0; i < n; i++) {
    if (count[i])
      table_u64(t, count[i]);
    else
      table_cell(t, "all");
    for (uint32_t g = 0; g < GPUS; g++)
      repro_cell(t, micro_ratio(accesses_of(r, GROUP) * clock_mhz(r, g), c[g][i]), 1);
  }
  for (uint32_t g = 0; g < GPUS; g++) {
    uint32_t best = 0;
    for (uint32_t i = 1; i < 4; i++)
      if (c[g][i] < c[g][best]) best = i;
    bool gains = c[g][best] < c[g][n - 1];
    repro_claim(r, g, gains == (g == K80), "%u threads: %" PRId64 " %% of the time", count[best],
                micro_ratio(c[g][best], c[g][n - 1]) / 10000);
  }
}

const experiment_t repro_tlb[] = {
    EXPERIMENT("tlb/table2", "TLBs of K80 and P100, found by the probes", table2_rows, table2),
    EXPERIMENT("tlb/total", "What all misses together cost", total_rows, total),
    EXPERIMENT("tlb/sharing", "Which SMs share a TLB, on eleven K80s and a P100", sharing_rows,
               sharing),
    EXPERIMENT("tlb/assoc", "Organisation of the K80's TLBs", assoc_rows, assoc),
    EXPERIMENT("tlb/fig1", "Random sampling and grouping past 2 GB", fig1_rows, fig1),
    EXPERIMENT("tlb/fig10", "TLB-conscious sampling", fig10_rows, fig10),
    EXPERIMENT("tlb/fig11", "TLB-conscious grouping", fig11_rows, fig11),
    EXPERIMENT("tlb/filled", "Grouping in tables that are half full", filled_rows, filled),
    EXPERIMENT("tlb/threads", "Grouping past 2 GB with few threads", threads_rows, threads),
    {0}};
