/* gmmu record: any application into a .gmt file, without timing. */
#include "apps.h"
#include "cli.h"
#include "stop.h"
#include "trace/gmt.h"
#include "watch.h"

static const cli_option_t options[] = {
    {'o', "output", "FILE", "the .gmt file to write (it appears when it is complete)"},
    {0},
};

static int record(const char *app, const char *path, err_t *e) {
  source_t *in, *watch;
  int rc = app_open(app, &in, e);
  if (rc < 0) return rc;
  rc = watch_new(in, "recording", &watch, e);
  if (rc == 0) {
    rc = gmt_record_source(watch, path, NULL, 0, e);
    watch->ops->free(watch);
  }
  in->ops->free(in);
  return rc;
}

static int run(cli_t *c) {
  const char *app = NULL, *path = NULL;
  err_t e = {0};
  int id;
  while ((id = cli_next(c)) != CLI_END) {
    if (id == CLI_BAD) return CLI_USAGE;
    if (id == 'o') path = c->value;
    if (id != CLI_ARGUMENT) continue;
    if (app) return cli_usage(c, "one application at a time; \"%s\" is the second", c->value);
    app = c->value;
  }
  if (!app) return cli_usage(c, "no application given; `gmmu list generators` names some");
  if (!path) return cli_usage(c, "no file given: -o FILE");
  stop_listen();
  int rc = record(app, path, &e);
  if (rc == GMMU_EINTERRUPTED) {
    err_set(&e, rc, "interrupted; %s was not written", path);
    cli_fail(&e);
    return CLI_INTERRUPTED;
  }
  return rc < 0 ? cli_refuse(&e) : CLI_DONE;
}

const subcommand_t cmd_record = {
    .name = "record",
    .summary = "write an application's instruction stream to a .gmt file",
    .usage = "-o FILE APP",
    .details =
        "A run of the file gives the same results as a run of APP, and `gmmu info FILE` tells\n"
        "what is in it. If the recording is interrupted, nothing is left behind.\n"
        "\n"
        "  gmmu record -o gather.gmt gather:footprint=16M,steps=8\n"
        "  gmmu run gather.gmt\n",
    .options = options,
    .run = run,
};
