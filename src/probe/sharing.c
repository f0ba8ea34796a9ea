/* An SM walks three quarters of a level's entries, others walk as many other pages (fewer where
 * memory is short), and the first walks its own again: if it is slow now, one of the others has the
 * same TLB. Two calibrations per SM say what slow is: nobody else walks (nothing is evicted), and
 * the SM itself walks the other pages (everything that can be is). Invariant: SMs that share a
 * level share all levels behind it, so only one SM of each group of the level before is asked; and
 * many are asked at once, halving the set while the answer is yes. */
#include "probe/sharing.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  device_t *d;
  const probe_level_t *level;
  uint32_t pages, others;
  uint64_t *own, *other; /* offsets */
  int64_t *time;
  chase_t *chase;
  uint32_t tests;
  uint32_t limit; /* of evicted accesses, in thousandths: between the calibrations */
} test_t;

static void test_fini(test_t *t) {
  free(t->own);
  free(t->other);
  free(t->time);
  free(t->chase);
}

/* In pages: those of the SM that asks, from the beginning of the buffer on; those of the others. */
typedef struct {
  uint64_t own, start, others;
} places_t;

static uint64_t end_of(const places_t *p) { return p->start + p->others; }

/* Pages must not fit the level before, which would answer for this one. */
static uint64_t pages_to_overrun(const probe_level_t *before) {
  return before ? before->entries + before->entries / 8 + 1 : 1;
}

/* The other pages begin behind the own ones, at the next multiple of the number of sets: from there
 * on, so many pages in a row meet every set once, hashed or not. Where sets are not known, a power
 * of two that is not less than the own pages is such a multiple. */
static places_t wide_places(const probe_level_t *l, const probe_level_t *before) {
  uint64_t own = l->entries - l->entries / 4, sets = l->shape_fits ? l->shape.sets : 0, n = 1;
  if (own < pages_to_overrun(before)) own = pages_to_overrun(before);
  if (own > l->entries) own = l->entries;
  if (sets) return (places_t){own, (own + sets - 1) / sets * sets, own};
  while (n < own) n *= 2;
  return (places_t){own, n, own};
}

/* In less memory: with no page between the two, each set has one page too many if all pages are one
 * of each set more than what fits. The own pages are half of all, or as many as overrun the level
 * before; the others do not all fit it. Nowhere if sets are not known. */
static places_t narrow_places(const probe_level_t *l, const probe_level_t *before, uint64_t pages) {
  uint64_t sets = l->shape.sets, fit_before = before ? before->entries : 0;
  if (!sets) return (places_t){0};
  uint64_t first = (pages_to_overrun(before) + sets - 1) / sets * sets, own = 0;
  if (pages < l->entries + sets) pages = l->entries + sets;
  if (pages <= first + fit_before) pages = first + fit_before + 1;
  for (uint64_t k = first; k <= l->entries && k + fit_before < pages; k += sets)
    if (!own || k <= pages / 2) own = k;
  return own ? (places_t){own, own, pages - own} : (places_t){0};
}

/* The places of a test in a buffer of so many bytes, or those that take the least if it is less. */
static places_t places_in(const probe_level_t *l, const probe_level_t *before, uint64_t bytes) {
  uint64_t pages = bytes / l->reach_bytes;
  places_t wide = wide_places(l, before), narrow = narrow_places(l, before, pages);
  return end_of(&wide) <= pages || !narrow.own ? wide : narrow;
}

static int test_init(test_t *t, device_t *d, const probe_level_t *l, const places_t *p, err_t *e) {
  *t = (test_t){.d = d, .level = l, .pages = (uint32_t)p->own, .others = (uint32_t)p->others};
  t->own = calloc(MEASURE_ACCESSES(d) * t->pages, sizeof *t->own);
  t->other = calloc(t->others, sizeof *t->other);
  t->time = calloc(MEASURE_ACCESSES(d) * t->pages, sizeof *t->time);
  t->chase = calloc(d->info.sms + 2, sizeof *t->chase);
  if (!t->own || !t->other || !t->time || !t->chase) {
    test_fini(t);
    return err_set(e, GMMU_ENOMEM, "no memory for a probe");
  }
  run_t r = {.stride = l->reach_bytes, .count = t->pages, .order = ORDER_SEQUENTIAL};
  pattern_offsets(d, &r, t->own);
  if (d->uneven) add_twins(t->own, t->pages);
  r.start = p->start * l->reach_bytes, r.count = t->others;
  pattern_offsets(d, &r, t->other);
  return GMMU_OK;
}

/* Thousandths of the accesses of `sm` that are slow after the SMs of the list have walked. */
static int evicted(test_t *t, uint32_t sm, const uint32_t *others, uint32_t n, uint32_t *share,
                   err_t *e) {
  uint32_t k = 0, own = MEASURE_ACCESSES(t->d) * t->pages;
  chase_t *c = t->chase;
  c[k++] = (chase_t){.sm = sm, .stage = 0, .at = t->own, .count = own, .warm = 2};
  for (uint32_t i = 0; i < n; i++)
    c[k++] = (chase_t){.sm = others[i], .stage = 1, .at = t->other, .count = t->others, .warm = 2};
  c[k++] = (chase_t){.sm = sm, .stage = 2, .at = t->own, .count = own, .timed = 1, .time = t->time};
  t->tests++;
  int rc = device_run(t->d, c, k, e);
  if (rc < 0) return rc;
  if (t->d->uneven) take_twins_off(t->d, t->time, 1, t->pages);
  int64_t limit = (t->level->hit + t->level->miss) / 200, slow = 0;
  uint32_t samples = device_samples(t->d, t->pages);
  for (uint32_t i = 0; i < samples; i++) slow += t->time[i] > limit;
  *share = (uint32_t)(1000 * slow / samples);
  return GMMU_OK;
}

/* What "none" and "all" look like from this SM. Returns their distance. */
static int calibrate(test_t *t, uint32_t sm, uint32_t *distance, err_t *e) {
  uint32_t none = 0, all = 0;
  int rc = evicted(t, sm, NULL, 0, &none, e);
  if (rc == 0) rc = evicted(t, sm, &sm, 1, &all, e);
  t->limit = (none + all) / 2;
  *distance = all > none ? all - none : 0;
  return rc;
}

/* Puts those of the list that share with `sm` into its group. */
static int join_sharers(test_t *t, uint32_t sm, const uint32_t *list, uint32_t n, uint32_t *group,
                        err_t *e) {
  uint32_t share = 0;
  if (!n) return GMMU_OK;
  int rc = evicted(t, sm, list, n, &share, e);
  if (rc < 0 || share <= t->limit) return rc;
  if (n == 1) {
    group[list[0]] = group[sm];
    return GMMU_OK;
  }
  rc = join_sharers(t, sm, list, n / 2, group, e);
  return rc == 0 ? join_sharers(t, sm, list + n / 2, n - n / 2, group, e) : rc;
}

/* One SM of each group of the level before that has no group here yet, behind `sm`. */
static uint32_t candidates(const uint32_t *before, const uint32_t *group, uint32_t sms, uint32_t sm,
                           uint32_t *list) {
  uint32_t n = 0;
  for (uint32_t i = sm + 1; i < sms; i++) {
    bool first = group[i] == UINT32_MAX;
    for (uint32_t k = 0; before && k < i; k++) first &= before[k] != before[i];
    if (first) list[n++] = i;
  }
  return n;
}

static void follow(const uint32_t *before, uint32_t *group, uint32_t sms) {
  for (uint32_t i = 0; before && i < sms; i++)
    for (uint32_t k = 0; k < i; k++)
      if (before[k] == before[i]) group[i] = group[k];
}

static int find_groups(test_t *t, const uint32_t *before, sharing_level_t *out, uint32_t *list,
                       err_t *e) {
  uint32_t sms = t->d->info.sms, worst = 1000;
  int rc = GMMU_OK;
  for (uint32_t i = 0; i < sms && rc == 0; i++) {
    if (out->group[i] != UINT32_MAX) continue;
    uint32_t distance = 0;
    rc = calibrate(t, i, &distance, e);
    if (distance < worst) worst = distance;
    out->group[i] = out->groups++;
    if (rc == 0 && distance)
      rc = join_sharers(t, i, list, candidates(before, out->group, sms, i, list), out->group, e);
    follow(before, out->group, sms);
  }
  out->confidence = worst >= 990 ? 99 : worst / 10;
  out->known = worst >= 250;
  out->tests = t->tests;
  return rc;
}

static int probe_level(device_t *d, const probe_level_t *l, const places_t *p,
                       const uint32_t *before, sharing_level_t *out, err_t *e) {
  uint32_t *list = calloc(d->info.sms, sizeof *list);
  test_t t;
  out->group = malloc(d->info.sms * sizeof *out->group);
  if (!list || !out->group) {
    free(list);
    return err_set(e, GMMU_ENOMEM, "no memory for a probe");
  }
  memset(out->group, 0xff, d->info.sms * sizeof *out->group);
  int rc = test_init(&t, d, l, p, e);
  if (rc == 0) {
    rc = find_groups(&t, before, out, list, e);
    test_fini(&t);
  }
  free(list);
  return rc;
}

int sharing_probe(device_t *d, const tlb_probe_t *tlb, const tlb_probe_options_t *o, sharing_t *out,
                  err_t *e) {
  const uint32_t *before = NULL;
  memset(out, 0, sizeof *out);
  out->sms = d->info.sms;
  for (uint32_t l = 0; l < tlb->levels; l++) {
    char what[64];
    snprintf(what, sizeof what, "who shares level %u", l + 1);
    if (o->progress) o->progress(o->ctx, what);
    out->levels++;
    places_t p = places_in(&tlb->level[l], l ? &tlb->level[l - 1] : NULL, d->info.bytes);
    out->level[l].bytes = end_of(&p) * tlb->level[l].reach_bytes;
    if (out->level[l].bytes > d->info.bytes) continue;
    int rc = probe_level(d, &tlb->level[l], &p, before, &out->level[l], e);
    if (rc < 0) return rc;
    if (out->level[l].known) before = out->level[l].group;
  }
  return GMMU_OK;
}

void sharing_fini(sharing_t *s) {
  for (uint32_t l = 0; l < PROBE_LEVELS; l++) free(s->level[l].group);
  memset(s, 0, sizeof *s);
}

static uint32_t size_of(const sharing_t *s, uint32_t level, uint32_t group) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < s->sms; i++) n += s->level[level].group[i] == group;
  return n;
}

void sharing_words(const sharing_t *s, uint32_t level, char *buf, size_t size) {
  const sharing_level_t *l = &s->level[level];
  uint32_t most = 0, least = UINT32_MAX;
  if (!l->known) {
    snprintf(buf, size, "unknown");
    return;
  }
  for (uint32_t g = 0; g < l->groups; g++) {
    uint32_t n = size_of(s, level, g);
    if (n > most) most = n;
    if (n < least) least = n;
  }
  if (l->groups == 1)
    snprintf(buf, size, "all");
  else if (most == 1)
    snprintf(buf, size, "private");
  else if (most == least)
    snprintf(buf, size, "%u SMs", most);
  else
    snprintf(buf, size, "%u to %u SMs", least, most);
}
