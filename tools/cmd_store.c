/* gmmu store: whether a results store is what was written, and a good one of what can be read. */
#include "base/json.h"
#include "base/stop.h"
#include "cli.h"
#include "lab/store.h"
#include <inttypes.h>
#include <limits.h>
#include <string.h>

enum { ARG_JSON = CLI_LONG_ONLY };

static const cli_option_t options[] = {
    {ARG_JSON, "json", NULL, "what was found as JSON"},
    {0},
};

typedef struct {
  const char *action, *path;
  bool json;
} args_t;

static int take_argument(args_t *a, const cli_t *c) {
  if (a->path) return cli_usage(c, "one store at a time: \"%s\" is the second", c->value);
  if (a->action)
    a->path = c->value;
  else if (strcmp(c->value, "check") && strcmp(c->value, "repair"))
    return cli_usage(c, "check or repair, not \"%s\"", c->value);
  else
    a->action = c->value;
  return CLI_DONE;
}

static int parse(args_t *a, cli_t *c) {
  int id, status = CLI_DONE;
  while (status == CLI_DONE && (id = cli_next(c)) != CLI_END) switch (id) {
    case CLI_BAD: status = CLI_USAGE; break;
    case CLI_ARGUMENT: status = take_argument(a, c); break;
    case ARG_JSON: a->json = true; break;
    }
  if (status == CLI_DONE && !a->action) return cli_usage(c, "check or repair? See --help");
  return status;
}

/* ---- output ---------------------------------------------------------------------------------- */

/* What was found, and what was done: `backup` is empty if nothing was. */
typedef struct {
  const args_t *args;
  store_t *store;
  store_health_t health;
  char backup[PATH_MAX];
} found_t;

static bool is_whole(const found_t *f) { return !f->health.malformed && !f->health.damaged; }

static void number(json_t *j, const char *key, uint64_t v) { json_key(j, key), json_u64(j, v); }

static void write_json(const found_t *f, json_t *j) {
  const store_damage_t *bad;
  uint32_t count = store_damaged(f->store, &bad);
  json_begin_object(j);
  json_key(j, "store"), json_str(j, f->args->path);
  json_key(j, "malformed"), json_bool(j, f->health.malformed);
  number(j, "whole", f->health.whole);
  number(j, "unhashed", f->health.unhashed);
  number(j, "damaged", f->health.damaged);
  json_key(j, "found");
  json_begin_array(j);
  for (uint32_t i = 0; i < count; i++) {
    json_begin_object(j);
    json_key(j, "key"), json_str(j, bad[i].key);
    json_key(j, "why"), json_str(j, bad[i].why);
    json_end_object(j);
  }
  json_end_array(j);
  json_key(j, "repaired"), json_bool(j, f->backup[0] != 0);
  if (f->backup[0]) json_key(j, "backup"), json_str(j, f->backup);
  json_end_object(j);
}

static void write_text(const found_t *f, strbuf_t *out) {
  const store_damage_t *bad;
  uint32_t count = store_damaged(f->store, &bad);
  const store_health_t *h = &f->health;
  strbuf_printf(out, "%s: %" PRIu64 " runs are whole, %" PRIu64 " are damaged%s\n", f->args->path,
                h->whole, h->damaged, h->malformed ? "; SQLite calls the file malformed" : "");
  if (h->unhashed)
    strbuf_printf(out, "%" PRIu64 " are an older gmmu's, without a hash, and taken as they are\n",
                  h->unhashed);
  for (uint32_t i = 0; i < count; i++)
    strbuf_printf(out, "damaged: %s: %s\n", bad[i].key[0] ? bad[i].key : "the file", bad[i].why);
  if (f->backup[0])
    strbuf_printf(out, "repaired; the old file is %s\n", f->backup);
  else if (strcmp(f->args->action, "repair") == 0)
    strbuf_str(out, "there is nothing to repair\n");
  else if (!is_whole(f))
    strbuf_printf(out, "`gmmu store repair` makes a store of the whole ones%s\n",
                  h->malformed ? "" : "; a sweep runs the others again");
}

static int print(const found_t *f) {
  json_t j;
  json_init(&j);
  if (f->args->json)
    write_json(f, &j);
  else
    write_text(f, &j.out);
  int status = cli_output(NULL, &j.out);
  json_fini(&j);
  return status;
}

/* ---- all ------------------------------------------------------------------------------------- */

static int look(const args_t *a, found_t *f, err_t *e) {
  int rc = store_open(a->path, STORE_SAVE, &f->store, e);
  if (rc == 0) rc = store_check(f->store, stop_asked, &f->health, e);
  if (rc == 0 && strcmp(a->action, "repair") == 0 && !is_whole(f))
    rc = store_repair(f->store, stop_asked, &f->health, f->backup, sizeof f->backup, e);
  if (rc < 0) err_in_file(e, a->path, 0, 0);
  return rc;
}

static int check_or_repair(const args_t *a) {
  found_t f = {.args = a};
  err_t e = {0};
  stop_listen();
  int rc = look(a, &f, &e);
  int status = rc == 0 ? print(&f) : cli_fail(&e);
  if (rc == 0 && status == CLI_DONE && !is_whole(&f) && !f.backup[0]) status = CLI_FAILED;
  store_close(f.store);
  return rc == GMMU_EINTERRUPTED ? CLI_INTERRUPTED : status;
}

static int run(cli_t *c) {
  args_t a = {0};
  char own[PATH_MAX];
  err_t e = {0};
  int status = parse(&a, c);
  if (status != CLI_DONE) return status;
  if (!a.path && store_default_path(own, sizeof own, &e) < 0) return cli_fail(&e);
  if (!a.path) a.path = own;
  return check_or_repair(&a);
}

const subcommand_t cmd_store = {
    .name = "store",
    .summary = "check a results store for damage, or repair it",
    .usage = "check|repair [OPTION]... [STORE]",
    .details =
        "Every run in a store has a hash. `check` reads all of them and names those that differ\n"
        "from theirs; status 1 if there is one, or if SQLite calls the file malformed. `repair`\n"
        "writes a new store of the whole runs, keeps the old file as STORE.damaged and puts the\n"
        "new one in its place in one step. A damaged run is missing: a sweep runs it again.\n"
        "Without STORE: ~/.local/share/gmmu/results.db.\n"
        "\n"
        "  gmmu store check study.db\n"
        "  gmmu store repair study.db\n",
    .options = options,
    .run = run,
};
