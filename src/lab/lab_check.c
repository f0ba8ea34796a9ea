/* Whether the machines of a study can be built at all, before anything runs: each of them is made,
 * with a small application in place of every one of its own. */
#include "lab/lab_own.h"
#include "lab/probing.h"
#include "lab/reuse.h"
#include <string.h>

#define MACHINES 512 /* different ones that are tried: a second or two */

static bool is_same(const lab_run_t *a, const lab_run_t *b) {
  if (a->apps != b->apps || a->sets != b->sets || strcmp(a->gpu, b->gpu) != 0 ||
      strcmp(a->design, b->design) != 0)
    return false;
  for (uint32_t i = 0; i < a->sets; i++)
    if (strcmp(a->set[i], b->set[i]) != 0) return false;
  return memcmp(a->sms, b->sms, a->apps * sizeof *a->sms) == 0;
}

int lab_try_machine(const lab_run_t *r, err_t *e) {
  lab_run_t small = *r;
  gpu_spec_t spec;
  lab_setup_t s;
  for (uint32_t a = 0; a < small.apps; a++)
    memcpy(small.app[a], "compute:blocks=1,warps=1,steps=1",
           sizeof "compute:blocks=1,warps=1,steps=1");
  int rc = lab_spec(&small, &spec, e);
  if (rc >= 0) rc = lab_set_up(&small, &spec, &s, e);
  if (rc >= 0) lab_take_down(&s);
  return rc;
}

uint32_t lab_check_machines(lab_t *l, void (*bad)(void *ctx, const char *label, const err_t *e),
                            void *ctx) {
  const lab_run_t *tried[MACHINES];
  uint32_t n = 0, wrong = 0;
  for (uint32_t i = 0; i < l->missing_count && n < MACHINES; i++) {
    const lab_run_t *r = &l->missing[i]->run;
    err_t e = {0};
    uint32_t k = 0;
    while (k < n && !is_same(tried[k], r)) k++;
    if (k < n || probing_knows(r->app[0]) || reuse_knows(r->app[0])) continue;
    tried[n++] = r;
    if (lab_try_machine(r, &e) >= 0) continue;
    wrong++;
    bad(ctx, l->missing[i]->label, &e);
  }
  return wrong;
}
