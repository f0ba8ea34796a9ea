/* Arguments are read one at a time, from the table of options that also makes the help text, so
 * what is accepted is what is documented. */
#include "cli.h"
#include "base/file.h"
#include "base/foreign.h"
#include "base/opt.h"
#include "base/wrap.h"
#include "terminal.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- errors ---------------------------------------------------------------------------------- */

void cli_say(const char *fmt, ...) {
  strbuf_t text, shown, folded;
  terminal_t size;
  strbuf_init(&text), strbuf_init(&shown), strbuf_init(&folded);
  strbuf_str(&text, "gmmu: ");
  va_list args;
  va_start(args, fmt);
  strbuf_vprintf(&text, fmt, args);
  va_end(args);
  strbuf_foreign(&shown, strbuf_text(&text), text.size, "\n");
  if (terminal_size(STDERR_FILENO, &size)) folded.columns = size.columns;
  wrap_fold(&folded, strbuf_text(&shown));
  fprintf(stderr, "%s\n", strbuf_text(&folded));
  strbuf_fini(&text), strbuf_fini(&shown), strbuf_fini(&folded);
}

int cli_usage(const cli_t *c, const char *fmt, ...) {
  char text[512];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  cli_say("%s%s%s", c->command ? c->command->name : "", c->command ? ": " : "", text);
  return CLI_USAGE;
}

int cli_fail(const err_t *e) {
  char text[ERR_SHOWN_BYTES];
  err_format(e, text, sizeof text);
  cli_say("%s", text);
  return e->code == GMMU_EINTERRUPTED ? CLI_INTERRUPTED : CLI_FAILED;
}

int cli_refuse(const err_t *e) {
  bool typed = e->code == GMMU_EINVAL || e->code == GMMU_ERANGE || e->code == GMMU_ENOENT;
  int status = cli_fail(e);
  return typed && !e->file[0] ? CLI_USAGE : status;
}

/* ---- options --------------------------------------------------------------------------------- */

static const char *option_name(void *ctx, uint32_t i) {
  const cli_option_t *options = ctx;
  return options[i].name;
}

static int unknown_option(const cli_t *c, const char *name, int size) {
  char typed[64];
  snprintf(typed, sizeof typed, "%.*s", size, name);
  const char *near = opt_nearest(typed, option_name, (void *)(uintptr_t)c->command->options);
  if (near)
    cli_usage(c, "unknown option \"--%s\"; nearest: \"--%s\"", typed, near);
  else
    cli_usage(c, "unknown option \"--%s\"; `gmmu help %s` names them", typed, c->command->name);
  return CLI_BAD;
}

/* The option takes its value from `attached` (text behind = or the letter), else from the next
 * argument. */
static int take_option(cli_t *c, const cli_option_t *o, const char *attached) {
  c->value = attached;
  if (!o->value && attached) {
    cli_usage(c, "--%s takes no value", o->name);
    return CLI_BAD;
  }
  if (!o->value || attached) return o->id;
  c->value = c->argv[c->at];
  if (!c->value) {
    cli_usage(c, "--%s needs a value: %s", o->name, o->value);
    return CLI_BAD;
  }
  c->at++;
  return o->id;
}

static int long_option(cli_t *c, const char *text) {
  size_t size = strcspn(text, "=");
  for (const cli_option_t *o = c->command->options; o->name; o++)
    if (strlen(o->name) == size && strncmp(o->name, text, size) == 0)
      return take_option(c, o, text[size] ? text + size + 1 : NULL);
  return unknown_option(c, text, (int)size);
}

static int short_option(cli_t *c, const char *text) {
  for (const cli_option_t *o = c->command->options; o->name; o++)
    if (o->id < CLI_LONG_ONLY && o->id == text[0])
      return take_option(c, o, text[1] ? text + 1 : NULL);
  cli_usage(c, "unknown option \"-%s\"; `gmmu help %s` names them", text, c->command->name);
  return CLI_BAD;
}

int cli_next(cli_t *c) {
  const char *text = c->argv[c->at];
  if (!text) return CLI_END;
  c->at++;
  if (!c->only_arguments && strcmp(text, "--") == 0) {
    c->only_arguments = true;
    return cli_next(c);
  }
  /* a program as one word, "-- ./program arguments", is an application */
  if (c->only_arguments || text[0] != '-' || !text[1] || strncmp(text, "-- ", 3) == 0) {
    c->value = text;
    return CLI_ARGUMENT;
  }
  return text[1] == '-' ? long_option(c, text + 2) : short_option(c, text + 1);
}

static bool number(const cli_t *c, opt_type_t type, const char *name, uint64_t min, uint64_t max,
                   uint64_t *out) {
  const opt_t options[] = {{.name = name, .type = type, .min = min, .max = max}, {0}};
  const opt_group_t groups[] = {{.prefix = "", .opts = options, .base = out}, {0}};
  err_t e = {0};
  if (opt_set(groups, name, c->value, &e) == GMMU_OK) return true;
  cli_usage(c, "--%s: %s", name, e.text);
  return false;
}

bool cli_number(const cli_t *c, const char *name, uint64_t min, uint64_t max, uint64_t *out) {
  return number(c, OPT_U64, name, min, max, out);
}

bool cli_bytes(const cli_t *c, const char *name, uint64_t min, uint64_t max, uint64_t *out) {
  return number(c, OPT_SIZE, name, min, max, out);
}

/* ---- output ---------------------------------------------------------------------------------- */

static void option_help(const cli_option_t *o, strbuf_t *out) {
  size_t start = out->size;
  if (o->id < CLI_LONG_ONLY)
    strbuf_printf(out, "  -%c, --%s", o->id, o->name);
  else
    strbuf_printf(out, "      --%s", o->name);
  if (o->value) strbuf_printf(out, " %s", o->value);
  size_t used = out->size - start;
  strbuf_fill(out, ' ', used < 28 ? 28 - used : 2);
  strbuf_printf(out, "%s\n", o->help);
}

void cli_help(const subcommand_t *s, strbuf_t *out) {
  strbuf_printf(out, "gmmu %s: %s\n\nUsage: gmmu %s %s\n\n", s->name, s->summary, s->name,
                s->usage);
  for (const cli_option_t *o = s->options; o->name; o++) option_help(o, out);
  strbuf_str(out, "      --help                show this text\n");
  if (s->details) strbuf_printf(out, "\n%s", s->details);
}

bool cli_file(const cli_t *c, const char *name) {
  if (strcmp(c->value, "-") != 0) return true;
  cli_usage(c, "--%s: \"-\" is the standard output, which has other text; name a file", name);
  return false;
}

void cli_command(const cli_t *c, strbuf_t *out) {
  strbuf_printf(out, "gmmu %s", c->command->name);
  for (char **word = c->argv; *word; word++) strbuf_shell_word(out, *word);
}

static bool is_stdout(const char *path) { return !path || strcmp(path, "-") == 0; }

void cli_screen(strbuf_t *text, const char *path) {
  terminal_t size;
  text->columns = is_stdout(path) && terminal_size(STDOUT_FILENO, &size) ? size.columns : 0;
}

/* `shown` is the text as it goes out. */
static int write_text(const char *path, const strbuf_t *shown) {
  err_t e = {0};
  if (shown->failed) {
    err_set(&e, GMMU_ENOMEM, "out of memory for the output");
    return cli_fail(&e);
  }
  if (!is_stdout(path))
    return file_write(path, strbuf_text(shown), shown->size, &e) < 0 ? cli_fail(&e) : CLI_DONE;
  if (fwrite(strbuf_text(shown), 1, shown->size, stdout) == shown->size && fflush(stdout) == 0)
    return CLI_DONE;
  err_set(&e, GMMU_EIO, "cannot write to the standard output: %s", strerror(errno));
  return cli_fail(&e);
}

int cli_output(const char *path, const strbuf_t *text) {
  strbuf_t shown, folded;
  strbuf_init(&shown), strbuf_init(&folded);
  strbuf_foreign(&shown, strbuf_text(text), text->size, "\n\t");
  folded.columns = text->columns;
  if (text->columns) wrap_fold(&folded, strbuf_text(&shown));
  strbuf_t *out = text->columns ? &folded : &shown;
  out->failed |= text->failed || shown.failed;
  int status = write_text(path, out);
  strbuf_fini(&shown), strbuf_fini(&folded);
  return status;
}

int cli_data(const char *path, const strbuf_t *data) {
  return is_stdout(path) && isatty(STDOUT_FILENO) ? cli_output(path, data) : write_text(path, data);
}
