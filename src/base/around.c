#include "base/around.h"

static source_t *in_of(const source_t *s) { return ((const around_t *)(const void *)s)->in; }

int around_bind(source_t *s, uint32_t slots, uint32_t slots_per_sm, err_t *e) {
  source_t *in = in_of(s);
  return in->ops->bind(in, slots, slots_per_sm, e);
}

int around_rewind(source_t *s, err_t *e) {
  source_t *in = in_of(s);
  return in->ops->rewind(in, e);
}

int around_next_command(source_t *s, uint64_t now, command_t *c, err_t *e) {
  source_t *in = in_of(s);
  return in->ops->next_command(in, now, c, e);
}

int around_cta_begin(source_t *s, uint64_t now, uint32_t cta, uint32_t warps, const uint32_t slot[],
                     uint32_t first[], err_t *e) {
  source_t *in = in_of(s);
  return in->ops->cta_begin(in, now, cta, warps, slot, first, e);
}

uint32_t around_step(source_t *s, uint64_t now, uint32_t slot, warp_op_t *op) {
  source_t *in = in_of(s);
  return in->ops->step(in, now, slot, op);
}

const err_t *around_error(const source_t *s) {
  const source_t *in = in_of(s);
  return in->ops->error(in);
}

uint64_t around_work(const source_t *s) { return source_work(in_of(s)); }
