/* gmmu sweep: a study's runs, from the store or made now. What is printed at the end is counted in
 * one last pass over the study, so it tells what the store holds, not what this process did. */
#include "base/json.h"
#include "base/stop.h"
#include "cli.h"
#include "damage.h"
#include "lab/ranks.h"
#include "lab/slurm.h"
#include "lab/slurm_plan.h"
#include "lab/sweep.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  ARG_STORE = CLI_LONG_ONLY,
  ARG_DRY_RUN,
  ARG_RETRY,
  ARG_MPI,
  ARG_SLURM,
  ARG_PARTITION,
  ARG_TIME,
  ARG_TASKS,
  ARG_TASK,
  ARG_JSON
};

static const cli_option_t options[] = {
    {'j', "jobs", "N", "runs at once (one per processor)"},
    {ARG_STORE, "store", "FILE", "the results store (~/.local/share/gmmu/results.db)"},
    {ARG_DRY_RUN, "dry-run", NULL,
     "run nothing: how many runs there are, and what they would take"},
    {ARG_RETRY, "retry", NULL, "runs that failed before are run again"},
    {ARG_MPI, "mpi", NULL, "ranks of MPI run it: mpirun gmmu sweep ...; OpenMPI's is noticed"},
    {ARG_SLURM, "slurm", NULL, "tasks of a Slurm job array run it; -j is each task's processors"},
    {ARG_PARTITION, "partition", "NAME", "Slurm's partition"},
    {ARG_TIME, "time", "LIMIT", "how long a task may take, as sbatch wants it"},
    {ARG_TASKS, "tasks", "N", "tasks of the array, at most (64)"},
    {ARG_TASK, "slurm-task", "DIR", "what the tasks themselves do; not for people"},
    {ARG_JSON, "json", NULL, "the summary as JSON"},
    {0},
};

typedef struct {
  sweep_t sweep;
  const char *study, *store, *task;
  slurm_options_t slurm;
  uint64_t parallel;
  bool dry_run, retry, use_mpi, use_slurm, json;
  ranks_t *ranks; /* NULL: without */
} args_t;

/* ---- arguments ------------------------------------------------------------------------------- */

static int take_study(args_t *a, const cli_t *c) {
  if (a->study) return cli_usage(c, "one study at a time: \"%s\" is the second", c->value);
  a->study = c->value;
  return CLI_DONE;
}

static int take(args_t *a, const cli_t *c, int id) {
  uint64_t n = 0;
  bool ok = true;
  switch (id) {
  case CLI_ARGUMENT: return take_study(a, c);
  case 'j': ok = cli_number(c, "jobs", 1, 64, &a->parallel); break;
  case ARG_STORE: a->store = c->value; break;
  case ARG_DRY_RUN: a->dry_run = true; break;
  case ARG_RETRY: a->retry = true; break;
  case ARG_MPI: a->use_mpi = true; break;
  case ARG_SLURM: a->use_slurm = true; break;
  case ARG_PARTITION: a->slurm.partition = c->value; break;
  case ARG_TIME: a->slurm.time = c->value; break;
  case ARG_TASKS:
    ok = cli_number(c, "tasks", 1, SLURM_MAX_TASKS, &n);
    a->slurm.tasks = (uint32_t)n;
    break;
  case ARG_TASK: a->task = c->value; break;
  case ARG_JSON: a->json = true; break;
  }
  return ok ? CLI_DONE : CLI_USAGE;
}

static int parse(args_t *a, cli_t *c) {
  int id, status = CLI_DONE;
  while (status == CLI_DONE && (id = cli_next(c)) != CLI_END)
    status = id == CLI_BAD ? CLI_USAGE : take(a, c, id);
  if (status != CLI_DONE) return status;
  if (!a->study && !a->task) return cli_usage(c, "which study? A YAML file, see --help");
  if (a->use_slurm && a->use_mpi) return cli_usage(c, "--mpi or --slurm, not both");
  if (!a->use_slurm && (a->slurm.partition || a->slurm.time || a->slurm.tasks))
    return cli_usage(c, "--partition, --time and --tasks are for --slurm");
  a->slurm.processors = (uint32_t)a->parallel;
  return CLI_DONE;
}

/* ---- output ---------------------------------------------------------------------------------- */

static void number(json_t *j, const char *key, uint64_t v) { json_key(j, key), json_u64(j, v); }

static void failures_json(const sweep_t *s, json_t *j) {
  json_key(j, "failed");
  json_begin_array(j);
  for (uint32_t i = 0; i < s->failures; i++) {
    json_begin_object(j);
    json_key(j, "run"), json_str(j, s->failure[i].label);
    json_key(j, "reason"), json_str(j, s->failure[i].reason);
    json_end_object(j);
  }
  json_end_array(j);
}

static void same_json(const sweep_t *s, json_t *j) {
  json_key(j, "same_machines");
  json_begin_array(j);
  for (uint32_t i = 0; i < s->sames; i++) {
    json_begin_object(j);
    json_key(j, "gpu"), json_str(j, s->same[i].gpu);
    json_key(j, "design"), json_str(j, s->same[i].design);
    json_key(j, "as"), json_str(j, s->same[i].as);
    json_end_object(j);
  }
  json_end_array(j);
}

static void write_json(const args_t *a, bool partial, json_t *j) {
  lab_outlook_t o = lab_outlook(a->sweep.lab);
  json_begin_object(j);
  json_key(j, "gmmu"), json_str(j, GMMU_VERSION);
  json_key(j, "study"), json_str(j, a->sweep.name);
  json_key(j, "store"), json_str(j, lab_store_path(a->sweep.lab));
  number(j, "points", a->sweep.points);
  number(j, "runs", (uint64_t)o.finished + o.missing);
  number(j, "finished", o.finished);
  number(j, "missing", o.missing);
  number(j, "executed", lab_executed(a->sweep.lab));
  if (a->dry_run) lab_outlook_json(&o, j);
  same_json(&a->sweep, j);
  failures_json(&a->sweep, j);
  json_key(j, "partial"), json_bool(j, partial);
  json_end_object(j);
}

static void failures_text(const sweep_t *s, strbuf_t *out) {
  for (uint32_t i = 0; i < s->failures; i++)
    strbuf_printf(out, "failed: %s\n        %s\n", s->failure[i].label, s->failure[i].reason);
  if (s->failures) strbuf_str(out, "--retry runs what has failed again.\n");
}

static void same_text(const sweep_t *s, strbuf_t *out) {
  for (uint32_t i = 0; i < s->sames; i++)
    strbuf_printf(out,
                  "%s is the same machine as %s on %s: their runs are the same, and have the name "
                  "of whichever was run first.\n",
                  s->same[i].design, s->same[i].as, s->same[i].gpu);
}

static void outlook_text(const args_t *a, strbuf_t *out) {
  lab_outlook_t o = lab_outlook(a->sweep.lab);
  strbuf_printf(out, "%s: %u points, %u runs: %u are finished, %u are missing now.\n",
                a->sweep.name, a->sweep.points, o.finished + o.missing, o.finished, o.missing);
  lab_outlook_text(&o, out);
  same_text(&a->sweep, out);
  failures_text(&a->sweep, out);
}

static void summary_text(const args_t *a, strbuf_t *out) {
  const sweep_t *s = &a->sweep;
  lab_outlook_t o = lab_outlook(s->lab);
  strbuf_printf(out, "%s: %u points, %u runs: %u were there, %u have been run, %u failed\n",
                s->name, s->points, o.finished + o.missing, s->found, lab_executed(s->lab),
                s->failures);
  if (o.missing) strbuf_printf(out, "%u are missing; the same command goes on.\n", o.missing);
  same_text(s, out);
  failures_text(s, out);
  strbuf_printf(out, "results: %s\n", lab_store_path(s->lab));
}

static int print(const args_t *a, bool partial) {
  json_t j;
  json_init(&j);
  if (!a->json) cli_screen(&j.out, NULL);
  if (a->json)
    write_json(a, partial, &j);
  else if (a->dry_run)
    outlook_text(a, &j.out);
  else
    summary_text(a, &j.out);
  int status = cli_output(NULL, &j.out);
  json_fini(&j);
  return status;
}

/* ---- running --------------------------------------------------------------------------------- */

/* What is known is told whatever happened, as long as the store can be read. */
static int end(args_t *a, int rc, const err_t *why) {
  err_t e = {0};
  bool known = rc == 0 || sweep_look(&a->sweep, false, &e) == 0;
  int status = known ? print(a, rc < 0) : CLI_FAILED;
  if (rc < 0) cli_fail(why);
  if (rc == GMMU_EINTERRUPTED) return CLI_INTERRUPTED;
  return rc < 0 || a->sweep.failures ? CLI_FAILED : status;
}

/* A machine of the study that cannot be built. */
static void say_wrong(void *ctx, const char *label, const err_t *e) {
  char text[sizeof e->file + sizeof e->key + sizeof e->text + 64];
  (void)ctx;
  err_format(e, text, sizeof text);
  cli_say("%s: %s", label, text);
}

static int run_study(args_t *a) {
  err_t e = {0};
  int rc = sweep_read(&a->sweep, a->study, &e);
  if (rc == 0)
    rc = lab_open(a->store, a->dry_run ? STORE_READ : STORE_WRITE, (uint32_t)a->parallel,
                  &a->sweep.lab, &e);
  if (rc < 0) return cli_fail(&e);
  lab_set_retry(a->sweep.lab, a->retry ? LAB_RETRY_ALL : LAB_RETRY_NONE);
  if (a->dry_run) {
    rc = sweep_look(&a->sweep, false, &e);
    uint32_t wrong = rc == 0 ? lab_check_machines(a->sweep.lab, say_wrong, NULL) : 0;
    if (rc == 0 && !wrong) rc = lab_estimate(a->sweep.lab, &e);
    if (rc < 0) return cli_fail(&e);
    int printed = print(a, false);
    return wrong ? CLI_FAILED : printed;
  }
  stop_listen();
  if (a->ranks) ranks_serve(a->ranks, a->sweep.lab);
  if (a->use_slurm) slurm_serve(&a->slurm, a->sweep.lab);
  rc = slurm_collect(a->sweep.lab, a->use_slurm, &e);
  if (rc == 0) rc = sweep_run(&a->sweep, &e);
  return end(a, rc, &e);
}

/* Every rank comes here; all but the first do what they are told. */
static int run_ranks(args_t *a) {
  err_t e = {0};
  const char *rank = getenv("OMPI_COMM_WORLD_RANK");
  if (ranks_open(&a->ranks, &e) < 0)
    return rank && strcmp(rank, "0") ? CLI_FAILED : cli_fail(&e); /* once is enough */
  if (ranks_own(a->ranks) == 0) return run_study(a);
  stop_listen();
  int rc = ranks_work(a->ranks, &e);
  return rc == 0 ? CLI_DONE : rc == GMMU_EINTERRUPTED ? CLI_INTERRUPTED : cli_fail(&e);
}

static int run_task(const args_t *a) {
  err_t e = {0};
  stop_listen();
  int rc = slurm_task(a->task, &e);
  if (rc < 0) cli_fail(&e);
  return rc == 0 ? CLI_DONE : rc == GMMU_EINTERRUPTED ? CLI_INTERRUPTED : CLI_FAILED;
}

static int run_somehow(args_t *a) {
  if (a->task) return run_task(a);
  return a->use_mpi || ranks_is_there() ? run_ranks(a) : run_study(a);
}

static int run(cli_t *c) {
  args_t *a = calloc(1, sizeof *a);
  if (!a) return cli_fail(&(err_t){.code = GMMU_ENOMEM});
  int status = parse(a, c);
  if (status == CLI_DONE) status = run_somehow(a);
  const lab_t *l = a->sweep.lab;
  if (l) damage_warn(lab_store(l), lab_store_path(l), a->dry_run ? DAMAGE_MISSING : DAMAGE_AGAIN);
  sweep_fini(&a->sweep);
  lab_close(a->sweep.lab);
  ranks_close(a->ranks, status);
  free(a);
  return status;
}

#define X(name_, kind_, help_) "  " #name_ ": " help_ "\n"
const subcommand_t cmd_sweep = {
    .name = "sweep",
    .summary = "a study: a grid of runs, kept in a results store",
    .usage = "[OPTION]... STUDY.yaml",
    .details = "A study is a YAML file of lists; every combination is a run. Its keys:\n"
               "\n" STUDY_KEYS(X) "  set: options, each with a value or a list of values\n"
                                  "  cases: names, each with options that change together\n"
                                  "\n"
                                  "Runs that are in the store are not run again; Ctrl-C keeps what "
                                  "is finished, and the same\n"
                                  "command goes on from there. Several sweeps may share a store, "
                                  "at the same time, too. A\n"
                                  "run that failed is kept with its reason until --retry. Under "
                                  "mpirun the first rank owns\n"
                                  "the store and the others run, one run at a time each. With "
                                  "--slurm the tasks of a job\n"
                                  "array run; this process waits for them, and after Ctrl-C the "
                                  "same command goes on.\n"
                                  "\n"
                                  "  gmmu sweep --dry-run study.yaml\n"
                                  "  gmmu sweep -j 2 --store study.db study.yaml\n"
                                  "  mpirun -n 9 gmmu sweep --store study.db study.yaml\n"
                                  "  gmmu export study.db\n",
    .options = options,
    .run = run,
};
#undef X
