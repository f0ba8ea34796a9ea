/* The machine: simulated work per second, and host instructions per unit of simulated work.
 *
 *   bench_machine                            the table, every workload under every design
 *   bench_machine compare                    only the rates of workloads compared with each other
 *   bench_machine WORKLOAD DESIGN [ROUNDS]   one of them once, counters on one line; for profilers
 *
 * Each run is a process of its own (peak memory is a process's). Host instructions are callgrind's,
 * of workload_run() alone: building the machine, mapping memory and filling caches are not in them,
 * and they repeat exactly with the same compiler. Rates are by processor time and depend on the
 * host. A run is timed in short rounds. A round does the same work in each run, so the least time
 * of each counts: what disturbs the host for some milliseconds spoils one round of one run.
 * Workloads that are compared run in turns. If BENCH_ROWS is set, name, value, unit and kind
 * ("count" or "host") of each figure go to that file. */
#include "base/table.h"
#include "workloads.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
  ROUNDS = 8,
  RUNS = 3,    /* of each workload, */
  COMPARED = 8 /* and of two that are compared, in turns */
};

static const char *const designs[] = {"sharedtlb", "ideal"};

typedef struct {
  uint64_t cycles, instructions, requests; /* simulated */
  uint64_t peak_kib;
  uint64_t ns[ROUNDS];
} counts_t;

/* ---- one run --------------------------------------------------------------------------------- */

static uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int run(const workload_t *w, const char *design, uint32_t rounds, counts_t *c, err_t *e) {
  workload_run_t r;
  int rc = workload_open(w, design, &r, e);
  if (rc >= 0) rc = workload_warm(&r, e);
  if (rc >= 0) {
    uint64_t instructions = gpu_instructions(r.gpu), requests = gpu_requests(r.gpu);
    uint64_t cycles = gpu_cycles(r.gpu);
    for (uint32_t i = 0; i < rounds && rc >= 0; i++) {
      uint64_t start = now_ns();
      rc = rounds == 1 ? workload_run(&r, e) : workload_round(&r, i, rounds, e);
      c->ns[i] = now_ns() - start;
    }
    c->cycles = gpu_cycles(r.gpu) - cycles;
    c->instructions = gpu_instructions(r.gpu) - instructions;
    c->requests = gpu_requests(r.gpu) - requests;
    c->peak_kib = peak_kib();
  }
  workload_close(&r);
  return rc;
}

static int run_one(const char *workload, const char *design, uint32_t rounds) {
  const workload_t *w = workload_find(workload);
  char text[600];
  counts_t c = {0};
  err_t e = {0};
  if (rounds < 1 || rounds > ROUNDS) rounds = 1;
  if (w) rounds = workload_rounds(w, rounds);
  int rc = w ? run(w, design, rounds, &c, &e)
             : err_set(&e, GMMU_ENOENT, "no workload is called \"%s\"", workload);
  if (rc >= 0) {
    printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, c.cycles, c.instructions, c.requests,
           c.peak_kib);
    for (uint32_t i = 0; i < rounds; i++) printf(" %" PRIu64, c.ns[i]);
    putchar('\n');
    return 0;
  }
  err_format(&e, text, sizeof text);
  fprintf(stderr, "bench_machine: %s\n", text);
  return 1;
}

/* ---- many runs ------------------------------------------------------------------------------- */

typedef struct {
  const workload_t *w;
  const char *design;
  counts_t c;    /* the least time of each round */
  uint64_t host; /* instructions; 0: not counted, or there is no valgrind */
} figures_t;

static uint64_t figures_ns(const figures_t *f) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < ROUNDS; i++) sum += f->c.ns[i];
  return sum;
}

/* Runs a command; take() sees each line it prints. */
static bool each_line(const char *cmd, void (*take)(const char *line, void *ctx), void *ctx) {
  char line[512];
  FILE *p = popen(cmd, "r");
  if (!p) return false;
  while (fgets(line, sizeof line, p)) take(line, ctx);
  return pclose(p) == 0;
}

static void take_counts(const char *line, void *ctx) {
  counts_t c = {0}, *best = ctx;
  int n = 0;
  if (sscanf(line, "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%n", &c.cycles, &c.instructions,
             &c.requests, &c.peak_kib, &n) != 4)
    return;
  line += n;
  for (uint32_t i = 0; i < ROUNDS && sscanf(line, "%" SCNu64 "%n", &c.ns[i], &n) == 1; i++) {
    if (best->ns[i] && best->ns[i] < c.ns[i]) c.ns[i] = best->ns[i];
    line += n;
  }
  *best = c;
}

static void take_host(const char *line, void *ctx) {
  const char *found = strstr(line, "Collected : ");
  if (found) *(uint64_t *)ctx = strtoull(found + strlen("Collected : "), NULL, 10);
}

static bool measure_time(const char *self, figures_t *f) {
  char cmd[4096];
  snprintf(cmd, sizeof cmd, "'%s' %s %s %d", self, f->w->name, f->design, ROUNDS);
  return each_line(cmd, take_counts, &f->c) && figures_ns(f);
}
static void measure_host(const char *self, figures_t *f) {
  char cmd[4096];
  snprintf(cmd, sizeof cmd,
           "valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=workload_run "
           "'%s' %s %s 2>&1",
           self, f->w->name, f->design);
  if (!each_line(cmd, take_host, &f->host)) f->host = 0;
}

/* ---- what comes out -------------------------------------------------------------------------- */

static const char *verdict(bool within) { return within ? "within" : "above"; }

static void remark(const figures_t *f, table_t *t) {
  const workload_t *w = f->w;
  bool limited = strcmp(f->design, designs[0]) == 0;
  char text[160] = "";
  size_t n = 0;
  if (limited && f->host && w->max_per_instruction)
    n += (size_t)snprintf(text + n, sizeof text - n, "%u per warp instr: %s; ",
                          w->max_per_instruction,
                          verdict(f->host <= (uint64_t)w->max_per_instruction * f->c.instructions));
  if (limited && f->host && w->max_per_request)
    n += (size_t)snprintf(text + n, sizeof text - n, "%u per request: %s; ", w->max_per_request,
                          verdict(f->host <= (uint64_t)w->max_per_request * f->c.requests));
  snprintf(text + n, sizeof text - n, "%u MiB: %s", WORKLOAD_MAX_MIB,
           verdict(f->c.peak_kib < WORKLOAD_MAX_MIB * UINT64_C(1024)));
  table_cell(t, text);
}

static void columns(table_t *t) {
  table_init(t);
  table_column(t, "workload", TABLE_LEFT);
  table_column(t, "design", TABLE_LEFT);
  table_column(t, "M warp instr/s", TABLE_RIGHT);
  table_column(t, "M requests/s", TABLE_RIGHT);
  table_column(t, "host instr/warp instr", TABLE_RIGHT);
  table_column(t, "/request", TABLE_RIGHT);
  table_column(t, "/cycle", TABLE_RIGHT);
  table_column(t, "peak MiB", TABLE_RIGHT);
  table_column(t, "limits", TABLE_LEFT);
}

static void row(table_t *t, const figures_t *f) {
  const counts_t *c = &f->c;
  uint64_t ns = figures_ns(f);
  table_cell(t, f->w->name);
  table_cell(t, f->design);
  table_ratio(t, c->instructions * 1000, ns, 3);
  table_ratio(t, c->requests * 1000, ns, 3);
  table_ratio(t, f->host, f->host ? c->instructions : 0, 1);
  table_ratio(t, f->host, f->host ? c->requests : 0, 1);
  table_ratio(t, f->host, f->host ? c->cycles : 0, 1);
  table_ratio(t, c->peak_kib, 1024, 1);
  remark(f, t);
}

static void record(FILE *out, const figures_t *f) {
  const counts_t *c = &f->c;
  const double ns = (double)figures_ns(f);
  const struct {
    const char *what, *unit, *kind;
    uint64_t value;
  } rows[] = {
      {"cycles", "cycles", "count", c->cycles},
      {"instructions", "warp instructions", "count", c->instructions},
      {"requests", "memory requests", "count", c->requests},
      {"host", "host instructions", "count", f->host},
      {"peak", "KiB", "host", c->peak_kib},
      {"instruction_rate", "warp instructions/s", "host",
       (uint64_t)((double)c->instructions * 1e9 / ns)},
      {"request_rate", "memory requests/s", "host", (uint64_t)((double)c->requests * 1e9 / ns)},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    fprintf(out, "%s_%s_%s\t%" PRIu64 "\t%s\t%s\n", f->w->name, f->design, rows[i].what,
            rows[i].value, rows[i].unit, rows[i].kind);
}

/* ---- comparisons ---- */

static double instruction_rate(const figures_t *f) {
  return (double)f->c.instructions * 1e3 / (double)figures_ns(f); /* millions per second */
}
static double host_per_instruction(const figures_t *f) {
  return (double)f->host / (double)f->c.instructions;
}
static void cell(table_t *t, const char *format, double value) {
  char text[32];
  snprintf(text, sizeof text, format, value);
  table_cell(t, text);
}
/* One workload on two GPUs, `a` over `b`: how fast it is simulated, and what by instructions. */
static void compare(table_t *t, FILE *rows, const figures_t *a, const figures_t *b) {
  const char *gpu_a = a->w->gpu ? a->w->gpu : "maxwell", *gpu_b = b->w->gpu ? b->w->gpu : "maxwell";
  double ratio = instruction_rate(a) / instruction_rate(b);
  char text[96];
  table_cell(t, b->w->name);
  snprintf(text, sizeof text, "%s over %s", gpu_a, gpu_b);
  table_cell(t, text);
  table_cell(t, a->design);
  cell(t, "%.3f", instruction_rate(a));
  cell(t, "%.3f", instruction_rate(b));
  cell(t, "%.2f", ratio);
  if (a->host && b->host)
    cell(t, "%.2f", host_per_instruction(b) / host_per_instruction(a));
  else
    table_cell(t, "-");
  text[0] = 0;
  if (a->w->min_percent_beside && strcmp(a->design, designs[0]) == 0)
    snprintf(text, sizeof text, "at least %.2f: %s", a->w->min_percent_beside / 100.0,
             ratio * 100 >= a->w->min_percent_beside ? "yes" : "no");
  table_cell(t, text);
  if (rows)
    fprintf(rows, "%s_%s_%s_over_%s\t%.3f\twarp instructions/s over those\thost\n", b->w->name,
            a->design, gpu_a, gpu_b, ratio);
}
static void compare_columns(table_t *t) {
  table_init(t);
  table_column(t, "workload", TABLE_LEFT);
  table_column(t, "what", TABLE_LEFT);
  table_column(t, "design", TABLE_LEFT);
  table_column(t, "M warp instr/s", TABLE_RIGHT);
  table_column(t, "beside", TABLE_RIGHT);
  table_column(t, "ratio", TABLE_RIGHT);
  table_column(t, "by host instr", TABLE_RIGHT);
  table_column(t, "limit", TABLE_LEFT);
}

/* `wait` does what `idle` does in many more cycles: what does one of these cost? */
static void idle_cycle(const figures_t *idle, const figures_t *wait) {
  if (!idle->host || !wait->host) return;
  double more = (double)wait->host - (double)idle->host;
  printf(
      "\nA cycle in which nothing happens takes %.2f host instructions (wait against idle: %" PRIu64
      " cycles more).\n",
      more / (double)(wait->c.cycles - idle->c.cycles), wait->c.cycles - idle->c.cycles);
}

/* ---- everything ---- */

typedef struct {
  figures_t at[64];
  uint32_t count;
} all_t;

static void all_init(all_t *a) {
  a->count = 0;
  for (const workload_t *w = workload_all; w->name; w++)
    for (size_t d = 0; d < sizeof designs / sizeof *designs; d++)
      if (a->count < sizeof a->at / sizeof *a->at)
        a->at[a->count++] = (figures_t){.w = w, .design = designs[d]};
}
static figures_t *all_find(all_t *a, const char *workload, const char *design) {
  for (uint32_t i = 0; i < a->count; i++)
    if (strcmp(a->at[i].w->name, workload) == 0 && strcmp(a->at[i].design, design) == 0)
      return &a->at[i];
  return NULL;
}
static figures_t *beside(all_t *a, const figures_t *f) {
  return f->w->beside ? all_find(a, f->w->beside, f->design) : NULL;
}

static bool time_compared(const char *self, all_t *a) {
  for (uint32_t i = 0; i < a->count; i++) {
    figures_t *other = beside(a, &a->at[i]);
    if (!other) continue;
    for (int n = 0; n < COMPARED; n++)
      if (!measure_time(self, other) || !measure_time(self, &a->at[i])) return false;
  }
  return true;
}
static bool measure_rest(const char *self, all_t *a) {
  for (uint32_t i = 0; i < a->count; i++) {
    for (int n = 0; n < RUNS && !a->at[i].w->beside; n++)
      if (!measure_time(self, &a->at[i])) return false;
    measure_host(self, &a->at[i]);
  }
  return true;
}

static void print_table(table_t *t) {
  strbuf_t out;
  strbuf_init(&out);
  table_render(t, TABLE_TEXT, &out);
  fputs(strbuf_text(&out), stdout);
  strbuf_fini(&out);
  table_fini(t);
}
static void print_compared(all_t *a, FILE *rows) {
  table_t t;
  compare_columns(&t);
  for (uint32_t i = 0; i < a->count; i++)
    if (beside(a, &a->at[i])) compare(&t, rows, &a->at[i], beside(a, &a->at[i]));
  print_table(&t);
}
static void print_all(all_t *a, FILE *rows) {
  table_t t;
  columns(&t);
  for (uint32_t i = 0; i < a->count; i++) {
    row(&t, &a->at[i]);
    if (rows) record(rows, &a->at[i]);
  }
  print_table(&t);
  const figures_t *idle = all_find(a, "idle", designs[0]), *wait = all_find(a, "wait", designs[0]);
  if (idle && wait) idle_cycle(idle, wait);
  putchar('\n');
}

int main(int argc, char **argv) {
  if (argc == 3 || argc == 4)
    return run_one(argv[1], argv[2], argc == 4 ? (uint32_t)strtoul(argv[3], NULL, 10) : 1);
  const bool only_compare = argc == 2 && strcmp(argv[1], "compare") == 0;
  const char *path = getenv("BENCH_ROWS");
  FILE *rows = path ? fopen(path, "w") : NULL;
  all_t all;
  all_init(&all);
  bool done = time_compared(argv[0], &all) && (only_compare || measure_rest(argv[0], &all));
  if (done && !only_compare) print_all(&all, rows);
  if (done) print_compared(&all, rows);
  if (rows) fclose(rows);
  return !done;
}
