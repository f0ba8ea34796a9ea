/* The hashed page table. Invariant, of every group that has a line: a cluster without mapped pages
 * has STEP_NONE, one with pages a bucket of its own that counts them, or STEP_RADIX. A group
 * without a line has no buckets. Steps are exact, so a bucket that is given back leaves no mark. */
#include "mm/hashed.h"
#include <inttypes.h>

#define PTE_BYTES     8
#define LINES_A_GROUP 16 /* lines for each group that memory could hold: a guess */
#define REGION_SHIFT  10 /* log2 of the groups in a row that lie in lines in a row: a guess */

static uint64_t mix(uint64_t x) { /* the finish of SplitMix64 */
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

/* ---- keys ---- */

static uint64_t cluster_of(const mm_hashed_t *h, asid_t asid, uint64_t vpn) {
  return (uint64_t)asid << 56 | vpn >> h->order >> h->cluster_shift;
}
static uint64_t group_of(uint64_t cluster) {
  return (cluster >> 56 << 56) | (cluster << 8 >> 8) / HASHED_GROUP;
}
static uint32_t line_of(const mm_hashed_t *h, uint64_t group) {
  return (uint32_t)((mix(group >> REGION_SHIFT) + group % (1u << REGION_SHIFT)) % h->lines);
}
static uint32_t bucket_of(const mm_hashed_t *h, uint64_t cluster, uint32_t step) {
  uint64_t home = (mix(cluster) >> 32) * h->buckets >> 32;
  return (uint32_t)((home + step) % h->buckets);
}
/* Base pages of a cluster: their first. */
static span_t cluster_pages(const mm_hashed_t *h, uint64_t cluster) {
  uint32_t shift = h->order + h->cluster_shift;
  return (span_t){(cluster << 8 >> 8) << shift, UINT64_C(1) << shift};
}

/* ---- creation ---- */

static int bad(err_t *e, const char *key, const char *what) {
  int rc = err_set(e, GMMU_ERANGE, "%s", what);
  err_for_key(e, key);
  return rc;
}

int hashed_check_spec(const mm_spec_t *s, const mm_manager_ops_t *ops, const geo_t *g, err_t *e) {
  const mm_hashed_spec_t *h = &s->hashed;
  if (!h->percent) return GMMU_OK;
  if (ops->mixed || ops->coalesces || ops->by_colour)
    return bad(e, "manager",
               "a hashed page table has pages of one size, anywhere in memory: the manager must be "
               "gpu-mmu or large-only");
  if (!h->cluster || h->cluster > 64 || h->cluster & (h->cluster - 1))
    return bad(e, "cluster", "entries that lie together are a power of two of them, 64 at most");
  if (!h->probes || h->probes > STEP_RADIX)
    return bad(e, "probes", "a step has 4 bits: from 1 to 14 buckets are looked at");
  if (g->levels + 1 > MM_MAX_LEVELS)
    return bad(
        e, "format",
        "a hashed page table needs a radix table of 5 levels at most beside it: a walk reads "
        "at most 6 entries");
  return GMMU_OK;
}

static uint64_t sum_bytes(const mm_hashed_t *h, uint32_t shift, uint64_t *steps_at) {
  uint64_t table = (uint64_t)h->buckets * PTE_BYTES << h->cluster_shift;
  uint64_t unit = UINT64_C(1) << shift, steps = (uint64_t)h->lines * HASHED_LINE;
  *steps_at = (table + HASHED_LINE - 1) / HASHED_LINE * HASHED_LINE;
  return (*steps_at + steps + unit - 1) / unit * unit;
}

/* The highest frames in a row are its own. */
static int take_frames(mm_t *m, mm_hashed_t *h) {
  uint64_t bytes = sum_bytes(h, m->geo.base_shift, &h->steps_at);
  uint32_t count = m->pool.frames.count;
  if (bytes >> m->geo.base_shift >= count) return GMMU_ENOSPACE;
  h->frames = (uint32_t)(bytes >> m->geo.base_shift);
  h->at = (uint64_t)(count - h->frames) << m->geo.base_shift;
  h->steps_at += h->at;
  int rc = GMMU_OK;
  for (uint32_t f = count - h->frames; !rc && f < count; f++)
    rc = pool_claim(&m->pool, f, MM_OWNER_OTHER, 0);
  return rc;
}

int hashed_init(mm_t *m, const mm_spec_t *s) {
  if (!s->hashed.percent) return GMMU_OK;
  mm_hashed_t *h = m->hashed = host_alloc(&m->host, sizeof *h);
  if (!h) return GMMU_ENOMEM;
  uint32_t order = unit_order(m), shift = (uint32_t)__builtin_ctz(s->hashed.cluster);
  uint64_t pages = (s->memory_bytes >> m->geo.base_shift >> order) + 1;
  h->order = order, h->cluster_shift = shift, h->probes = s->hashed.probes;
  h->buckets = (uint32_t)((pages * s->hashed.percent / 100 >> shift) + 1);
  h->lines = (uint32_t)((pages >> shift) / HASHED_GROUP + 1) * LINES_A_GROUP;
  h->owner = host_alloc(&m->host, h->buckets * sizeof *h->owner);
  h->used = host_alloc(&m->host, h->buckets * sizeof *h->used);
  h->line = host_alloc(&m->host, h->lines * sizeof *h->line);
  if (!h->owner || !h->used || !h->line) return GMMU_ENOMEM;
  m->geo.low = false; /* a walk begins here */
  return take_frames(m, h);
}

void hashed_fini(mm_t *m) {
  mm_hashed_t *h = m->hashed;
  if (!h) return;
  host_free(&m->host, h->owner, h->buckets * sizeof *h->owner);
  host_free(&m->host, h->used, h->buckets * sizeof *h->used);
  host_free(&m->host, h->line, h->lines * sizeof *h->line);
  host_free(&m->host, h, sizeof *h);
  m->hashed = NULL;
}

/* ---- pages come and go ---- */

static bool has_pages(const mm_t *m, uint64_t cluster) {
  span_t p = cluster_pages(m->hashed, cluster);
  asid_t asid = (asid_t)(cluster >> 56);
  uint64_t end = p.first + p.count;
  return pt_next(&m->space[asid].table, p.first, end) < end;
}

/* Its line, if the group has it. */
static hashed_line_t *find_line(const mm_hashed_t *h, uint64_t group) {
  hashed_line_t *l = &h->line[line_of(h, group)];
  return l->key == group + 1 ? l : NULL;
}

/* A group without a line gets it, if nobody has it. Clusters of its that have pages by now stay in
 * the radix table. */
static hashed_line_t *take_line(const mm_t *m, uint64_t group) {
  const mm_hashed_t *h = m->hashed;
  hashed_line_t *l = &h->line[line_of(h, group)];
  if (l->key) return l->key == group + 1 ? l : NULL;
  l->key = group + 1;
  for (uint32_t i = 0; i < HASHED_GROUP; i++) {
    uint64_t cluster = (group >> 56 << 56) | ((group << 8 >> 8) * HASHED_GROUP + i);
    bool some = has_pages(m, cluster);
    l->step[i] = some ? STEP_RADIX : STEP_NONE;
    l->count += some;
  }
  return l;
}

static uint8_t take_bucket(const mm_hashed_t *h, uint64_t cluster) {
  for (uint32_t step = 0; step < h->probes; step++) {
    uint32_t b = bucket_of(h, cluster, step);
    if (h->owner[b]) continue;
    h->owner[b] = cluster + 1;
    return (uint8_t)step;
  }
  return STEP_RADIX;
}

void hashed_map(mm_t *m, asid_t asid, uint64_t vpn) {
  mm_hashed_t *h = m->hashed;
  uint64_t cluster = cluster_of(h, asid, vpn);
  hashed_line_t *l = take_line(m, group_of(cluster));
  if (!l) return;
  uint8_t *step = &l->step[cluster % HASHED_GROUP];
  if (*step == STEP_NONE) {
    *step = take_bucket(h, cluster);
    l->count++;
  }
  if (*step != STEP_RADIX) h->used[bucket_of(h, cluster, *step)]++;
}

void hashed_unmap(mm_t *m, asid_t asid, uint64_t vpn) {
  mm_hashed_t *h = m->hashed;
  uint64_t cluster = cluster_of(h, asid, vpn);
  hashed_line_t *l = find_line(h, group_of(cluster));
  if (!l) return;
  uint8_t *step = &l->step[cluster % HASHED_GROUP];
  if (*step != STEP_RADIX) {
    uint32_t b = bucket_of(h, cluster, *step);
    if (--h->used[b]) return;
    h->owner[b] = 0;
  } else if (has_pages(m, cluster)) {
    return;
  }
  *step = STEP_NONE;
  if (!--l->count) l->key = 0;
}

/* ---- walks ---- */

bool hashed_walk(const mm_t *m, asid_t asid, uint64_t vpn, mm_walk_t *out) {
  const mm_hashed_t *h = m->hashed;
  uint64_t cluster = cluster_of(h, asid, vpn), group = group_of(cluster);
  const hashed_line_t *l = find_line(h, group);
  out->entry[0].v = h->steps_at + (uint64_t)line_of(h, group) * HASHED_LINE;
  out->levels = 1, out->probes = 0;
  uint8_t step = l ? l->step[cluster % HASHED_GROUP] : STEP_RADIX;
  if (step == STEP_RADIX) return false;
  if (step == STEP_NONE) return true;
  uint64_t inside = vpn >> h->order & ((UINT64_C(1) << h->cluster_shift) - 1);
  uint64_t slot = ((uint64_t)bucket_of(h, cluster, step) << h->cluster_shift) + inside;
  out->entry[1].v = h->at + slot * PTE_BYTES;
  out->levels = 2, out->probes = step + 1;
  return true;
}

/* ---- invariants ---- */

static uint64_t mapped_units(const mm_t *m, uint64_t cluster) {
  const mm_hashed_t *h = m->hashed;
  span_t p = cluster_pages(h, cluster);
  const pt_t *t = &m->space[cluster >> 56].table;
  uint64_t n = 0, end = p.first + p.count;
  for (uint64_t v = p.first; (v = pt_next(t, v, end)) < end; v = ((v >> h->order) + 1) << h->order)
    n++;
  return n;
}

static int check_line(const mm_t *m, const hashed_line_t *l, uint64_t *buckets, err_t *e) {
  const mm_hashed_t *h = m->hashed;
  uint64_t group = l->key - 1;
  uint32_t count = 0;
  if (&h->line[line_of(h, group)] != l)
    return err_set(e, GMMU_ECHECK, "steps of group %#" PRIx64 " lie in another line", group);
  for (uint32_t i = 0; i < HASHED_GROUP; i++) {
    uint64_t cluster = (group >> 56 << 56) | ((group << 8 >> 8) * HASHED_GROUP + i);
    uint64_t pages = mapped_units(m, cluster);
    uint8_t step = l->step[i];
    count += step != STEP_NONE;
    bool right = step == STEP_NONE ? !pages : pages > 0;
    if (step < STEP_RADIX) {
      uint32_t b = bucket_of(h, cluster, step);
      right = right && step < h->probes && h->owner[b] == cluster + 1 && h->used[b] == pages;
      ++*buckets;
    }
    if (!right)
      return err_set(e, GMMU_ECHECK,
                     "cluster %#" PRIx64 " of the hashed page table: step %u with "
                     "%" PRIu64 " pages is wrong",
                     cluster, step, pages);
  }
  if (!count || count != l->count)
    return err_set(e, GMMU_ECHECK, "clusters of group %#" PRIx64 " are miscounted", group);
  return GMMU_OK;
}

int hashed_check(const mm_t *m, err_t *e) {
  const mm_hashed_t *h = m->hashed;
  uint64_t buckets = 0;
  int rc = GMMU_OK;
  for (uint32_t i = 0; !rc && i < h->lines; i++)
    if (h->line[i].key) rc = check_line(m, &h->line[i], &buckets, e);
  for (uint32_t b = 0; b < h->buckets; b++) buckets -= h->owner[b] != 0;
  if (!rc && buckets)
    rc = err_set(e, GMMU_ECHECK, "buckets of the hashed page table are of clusters without steps");
  return rc;
}
