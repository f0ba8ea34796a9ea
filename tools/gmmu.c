/* The gmmu command: finds the sub-command and prints help. */
#include "base/opt.h"
#include "base/stop.h"
#include "cli.h"
#include "commit.h"
#include "lab/hash.h"
#include "manual.h"
#include "plugins.h"
#include "progress_line.h"
#include <stdio.h>
#include <string.h>

const subcommand_t *const cli_commands[] = {
    &cmd_run,      &cmd_explain, &cmd_record,       &cmd_import,     &cmd_cc,    &cmd_info,
    &cmd_list,     &cmd_show,    &cmd_characterize, &cmd_cost,       &cmd_color, &cmd_reproduce,
    &cmd_report,   &cmd_sweep,   &cmd_arena,        &cmd_export,     &cmd_store, &cmd_probe,
    &cmd_validate, &cmd_db,      &cmd_new,          &cmd_completion, NULL};

static const char *command_name(void *ctx, uint32_t i) {
  (void)ctx;
  return cli_commands[i] ? cli_commands[i]->name : "help";
}

/* The names for "nearest": every sub-command, then help. */
static const char *name_or_help(void *ctx, uint32_t i) {
  for (uint32_t k = 0; k < i; k++)
    if (!cli_commands[k]) return NULL;
  return command_name(ctx, i);
}

static const subcommand_t *find(const char *name) {
  for (const subcommand_t *const *s = cli_commands; *s; s++)
    if (strcmp((*s)->name, name) == 0) return *s;
  const char *near = opt_nearest(name, name_or_help, NULL);
  const cli_t none = {0};
  if (near)
    cli_usage(&none, "unknown command \"%s\"; nearest: \"%s\"", name, near);
  else
    cli_usage(&none, "unknown command \"%s\"; `gmmu --help` names them", name);
  return NULL;
}

/* ---- help ------------------------------------------------------------------------------------ */

static void overview(strbuf_t *out) {
  strbuf_str(out, "gmmu: a laboratory for GPU address translation\n\nUsage: gmmu COMMAND ...\n\n");
  for (const subcommand_t *const *s = cli_commands; *s; s++)
    strbuf_printf(out, "  %-14s%s\n", (*s)->name, (*s)->summary);
  strbuf_printf(out, "  %-14s%s\n", "help", "the options of a command: gmmu help [--man] COMMAND");
  strbuf_str(out, "\n"
                  "gmmu --version shows the version, the commit and the model's number.\n"
                  "Every command takes --plugin FILE.so: policies and mechanisms of your own\n"
                  "(docs/plugins.md).\n"
                  "Exit status: 0 done, 1 failed, 2 wrong usage, 130 interrupted (partial "
                  "results printed).\n");
}

static int print_help(const subcommand_t *s) {
  strbuf_t text;
  strbuf_init(&text);
  cli_screen(&text, NULL);
  if (s) {
    cli_help(s, &text);
    strbuf_printf(&text, "\nAlso --%s %s: %s.\n", plugins_option.name, plugins_option.value,
                  plugins_option.help);
  } else {
    overview(&text);
  }
  int status = cli_output(NULL, &text);
  strbuf_fini(&text);
  return status;
}

static int print_page(const subcommand_t *s) {
  strbuf_t text;
  strbuf_init(&text);
  if (s)
    manual_command(s, GMMU_VERSION, &text);
  else
    manual_overview(cli_commands, GMMU_VERSION, &text);
  int status = cli_data(NULL, &text);
  strbuf_fini(&text);
  return status;
}

/* Of all commands or of the one named; as a manual page after --man. */
static int help(char *const argv[]) {
  bool page = argv[0] && strcmp(argv[0], "--man") == 0;
  const char *name = argv[page];
  if (name && (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0)) name = NULL;
  const subcommand_t *s = name ? find(name) : NULL;
  if (name && !s) return CLI_USAGE;
  return page ? print_page(s) : print_help(s);
}

static bool wants_help(char *const argv[]) {
  for (; *argv && strcmp(*argv, "--"); argv++)
    if (strcmp(*argv, "--help") == 0 || strcmp(*argv, "-h") == 0) return true;
  return false;
}

/* ---- main ------------------------------------------------------------------------------------ */

static int version(void) {
  strbuf_t text;
  strbuf_init(&text);
  strbuf_printf(&text,
                "gmmu " GMMU_VERSION "\ncommit " GMMU_COMMIT "\nmodel %s, recorder %s, live %s\n",
                lab_model_version, lab_recorder_version, lab_live_version);
  int status = cli_output(NULL, &text);
  strbuf_fini(&text);
  return status;
}

static int no_command(const char *option) {
  const cli_t none = {0};
  if (option)
    return cli_usage(&none, "unknown option \"%s\"; `gmmu --help` shows the usage", option);
  return cli_usage(&none, "no command given; `gmmu --help` names them");
}

int main(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : NULL;
  err_t e = {0};
  stop_not_for_full_files();
  progress_listen(&progress_line);
  if (!name) return no_command(NULL);
  if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) return print_help(NULL);
  if (strcmp(name, "help") == 0) return help(argv + 2);
  if (strcmp(name, "--version") == 0) return version();
  if (name[0] == '-') return no_command(name);
  const subcommand_t *s = find(name);
  if (!s) return CLI_USAGE;
  if (s == &cmd_completion)
    plugins_take_typed(argv + 2);
  else if (plugins_take(argv + 2, &e) < 0)
    return cli_refuse(&e);
  if (wants_help(argv + 2)) return print_help(s);
  cli_t c = {.command = s, .argv = argv + 2};
  return s->run(&c);
}
