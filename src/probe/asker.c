/* From the solver's questions to the device's. The clock must see caches and DRAM, never a TLB: so
 * whatever is timed has its translation brought in just before, by a load of another line of its
 * page, chosen at random each time, so that it is in the way of a set or row only now and then.
 * Page tables are in the caches, too: every page of a batch is walked to before it begins. */
#include "probe/asker.h"
#include <stdlib.h>

#define SHORT 64u /* chains up to this have their pages brought in one by one */

typedef struct {
  asker_t *a;
  question_t *question;
  uint64_t *at; /* room for all offsets */
  uint32_t count;
  size_t used;
} batch_t;

/* Another line of the page. */
static uint64_t near(asker_t *a, uint64_t at) {
  uint64_t page = a->page_bytes, inside = at & (page - 1);
  uint64_t by = page / 8 + rng_next(&a->rng) % (page * 3 / 4);
  return (at & -page) | ((inside + by) & (page - 1) & -(uint64_t)DEVICE_GRANULE);
}

static int batch_init(batch_t *b, asker_t *a, uint32_t questions, size_t loads, err_t *e) {
  size_t pages = a->device->info.bytes / a->page_bytes + 1;
  *b = (batch_t){.a = a};
  b->question = calloc(questions + 1, sizeof *b->question);
  b->at = calloc(loads + pages + 2, sizeof *b->at);
  if (b->question && b->at) return GMMU_OK;
  free(b->question);
  free(b->at);
  return err_set(e, GMMU_ENOMEM, "no memory for a probe");
}

static void batch_fini(batch_t *b) {
  free(b->question);
  free(b->at);
}

static question_t *begin(batch_t *b, uint32_t *cycles) {
  question_t *q = &b->question[b->count++];
  q->at = b->at + b->used;
  q->cycles = cycles;
  return q;
}
static void put(batch_t *b, uint32_t *part, uint64_t at) {
  b->at[b->used++] = at;
  (*part)++;
}

/* The first question: a line of every page that the others touch. */
static int walk_pages(batch_t *b, uint32_t *ignored, err_t *e) {
  asker_t *a = b->a;
  size_t pages = a->device->info.bytes / a->page_bytes + 1;
  uint8_t *seen = calloc(pages, 1);
  if (!seen) return err_set(e, GMMU_ENOMEM, "no memory for a probe");
  for (size_t i = 0; i < b->used; i++) seen[b->at[i] / a->page_bytes] = 1;
  question_t *q = &b->question[0];
  *q = (question_t){.at = b->at + b->used, .cycles = ignored};
  for (size_t p = 0; p < pages; p++)
    if (seen[p]) put(b, &q->warm, near(a, p * a->page_bytes));
  put(b, &q->timed, *q->at);
  free(seen);
  return GMMU_OK;
}

static int ask(batch_t *b, const char *what, err_t *e) {
  uint32_t ignored;
  if (b->a->progress) b->a->progress(b->a->progress_ctx, what);
  int rc = walk_pages(b, &ignored, e);
  if (rc == 0) rc = device_ask(b->a->device, b->question, b->count, e);
  b->a->questions += b->count;
  b->a->loads += b->used;
  batch_fini(b);
  return rc;
}

/* ---- the three kinds ---- */

static int pairs(void *ctx, const oracle_pair_t *p, uint32_t count, uint32_t *cycles, err_t *e) {
  batch_t b;
  int rc = batch_init(&b, ctx, count, 4 * (size_t)count, e);
  if (rc < 0) return rc;
  b.count = 1;
  for (uint32_t i = 0; i < count; i++) {
    question_t *q = begin(&b, &cycles[i]);
    put(&b, &q->warm, near(ctx, p[i].a));
    put(&b, &q->warm, near(ctx, p[i].b));
    put(&b, &q->timed, p[i].a);
    put(&b, &q->timed, p[i].b);
  }
  return ask(&b, "banks", e);
}

static int chains(void *ctx, const oracle_chain_t *c, uint32_t count, uint32_t *cycles, err_t *e) {
  batch_t b;
  size_t loads = 0;
  for (uint32_t i = 0; i < count; i++) loads += c[i].count + SHORT + 2;
  int rc = batch_init(&b, ctx, count, loads, e);
  if (rc < 0) return rc;
  b.count = 1;
  for (uint32_t i = 0; i < count; i++) {
    question_t *q = begin(&b, &cycles[i]);
    for (uint32_t k = 0; k < c[i].count && c[i].count <= SHORT; k++)
      put(&b, &q->warm, near(ctx, c[i].touch[k]));
    for (uint32_t k = 0; k < c[i].count; k++)
      put(&b, k < c[i].first ? &q->first : &q->rest, c[i].touch[k]);
    put(&b, &q->ready, near(ctx, c[i].target));
    put(&b, &q->timed, c[i].target);
  }
  return ask(&b, "L2 sets", e);
}

static int bursts(void *ctx, const oracle_burst_t *o, uint32_t count, uint32_t *cycles, err_t *e) {
  batch_t b;
  int rc = batch_init(&b, ctx, count, 2 * ORACLE_BURST * (size_t)count, e);
  if (rc < 0) return rc;
  b.count = 1;
  for (uint32_t i = 0; i < count; i++) {
    question_t *q = begin(&b, &cycles[i]);
    for (uint32_t k = 0; k < o[i].count; k++)
      if (!k || (o[i].at[k] ^ o[i].at[k - 1]) & -((asker_t *)ctx)->page_bytes)
        put(&b, &q->warm, near(ctx, o[i].at[k]));
    for (uint32_t k = 0; k < o[i].count; k++) put(&b, &q->timed, o[i].at[k]);
  }
  return ask(&b, "MSHRs", e);
}

oracle_t asker_oracle(asker_t *a, device_t *d, uint64_t seed) {
  uint64_t page = d->info.page_bytes ? d->info.page_bytes : d->info.step_bytes;
  uint64_t most = DEVICE_REACH;
  *a = (asker_t){.device = d, .rng = {seed}, .page_bytes = page};
  return (oracle_t){.bytes = d->info.bytes < most ? d->info.bytes : most,
                    .granule_bytes = DEVICE_GRANULE,
                    .page_bytes = page,
                    .ctx = a,
                    .pairs = pairs,
                    .chains = chains,
                    .bursts = bursts};
}
