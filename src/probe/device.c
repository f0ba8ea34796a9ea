/* What all devices have in common: the checks before a run, so that no device needs its own. */
#include "probe/device.h"
#include <stdlib.h>

static int check_chase(const device_t *d, const chase_t *c, uint32_t stage, err_t *e) {
  if (!c->count || c->stage < stage || (c->timed && !c->time))
    return err_set(e, GMMU_EINVAL, "a chase without addresses, out of order, or without room");
  if (c->sm != DEVICE_ANY_SM && c->sm >= d->info.sms)
    return err_set(e, GMMU_ERANGE, "there is no SM %u: %s has %u", c->sm, d->info.name,
                   d->info.sms);
  for (uint32_t i = 0; i < c->count; i++)
    if (c->at[i] % 8 || c->at[i] + 8 > d->info.bytes)
      return err_set(e, GMMU_ERANGE, "offset %#llx is not in the buffer of %llu bytes",
                     (unsigned long long)c->at[i], (unsigned long long)d->info.bytes);
  return GMMU_OK;
}

static int look_up(const device_t *d, err_t *e) {
  if (!d->stop || !d->stop()) return GMMU_OK;
  return err_set(e, GMMU_EINTERRUPTED, "interrupted");
}

int device_run(device_t *d, const chase_t *c, uint32_t chases, err_t *e) {
  uint32_t stage = 0;
  int rc = look_up(d, e);
  if (rc < 0) return rc;
  for (uint32_t i = 0; i < chases; i++) {
    rc = check_chase(d, &c[i], stage, e);
    if (rc < 0) return rc;
    stage = c[i].stage;
  }
  return d->ops->run(d, c, chases, e);
}

static int check_question(const device_t *d, const question_t *q, err_t *e) {
  if (!q->timed || q->timed > DEVICE_TIMED || !q->cycles)
    return err_set(e, GMMU_EINVAL, "a question times 1 to %u loads", DEVICE_TIMED);
  for (uint32_t i = 0; i < question_loads(q); i++)
    if (q->at[i] % DEVICE_GRANULE || q->at[i] >= d->info.bytes || q->at[i] >= DEVICE_REACH)
      return err_set(e, GMMU_ERANGE, "offset %#llx is not in the buffer of %llu bytes",
                     (unsigned long long)q->at[i], (unsigned long long)d->info.bytes);
  return GMMU_OK;
}

int device_ask(device_t *d, const question_t *q, uint32_t count, err_t *e) {
  if (!d->ops->ask)
    return err_set(e, GMMU_ENOENT, "device \"%s\" has no memory modules to be asked about",
                   d->info.name);
  int rc = look_up(d, e);
  if (rc < 0) return rc;
  for (uint32_t i = 0; i < count; i++) {
    rc = check_question(d, &q[i], e);
    if (rc < 0) return rc;
  }
  return d->ops->ask(d, q, count, e);
}

void device_free(device_t *d) {
  if (d) d->ops->free(d);
}
