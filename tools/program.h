#ifndef GMMU_PROGRAM_H
#define GMMU_PROGRAM_H
/* CUDA programs on the command line: `-- ./program arguments`, as often as wanted. */
#include "base/strbuf.h"
#include "gpu/spec.h"
#include "host/host.h"

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

/* What the program is told of the GPU, and where its libraries are. `library` is room for a path
 * and outlives the program. Refuses what cannot be run. */
int program_prepare(char **argv, const gpu_spec_t *gpu, const char *gpu_name, char *library,
                    size_t size, host_spec_t *out, err_t *e);
/* Tells it, too, which page colours it may choose from as application `app` of `apps`. */
int program_colours(const gpu_spec_t *gpu, uint32_t app, uint32_t apps, host_spec_t *out, err_t *e);
#endif
