/* Recording a source: a source in front of another that writes down what passes, and a runner
 * without timing that drives any source.
 *
 * Invariant of the recorder: slot[i].cur is the instruction that the warp in slot i executes at its
 * next step(); a block ends in the file when the last of its warps has ended. */
#include "trace/gmt.h"
#include "trace/gmt_format.h"
#include <stdlib.h>

typedef struct {
  uint32_t block; /* the recorder's name of the block */
  uint32_t warp, cur;
  uint32_t place; /* in left[]: the block's count of running warps */
} tee_slot_t;

typedef struct {
  source_t source; /* must be first */
  source_t *in;
  gmt_writer_t *w;
  tee_slot_t *slot; /* [slots] */
  uint32_t *left;   /* [slots]: running warps of the block whose first warp runs in that slot */
  err_t err;
  bool failed; /* to record; then `err` tells, else the inner source */
} tee_t;

static int tee_bind(source_t *s, uint32_t slots, uint32_t slots_per_sm, err_t *e) {
  tee_t *t = (tee_t *)s;
  free(t->slot), free(t->left);
  t->slot = calloc((size_t)slots + 1, sizeof *t->slot);
  t->left = calloc((size_t)slots + 1, sizeof *t->left);
  if (!t->slot || !t->left) return err_set(e, GMMU_ENOMEM, "out of memory");
  return t->in->ops->bind(t->in, slots, slots_per_sm, e);
}

static int tee_rewind(source_t *s, err_t *e) {
  (void)s;
  return err_set(e, GMMU_EINVAL, "a recording cannot be rewound");
}

static int tee_next_command(source_t *s, uint64_t now, command_t *c, err_t *e) {
  tee_t *t = (tee_t *)s;
  int rc = t->in->ops->next_command(t->in, now, c, e);
  return rc < 0 ? rc : gmt_writer_command(t->w, c, e);
}

static int tee_cta_begin(source_t *s, uint64_t now, uint32_t cta, uint32_t warps,
                         const uint32_t slot[], uint32_t first[], err_t *e) {
  tee_t *t = (tee_t *)s;
  uint32_t block, running = 0;
  int rc = t->in->ops->cta_begin(t->in, now, cta, warps, slot, first, e);
  if (rc < 0 || (rc = gmt_writer_cta_begin(t->w, cta, &block, e)) < 0) return rc;
  for (uint32_t i = 0; i < warps; i++) {
    t->slot[slot[i]] = (tee_slot_t){block, i, first[i], slot[0]};
    running += first[i] != STREAM_END;
  }
  if (!running) return gmt_writer_cta_end(t->w, block, e);
  t->left[slot[0]] = running;
  return GMMU_OK;
}

static uint32_t tee_step(source_t *s, uint64_t now, uint32_t slot, warp_op_t *op) {
  tee_t *t = (tee_t *)s;
  tee_slot_t *x = &t->slot[slot];
  uint32_t next = t->in->ops->step(t->in, now, slot, op);
  if (next == STREAM_FAIL) return next;
  int rc = gmt_writer_inst(t->w, x->block, x->warp, x->cur, op, &t->err);
  x->cur = next;
  if (rc >= 0 && next == STREAM_END && --t->left[x->place] == 0)
    rc = gmt_writer_cta_end(t->w, x->block, &t->err);
  t->failed = rc < 0;
  return rc < 0 ? STREAM_FAIL : next;
}

static const err_t *tee_error(const source_t *s) {
  const tee_t *t = (const tee_t *)s;
  return t->failed ? &t->err : t->in->ops->error(t->in);
}

static void tee_free(source_t *s) {
  tee_t *t = (tee_t *)s;
  free(t->slot), free(t->left), free(t);
}

static const source_ops_t tee_ops = {
    .name = "record",
    .bind = tee_bind,
    .rewind = tee_rewind,
    .next_command = tee_next_command,
    .cta_begin = tee_cta_begin,
    .step = tee_step,
    .error = tee_error,
    .free = tee_free,
};

int gmt_tee_new(source_t *in, gmt_writer_t *w, source_t **out, err_t *e) {
  tee_t *t = calloc(1, sizeof *t);
  *out = NULL;
  if (!t) return err_set(e, GMMU_ENOMEM, "out of memory");
  t->source.ops = &tee_ops, t->in = in, t->w = w;
  *out = &t->source;
  return GMMU_OK;
}

/* ---- running without timing ---- */

typedef struct {
  source_t *s;
  uint64_t insts, limit;
} drain_t;

/* One instruction of each warp that has one, until none has. */
static int drain_warps(drain_t *d, uint32_t warps, uint32_t next[], err_t *e) {
  warp_op_t op = {0};
  for (bool any = true; any;) {
    any = false;
    for (uint32_t i = 0; i < warps; i++) {
      if (next[i] == STREAM_END) continue;
      if (d->limit && d->insts == d->limit)
        return err_set(e, GMMU_ESTUCK, "no end after %llu warp instructions",
                       (unsigned long long)d->limit);
      next[i] = d->s->ops->step(d->s, d->insts++, i, &op);
      if (next[i] == STREAM_FAIL) {
        const err_t *why = d->s->ops->error(d->s);
        if (e) *e = *why;
        return why->code < 0 ? why->code : GMMU_EINVAL;
      }
      any = true;
    }
  }
  return GMMU_OK;
}

static int drain_launch(drain_t *d, const launch_t *l, err_t *e) {
  uint32_t slot[GMT_MAX_WARPS], next[GMT_MAX_WARPS], warps = launch_warps(l);
  uint64_t blocks = launch_blocks(l);
  if (warps > GMT_MAX_WARPS)
    return err_set(e, GMMU_ERANGE, "%u warps in a block; at most %u", warps, GMT_MAX_WARPS);
  for (uint32_t i = 0; i < warps; i++) slot[i] = i;
  for (uint64_t b = 0; b < blocks; b++) {
    int rc = d->s->ops->cta_begin(d->s, d->insts, (uint32_t)b, warps, slot, next, e);
    if (rc < 0 || (rc = drain_warps(d, warps, next, e)) < 0) return rc;
  }
  return GMMU_OK;
}

static int drain(drain_t *d, err_t *e) {
  command_t c;
  int rc = d->s->ops->bind(d->s, GMT_MAX_WARPS, GMT_MAX_WARPS, e);
  while (rc >= 0) {
    rc = d->s->ops->next_command(d->s, 0, &c, e);
    if (rc < 0 || c.kind == CMD_END) break;
    if (c.kind == CMD_LAUNCH) rc = drain_launch(d, &c.launch, e);
  }
  return rc;
}

int gmt_drain(source_t *s, uint64_t limit, uint64_t *insts, err_t *e) {
  drain_t d = {.s = s, .limit = limit};
  int rc = drain(&d, e);
  if (insts) *insts = d.insts;
  return rc;
}

int gmt_record_source(source_t *in, const char *path, const gmt_writer_opts_t *o, uint64_t limit,
                      err_t *e) {
  gmt_writer_t *w;
  source_t *tee;
  int rc = gmt_writer_new(path, o, &w, e);
  if (rc < 0) return rc;
  rc = gmt_tee_new(in, w, &tee, e);
  if (rc >= 0) {
    rc = gmt_drain(tee, limit, NULL, e);
    tee->ops->free(tee);
  }
  if (rc >= 0) return gmt_writer_close(w, e);
  gmt_writer_abort(w);
  return rc;
}

int gmt_verify(const char *path, err_t *e) {
  source_t *s;
  int rc = gmt_open(path, &s, e);
  if (rc < 0) return rc;
  rc = gmt_drain(s, 0, NULL, e);
  s->ops->free(s);
  return rc;
}
