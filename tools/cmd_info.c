/* gmmu info: what is in a .gmt file. */
#include "base/json.h"
#include "base/table.h"
#include "cli.h"
#include "trace/gmt.h"
#include <inttypes.h>

enum { ARG_JSON = CLI_LONG_ONLY, ARG_VERIFY };

static const cli_option_t options[] = {
    {ARG_JSON, "json", NULL, "as JSON"},
    {ARG_VERIFY, "verify", NULL, "read every byte that a replay would use, and check it"},
    {0},
};

/* ---- for people ------------------------------------------------------------------------------ */

static void columns(table_t *t) {
  static const char *const headers[] = {"launches",   "blocks",       "instructions",
                                        "warp inst",  "memory %",     "stored bytes",
                                        "bytes/inst", "footprint KiB"};
  table_column(t, "kernel", TABLE_LEFT);
  for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
    table_column(t, headers[i], TABLE_RIGHT);
}

static void kernel_row(table_t *t, const gmt_kernel_info_t *k) {
  table_cell(t, k->name);
  table_u64(t, k->launches);
  table_u64(t, k->blocks);
  table_u64(t, k->inst_count);
  table_u64(t, k->warp_insts);
  table_ratio(t, k->mem_insts * 100, k->warp_insts, 1);
  table_u64(t, k->stored_bytes);
  table_ratio(t, k->stored_bytes, k->warp_insts, 3);
  table_u64(t, k->footprint_bytes / 1024);
}

static void info_text(const char *path, const gmt_info_t *i, strbuf_t *out) {
  table_t t;
  strbuf_printf(out, "%s: version %u, %" PRIu64 " bytes, %" PRIu64 " host commands\n\n", path,
                i->version, i->file_bytes, i->commands);
  table_init(&t);
  columns(&t);
  for (uint32_t k = 0; k < i->kernels; k++) kernel_row(&t, &i->kernel[k]);
  table_render(&t, TABLE_TEXT, out);
  table_fini(&t);
  strbuf_str(out, "\ninstructions: of the static table; warp inst: executed, one per warp; memory: "
                  "loads, stores and\natomics among them; footprint: 4 KiB pages touched\n");
}

/* ---- for programs ---------------------------------------------------------------------------- */

static void number(json_t *j, const char *key, uint64_t v) {
  json_key(j, key);
  json_u64(j, v);
}

static void kernel_json(json_t *j, const gmt_kernel_info_t *k) {
  json_begin_object(j);
  json_key(j, "name"), json_str(j, k->name);
  number(j, "launches", k->launches);
  number(j, "blocks", k->blocks);
  number(j, "static_instructions", k->inst_count);
  number(j, "warp_instructions", k->warp_insts);
  number(j, "memory_instructions", k->mem_insts);
  number(j, "stored_bytes", k->stored_bytes);
  number(j, "footprint_bytes", k->footprint_bytes);
  json_end_object(j);
}

static void info_json(const char *path, const gmt_info_t *i, json_t *j) {
  json_begin_object(j);
  json_key(j, "gmmu"), json_str(j, GMMU_VERSION);
  json_key(j, "file"), json_str(j, path);
  number(j, "version", i->version);
  number(j, "file_bytes", i->file_bytes);
  number(j, "commands", i->commands);
  json_key(j, "kernels");
  json_begin_array(j);
  for (uint32_t k = 0; k < i->kernels; k++) kernel_json(j, &i->kernel[k]);
  json_end_array(j);
  json_end_object(j);
}

/* ---- the command ----------------------------------------------------------------------------- */

static int print_info(const char *path, bool json, bool verify) {
  gmt_info_t info;
  err_t e = {0};
  if (verify && gmt_verify(path, &e) < 0) return cli_fail(&e);
  if (gmt_info(path, &info, &e) < 0) return cli_fail(&e);
  json_t j;
  json_init(&j);
  if (json)
    info_json(path, &info, &j);
  else
    cli_screen(&j.out, NULL), info_text(path, &info, &j.out);
  int status = cli_output(NULL, &j.out);
  json_fini(&j);
  gmt_info_fini(&info);
  return status;
}

static int run(cli_t *c) {
  const char *path = NULL;
  bool json = false, verify = false;
  int id;
  while ((id = cli_next(c)) != CLI_END) {
    if (id == CLI_BAD) return CLI_USAGE;
    json |= id == ARG_JSON;
    verify |= id == ARG_VERIFY;
    if (id != CLI_ARGUMENT) continue;
    if (path) return cli_usage(c, "one file at a time; \"%s\" is the second", c->value);
    path = c->value;
  }
  if (!path) return cli_usage(c, "no file given: gmmu info FILE.gmt");
  return print_info(path, json, verify);
}

const subcommand_t cmd_info = {
    .name = "info",
    .summary = "tell what is in a .gmt file",
    .usage = "[--json] [--verify] FILE.gmt",
    .details =
        "Prints the kernels of a recording, with their blocks, instructions, pages and bytes.\n"
        "\n"
        "  gmmu info gather.gmt\n"
        "  gmmu info --verify --json gather.gmt\n",
    .options = options,
    .run = run,
};
