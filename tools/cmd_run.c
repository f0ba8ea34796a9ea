/* gmmu run: all applications together, under one design after the other.
 *
 * A machine runs in slices of simulated time; between two the terminal is served and Ctrl-C heard.
 * Slices do not change results. What was measured is kept per design until the end, so that a
 * failure or an interruption loses nothing that was complete. */
#include "base/file.h"
#include "base/progress.h"
#include "base/stop.h"
#include "cli.h"
#include "config.h"
#include "explain/memmap.h"
#include "explain/report.h"
#include "explain/run_by.h"
#include "gpu/gpu.h"
#include "gpu/stats.h"
#include "lab/jobs.h"
#include "live.h"
#include "run_share.h"
#include "run_store.h"
#include "run_timeline.h"
#include "share/mig.h"
#include "workload.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define SLICE_CYCLES  2000 /* some ten milliseconds of a busy machine */
#define SAMPLED_WALKS 256  /* with --observe, unless observe.walks says otherwise */

enum {
  ARG_INPUT = ARG_OWN,
  ARG_CYCLES,
  ARG_INSTRUCTIONS,
  ARG_MIN_CYCLES,
  ARG_WAIT_FOR,
  ARG_NO_RELAUNCH,
  ARG_SMS,
  ARG_SPLIT,
  ARG_SPEEDUP,
  ARG_STORE,
  ARG_MEMMAP,
  ARG_OBSERVE,
  ARG_BY,
  ARG_WATCH,
  ARG_TIMELINE,
  ARG_TIMELINE_WINDOW,
  ARG_TIMELINE_SPANS,
  ARG_CHECK,
  ARG_JSON,
  ARG_LIVE,
  ARG_FUNCTIONAL,
  ARG_BOUNDS
};

static const cli_option_t options[] = {
    CONFIG_OPTIONS("designs, with commas between (ideal,native: the GPU as it is)"),
    CONFIG_WINDOWS,
    {ARG_INPUT, "input", "FILE", WORKLOAD_INPUT_HELP},
    {ARG_CYCLES, "cycles", "N", "end each run after N core cycles"},
    {ARG_INSTRUCTIONS, "instructions", "N", "end it after N warp instructions of all together"},
    {ARG_MIN_CYCLES, "min-cycles", "N", "go on, starting again what has finished, until N cycles"},
    {ARG_WAIT_FOR, "wait-for", "N", "only until the first N applications have finished once (all)"},
    {ARG_NO_RELAUNCH, "no-relaunch", NULL, "an application that has finished stays finished"},
    {ARG_SPLIT, "split", "HOW", "SMs of each application: equal, N,N,... or oracle (equal)"},
    {ARG_SMS, "sms", "N,N,...", "the same as --split N,N,...; SMs that are left stand idle"},
    {ARG_SPEEDUP, "speedup", NULL, "also against each application alone: weighted speed-up, ..."},
    {ARG_STORE, "store", "FILE", "a results store that the runs go to, for export and report"},
    {ARG_MEMMAP, "memmap", "FILE[@CYCLE]",
     "a picture of physical memory then (at the end), as SVG"},
    {ARG_OBSERVE, "observe", NULL,
     "with --json: also a sample of walks, pages over time, a map of memory"},
    {ARG_BY, "by", "WHAT", "who is responsible, also as a table: by array, kernel or line"},
    {ARG_WATCH, "watch", NULL, "a view of each application on the terminal while it runs"},
    {ARG_TIMELINE, "timeline", "FILE", "all that happens in a window of cycles, for Perfetto"},
    {ARG_TIMELINE_WINDOW, "timeline-window", "A:B", "from cycle A to cycle B (0:2000)"},
    {ARG_TIMELINE_SPANS, "timeline-spans", "N",
     "what it may hold: it ends early if it is full (200000)"},
    {ARG_CHECK, "check", NULL, "verify every translation and access, and every invariant (slow)"},
    {ARG_JSON, "json", NULL, "every counter, as one JSON document"},
    {ARG_LIVE, "live", NULL, "start programs on each machine, not once for a recording"},
    {ARG_FUNCTIONAL, "functional", NULL, "run programs without timing: what they compute only"},
    {ARG_BOUNDS, "bounds", "WHAT", PROGRAM_BOUNDS_HELP},
    {'j', "jobs", "N", "designs that run at once (as many as processors)"},
    {'o', "output", "FILE", "write to FILE, in one step, not to the terminal"},
    {0},
};

typedef struct {
  uint64_t cycles, instructions;
  uint32_t permille;
} run_progress_t;

typedef struct {
  err_t e;      /* code 0: none */
  bool refused; /* what was typed is wrong */
} run_failure_t;

typedef struct {
  config_t config;
  workload_t work;
  uint32_t sms[GMMU_MAX_APPS], sms_given;
  bool oracle, speedup;
  ipc_t alone[GMMU_MAX_APPS]; /* with speedup */
  const char *store;
  gpu_limits_t limits;
  bool check, json, functional, live, observe, watch;
  const char *output;
  const char *by; /* list of the JSON; NULL: not asked for */
  strbuf_t by_text;
  run_timeline_t timeline;
  memmap_t *picture; /* [pictures] */
  uint32_t pictures;
  gpu_spec_t *spec;       /* [designs] */
  report_run_t *kept;     /* [designs] what each measured; without a name: nothing */
  run_failure_t *failure; /* [designs] why those that ran at once failed, */
  int *status;            /* [designs] how they ended, */
  char **text;            /* [designs] and their JSON; owned */
  char **stats;           /* [designs] with --store: the statistics alone; owned */
  run_progress_t *shared; /* [designs] how far each is, in memory that they share; else NULL */
  uint32_t parallel;      /* 0: as many as processors */
  report_t report;
  json_t doc;
} run_t;

/* ---- arguments ------------------------------------------------------------------------------- */

static int take_by(run_t *r, const cli_t *c) {
  r->by = run_by_list(c->value);
  if (!r->by) return cli_usage(c, "--by %s: array, kernel or line", c->value);
  cli_t setting = *c;
  setting.value = "observe.origins=true";
  return config_take(&r->config, &setting, 's');
}

static int take_sms(run_t *r, const cli_t *c) {
  const char *list = c->value;
  for (r->sms_given = 0;; list++) {
    char word[16];
    uint64_t n;
    size_t size = strcspn(list, ",");
    if (r->sms_given == GMMU_MAX_APPS) return cli_usage(c, "--sms: too many numbers");
    snprintf(word, sizeof word, "%.*s", (int)size, list);
    const cli_t one = {.command = c->command, .value = word};
    if (!cli_number(&one, "sms", 1, GPU_MAX_SMS, &n)) return CLI_USAGE;
    r->sms[r->sms_given++] = (uint32_t)n;
    list += size;
    if (!*list) return CLI_DONE;
  }
}

static int take_split(run_t *r, const cli_t *c) {
  r->oracle = strcmp(c->value, "oracle") == 0;
  r->sms_given = 0;
  return r->oracle || strcmp(c->value, "equal") == 0 ? CLI_DONE : take_sms(r, c);
}

static int take_memmap(run_t *r, const cli_t *c) {
  err_t e = {0};
  if (!r->picture) r->picture = calloc(MEMMAP_MAX, sizeof *r->picture);
  if (!r->picture) return cli_fail(&(err_t){.code = GMMU_ENOMEM});
  if (r->pictures == MEMMAP_MAX) return cli_usage(c, "--memmap: at most %d pictures", MEMMAP_MAX);
  if (memmap_parse(c->value, &r->picture[r->pictures], &e) < 0) return cli_usage(c, "%s", e.text);
  r->pictures++;
  return CLI_DONE;
}

static bool take_wait_for(run_t *r, const cli_t *c) {
  uint64_t n = 0;
  bool ok = cli_number(c, "wait-for", 1, GMMU_MAX_APPS, &n);
  r->limits.wait_for = (uint32_t)n;
  return ok;
}

static int take_window(run_t *r, const cli_t *c) {
  err_t e = {0};
  return run_timeline_window(c->value, &r->timeline.window, &e) < 0 ? cli_usage(c, "%s", e.text)
                                                                    : CLI_DONE;
}

static int take_spans(run_t *r, const cli_t *c) {
  uint64_t n;
  if (!cli_number(c, "timeline-spans", 1000, 50000000, &n)) return CLI_USAGE;
  r->timeline.window.spans = (uint32_t)n;
  return CLI_DONE;
}

static int take_jobs(run_t *r, const cli_t *c) {
  uint64_t n;
  if (!cli_number(c, "jobs", 1, 64, &n)) return CLI_USAGE;
  r->parallel = (uint32_t)n;
  return CLI_DONE;
}

static int take(run_t *r, const cli_t *c, int id) {
  bool ok = true;
  switch (id) {
  case CLI_ARGUMENT: return workload_take(&r->work, c);
  case ARG_INPUT: r->work.input = c->value; return cli_file(c, "input") ? CLI_DONE : CLI_USAGE;
  case ARG_CYCLES: ok = cli_number(c, "cycles", 1, UINT64_MAX / 2, &r->limits.cycles); break;
  case ARG_INSTRUCTIONS:
    ok = cli_number(c, "instructions", 1, UINT64_MAX / 2, &r->limits.instructions);
    break;
  case ARG_MIN_CYCLES:
    ok = cli_number(c, "min-cycles", 1, UINT64_MAX / 2, &r->limits.min_cycles);
    break;
  case ARG_WAIT_FOR: ok = take_wait_for(r, c); break;
  case ARG_NO_RELAUNCH: r->limits.no_relaunch = true; break;
  case ARG_SMS:
  case ARG_SPLIT: return take_split(r, c);
  case ARG_SPEEDUP: r->speedup = true; break;
  case ARG_STORE: r->store = c->value; break;
  case ARG_MEMMAP: return take_memmap(r, c);
  case ARG_OBSERVE: r->observe = true; break;
  case ARG_BY: return take_by(r, c);
  case ARG_WATCH: r->watch = true; break;
  case ARG_TIMELINE: r->timeline.path = c->value, ok = cli_file(c, "timeline"); break;
  case ARG_TIMELINE_WINDOW: return take_window(r, c);
  case ARG_TIMELINE_SPANS: return take_spans(r, c);
  case ARG_CHECK: r->check = true; break;
  case ARG_JSON: r->json = true; break;
  case ARG_LIVE: r->live = true; break;
  case ARG_FUNCTIONAL: r->functional = true; break;
  case ARG_BOUNDS: return program_bounds(c, &r->work.bounds);
  case 'o': r->output = c->value; break;
  case 'j': return take_jobs(r, c);
  default: return config_take(&r->config, c, id);
  }
  return ok ? CLI_DONE : CLI_USAGE;
}

static int check_programs_given(const run_t *r, const cli_t *c) {
  if (r->functional && r->work.apps != r->work.programs.count)
    return cli_usage(c, "--functional runs programs only: -- ./program arguments");
  if (r->live && !r->work.programs.count)
    return cli_usage(c, "--live is for programs: -- ./program arguments");
  if (r->live && r->functional)
    return cli_usage(c, "--live: with --functional there is no machine to run on");
  return CLI_DONE;
}

static int check_timeline(const run_t *r, const cli_t *c) {
  const timeline_window_t *w = &r->timeline.window;
  bool changed = w->begin || w->end != TIMELINE_CYCLES || w->spans != TIMELINE_SPANS;
  if (!r->timeline.path && changed)
    return cli_usage(c, "--timeline-window and --timeline-spans are for --timeline FILE");
  if (r->timeline.path && r->functional)
    return cli_usage(c,
                     "--timeline: with --functional there is no machine, and nothing to see in it");
  if (r->timeline.path && r->config.designs > 1)
    return cli_usage(c, "--timeline is for one design: run the others apart");
  return CLI_DONE;
}

/* Without --design: ideal translation, and the GPU as its preset has it; where one machine is all
 * that can be shown, only that. */
static int finish_config(run_t *r, const cli_t *c) {
  bool one = r->timeline.path || r->watch || r->functional || r->live;
  int status = config_default(&r->config, one ? "native" : "ideal,native");
  if (status == CLI_DONE) status = config_sweep(&r->config, c);
  return status == CLI_DONE ? check_timeline(r, c) : status;
}

static int parse(run_t *r, cli_t *c) {
  int id, status = CLI_DONE;
  status = workload_split(&r->work, c);
  while (status == CLI_DONE && (id = cli_next(c)) != CLI_END)
    status = id == CLI_BAD ? CLI_USAGE : take(r, c, id);
  if (status == CLI_DONE) status = workload_take_programs(&r->work, c);
  if (status == CLI_DONE) status = check_programs_given(r, c);
  if (status != CLI_DONE) return status;
  if (!r->work.apps) return cli_usage(c, WORKLOAD_MISSING);
  if ((r->speedup || r->oracle) && r->work.programs.count)
    return cli_usage(c, "--speedup and --split oracle are for applications, not for programs");
  if (r->store && (r->live || r->functional || r->observe))
    return cli_usage(c, "--store keeps what can be run again by its options: not with --live, "
                        "--functional or --observe");
  if (r->pictures && r->functional)
    return cli_usage(c, "--memmap: with --functional there is no machine, and no memory of it");
  if (r->by && r->functional)
    return cli_usage(c, "--by: with --functional there is no machine, and nobody waits");
  if (r->watch && r->functional)
    return cli_usage(c, "--watch: with --functional there is no machine to watch");
  if (r->observe && !r->json)
    return cli_usage(c, "--observe is for --json: tables do not show what it adds");
  if (r->limits.min_cycles && r->limits.no_relaunch)
    return cli_usage(c, "--min-cycles starts again what --no-relaunch leaves finished");
  if (r->limits.wait_for > r->work.apps)
    return cli_usage(c, "--wait-for: there are %u applications", r->work.apps);
  if (r->sms_given && r->sms_given != r->work.apps)
    return cli_usage(c, "--sms: %u numbers for %u applications", r->sms_given, r->work.apps);
  return finish_config(r, c);
}

static void observe_all(observe_spec_t *s) {
  if (!s->walks) s->walks = SAMPLED_WALKS;
  s->pages = true;
  s->memory = true;
}

/* All that can be known to be wrong is said before the first cycle. */
static int prepare(run_t *r) {
  err_t e = {0};
  uint32_t designs = r->config.designs;
  workload_name(&r->work);
  r->work.quiet = r->json && !r->output;
  r->spec = calloc(designs, sizeof *r->spec);
  r->report = (report_t){r->config.gpu,
                         r->work.app,
                         r->work.name,
                         r->work.apps,
                         calloc(designs, sizeof *r->report.run),
                         0,
                         designs};
  r->kept = calloc(designs, sizeof *r->kept);
  r->failure = calloc(designs, sizeof *r->failure);
  r->status = calloc(designs, sizeof *r->status);
  r->text = calloc(designs, sizeof *r->text);
  r->stats = calloc(designs, sizeof *r->stats);
  if (!r->spec || !r->report.run || !r->kept || !r->failure || !r->status || !r->text ||
      !r->stats) {
    err_set(&e, GMMU_ENOMEM, "out of memory");
    return cli_fail(&e);
  }
  for (uint32_t d = 0; d < designs; d++) {
    if (config_build(&r->config, d, &r->spec[d], &e) < 0) return cli_refuse(&e);
    r->spec[d].run.check |= r->check;
    if (r->observe) observe_all(&r->spec[d].observe);
  }
  return CLI_DONE;
}

/* ---- one design ------------------------------------------------------------------------------ */

static progress_state_t progress_of(const run_t *r, uint32_t design, const gpu_t *g, char *what,
                                    size_t size) {
  progress_state_t s = {.what = what};
  const char *name = r->config.design[design];
  if (r->config.designs > 1)
    snprintf(what, size, "%s (%u of %u)", name, design + 1, r->config.designs);
  else
    snprintf(what, size, "%s", name);
  s.cycles = gpu_cycles(g);
  s.instructions = gpu_instructions(g);
  s.permille = gpu_progress_permille(g, &r->limits, &s.kernel);
  return s;
}

static void show_live(const run_t *r, uint32_t design, const gpu_t *g, live_t *v) {
  char what[192];
  const char *name[GMMU_MAX_APPS];
  gpu_summary_t app[GMMU_MAX_APPS];
  if (!live_due(v)) return;
  for (uint32_t a = 0; a < r->work.apps; a++) {
    name[a] = r->work.name[a];
    gpu_summary(g, a, &app[a]);
  }
  live_show(v, &(live_state_t){.title = r->config.gpu,
                               .progress = progress_of(r, design, g, what, sizeof what),
                               .name = name,
                               .app = app,
                               .apps = r->work.apps});
}

static void show_progress(const run_t *r, uint32_t design, const gpu_t *g, progress_t *p) {
  char what[192];
  if (r->shared) {
    uint64_t kernel;
    r->shared[design] = (run_progress_t){gpu_cycles(g), gpu_instructions(g),
                                         gpu_progress_permille(g, &r->limits, &kernel)};
    return;
  }
  if (!progress_due(p)) return;
  progress_state_t s = progress_of(r, design, g, what, sizeof what);
  progress_show(p, &s);
}

/* The cycle of the next picture; MEMMAP_END if there is none but those of the end. */
static uint64_t next_picture(const run_t *r, uint64_t now) {
  uint64_t next = MEMMAP_END;
  for (uint32_t i = 0; i < r->pictures; i++)
    if (r->picture[i].cycle > now && r->picture[i].cycle < next) next = r->picture[i].cycle;
  return next;
}

static int write_picture(const run_t *r, uint32_t design, const gpu_t *g, const memmap_t *m,
                         err_t *e) {
  const char *app[GMMU_MAX_APPS];
  char path[sizeof m->path];
  strbuf_t svg;
  for (uint32_t a = 0; a < r->work.apps; a++) app[a] = r->work.name[a];
  const memmap_title_t title = {
      r->config.gpu, r->config.design[design], r->spec[design].memory.manager, app, r->work.apps,
      gpu_cycles(g)};
  snprintf(path, sizeof path, "%s", m->path);
  if (r->config.designs > 1 &&
      memmap_path(m, r->config.design[design], design + 1, path, sizeof path, e) < 0)
    return e->code;
  strbuf_init(&svg);
  memmap_svg(gpu_memory(g), &title, &svg);
  int rc = svg.failed ? err_set(e, GMMU_ENOMEM, "out of memory for the picture of memory")
                      : file_write(path, strbuf_text(&svg), svg.size, e);
  strbuf_fini(&svg);
  return rc;
}

/* Those of cycle `when`. */
static int write_pictures(const run_t *r, uint32_t design, const gpu_t *g, uint64_t when,
                          err_t *e) {
  int rc = GMMU_OK;
  for (uint32_t i = 0; i < r->pictures && rc == 0; i++)
    if (r->picture[i].cycle == when) rc = write_picture(r, design, g, &r->picture[i], e);
  return rc;
}

/* The pictures of the end, and those it came too early for. */
static int last_pictures(const run_t *r, uint32_t design, const gpu_t *g, err_t *e) {
  uint64_t late = next_picture(r, gpu_cycles(g));
  int rc = write_pictures(r, design, g, MEMMAP_END, e);
  if (rc < 0 || late == MEMMAP_END) return rc;
  return err_set(
      e, GMMU_ERANGE, "--memmap: the run under %s ended in cycle %llu, before cycle %llu",
      r->config.design[design], (unsigned long long)gpu_cycles(g), (unsigned long long)late);
}

/* To the end of a slice, or to a picture. */
static int run_slice(const run_t *r, uint32_t design, gpu_t *g, err_t *e) {
  uint64_t until = gpu_cycles(g) + SLICE_CYCLES, picture = next_picture(r, gpu_cycles(g));
  int rc = gpu_run(g, &r->limits, picture < until ? picture : until, e);
  int bad = rc >= 0 && gpu_cycles(g) == picture ? write_pictures(r, design, g, picture, e) : 0;
  return bad < 0 ? bad : rc;
}

/* Whether a program has died whose kernel is simulated. */
static int check_alive(const run_t *r, const app_spec_t *apps, err_t *e) {
  int rc = GMMU_OK;
  for (uint32_t a = 0; r->live && a < r->work.apps && rc == 0; a++)
    if (workload_program(&r->work, a)) rc = host_source_check(apps[a].source, e);
  return rc;
}

/* Runs to the end or until asked to stop: 1, 0, or a negative code. */
static int run_machine(const run_t *r, uint32_t design, const app_spec_t *apps, gpu_t *g,
                       err_t *e) {
  progress_t p;
  live_t v;
  int rc = write_pictures(r, design, g, 0, e);
  progress_begin_lines(&p);
  live_begin(&v);
  while (rc == 0 && !stop_asked()) {
    rc = run_slice(r, design, g, e);
    if (rc == 0) rc = check_alive(r, apps, e);
    if (r->watch)
      show_live(r, design, g, &v);
    else
      show_progress(r, design, g, &p);
  }
  progress_end(&p);
  live_end(&v);
  gpu_settle(g);
  if (rc >= 0 && r->spec[design].run.check) {
    int bad = gpu_check(g, e);
    if (bad < 0) return bad;
  }
  return rc;
}

static void settings_json(const run_t *r, uint32_t design, json_t *j) {
  const config_t *c = &r->config;
  char value[CONFIG_VALUE_BYTES];
  if (!c->settings) return;
  json_key(j, "settings");
  json_begin_object(j);
  for (uint32_t i = 0; i < c->settings; i++) {
    if (config_is_overridden(c, i)) continue;
    config_value_of(c, design, i, value);
    json_key(j, c->key[i]);
    json_str(j, value);
  }
  json_end_object(j);
}

static void run_json(run_t *r, uint32_t design, const gpu_t *g, bool partial) {
  json_t *j = &r->doc;
  json_begin_object(j);
  json_key(j, "gpu"), json_str(j, r->config.gpu);
  json_key(j, "design"), json_str(j, config_preset(&r->config, design));
  settings_json(r, design, j);
  json_key(j, "sources");
  json_begin_array(j);
  for (uint32_t a = 0; a < r->work.apps; a++) json_str(j, r->work.app[a]);
  json_end_array(j);
  json_key(j, "partial"), json_bool(j, partial);
  if (r->speedup) run_share_json(r->kept[design].app, r->work.apps, r->alone, j);
  json_key(j, "config"), gpu_config_json(&r->spec[design], j);
  gpu_stats_json(g, j);
  json_end_object(j);
}

/* The first design before this one whose every option has the same value. */
static const char *same_machine(const run_t *r, uint32_t design) {
  for (uint32_t d = 0; d < design; d++)
    if (gpu_same_machine(&r->spec[d], &r->spec[design])) return r->config.design[d];
  return NULL;
}

static char *stats_text(const gpu_t *g) {
  json_t j;
  json_init(&j);
  json_begin_object(&j);
  gpu_stats_json(g, &j);
  json_end_object(&j);
  char *text = j.out.failed ? NULL : strdup(strbuf_text(&j.out));
  json_fini(&j);
  return text;
}

static void keep(run_t *r, uint32_t design, const gpu_t *g, bool partial) {
  report_run_t *x = &r->kept[design];
  x->design = r->config.design[design];
  x->same_as = same_machine(r, design);
  x->partial = partial;
  for (uint32_t a = 0; a < r->work.apps; a++) gpu_summary(g, a, &x->app[a]);
  if (r->json) run_json(r, design, g, partial);
  if (r->by && !r->json) run_by_text(g, x->design, r->by, r->work.apps, r->work.name, &r->by_text);
  if (r->store && !partial) r->stats[design] = stats_text(g);
}

static void close_apps(const app_spec_t *apps, uint32_t count) {
  for (uint32_t a = 0; a < count; a++)
    if (apps[a].source) apps[a].source->ops->free(apps[a].source);
}

static int open_live(run_t *r, uint32_t design, uint32_t a, source_t **out, err_t *e) {
  host_spec_t host;
  int rc = workload_prepare(&r->work, a, &r->spec[design], r->config.gpu, &host, e);
  if (rc == 0) rc = program_colours(&r->spec[design], a, r->work.apps, &host, e);
  return rc < 0 ? rc : host_source_new(&host, out, e);
}

static int open_app(run_t *r, uint32_t design, uint32_t a, source_t **out, err_t *e) {
  if (r->live && workload_program(&r->work, a)) return open_live(r, design, a, out, e);
  if (workload_program(&r->work, a)) return workload_open(&r->work, a, out, e);
  const front_machine_t m = {&r->spec[design], r->config.gpu, a, r->work.apps};
  return app_open_on(r->work.app[a], &m, out, e);
}

static int open_apps(run_t *r, uint32_t design, app_spec_t *apps, err_t *e) {
  uint32_t next_sm = 0;
  for (uint32_t a = 0; a < r->work.apps; a++) {
    apps[a] =
        (app_spec_t){.name = r->work.name[a], .once = r->live && workload_program(&r->work, a)};
    if (r->sms_given) {
      apps[a].first_sm = next_sm;
      apps[a].sms = r->sms[a];
      next_sm += r->sms[a];
    }
    int rc = open_app(r, design, a, &apps[a].source, e);
    if (rc < 0) return rc;
  }
  return GMMU_OK;
}

/* Said at once, or, of one of several machines, by the process that waits for all. A status. */
static int run_failed(const run_t *r, uint32_t design, const err_t *e, bool refused) {
  if (!r->shared) return refused ? cli_refuse(e) : cli_fail(e);
  r->failure[design] = (run_failure_t){*e, refused};
  return CLI_FAILED;
}

/* The machine failed: the program that is to blame hears of it and comes to its own end. */
static int end_failed(const run_t *r, uint32_t design, const app_spec_t *apps, const err_t *e) {
  for (uint32_t a = 0; a < r->work.apps; a++) {
    source_t *s = apps[a].source;
    err_t later = {0};
    if (!r->live || !workload_program(&r->work, a) ||
        (!s->ops->error(s)->code && strcmp(e->key, r->work.name[a]) != 0))
      continue;
    if (host_source_finish(s, e->code, &later) < 0 && later.code != GMMU_EINTERRUPTED)
      cli_fail(&later);
  }
  return run_failed(r, design, e, false);
}

/* A live program's own failure is ours too; it is told below the tables. */
static int check_programs(run_t *r, const app_spec_t *apps) {
  int status = CLI_DONE;
  for (uint32_t a = 0; r->live && a < r->work.apps; a++) {
    if (!workload_program(&r->work, a) || !host_source_end(apps[a].source, &r->work.end[a]))
      continue;
    if (r->work.end[a].status || r->work.end[a].noted) status = CLI_FAILED;
  }
  return status;
}

/* ---- one run ----------------------------------------------------------------------------------
 */

/* What programs are told of the GPU is so under the first design. */
static void say_differences(const run_t *r) {
  wire_device_t told, other;
  program_device(&r->spec[0], r->config.gpu, &told);
  for (uint32_t d = 1; d < r->config.designs; d++) {
    program_device(&r->spec[d], r->config.gpu, &other);
    if (memcmp(&other, &told, sizeof other) == 0) continue;
    cli_say("programs were told of the GPU as it is under %s; under %s it differs (--live tells "
            "them)",
            r->config.design[0], r->config.design[d]);
    return;
  }
}

/* Traces are imported and each program is started once, one after the other, whatever the number of
 * designs. */
static int record_programs(run_t *r) {
  err_t e = {0};
  for (uint32_t d = 0; r->work.programs.count && d < r->config.designs; d++)
    if (workload_try(&r->work, &r->spec[d], r->sms, &e) < 0) return cli_refuse(&e);
  int status = workload_files(&r->work, &r->spec[0], r->config.gpu);
  if (status != CLI_DONE || r->live || !r->work.programs.count) return status;
  status = workload_record(&r->work, &r->spec[0], r->config.gpu);
  if (r->work.recordings) say_differences(r);
  return status;
}

/* Also of a run that was ended early; what it ends with is `status` unless this fails. */
static int write_timeline(const run_t *r, const gpu_t *g, int status) {
  err_t e = {0};
  if ((status != CLI_DONE && status != CLI_INTERRUPTED) ||
      run_timeline_write(&r->timeline, g, &e) >= 0)
    return status;
  int failed = cli_fail(&e);
  return status == CLI_DONE ? failed : status;
}

static void say_doubt(const gpu_spec_t *spec) {
  char text[320];
  gpu_spec_doubt(spec, text, sizeof text);
  if (text[0]) cli_say("%s", text);
}

static int run_design(run_t *r, uint32_t design) {
  app_spec_t apps[GMMU_MAX_APPS] = {0};
  gpu_t *g = NULL;
  err_t e = {0};
  int status = CLI_DONE, rc = open_apps(r, design, apps, &e);
  if (rc == 0) rc = gpu_new(&r->spec[design], apps, r->work.apps, &g, &e);
  if (rc == 0) rc = run_timeline_begin(&r->timeline, g, &e);
  if (rc == 0 && !r->shared) say_doubt(&r->spec[design]);
  if (rc < 0) {
    status = run_failed(r, design, &e, true);
  } else if ((rc = run_machine(r, design, apps, g, &e)) < 0 && rc != GMMU_EINTERRUPTED) {
    status = end_failed(r, design, apps, &e);
  } else {
    bool partial = rc <= 0 || (r->work.programs.count && stop_asked());
    keep(r, design, g, partial);
    status = partial ? CLI_INTERRUPTED : check_programs(r, apps);
    if (status == CLI_DONE && last_pictures(r, design, g, &e) < 0)
      status = run_failed(r, design, &e, false);
    status = write_timeline(r, g, status);
  }
  gpu_free(g);
  close_apps(apps, r->work.apps);
  return status;
}

/* ---- several at once -------------------------------------------------------------------------
 */

/* Programs that run live and a view of the terminal are for one machine at a time. */
static bool at_once(const run_t *r) {
  return r->config.designs > 1 && r->parallel != 1 && !r->live && !r->watch;
}

/* In a child: how it ended, why it failed, what was kept and its JSON, or what --by adds. */
static int design_job(void *ctx, uint32_t design, strbuf_t *result, err_t *e) {
  run_t *r = ctx;
  strbuf_t *out = r->json ? &r->doc.out : &r->by_text;
  size_t from = out->size;
  int status = run_design(r, design);
  strbuf_add(result, (const char *)&status, sizeof status);
  strbuf_add(result, (const char *)&r->failure[design], sizeof *r->failure);
  if (!r->kept[design].design) return GMMU_OK;
  strbuf_add(result, (const char *)&r->kept[design], sizeof *r->kept);
  const char *text = strbuf_text(out) + from;
  strbuf_str(result, r->json ? text + strspn(text, " \n") : text);
  strbuf_add(result, "", 1);
  if (r->stats[design]) strbuf_str(result, r->stats[design]);
  if (out->failed) return err_set(e, GMMU_ENOMEM, "out of memory for the statistics");
  return GMMU_OK;
}

static int design_done(void *ctx, uint32_t design, const strbuf_t *result, err_t *e) {
  run_t *r = ctx;
  if (!result) return e->code;
  const char *at = strbuf_text(result);
  memcpy(&r->status[design], at, sizeof r->status[design]);
  at += sizeof r->status[design];
  memcpy(&r->failure[design], at, sizeof *r->failure);
  at += sizeof *r->failure;
  if (result->size > sizeof(int) + sizeof *r->failure) {
    report_run_t *x = &r->kept[design];
    memcpy(x, at, sizeof *x);
    x->design = r->config.design[design], x->same_as = same_machine(r, design);
    at += sizeof *x;
    r->text[design] = strdup(at);
    at += strlen(at) + 1;
    if (*at) r->stats[design] = strdup(at);
  }
  /* A wrong one ends the others; nobody waits for results that will not be shown. */
  if (r->status[design] == CLI_DONE || r->status[design] == CLI_INTERRUPTED) return GMMU_OK;
  return e->code = GMMU_EINVAL;
}

static void progress_of_all(void *ctx, progress_state_t *s) {
  const run_t *r = ctx;
  uint64_t permille = 0;
  s->cycles = s->instructions = 0;
  for (uint32_t d = 0; d < r->config.designs; d++) {
    s->cycles += r->shared[d].cycles, s->instructions += r->shared[d].instructions;
    permille += r->shared[d].permille;
  }
  s->runs = 0, s->left_ms = 0;
  s->permille = (uint32_t)(permille / r->config.designs);
}

/* In the order of the designs, up to the first that has no result. */
static int gather(run_t *r) {
  int status = CLI_DONE;
  for (uint32_t d = 0; d < r->config.designs; d++) {
    const run_failure_t *f = &r->failure[d];
    if (f->e.code && (status == CLI_DONE || status == CLI_INTERRUPTED))
      status = f->refused ? cli_refuse(&f->e) : cli_fail(&f->e);
    if (status == CLI_DONE) status = r->status[d];
    if (!r->kept[d].design) continue;
    if (r->json) json_raw(&r->doc, r->text[d] ? r->text[d] : "null");
    if (!r->json && r->text[d]) strbuf_str(&r->by_text, r->text[d]);
    r->report.run[r->report.runs++] = r->kept[d];
  }
  return status;
}

static int run_at_once(run_t *r) {
  err_t e = {0};
  const jobs_t jobs = {.run = design_job,
                       .done = design_done,
                       .ctx = r,
                       .jobs = r->config.designs,
                       .parallel = r->parallel,
                       .what = "run",
                       .progress = progress_of_all,
                       .lines = true,
                       .finish = true};
  size_t bytes = r->config.designs * sizeof *r->shared;
  void *shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return cli_fail(&(err_t){.code = GMMU_ENOMEM});
  r->shared = shared;
  for (uint32_t d = 0; d < r->config.designs; d++) say_doubt(&r->spec[d]);
  int rc = jobs_run(&jobs, &e), status = gather(r);
  munmap(shared, bytes);
  r->shared = NULL;
  if (rc == GMMU_EINTERRUPTED) return CLI_INTERRUPTED;
  if (rc < 0 && status == CLI_DONE) return cli_fail(&e); /* a process that ended early */
  return status;
}

static int run_in_turn(run_t *r) {
  int status = CLI_DONE;
  for (uint32_t d = 0; d < r->config.designs && status == CLI_DONE; d++) {
    status = run_design(r, d);
    if (r->kept[d].design) r->report.run[r->report.runs++] = r->kept[d];
  }
  return status;
}

/* ---- without timing -------------------------------------------------------------------------- */

static void kernels_json(const host_run_t *run, json_t *j) {
  json_key(j, "kernels");
  json_begin_array(j);
  for (uint32_t i = 0; i < run->kernels; i++) {
    const host_kernel_t *k = &run->kernel[i];
    json_begin_object(j);
    json_key(j, "name"), json_str(j, k->name);
    json_key(j, "launches"), json_u64(j, k->launches);
    json_key(j, "blocks"), json_u64(j, k->blocks);
    json_key(j, "warp_instructions"), json_u64(j, k->warp_insts);
    json_key(j, "thread_instructions"), json_u64(j, k->thread_insts);
    json_end_object(j);
  }
  json_end_array(j);
}

static void functional_json(run_t *r, uint32_t a, const host_run_t *run) {
  json_t *j = &r->doc;
  json_begin_object(j);
  json_key(j, "name"), json_str(j, r->work.name[a]);
  json_key(j, "source"), json_str(j, r->work.app[a]);
  json_key(j, "status"), json_i64(j, run->end.status);
  json_key(j, "allocations"), json_u64(j, run->allocations);
  json_key(j, "allocated_bytes"), json_u64(j, run->allocated_bytes);
  json_key(j, "warp_instructions"), json_u64(j, run->warp_insts);
  kernels_json(run, j);
  json_end_object(j);
}

static int run_functional(run_t *r, uint32_t a) {
  host_spec_t host;
  host_run_t run = {0};
  err_t e = {0};
  int rc = workload_prepare(&r->work, a, &r->spec[0], r->config.gpu, &host, &e);
  if (rc < 0) return cli_refuse(&e);
  rc = host_run(&host, NULL, &run, &e);
  functional_json(r, a, &run);
  int status = run.end.status ? run.end.status : run.end.noted ? CLI_FAILED : CLI_DONE;
  if (rc == 0) program_say_why(r->work.name[a], &run.end);
  host_run_fini(&run);
  if (rc == GMMU_EINTERRUPTED || stop_asked()) return CLI_INTERRUPTED;
  if (rc < 0) cli_fail(&e);
  return rc < 0 && !status ? CLI_FAILED : status;
}

static int run_programs(run_t *r) {
  int status = CLI_DONE;
  json_init(&r->doc);
  json_begin_object(&r->doc);
  json_key(&r->doc, "gmmu"), json_str(&r->doc, GMMU_VERSION);
  json_key(&r->doc, "programs");
  json_begin_array(&r->doc);
  stop_listen();
  for (uint32_t a = 0; a < r->work.apps && status == CLI_DONE; a++) status = run_functional(r, a);
  json_end_array(&r->doc);
  json_end_object(&r->doc);
  int written = r->json ? cli_output(r->output, &r->doc.out) : CLI_DONE;
  return status != CLI_DONE ? status : written;
}

/* ---- alone ----------------------------------------------------------------------------------- */

/* How many of the designs give everybody all SMs, or a MIG instance: alone it has the chip. */
static uint32_t designs_undivided(const run_t *r) {
  uint32_t n = 0;
  for (uint32_t d = 0; d < r->config.designs; d++)
    n += gpu_all_sms(&r->spec[d].share) || mig_wanted(&r->spec[d].share);
  return n;
}

/* One division of the SMs, and one IPC alone, hold for all designs of a run. */
static int check_division(const run_t *r, uint32_t undivided, err_t *e) {
  if (r->oracle && undivided)
    return err_set(
        e, GMMU_EINVAL,
        "--split oracle: with share.mode=time or threads applications have all SMs, with "
        "mig the instances' own: there is nothing to divide");
  if (r->speedup && undivided && undivided < r->config.designs)
    return err_set(
        e, GMMU_EINVAL,
        "--speedup: with share.mode=time, threads or mig each application alone has all SMs, else "
        "its share of them; run such designs apart from the others");
  return GMMU_OK;
}

/* What other runs decide or are compared with, from the laboratory. */
static int ask_laboratory(run_t *r) {
  uint32_t undivided = designs_undivided(r);
  const run_share_t s = {&r->config,           r->work.app, r->work.apps,
                         r->limits.min_cycles, r->store,    undivided > 0};
  err_t e = {0};
  int rc = check_division(r, undivided, &e);
  if (rc == 0 && r->oracle) rc = run_share_oracle(&s, r->sms, &e);
  if (rc == 0 && r->oracle) r->sms_given = r->work.apps;
  if (rc == 0 && r->speedup) rc = run_share_alone(&s, r->sms, r->alone, &e);
  if (rc == GMMU_EINTERRUPTED) return CLI_INTERRUPTED;
  return rc < 0 ? cli_refuse(&e) : CLI_DONE;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static int run_all(run_t *r) {
  int status = CLI_DONE;
  json_init(&r->doc);
  json_begin_object(&r->doc);
  json_key(&r->doc, "gmmu"), json_str(&r->doc, GMMU_VERSION);
  json_key(&r->doc, "runs");
  json_begin_array(&r->doc);
  stop_listen();
  status = ask_laboratory(r);
  if (status == CLI_DONE) status = record_programs(r);
  if (status == CLI_DONE) status = at_once(r) ? run_at_once(r) : run_in_turn(r);
  json_end_array(&r->doc);
  json_key(&r->doc, "partial"), json_bool(&r->doc, status != CLI_DONE);
  json_end_object(&r->doc);
  return status;
}

/* With --store: what has ended goes there. `status` is how it ended so far. */
static int store_runs(const run_t *r, int status) {
  const run_store_t s = {&r->config, &r->work, r->sms, &r->limits};
  err_t e = {0};
  if (!r->store) return status;
  int rc = run_store(&s, r->store, r->stats, &e);
  if (rc >= 0) return status;
  int failed = cli_fail(&e);
  return status == CLI_DONE ? failed : status;
}

/* Nothing at all is printed if already the first design failed. */
static int print(const run_t *r, int status) {
  if (!r->report.runs) return status;
  strbuf_t text;
  strbuf_init(&text);
  cli_screen(&text, r->output);
  if (!r->json) report_text(&r->report, &text);
  if (!r->json) strbuf_str(&text, strbuf_text(&r->by_text));
  if (!r->json && r->speedup) run_share_text(&r->report, r->alone, &text);
  int written = cli_output(r->output, r->json ? &r->doc.out : &text);
  strbuf_fini(&text);
  return status != CLI_DONE ? status : written;
}

static int run(cli_t *c) {
  run_t *r = calloc(1, sizeof *r);
  if (!r) return cli_fail(&(err_t){.code = GMMU_ENOMEM});
  config_init(&r->config);
  r->timeline.window = (timeline_window_t){.end = TIMELINE_CYCLES, .spans = TIMELINE_SPANS};
  int status = parse(r, c);
  if (status == CLI_DONE) status = prepare(r);
  if (status == CLI_DONE)
    status = r->functional ? run_programs(r)
                           : workload_say_ends(&r->work, store_runs(r, print(r, run_all(r))));
  workload_fini(&r->work);
  strbuf_fini(&r->by_text);
  json_fini(&r->doc);
  for (uint32_t d = 0; r->text && d < r->config.designs; d++) free(r->text[d]);
  for (uint32_t d = 0; r->stats && d < r->config.designs; d++) free(r->stats[d]);
  free(r->text);
  free(r->stats);
  free(r->failure);
  free(r->status);
  free(r->kept);
  free(r->report.run);
  free(r->picture);
  free(r->spec);
  config_fini(&r->config);
  free(r);
  return status;
}

const subcommand_t cmd_run = {
    .name = "run",
    .summary = "run applications together on a GPU, under one or more designs",
    .usage = "[OPTION]... [APP]... [-- PROGRAM [ARGUMENT]...]...",
    .details =
        "What runs. APP is one of the papers' applications, bfs2:size=large (`gmmu list apps`), a\n"
        "generator with its options, gather:footprint=64M,seed=3, or a path to a .gmt file.\n"
        "PROGRAM is an unmodified CUDA program, dynamically linked to libcudart; each -- begins\n"
        "another. -s KEY=A,B,C runs every design with each of these values.\n"
        "\n"
        "When it ends. Without --cycles and --instructions a run ends when every application has\n"
        "finished once. Those that finish earlier are started again, unless --no-relaunch. Ctrl-C\n"
        "ends a run and prints what is known so far, marked as partial.\n"
        "\n"
        "Programs are started once, recorded (in $TMPDIR, until gmmu ends) and replayed under "
        "each\n"
        "design. With --live a program runs on each machine itself, one design after the other:\n"
        "for kernels that read the clock or their SM's number, and for simulated times. A live\n"
        "program is never started again. With --functional nothing is timed, and the exit status\n"
        "is the program's.\n"
        "\n"
        "Out of bounds. A kernel that accesses what is outside every allocation (or outside its\n"
        "shared or local memory) ends its program's run. With --bounds=warn or =ignore it goes "
        "on:\n"
        "it reads zero, its writes are dropped, and the access costs no time. `warn` says where,\n"
        "once per instruction and at most eight times.\n"
        "\n"
        "Speed-ups. With --speedup each application also runs alone under sharedtlb, on as many\n"
        "SMs as it has here. --split oracle tries five divisions of the SMs between two\n"
        "applications under sharedtlb, and takes the one with the best weighted speed-up. Such\n"
        "runs are kept, and run once. They end when every application has finished once;\n"
        "--min-cycles holds for them, --cycles and --instructions do not.\n"
        "\n"
        "Windows. With --skip, --warm or --measure all numbers are those of the windows. A skip\n"
        "goes on without time and keeps TLBs, caches and page tables warm. With two windows or\n"
        "more, means have a 95 % interval.\n"
        "\n"
        "Views. --memmap may be given several times; under several designs a file's name gets the\n"
        "design's. A program that has ended has given its memory back. --watch redraws its view\n"
        "four times a second, and draws nothing if stderr is no terminal.\n"
        "\n"
        "  gmmu run --design ideal,sharedtlb gather stream\n"
        "  gmmu run --design native -s l2tlb.entries=256,512,1024 gather\n"
        "  gmmu run -s l2tlb.entries=1024 --sms 10,20 chase:footprint=256M hotset\n"
        "  gmmu run --design sharedtlb,ideal --split oracle --speedup stream hotset:steps=9\n"
        "  gmmu run --skip 60K --warm 20K --measure 20K --windows 4 gather:footprint=64M\n"
        "  gmmu run --design ideal,sharedtlb -- ./vectoradd 1000000\n"
        "  gmmu run --live --design sharedtlb -- ./clocks\n"
        "  gmmu run --gpu mosaic --design gpu-mmu,mosaic --cycles 50000 --memmap m.svg stream "
        "gather\n"
        "  gmmu run --gpu gem5-16 --design private --json -o out.json stride\n",
    .options = options,
    .run = run,
};
