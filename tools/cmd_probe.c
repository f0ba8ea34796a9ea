/* gmmu probe: what a device is made of, found by timing. */
#include "base/progress.h"
#include "base/stop.h"
#include "cli.h"
#include "probe/hash.h"
#include "probe/isolation.h"
#include "probe/neighbours.h"
#include "probe/result.h"
#include "solver/report.h"
#include <stdlib.h>
#include <string.h>

enum {
  ARG_DEVICE = CLI_LONG_ONLY,
  ARG_JSON,
  ARG_PLOT,
  ARG_SAVE,
  ARG_OTHERS,
  ARG_JITTER,
  ARG_OUTLIERS,
  ARG_SEED,
  ARG_SM,
  ARG_BYTES,
  ARG_DESIGNS
};

static const cli_option_t options[] = {
    {ARG_DEVICE, "device", "DEVICE", "sim:GPU, cpu, cpu:2M, cuda or cuda:NUMBER"},
    {'s', "set", "KEY=VALUE", "set any option of a simulated GPU"},
    {ARG_JITTER, "jitter", "CYCLES", "sim: each time varies by up to this (0)"},
    {ARG_OUTLIERS, "outliers", "PPM",
     "sim: so many accesses of a million take up to 3000 more (0)"},
    {ARG_SEED, "seed", "N", "sim: of jitter and outliers; hash: of the addresses, too (1)"},
    {ARG_SM, "sm", "N", "the SM that the TLB probe runs on (0)"},
    {ARG_BYTES, "bytes", "N", "look at no more than N bytes (all of the memory)"},
    {ARG_OTHERS, "others", "N", "isolation: up to N threads beside the first (49)"},
    {ARG_DESIGNS, "designs", "LIST|all",
     "isolation, sim: who slows whom under these designs (all of sharing)"},
    {ARG_PLOT, "plot", "FILE", "write the curves to FILE, as SVG"},
    {ARG_SAVE, "save", "FILE", "hash: write the functions to FILE, as YAML that presets load"},
    {ARG_JSON, "json", NULL, "as JSON"},
    {'o', "output", "FILE", "write to FILE, in one step, not to the terminal"},
    {0},
};

#define MAX_SETTINGS 64

typedef struct {
  const char *what, *device, *plot, *output, *save, *designs;
  bool json;
  uint64_t sm, bytes, others;
  const char *setting[MAX_SETTINGS];
  device_options_t device_options;
} wish_t;

static void show_progress(void *ctx, const char *what) {
  progress_state_t s = {.what = what, .permille = UINT32_MAX};
  if (progress_due(ctx)) progress_show(ctx, &s);
}

static int write_plot(const wish_t *q, const device_info_t *d, const tlb_probe_t *tlb) {
  strbuf_t svg;
  strbuf_init(&svg);
  result_svg(d, tlb, &svg);
  int status = cli_output(q->plot, &svg);
  strbuf_fini(&svg);
  return status;
}

static int print(const wish_t *q, const device_info_t *d, const tlb_probe_t *tlb,
                 const sharing_t *sharing) {
  json_t j;
  json_init(&j);
  if (q->json)
    result_json(d, tlb, sharing, &j);
  else
    cli_screen(&j.out, q->output), result_text(d, tlb, sharing, &j.out);
  int status = cli_output(q->output, &j.out);
  json_fini(&j);
  return status == CLI_DONE && q->plot ? write_plot(q, d, tlb) : status;
}

static int probe_tlbs(const wish_t *q, device_t *d, bool sharing) {
  progress_t progress;
  tlb_probe_options_t o = {
      .sm = (uint32_t)q->sm, .max_bytes = q->bytes, .progress = show_progress, .ctx = &progress};
  tlb_probe_t tlb;
  sharing_t groups = {0};
  err_t e = {0};
  progress_begin(&progress);
  int rc = tlb_probe(d, &o, &tlb, &e);
  if (rc == 0 && sharing) rc = sharing_probe(d, &tlb, &o, &groups, &e);
  progress_end(&progress);
  int status = rc < 0 ? cli_refuse(&e) : print(q, &d->info, &tlb, sharing ? &groups : NULL);
  tlb_probe_fini(&tlb);
  sharing_fini(&groups);
  return status;
}

static int probe_tlb(const wish_t *q, device_t *d) { return probe_tlbs(q, d, false); }
static int probe_sharing(const wish_t *q, device_t *d) { return probe_tlbs(q, d, true); }

/* ---- hash ---- */

static int save_hash(const wish_t *q, const solver_report_t *r) {
  strbuf_t out;
  strbuf_init(&out);
  solver_yaml(r, &out);
  int status = cli_output(q->save, &out);
  strbuf_fini(&out);
  return status;
}

static int print_hash(const wish_t *q, const device_info_t *d, const hash_probe_t *x) {
  json_t j;
  json_init(&j);
  if (q->json)
    hash_json(d, x, &j);
  else
    cli_screen(&j.out, q->output), hash_text(d, x, &j.out);
  int status = cli_output(q->output, &j.out);
  json_fini(&j);
  return status == CLI_DONE && q->save ? save_hash(q, &x->found) : status;
}

static hash_options_t hash_wish(const wish_t *q, progress_t *progress) {
  return (hash_options_t){.seed = q->device_options.noise.seed,
                          .bytes = q->bytes,
                          .progress = show_progress,
                          .ctx = progress};
}

static int probe_hash(const wish_t *q, device_t *d) {
  progress_t progress;
  hash_options_t o = hash_wish(q, &progress);
  hash_probe_t x;
  err_t e = {0};
  progress_begin(&progress);
  int rc = hash_probe(d, &o, &x, &e);
  progress_end(&progress);
  return rc < 0 ? cli_refuse(&e) : print_hash(q, &d->info, &x);
}

/* ---- isolation ---- */

static int plot_isolation(const wish_t *q, const device_info_t *d, const isolation_t *x) {
  strbuf_t svg;
  strbuf_init(&svg);
  isolation_svg(d, x, &svg);
  int status = cli_output(q->plot, &svg);
  strbuf_fini(&svg);
  return status;
}

static int print_isolation(const wish_t *q, const device_info_t *d, const isolation_t *x) {
  json_t j;
  json_init(&j);
  if (q->json)
    isolation_json(d, x, &j);
  else
    cli_screen(&j.out, q->output), isolation_text(d, x, &j.out);
  int status = cli_output(q->output, &j.out);
  json_fini(&j);
  return status == CLI_DONE && q->plot ? plot_isolation(q, d, x) : status;
}

/* The functions first: they tell which addresses share what. */
static int probe_isolation(const wish_t *q, device_t *d) {
  progress_t progress;
  isolation_options_t o = {.others = (uint32_t)q->others,
                           .seed = q->device_options.noise.seed,
                           .progress = show_progress,
                           .ctx = &progress};
  hash_options_t h = hash_wish(q, &progress);
  hash_probe_t hash;
  isolation_t x;
  err_t e = {0};
  progress_begin(&progress);
  int rc = hash_solve(d, &h, &hash, &e);
  if (rc == 0) rc = isolation_probe(d, &hash.found, &o, &x, &e);
  progress_end(&progress);
  return rc < 0 ? cli_refuse(&e) : print_isolation(q, &d->info, &x);
}

/* ---- isolation under designs ---- */

#define ALL_DESIGNS  "mps,cp,cmp,cmp-2m,timeslice,mig"
#define MOST_DESIGNS 16u

/* The machines of the list; returns how many, or the status of a printed error. */
static int build_designs(const cli_t *c, const wish_t *q, neighbours_t *x, uint32_t *count) {
  const char *list = strcmp(q->designs, "all") ? q->designs : ALL_DESIGNS;
  for (const char *at = list;; at++) {
    size_t size = strcspn(at, ",");
    neighbours_t *d = &x[*count];
    err_t e = {0};
    if (!size || size >= sizeof d->design || *count == MOST_DESIGNS)
      return cli_usage(c, "--designs %s: at most %u names with commas between", q->designs,
                       MOST_DESIGNS);
    memcpy(d->design, at, size);
    if (device_sim_spec(q->device + 4, d->design, &q->device_options, &d->spec, &e) < 0)
      return cli_refuse(&e);
    ++*count, at += size;
    if (!*at) return CLI_DONE;
  }
}

static int print_designs(const wish_t *q, const neighbours_t *x, uint32_t count) {
  json_t j;
  json_init(&j);
  if (q->json)
    neighbours_json(x, count, &j);
  else
    cli_screen(&j.out, q->output), neighbours_text(x, count, &j.out);
  int status = cli_output(q->output, &j.out);
  json_fini(&j);
  return status;
}

static int probe_designs(const cli_t *c, const wish_t *q) {
  if (strncmp(q->device, "sim:", 4) != 0 || !q->device[4])
    return cli_usage(c, "--designs are of simulated GPUs: --device sim:GPU");
  if (q->plot) return cli_usage(c, "--designs make a table: there are no curves to plot");
  neighbours_t *x = calloc(MOST_DESIGNS, sizeof *x);
  err_t e = {0};
  if (!x) {
    err_set(&e, GMMU_ENOMEM, "out of memory");
    return cli_fail(&e);
  }
  progress_t progress;
  uint32_t count = 0;
  int status = build_designs(c, q, x, &count), rc = 0;
  if (status == CLI_DONE) {
    stop_listen();
    progress_begin(&progress);
    for (uint32_t d = 0; d < count && rc == 0; d++)
      rc = neighbours_measure(&x[d], show_progress, &progress, stop_asked, &e);
    progress_end(&progress);
    status = rc == GMMU_EINTERRUPTED ? CLI_INTERRUPTED
             : rc < 0                ? cli_refuse(&e)
                                     : print_designs(q, x, count);
  }
  free(x);
  return status;
}

static const struct {
  const char *name;
  int (*run)(const wish_t *q, device_t *d);
} kinds[] = {{"tlb", probe_tlb},
             {"sharing", probe_sharing},
             {"hash", probe_hash},
             {"isolation", probe_isolation},
             {0}};

static int take(const cli_t *c, int id, wish_t *q) {
  device_noise_t *n = &q->device_options.noise;
  uint64_t v = 0;
  switch (id) {
  case ARG_DEVICE: q->device = c->value; break;
  case ARG_PLOT: q->plot = c->value; return cli_file(c, "plot") ? CLI_DONE : CLI_USAGE;
  case ARG_SAVE: q->save = c->value; return cli_file(c, "save") ? CLI_DONE : CLI_USAGE;
  case ARG_JSON: q->json = true; break;
  case 'o': q->output = c->value; break;
  case 's':
    if (q->device_options.settings == MAX_SETTINGS) return cli_usage(c, "too many settings");
    q->setting[q->device_options.settings++] = c->value;
    break;
  case ARG_JITTER:
    if (!cli_number(c, "jitter", 0, 10000, &v)) return CLI_USAGE;
    n->jitter_cycles = (uint32_t)v;
    break;
  case ARG_OUTLIERS:
    if (!cli_number(c, "outliers", 0, 1000000, &v)) return CLI_USAGE;
    n->outlier_ppm = (uint32_t)v;
    break;
  case ARG_SEED: return cli_number(c, "seed", 0, UINT64_MAX, &n->seed) ? CLI_DONE : CLI_USAGE;
  case ARG_OTHERS:
    return cli_number(c, "others", 1, ISOLATION_MOST, &q->others) ? CLI_DONE : CLI_USAGE;
  case ARG_DESIGNS: q->designs = c->value; break;
  case ARG_SM: return cli_number(c, "sm", 0, 1023, &q->sm) ? CLI_DONE : CLI_USAGE;
  case ARG_BYTES:
    return cli_bytes(c, "bytes", 1 << 20, 1ull << 44, &q->bytes) ? CLI_DONE : CLI_USAGE;
  default: return CLI_USAGE;
  }
  return CLI_DONE;
}

static int start(const cli_t *c, wish_t *q) {
  device_t *d = NULL;
  err_t e = {0};
  q->device_options.setting = q->setting;
  if (q->designs && strcmp(q->what, "isolation") == 0) return probe_designs(c, q);
  if (q->designs) return cli_usage(c, "--designs are for isolation");
  for (uint32_t i = 0; kinds[i].name; i++) {
    if (strcmp(q->what, kinds[i].name) != 0) continue;
    q->device_options.bytes = q->bytes;
    if (device_open(q->device, &q->device_options, &d, &e) < 0) return cli_refuse(&e);
    int status = kinds[i].run(q, d);
    device_free(d);
    return status;
  }
  return cli_usage(c, "\"%s\" cannot be probed: tlb, sharing, hash or isolation", q->what);
}

static int run(cli_t *c) {
  wish_t q = {.device_options = {.noise = {.outlier_cycles = 3000, .seed = 1}}};
  int id, status;
  while ((id = cli_next(c)) != CLI_END) {
    if (id == CLI_BAD) return CLI_USAGE;
    if (id == CLI_ARGUMENT && q.what) return cli_usage(c, "one probe at a time");
    if (id == CLI_ARGUMENT)
      q.what = c->value;
    else if ((status = take(c, id, &q)) != CLI_DONE)
      return status;
  }
  if (!q.what) return cli_usage(c, "what is to be probed: tlb, sharing, hash or isolation");
  if (!q.device) return cli_usage(c, "--device says on what: sim:GPU, cpu, cpu:2M or cuda");
  return start(c, &q);
}

const subcommand_t cmd_probe = {
    .name = "probe",
    .summary = "find out what a device's TLBs, L2 and memory are made of, by timing",
    .usage = "tlb|sharing|hash|isolation --device DEVICE [OPTION]...",
    .details =
        "tlb finds the levels, what an entry covers, entries, sets and ways, and what a "
        "miss costs;\n"
        "sharing finds these and which SMs share which level; hash finds memory modules, DRAM "
        "banks\n"
        "and rows, L2 sets, lines and MSHRs, and the XORs of address bits that choose "
        "them.\n"
        "isolation measures how much other threads slow one down, by what they share with it;\n"
        "with --designs, how much one application slows another under each, and through what.\n"
        "docs/probes.md tells how.\n"
        "\n"
        "  gmmu probe tlb --device sim:p100\n"
        "  gmmu probe sharing --device sim:k80 -s gpu.disabled=9216 --plot k80.svg\n"
        "  gmmu probe hash --device sim:gtx1080-fgpu --jitter 10 --outliers 10000 --save "
        "found.yaml\n"
        "  gmmu probe isolation --device sim:gtx1080-fgpu --plot isolation.svg\n"
        "  gmmu probe isolation --device sim:a100 --designs all\n",
    .options = options,
    .run = run,
};
