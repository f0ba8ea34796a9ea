#ifndef GMMU_PROGRAMS_H
#define GMMU_PROGRAMS_H
/* CUDA programs on the command line: `-- ./program arguments`, as often as wanted. */
#include "base/strbuf.h"
#include "cli.h"
#include "lab/program.h"

#define PROGRAM_MAX GMMU_MAX_APPS

typedef struct {
  char **argv[PROGRAM_MAX];   /* each up to NULL */
  strbuf_t text[PROGRAM_MAX]; /* as typed */
  uint32_t count;
} programs_t;

/* Cuts the arguments at the first "--"; what follows is programs, with "--" between. The number of
 * programs, or GMMU_EINVAL. Free with programs_fini(). */
int programs_split(char **argv, programs_t *out, err_t *e);
void programs_fini(programs_t *p);

/* The value of --bounds; a status, with the error printed. */
int program_bounds(const cli_t *c, ptx_bounds_t *out);
#define PROGRAM_BOUNDS_HELP "what kernels access outside: error, warn or ignore (error)"
/* What goes wrong in it is said on stderr from now on. */
void program_speaks(host_spec_t *host);
/* After everything else: what the program's end means, in words if it is not well. Returns the
 * status of the command. */
int program_say_end(const char *name, const host_end_t *end);
/* Only what is known of why it may have failed. */
void program_say_why(const char *name, const host_end_t *end);
#endif
