#include "manual.h"
#include "plugins.h"
#include <ctype.h>
#include <string.h>

/* Text as troff prints it unchanged: no escape, no request at a line's begin, ASCII hyphens where
 * they are typed. */
static void plain(strbuf_t *out, const char *text) {
  bool begins = true;
  for (; *text; begins = *text++ == '\n') {
    if (begins && (*text == '.' || *text == '\'')) strbuf_str(out, "\\&");
    if (*text == '\\')
      strbuf_str(out, "\\e");
    else if (*text == '-')
      strbuf_str(out, "\\-");
    else
      strbuf_add(out, text, 1);
  }
}

static void head(const char *command, const char *version, const char *summary, strbuf_t *out) {
  strbuf_str(out, ".TH GMMU");
  if (command) strbuf_str(out, "\\-");
  for (const char *c = command; c && *c; c++) strbuf_printf(out, "%c", toupper((unsigned char)*c));
  strbuf_printf(out, " 1 \"\" \"gmmu %s\" \"gmmu manual\"\n.SH NAME\ngmmu%s%s \\- ", version,
                command ? "\\-" : "", command ? command : "");
  plain(out, summary);
  strbuf_str(out, "\n");
}

static void exit_status(strbuf_t *out) {
  static const struct {
    int status;
    const char *what;
  } all[] = {{CLI_DONE, "done"},
             {CLI_FAILED, "failed: a file, the machine, the disk"},
             {CLI_USAGE, "the command line is wrong"},
             {CLI_INTERRUPTED, "interrupted; partial results have been printed"}};
  strbuf_str(out, ".SH EXIT STATUS\n");
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    strbuf_printf(out, ".TP\n.B %d\n%s\n", all[i].status, all[i].what);
}

static void option(const cli_option_t *o, strbuf_t *out) {
  strbuf_str(out, ".TP\n");
  if (o->id < CLI_LONG_ONLY) strbuf_printf(out, "\\fB\\-%c\\fR, ", o->id);
  strbuf_str(out, "\\fB\\-\\-");
  plain(out, o->name);
  strbuf_str(out, "\\fR");
  if (o->value) {
    strbuf_str(out, " \\fI");
    plain(out, o->value);
    strbuf_str(out, "\\fR");
  }
  strbuf_str(out, "\n");
  plain(out, o->help);
  strbuf_str(out, "\n");
}

void manual_command(const subcommand_t *s, const char *version, strbuf_t *out) {
  head(s->name, version, s->summary, out);
  strbuf_printf(out, ".SH SYNOPSIS\n.B gmmu %s\n", s->name);
  plain(out, s->usage);
  strbuf_str(out, "\n.SH OPTIONS\n");
  for (const cli_option_t *o = s->options; o->name; o++) option(o, out);
  option(&plugins_option, out);
  strbuf_str(out, ".TP\n\\fB\\-\\-help\\fR\nshow the help text\n");
  if (s->details) { /* it is laid out for a terminal already */
    strbuf_str(out, ".SH DESCRIPTION\n.nf\n");
    plain(out, s->details);
    strbuf_str(out, ".fi\n");
  }
  exit_status(out);
  strbuf_str(out, ".SH SEE ALSO\n.BR gmmu (1)\n");
}

static void environment(strbuf_t *out) {
  static const struct {
    const char *name, *what;
  } all[] = {
      {"GMMU_PLUGINS", "plug-ins that every command loads, with colons between"},
      {"GMMU_PROGRESS", "on a pipe: seconds between two lines of progress (30); 0: none"},
      {"GMMU_CLANG", "the clang that gmmu cc calls"},
      {"XDG_DATA_HOME", "below it gmmu/results.db, the usual results store (~/.local/share)"},
      {"XDG_CACHE_HOME", "below it gmmu, the cache of recordings (~/.cache)"},
      {"NO_COLOR", "no colours on terminals"}};
  strbuf_str(out, ".SH ENVIRONMENT\n");
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    strbuf_printf(out, ".TP\n.B %s\n%s\n", all[i].name, all[i].what);
}

void manual_overview(const subcommand_t *const *commands, const char *version, strbuf_t *out) {
  head(NULL, version, "a laboratory for GPU address translation", out);
  strbuf_str(out, ".SH SYNOPSIS\n.B gmmu\n\\fICOMMAND\\fR ...\n.SH COMMANDS\n");
  for (; *commands; commands++) {
    strbuf_printf(out, ".TP\n.BR gmmu\\-%s (1)\n", (*commands)->name);
    plain(out, (*commands)->summary);
    strbuf_str(out, "\n");
  }
  strbuf_str(out, ".SH OPTIONS\n"
                  ".TP\n\\fB\\-\\-version\\fR\nshow the version, the commit, and the numbers of "
                  "model, recorder and live runs\n"
                  ".TP\n\\fB\\-\\-help\\fR\nshow the commands\n");
  environment(out);
  exit_status(out);
}
