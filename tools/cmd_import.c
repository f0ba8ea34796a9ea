/* gmmu import: Accel-Sim / NVBit traces into a .gmt file. */
#include "base/json.h"
#include "cli.h"
#include "lab/traces.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { ARG_KERNELS = CLI_LONG_ONLY, ARG_CONTEXT, ARG_JSON };

static const cli_option_t options[] = {
    {'o', "output", "FILE", "the .gmt file to write (it appears when it is complete)"},
    {ARG_KERNELS, "kernels", "A-B", "only these kernels of the list, counted from 1"},
    {ARG_CONTEXT, "context", "0xHEX", "only kernels of this CUDA context, as their names have it"},
    {ARG_JSON, "json", NULL, "the summary as JSON"},
    {0},
};

/* ---- the summary ----------------------------------------------------------------------------- */

static int by_count(const void *a, const void *b) {
  const sass_entry_t *x = a, *y = b;
  if (x->count != y->count) return x->count > y->count ? -1 : 1;
  return strcmp(x->name, y->name);
}

static void summary_text(const char *path, import_summary_t *s, strbuf_t *out) {
  strbuf_printf(out,
                "%s: %" PRIu64 " kernels of %" PRIu64 ", %" PRIu64 " blocks, %" PRIu64
                " warp instructions (%" PRIu64 " access memory)\n"
                "%" PRIu64 " copies, %" PRIu64 " allocations of %" PRIu64 " KiB in all\n",
                path, s->kernels, s->listed, s->blocks, s->warp_insts, s->mem_insts, s->copies,
                s->allocations, s->allocated_bytes / 1024);
  bool first = true;
  for (uint32_t i = 0; i < s->ops.count; i++) {
    const sass_entry_t *x = &s->ops.at[i];
    if (x->op.known || !x->count) continue;
    strbuf_str(out, first ? "\nopcodes that are not known, taken for integer operations:\n" : "");
    strbuf_printf(out, "  %12" PRIu64 "  %s\n", x->count, x->name);
    first = false;
  }
  first = true;
  for (uint32_t i = 0; i < NOTES; i++) {
    const note_count_t *n = &s->notes.of[i];
    if (!n->count) continue;
    strbuf_str(out, first ? "\nassumed:\n" : "");
    strbuf_printf(out, "  %12" PRIu64 "  %s (first: %s)\n", n->count, note_text((note_t)i),
                  n->where);
    first = false;
  }
}

static void number(json_t *j, const char *key, uint64_t v) {
  json_key(j, key);
  json_u64(j, v);
}

static void notes_json(const notes_t *notes, json_t *j) {
  json_key(j, "assumed");
  json_begin_array(j);
  for (uint32_t i = 0; i < NOTES; i++) {
    if (!notes->of[i].count) continue;
    json_begin_object(j);
    number(j, "count", notes->of[i].count);
    json_key(j, "what"), json_str(j, note_text((note_t)i));
    json_key(j, "first"), json_str(j, notes->of[i].where);
    json_end_object(j);
  }
  json_end_array(j);
}

static void summary_json(const char *path, const import_summary_t *s, json_t *j) {
  json_begin_object(j);
  json_key(j, "gmmu"), json_str(j, GMMU_VERSION);
  json_key(j, "file"), json_str(j, path);
  number(j, "kernels", s->kernels);
  number(j, "kernels_listed", s->listed);
  number(j, "blocks", s->blocks);
  number(j, "warp_instructions", s->warp_insts);
  number(j, "memory_instructions", s->mem_insts);
  number(j, "machine", s->machine);
  number(j, "copies", s->copies);
  number(j, "allocations", s->allocations);
  number(j, "allocated_bytes", s->allocated_bytes);
  json_key(j, "unknown_opcodes");
  json_begin_object(j);
  for (uint32_t i = 0; i < s->ops.count; i++)
    if (!s->ops.at[i].op.known && s->ops.at[i].count)
      number(j, s->ops.at[i].name, s->ops.at[i].count);
  json_end_object(j);
  notes_json(&s->notes, j);
  json_end_object(j);
}

static int print_summary(const char *path, import_summary_t *s, bool json) {
  json_t j;
  json_init(&j);
  qsort(s->ops.at, s->ops.count, sizeof *s->ops.at, by_count);
  if (json)
    summary_json(path, s, &j);
  else
    summary_text(path, s, &j.out);
  int status = cli_output(NULL, &j.out);
  json_fini(&j);
  return status;
}

/* ---- the command ----------------------------------------------------------------------------- */

/* "3", "3-7" or "3-" */
static bool kernels(const char *text, import_opts_t *o) {
  char *end;
  if (*text < '1' || *text > '9') return false;
  o->first = o->last = strtoull(text, &end, 10);
  if (*end == '-' && !end[1]) o->last = 0, end++;
  if (*end == '-' && end[1] >= '1' && end[1] <= '9') o->last = strtoull(end + 1, &end, 10);
  return !*end && (!o->last || o->last >= o->first);
}

static int import(const char *list, const char *path, import_opts_t *o, bool json) {
  import_summary_t s;
  err_t e = {0};
  int rc = traces_import(list, path, o, &s, &e);
  int status = rc == 0 ? print_summary(path, &s, json) : CLI_INTERRUPTED;
  if (rc == GMMU_EINTERRUPTED) err_set(&e, rc, "interrupted; %s was not written", path);
  if (rc < 0) cli_fail(&e);
  import_summary_fini(&s);
  return rc < 0 && rc != GMMU_EINTERRUPTED ? CLI_FAILED : status;
}

static int run(cli_t *c) {
  const char *list = NULL, *path = NULL;
  import_opts_t o = {.first = 1};
  bool json = false;
  int id;
  while ((id = cli_next(c)) != CLI_END) {
    if (id == CLI_BAD) return CLI_USAGE;
    if (id == 'o' && !cli_file(c, "output")) return CLI_USAGE;
    if (id == 'o') path = c->value;
    if (id == ARG_CONTEXT) o.context = c->value;
    json |= id == ARG_JSON;
    if (id == ARG_KERNELS && !kernels(c->value, &o))
      return cli_usage(c, "--kernels wants numbers from 1, A, A-B or A-, not \"%s\"", c->value);
    if (id != CLI_ARGUMENT) continue;
    if (list) return cli_usage(c, "one list at a time; \"%s\" is the second", c->value);
    list = c->value;
  }
  if (!list) return cli_usage(c, "no list given: gmmu import kernelslist.g -o FILE.gmt");
  if (!path) return cli_usage(c, "no file given: -o FILE");
  return import(list, path, &o, json);
}

const subcommand_t cmd_import = {
    .name = "import",
    .summary = "turn Accel-Sim / NVBit traces into a .gmt file",
    .usage = "[--kernels A-B] [--context 0xHEX] [--json] -o FILE kernelslist.g",
    .details =
        "Reads the list and the traces it names (plain, .xz, .zst or .tracez), or one trace,\n"
        "and tells what was assumed. If it is interrupted, nothing is left behind.\n"
        "`gmmu run kernelslist.g` and the like need no import: it is done on the way.\n"
        "docs/import.md has a list of traces to try it with.\n",
    .options = options,
    .run = run,
};
