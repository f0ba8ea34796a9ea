#include "programs.h"
#include <string.h>

int programs_split(char **argv, programs_t *out, err_t *e) {
  *out = (programs_t){0};
  for (; *argv && strcmp(*argv, "--") != 0; argv++) {
  }
  while (*argv) {
    *argv++ = NULL; /* was "--" */
    if (!*argv || strcmp(*argv, "--") == 0)
      return err_set(e, GMMU_EINVAL, "no program behind \"--\"");
    if (out->count == PROGRAM_MAX)
      return err_set(e, GMMU_EINVAL, "at most %d programs", PROGRAM_MAX);
    strbuf_t *text = &out->text[out->count];
    strbuf_init(text);
    out->argv[out->count++] = argv;
    for (; *argv && strcmp(*argv, "--") != 0; argv++)
      strbuf_printf(text, "%s%s", text->size ? " " : "", *argv);
  }
  return (int)out->count;
}

void programs_fini(programs_t *p) {
  for (uint32_t i = 0; i < p->count; i++) strbuf_fini(&p->text[i]);
  p->count = 0;
}

static void note(void *ctx, const err_t *e) {
  (void)ctx;
  cli_fail(e);
}

void program_speaks(host_spec_t *host) { host->note = host->warn = note; }

int program_bounds(const cli_t *c, ptx_bounds_t *out) {
  static const char *const name[] = {"error", "warn", "ignore"};
  for (uint32_t i = 0; i < 3; i++)
    if (strcmp(c->value, name[i]) == 0) {
      *out = (ptx_bounds_t)i;
      return CLI_DONE;
    }
  return cli_usage(c, "--bounds is error, warn or ignore, not \"%s\"", c->value);
}

void program_say_why(const char *name, const host_end_t *end) {
  if (end->outside)
    cli_say("%s: %llu accesses outside their bounds read zero or were dropped (--bounds); up to %u "
            "instructions are shown",
            name, (unsigned long long)end->outside, HOST_WARNINGS);
  if (end->absent[0]) cli_say("%s: %s", name, end->absent);
  if (end->lacks[0]) cli_say("%s: %s", name, end->lacks);
}

int program_say_end(const char *name, const host_end_t *end) {
  err_t e = {0};
  if (!end->status) {
    program_say_why(name, end);
    return end->noted ? CLI_FAILED : CLI_DONE; /* what is noted has been said */
  }
  const char *why = end->lacks[0] ? end->lacks : end->absent;
  err_set(&e, GMMU_EINVAL, "the program ended with status %d%s%s", end->status, *why ? ": " : "",
          why);
  err_for_key(&e, name);
  return cli_fail(&e);
}
