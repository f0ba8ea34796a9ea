#ifndef GMMU_BASE_AROUND_H
#define GMMU_BASE_AROUND_H
/* A source around another: what it does not do itself, it hands on. It has an around_t as its first
 * member, and these functions in its source_ops_t in place of its own. `in` must be there. */
#include "gmmu/stream.h"

typedef struct {
  source_t source; /* must be first */
  source_t *in;
} around_t;

int around_bind(source_t *s, uint32_t slots, uint32_t slots_per_sm, err_t *e);
int around_rewind(source_t *s, err_t *e);
int around_next_command(source_t *s, uint64_t now, command_t *c, err_t *e);
int around_cta_begin(source_t *s, uint64_t now, uint32_t cta, uint32_t warps, const uint32_t slot[],
                     uint32_t first[], err_t *e);
uint32_t around_step(source_t *s, uint64_t now, uint32_t slot, warp_op_t *op);
const err_t *around_error(const source_t *s);
uint64_t around_work(const source_t *s);
#endif
