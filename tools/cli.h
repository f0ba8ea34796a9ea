#ifndef GMMU_CLI_H
#define GMMU_CLI_H
/* What the sub-commands share: reading arguments, printing errors, writing output. Only this folder
 * prints, and only main() exits: a sub-command returns its exit status. */
#include "base/strbuf.h"
#include "gmmu/err.h"
#include <stdbool.h>
#include <stdint.h>

enum {
  CLI_DONE = 0,
  CLI_FAILED = 1,       /* it went wrong: a file, the machine, the disk */
  CLI_USAGE = 2,        /* the command line is wrong */
  CLI_INTERRUPTED = 130 /* Ctrl-C or SIGTERM; what is known has been printed */
};

typedef struct {
  int id;            /* what cli_next() returns; below 128 it is also a short option: -o */
  const char *name;  /* long name, without the dashes */
  const char *value; /* what its value is called in the help text; NULL: it takes none */
  const char *help;
} cli_option_t;

typedef struct cli cli_t;

typedef struct {
  const char *name, *summary;
  const char *usage;           /* what follows the name */
  const char *details;         /* below the options in the help text */
  const cli_option_t *options; /* ends with a NULL name */
  int (*run)(cli_t *c);        /* returns the exit status */
} subcommand_t;
extern const subcommand_t cmd_run, cmd_explain, cmd_record, cmd_import, cmd_cc, cmd_info, cmd_list,
    cmd_show, cmd_characterize, cmd_cost, cmd_color, cmd_db, cmd_probe, cmd_report, cmd_reproduce,
    cmd_sweep, cmd_arena, cmd_export, cmd_store, cmd_validate, cmd_new, cmd_completion;
extern const subcommand_t *const cli_commands[]; /* in the order of the help; ends with NULL */

struct cli {
  const subcommand_t *command;
  char **argv; /* behind the sub-command's name, up to NULL */
  int at;
  bool only_arguments; /* "--" has been seen */
  const char *value;   /* of the option, or the argument, that cli_next() returned */
};

enum { CLI_END = -1, CLI_BAD = -2, CLI_ARGUMENT = 0, CLI_LONG_ONLY = 128 };
/* The next option's id, CLI_ARGUMENT, CLI_END, or CLI_BAD when the error has been printed. */
int cli_next(cli_t *c);
/* The value of option `name` as a number of [min, max]; false if not, with the error printed. */
bool cli_number(const cli_t *c, const char *name, uint64_t min, uint64_t max, uint64_t *out);
/* Like cli_number(), for a number of bytes, which may be 64M. */
bool cli_bytes(const cli_t *c, const char *name, uint64_t min, uint64_t max, uint64_t *out);
void cli_help(const subcommand_t *s, strbuf_t *out);

/* Everything that is printed passes cli_say() or cli_output(), which show foreign text as
 * base/foreign.h says. cli_say() prints one line on stderr, "gmmu: ...", on a terminal folded
 * to its width; the others do, too, and return a status. */
void cli_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int cli_usage(const cli_t *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int cli_fail(const err_t *e); /* CLI_FAILED, or CLI_INTERRUPTED if that is what it says */
/* The same for an error in what was typed: CLI_USAGE, unless the fault lies in a file or is not the
 * user's. */
int cli_refuse(const err_t *e);
/* The same for the value of option `name`, a file beside what goes to stdout: "-" is refused. */
bool cli_file(const cli_t *c, const char *name);
/* The command as typed, for the shell: what a page or a file says it was made by. */
void cli_command(const cli_t *c, strbuf_t *out);
/* Text for people, and where cli_output() will put it: on a terminal tables and lines keep to its
 * width, in files and pipes they are whole. */
void cli_screen(strbuf_t *text, const char *path);
/* Writes to the file in one step, or to stdout if `path` is NULL or "-"; a status. cli_output() is
 * for people to read (and JSON, which has escapes of its own); cli_data() is for programs, and
 * changes no byte except on a terminal. */
int cli_output(const char *path, const strbuf_t *text);
int cli_data(const char *path, const strbuf_t *data);
#endif
