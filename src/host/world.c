/* In this order, and back in the other. */
#include "host/world.h"

int world_start(world_t *w, const host_spec_t *spec, err_t *e) {
  *w = (world_t){0};
  int rc = devmem_new_shared(&w->mem, e);
  if (rc == 0) rc = ptx_new(w->mem, &w->program, e);
  if (rc == 0) rc = session_new(spec, w->mem, w->program, &w->session, e);
  if (rc < 0) world_end(w);
  return rc;
}

void world_end(world_t *w) {
  session_free(w->session);
  ptx_free(w->program);
  devmem_free(w->mem);
  *w = (world_t){0};
}
