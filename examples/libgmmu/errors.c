/* What a function that failed says, and how a program of yours says it in the same way. A plug-in's
 * path may be given: it is loaded then. */
#include <gmmu/gmmu.h>
#include <stdarg.h>
#include <stdio.h>

/* In a reader of your own: the reason where it is found, the place where it is known. */
static int read_line(uint32_t line, err_t *e) {
  err_set(e, GMMU_ERANGE, "%u is more than 9", 12u);
  err_for_key(e, "l2tlb.ways");
  return err_in_file(e, "mine.yaml", line, 3);
}
static int read_bytes(err_t *e) {
  err_set(e, GMMU_EFORMAT, "this is no recording");
  return err_at_offset(e, "mine.gmt", 4096);
}

/* A text that does not fit loses the middle of its longest words, not its end. */
static void note(char *buf, size_t size, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  err_vfit(buf, size, fmt, args);
  va_end(args);
}

static void show(int code, err_t *e) {
  char text[ERR_SHOWN_BYTES];
  err_format(e, text, sizeof text);
  printf("%s (%s)\n", text, gmmu_strerror(code));
  err_clear(e);
}

int main(int argc, char **argv) {
  err_t e = {0};
  gmmu_t *g = NULL;
  char fits[44], also[44];
  show(read_line(7, &e), &e);
  show(read_bytes(&e), &e);
  show(gmmu_open("no-such-gpu", "sharedtlb", &g, &e), &e);
  show(gmmu_load_plugin("no-such-plugin.so", &e), &e);
  err_fit(fits, sizeof fits, "%s: it failed", "a_name_of_a_template_that_is_very_long");
  note(also, sizeof also, "%s: it failed", "a_name_of_a_template_that_is_very_long");
  printf("%s\n%s\n", fits, also);
  if (argc < 2) return 0;
  int rc = gmmu_load_plugin(argv[1], &e);
  if (rc < 0)
    show(rc, &e);
  else
    printf("%s is loaded\n", argv[1]);
  return rc < 0;
}
