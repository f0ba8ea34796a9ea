/* gmmu record: any application, or a CUDA program, into a .gmt file, without timing. */
#include "base/stop.h"
#include "cli.h"
#include "config.h"
#include "lab/apps.h"
#include "programs.h"
#include "trace/gmt.h"
#include "watch.h"
#include <limits.h>

enum { ARG_BOUNDS = ARG_OWN };

static const cli_option_t options[] = {
    {'o', "output", "FILE", "the .gmt file to write (it appears when it is complete)"},
    {ARG_GPU, "gpu", "NAME|FILE", "the GPU that a program is told it has (maxwell)"},
    {'s', "set", "KEY=VALUE", "set any option of that GPU, such as mem.bytes"},
    {ARG_BOUNDS, "bounds", "WHAT", PROGRAM_BOUNDS_HELP},
    {0},
};

typedef struct {
  const char *app, *path;
  config_t config;
  ptx_bounds_t bounds;
  programs_t programs;
} record_t;

static int record_app(const record_t *r, err_t *e) {
  source_t *in, *watch;
  int rc = app_open(r->app, &in, e);
  if (rc < 0) return rc;
  rc = watch_new(in, "recording", &watch, e);
  if (rc == 0) {
    rc = gmt_record_source(watch, r->path, NULL, 0, e);
    watch->ops->free(watch);
  }
  in->ops->free(in);
  return rc;
}

/* *status is the program's. */
static int record_program(const record_t *r, int *status, err_t *e) {
  gpu_spec_t gpu;
  host_spec_t host;
  host_run_t run = {0};
  char library[PATH_MAX];
  gpu_spec_init(&gpu);
  int rc = gpu_spec_load(&gpu, "gpu", r->config.gpu, e);
  for (uint32_t i = 0; i < r->config.settings && rc == 0; i++)
    rc = gpu_spec_set(&gpu, r->config.key[i], config_value(&r->config, i), e);
  if (rc == 0)
    rc = program_prepare(r->programs.argv[0], &gpu, r->config.gpu, library, sizeof library, &host,
                         e);
  if (rc < 0) return rc;
  program_speaks(&host);
  host.bounds = r->bounds;
  host.device.names = 1; /* whoever replays it may ask */
  rc = host_run(&host, r->path, &run, e);
  *status = run.end.status ? run.end.status : run.end.noted ? CLI_FAILED : CLI_DONE;
  if (rc == 0) program_say_why(r->programs.argv[0][0], &run.end);
  host_run_fini(&run);
  return rc;
}

static int parse(record_t *r, cli_t *c) {
  int id;
  err_t e = {0};
  if (programs_split(c->argv, &r->programs, &e) < 0) return cli_usage(c, "%s", e.text);
  while ((id = cli_next(c)) != CLI_END) {
    if (id == CLI_BAD) return CLI_USAGE;
    if (id == 'o' && !cli_file(c, "output")) return CLI_USAGE;
    if (id == 'o') r->path = c->value;
    int status = config_take(&r->config, c, id);
    if (status > CLI_DONE) return status;
    if (id == ARG_BOUNDS && program_bounds(c, &r->bounds) != CLI_DONE) return CLI_USAGE;
    if (id != CLI_ARGUMENT) continue;
    if (r->app) return cli_usage(c, "one application at a time; \"%s\" is the second", c->value);
    r->app = c->value;
  }
  if ((r->app != NULL) + r->programs.count > 1)
    return cli_usage(c, "one application or program at a time");
  if (!r->app && !r->programs.count)
    return cli_usage(c,
                     "no application given; `gmmu list apps` and `gmmu list generators` name some");
  return r->path ? CLI_DONE : cli_usage(c, "no file given: -o FILE");
}

static int record(const record_t *r) {
  err_t e = {0};
  int status = CLI_DONE,
      rc = r->programs.count ? record_program(r, &status, &e) : record_app(r, &e);
  if (rc == GMMU_EINTERRUPTED || (rc < 0 && stop_asked())) {
    err_set(&e, rc, "interrupted; %s was not written", r->path);
    cli_fail(&e);
    return CLI_INTERRUPTED;
  }
  return rc < 0 ? cli_refuse(&e) : status;
}

static int run(cli_t *c) {
  record_t r = {0};
  config_init(&r.config);
  int status = parse(&r, c);
  if (status == CLI_DONE) {
    stop_listen();
    status = record(&r);
  }
  programs_fini(&r.programs);
  config_fini(&r.config);
  return status;
}

const subcommand_t cmd_record = {
    .name = "record",
    .summary = "write an application's instruction stream to a .gmt file",
    .usage = "-o FILE APP | -o FILE -- PROGRAM [ARGUMENT]...",
    .details =
        "A run of the file gives the same results as a run of APP, and `gmmu info FILE` tells\n"
        "what is in it. If the recording is interrupted, nothing is left behind.\n"
        "PROGRAM is an unmodified CUDA program, dynamically linked to libcudart; its exit status\n"
        "is ours. --bounds is that of `gmmu run`.\n"
        "\n"
        "  gmmu record -o gather.gmt gather:footprint=16M,steps=8\n"
        "  gmmu run gather.gmt\n"
        "  gmmu record -o vectoradd.gmt -- ./vectoradd 1000000\n",
    .options = options,
    .run = run,
};
