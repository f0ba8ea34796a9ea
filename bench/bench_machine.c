/* The machine: simulated work per second, and host instructions per unit of simulated work.
 *
 *   bench_machine                     the table, every workload under every design
 *   bench_machine WORKLOAD DESIGN     one of them once, counters on one line; for profilers
 *
 * Each measurement is a process of its own (peak memory is a process's). Host instructions are
 * callgrind's, of workload_run() alone: building the machine, mapping memory and filling caches are
 * not in them, and they repeat exactly with the same compiler. Rates are by processor time, the
 * best of some repetitions, and depend on the host. If BENCH_ROWS is set, name, value, unit and
 * kind ("count" or "host") of each figure go to that file. */
#include "base/table.h"
#include "workloads.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define REPEATS 3

static const char *const designs[] = {"sharedtlb", "ideal"};

typedef struct {
  uint64_t cycles, instructions, requests; /* simulated */
  uint64_t ns, peak_kib;
} counts_t;

/* ---- one run --------------------------------------------------------------------------------- */

static uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int run(const workload_t *w, const char *design, counts_t *c, err_t *e) {
  workload_run_t r;
  int rc = workload_open(w, design, &r, e);
  if (rc >= 0) rc = workload_warm(&r, e);
  if (rc >= 0) {
    uint64_t instructions = gpu_instructions(r.gpu), requests = gpu_requests(r.gpu);
    uint64_t cycles = gpu_cycles(r.gpu), start = now_ns();
    rc = workload_run(&r, e);
    *c = (counts_t){.cycles = gpu_cycles(r.gpu) - cycles,
                    .instructions = gpu_instructions(r.gpu) - instructions,
                    .requests = gpu_requests(r.gpu) - requests,
                    .ns = now_ns() - start,
                    .peak_kib = peak_kib()};
  }
  workload_close(&r);
  return rc;
}

static int run_one(const char *workload, const char *design) {
  const workload_t *w = workload_find(workload);
  char text[600];
  counts_t c = {0};
  err_t e = {0};
  int rc = w ? run(w, design, &c, &e)
             : err_set(&e, GMMU_ENOENT, "no workload is called \"%s\"", workload);
  if (rc >= 0) {
    printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", c.cycles,
           c.instructions, c.requests, c.ns, c.peak_kib);
    return 0;
  }
  err_format(&e, text, sizeof text);
  fprintf(stderr, "bench_machine: %s\n", text);
  return 1;
}

/* ---- many runs ------------------------------------------------------------------------------- */

typedef struct {
  counts_t c;
  uint64_t host; /* instructions; 0: there is no valgrind */
} figures_t;

/* Runs a command; take() sees each line it prints. */
static bool each_line(const char *cmd, void (*take)(const char *line, void *ctx), void *ctx) {
  char line[512];
  FILE *p = popen(cmd, "r");
  if (!p) return false;
  while (fgets(line, sizeof line, p)) take(line, ctx);
  return pclose(p) == 0;
}

static void take_counts(const char *line, void *ctx) {
  counts_t c, *best = ctx;
  if (sscanf(line, "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64, &c.cycles,
             &c.instructions, &c.requests, &c.ns, &c.peak_kib) != 5)
    return;
  if (!best->ns || c.ns < best->ns) *best = c;
}

static void take_host(const char *line, void *ctx) {
  const char *found = strstr(line, "Collected : ");
  if (found) *(uint64_t *)ctx = strtoull(found + strlen("Collected : "), NULL, 10);
}

static bool measure(const char *self, const workload_t *w, const char *design, figures_t *f) {
  char cmd[4096];
  *f = (figures_t){0};
  snprintf(cmd, sizeof cmd, "'%s' %s %s", self, w->name, design);
  for (int i = 0; i < REPEATS; i++)
    if (!each_line(cmd, take_counts, &f->c)) return false;
  snprintf(cmd, sizeof cmd,
           "valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=workload_run "
           "'%s' %s %s 2>&1",
           self, w->name, design);
  if (!each_line(cmd, take_host, &f->host)) f->host = 0;
  return f->c.ns != 0;
}

/* ---- what comes out -------------------------------------------------------------------------- */

static const char *verdict(bool within) { return within ? "within" : "above"; }

static void remark(const workload_t *w, bool limited, const figures_t *f, table_t *t) {
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

static void row(table_t *t, const workload_t *w, const char *design, const figures_t *f) {
  const counts_t *c = &f->c;
  table_cell(t, w->name);
  table_cell(t, design);
  table_ratio(t, c->instructions * 1000, c->ns, 3);
  table_ratio(t, c->requests * 1000, c->ns, 3);
  table_ratio(t, f->host, f->host ? c->instructions : 0, 1);
  table_ratio(t, f->host, f->host ? c->requests : 0, 1);
  table_ratio(t, f->host, f->host ? c->cycles : 0, 1);
  table_ratio(t, c->peak_kib, 1024, 1);
  remark(w, strcmp(design, designs[0]) == 0, f, t);
}

static void record(FILE *out, const workload_t *w, const char *design, const figures_t *f) {
  const counts_t *c = &f->c;
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
       (uint64_t)((double)c->instructions * 1e9 / (double)c->ns)},
      {"request_rate", "memory requests/s", "host",
       (uint64_t)((double)c->requests * 1e9 / (double)c->ns)},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    fprintf(out, "%s_%s_%s\t%" PRIu64 "\t%s\t%s\n", w->name, design, rows[i].what, rows[i].value,
            rows[i].unit, rows[i].kind);
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

static int run_all(const char *self, FILE *rows, table_t *t, figures_t *idle, figures_t *wait) {
  figures_t f;
  for (const workload_t *w = workload_all; w->name; w++)
    for (size_t d = 0; d < sizeof designs / sizeof *designs; d++) {
      if (!measure(self, w, designs[d], &f)) return 1;
      row(t, w, designs[d], &f);
      if (rows) record(rows, w, designs[d], &f);
      if (d == 0 && strcmp(w->name, "idle") == 0) *idle = f;
      if (d == 0 && strcmp(w->name, "wait") == 0) *wait = f;
    }
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 3) return run_one(argv[1], argv[2]);
  const char *path = getenv("BENCH_ROWS");
  FILE *rows = path ? fopen(path, "w") : NULL;
  table_t t;
  strbuf_t out;
  columns(&t);
  strbuf_init(&out);
  figures_t idle = {0}, wait = {0};
  int bad = run_all(argv[0], rows, &t, &idle, &wait);
  table_render(&t, TABLE_TEXT, &out);
  if (!bad) {
    fputs(strbuf_text(&out), stdout);
    idle_cycle(&idle, &wait);
  }
  strbuf_fini(&out);
  table_fini(&t);
  if (rows) fclose(rows);
  return bad;
}
