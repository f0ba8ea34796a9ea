#ifndef GMMU_HOST_WORLD_H
#define GMMU_HOST_WORLD_H
/* What one run of a program needs: device memory, modules, the process. Made and thrown away
 * together. */
#include "host/session.h"

typedef struct {
  devmem_t *mem;
  ptx_t *program;
  session_t *session;
} world_t;

int world_start(world_t *w, const host_spec_t *spec, err_t *e);
void world_end(world_t *w);
/* Lets the program go on to its end without a machine: kernels run without timing. `now` is the
 * machine's time until then. Fails as host_run() does. */
int world_finish(world_t *w, const host_spec_t *spec, uint64_t now, err_t *e);
#endif
