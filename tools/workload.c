#include "workload.h"
#include "base/stop.h"
#include "gpu/gpu.h"
#include "lab/suite.h"
#include "lab/traces.h"
#include "trace/gmt.h"
#include <stdlib.h>
#include <string.h>

int workload_split(workload_t *w, const cli_t *c) {
  err_t e = {0};
  return programs_split(c->argv, &w->programs, &e) < 0 ? cli_usage(c, "%s", e.text) : CLI_DONE;
}

static int add(workload_t *w, const cli_t *c, const char *text) {
  if (w->apps == GMMU_MAX_APPS) return cli_usage(c, "at most %d applications", GMMU_MAX_APPS);
  w->app[w->apps++] = text;
  return CLI_DONE;
}

/* A list of traces with several CUDA contexts: each is an application, with addresses of its own.
 */
int workload_take(workload_t *w, const cli_t *c) {
  char context[GMMU_MAX_APPS + 1][CONTEXT_CHARS]; /* one more: too many is an error */
  uint32_t count = traces_contexts(c->value, context, GMMU_MAX_APPS + 1);
  if (!count) return add(w, c, c->value);
  for (uint32_t i = 0; i < count; i++) {
    strbuf_t text;
    strbuf_init(&text);
    strbuf_printf(&text, "%s:context=%s", c->value, context[i]);
    char *own = text.failed ? NULL : strdup(strbuf_text(&text));
    strbuf_fini(&text);
    if (!own) return cli_fail(&(err_t){.code = GMMU_ENOMEM});
    int status = add(w, c, own);
    if (status != CLI_DONE) return free(own), status;
    w->own[w->apps - 1] = own;
  }
  return CLI_DONE;
}

/* "bfs", "bfs:seed=3": a graph application that names no file itself. */
static bool wants_input(const char *text) {
  suite_pick_t p;
  err_t e = {0};
  return suite_knows(text) && suite_parse(text, &p, &e) >= 0 && p.app->papers & SUITE_GRAPH &&
         !*p.input;
}

static int give_input(workload_t *w, const cli_t *c) {
  uint32_t given = 0;
  if (strchr(w->input, ','))
    return cli_usage(c, "--input %s: a comma ends the name of a file here; rename it", w->input);
  for (uint32_t a = 0; a < w->apps; a++) {
    if (!wants_input(w->app[a])) continue;
    strbuf_t text;
    strbuf_init(&text);
    strbuf_printf(&text, "%s%cinput=%s", w->app[a], strchr(w->app[a], ':') ? ',' : ':', w->input);
    w->own[a] = text.failed ? NULL : strdup(strbuf_text(&text));
    strbuf_fini(&text);
    if (!w->own[a]) return cli_fail(&(err_t){.code = GMMU_ENOMEM});
    w->app[a] = w->own[a];
    given++;
  }
  return given ? CLI_DONE
               : cli_usage(c, "--input: no application here takes a graph (`gmmu list apps`)");
}

int workload_take_programs(workload_t *w, const cli_t *c) {
  int status = w->input ? give_input(w, c) : CLI_DONE;
  for (uint32_t i = 0; i < w->programs.count && status == CLI_DONE; i++)
    status = add(w, c, strbuf_text(&w->programs.text[i]));
  return status;
}

static uint32_t first_program(const workload_t *w) { return w->apps - w->programs.count; }

void workload_name(workload_t *w) {
  const char *word[GMMU_MAX_APPS];
  uint32_t first = first_program(w);
  for (uint32_t a = 0; a < w->apps; a++)
    word[a] = a < first ? w->app[a] : w->programs.argv[a - first][0];
  app_names(word, w->apps, w->programs.count, w->name);
}

void workload_fini(workload_t *w) {
  for (uint32_t a = 0; a < w->apps; a++) free(w->own[a]);
  for (uint32_t i = 0; i < w->recordings; i++) recording_drop(&w->recording[i]);
  programs_fini(&w->programs);
}

char **workload_program(const workload_t *w, uint32_t a) {
  uint32_t first = first_program(w);
  return a < first ? NULL : w->programs.argv[a - first];
}

int workload_prepare(workload_t *w, uint32_t a, const gpu_spec_t *gpu, const char *gpu_name,
                     host_spec_t *host, err_t *e) {
  int rc = program_prepare(workload_program(w, a), gpu, gpu_name, w->library, sizeof w->library,
                           host, e);
  if (rc < 0) return rc;
  program_speaks(host);
  host->out_fd = w->quiet ? 2 : -1, host->bounds = w->bounds;
  return rc;
}

/* What a recording cannot know is not passed over. */
static void say_limits(const char *name, const host_end_t *end) {
  if (end->placed)
    cli_say("%s: its kernels read the clock or on which SM they run; a recording has one answer "
            "for all designs, --live the machine's",
            name);
  if (end->timed)
    cli_say("%s asked for the time: while it is recorded, a cycle is a warp instruction; --live "
            "has the simulated time",
            name);
}

static int record(workload_t *w, uint32_t a, const gpu_spec_t *gpu, const char *gpu_name) {
  host_spec_t host;
  err_t e = {0};
  recording_t *out = &w->recording[w->recordings++];
  *out = (recording_t){.fd = -1};
  int rc = workload_prepare(w, a, gpu, gpu_name, &host, &e);
  if (rc < 0) return cli_refuse(&e);
  rc = recording_make(&host, w->name[a], out, &e);
  if (rc == GMMU_EINTERRUPTED || (rc < 0 && stop_asked())) {
    cli_say("interrupted while %s was recorded: nothing has run yet", w->name[a]);
    return CLI_INTERRUPTED;
  }
  if (rc < 0) return cli_fail(&e);
  say_limits(w->name[a], &out->end);
  w->end[a] = out->end;
  /* A program that failed before its first kernel has left nothing to show. */
  return out->launched || !out->end.status ? CLI_DONE : CLI_FAILED;
}

/* Before a program is started for nothing: whether the other applications are there. */
static int check_others(const workload_t *w) {
  for (uint32_t a = 0; a < first_program(w); a++) {
    source_t *s;
    err_t e = {0};
    if (app_open(w->app[a], &s, &e) < 0) return cli_refuse(&e);
    s->ops->free(s);
  }
  return CLI_DONE;
}

/* What does not carry over from the GPU whose machine code a trace has. */
static const char *generation(uint32_t sm) {
  static const struct {
    uint32_t from;
    const char *name;
  } known[] = {{100, "Blackwell"}, {90, "Hopper"}, {89, "Ada"},     {80, "Ampere"}, {75, "Turing"},
               {70, "Volta"},      {60, "Pascal"}, {50, "Maxwell"}, {30, "Kepler"}, {20, "Fermi"}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (sm >= known[i].from) return known[i].name;
  return "an early GPU";
}

static void say_generation(const source_t *s, const char *name, const gpu_spec_t *gpu,
                           const char *gpu_name) {
  uint32_t code = gmt_machine(s), own = gpu->core.capability;
  if (!code || strcmp(generation(code), generation(own)) == 0) return;
  cli_say(
      "%s is machine code of %s (sm_%u), %s is %s (sm_%u): instructions, registers, block sizes "
      "and addresses are the trace's, latencies, caches and TLBs the GPU's; %swhat a block needs "
      "beyond one SM is cut",
      name, generation(code), code, gpu_name, generation(own), own,
      code >= 80 && own < 80 ? "asynchronous and bulk copies and matrix operations take its "
                               "load/store and special-function units; "
                             : "");
}

int workload_files(const workload_t *w, const gpu_spec_t *gpu, const char *gpu_name) {
  for (uint32_t a = 0; a < first_program(w); a++) {
    source_t *s;
    err_t e = {0};
    if (!app_is_file(w->app[a])) continue;
    int rc = app_open(w->app[a], &s, &e);
    if (rc == GMMU_EINTERRUPTED) return CLI_INTERRUPTED;
    if (rc < 0) return cli_refuse(&e);
    say_generation(s, w->name[a], gpu, gpu_name);
    s->ops->free(s);
  }
  return CLI_DONE;
}

int workload_record(workload_t *w, const gpu_spec_t *gpu, const char *gpu_name) {
  int status = check_others(w);
  for (uint32_t a = first_program(w); a < w->apps && status == CLI_DONE; a++)
    status = record(w, a, gpu, gpu_name);
  return status;
}

int workload_try(const workload_t *w, const gpu_spec_t *gpu, const uint32_t sms[GMMU_MAX_APPS],
                 err_t *e) {
  app_spec_t apps[GMMU_MAX_APPS] = {0};
  gpu_t *g = NULL;
  int rc = GMMU_OK;
  for (uint32_t a = 0; a < w->apps && rc == 0; a++) {
    apps[a].name = w->name[a];
    apps[a].first_sm = a ? apps[a - 1].first_sm + apps[a - 1].sms : 0;
    apps[a].sms = sms[a];
    rc = app_open("compute:blocks=1,warps=1,steps=1", &apps[a].source, e);
  }
  if (rc == 0) rc = gpu_new(gpu, apps, w->apps, &g, e);
  gpu_free(g);
  for (uint32_t a = 0; a < w->apps; a++)
    if (apps[a].source) apps[a].source->ops->free(apps[a].source);
  return rc;
}

int workload_open(const workload_t *w, uint32_t a, source_t **out, err_t *e) {
  if (!workload_program(w, a)) return app_open(w->app[a], out, e);
  return recording_open(&w->recording[a - first_program(w)], out, e);
}

int workload_say_ends(const workload_t *w, int status) {
  for (uint32_t a = 0; a < w->apps; a++) {
    int own = program_say_end(w->name[a], &w->end[a]);
    if (status == CLI_DONE) status = own;
  }
  return status;
}
