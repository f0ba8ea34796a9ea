/* Random operations on every manager against a plain dictionary.
 *
 * The dictionary: for each space and page of a window, how many allocations touch its unit (a page,
 * or a large page), in which frame it lies if it is resident, and whether a large page holds it. It
 * learns from the actions alone where pages go, so the actions must tell everything. The window is
 * several pieces far apart, so that tables grow and shrink on every level; memory is small enough
 * to be full most of the time, and is emptied now and then. In every fourth step the host refuses
 * each request for memory in turn until the call needs no more of them.
 *
 * GMMU_STEPS: steps per case, 800 if not given; a step is one operation, or a run of touches. With
 * it, each case tells how many calls it made, and what came of them. */
#include "base/rng.h"
#include "counting_host.h"
#include "mm/manager.h"
#include "unit.h"

#define SPACES     3
#define PIECES     6
#define PIECE      (16 * MB)
#define MAX_PAGES  (PIECES * PIECE / (4 * KB))
#define MAX_ALLOCS 4096

typedef struct {
  uint64_t va, bytes;
} block_t;

/* One call of the library. */
typedef enum { ALLOC, RESERVE, TOUCH, EVICT, RELEASE, RELEASE_PART, RELEASE_ALL } call_kind_t;
typedef struct {
  call_kind_t kind;
  asid_t asid;
  uint64_t at, size; /* bytes; pages of TOUCH and EVICT */
} call_t;

typedef struct {
  mm_t *m;
  counting_t count;
  mm_host_t host;
  const mm_manager_ops_t *ops;
  const char *name; /* of the case */
  const mm_spec_t *spec;
  bool refusing; /* the host, in this step */
  rng_t rng;
  uint32_t step, page_shift, unit_shift;
  uint64_t piece_stride;
  uint32_t touched[SPACES][MAX_PAGES]; /* by unit: allocations that touch it */
  uint64_t frame[SPACES][MAX_PAGES];   /* by page; UNMAPPED if not resident */
  bool large[SPACES][MAX_PAGES];       /* by page: its large page is mapped as one */
  block_t block[SPACES][MAX_ALLOCS];
  uint32_t blocks[SPACES];
  uint64_t strays;                 /* entries of page tables seen in colours of others */
  uint64_t full, refused, touches; /* how often memory was exhausted, ranges overlapped, .. */
  uint64_t calls, survived;        /* of the library; of those, with a request refused */
  mm_actions_t actions;
} model_t;

#define REQUIRE(md, cond)                                                                          \
  do {                                                                                             \
    if (!(cond))                                                                                   \
      fail_msg("%s, %s: step %u: %s (GMMU_SEED=%llu)", (md)->ops->name, (md)->name, (md)->step,    \
               #cond, (unsigned long long)test_seed());                                            \
  } while (0)

/* Window offsets to addresses: piece p lies at p * piece_stride. */
static uint64_t address(const model_t *md, uint64_t off) {
  return off / PIECE * md->piece_stride + off % PIECE;
}
static uint64_t offset(const model_t *md, uint64_t va) {
  return va / md->piece_stride * PIECE + va % md->piece_stride;
}
static uint64_t page_of(const model_t *md, uint64_t vpn) {
  return offset(md, vpn << md->page_shift) >> md->page_shift;
}
static uint64_t first_unit(const model_t *md, block_t b) {
  return offset(md, b.va) >> md->unit_shift;
}
static uint64_t last_unit(const model_t *md, block_t b) {
  return (offset(md, b.va) + b.bytes - 1) >> md->unit_shift;
}

static bool overlaps(const model_t *md, asid_t a, block_t b) {
  for (uint32_t i = 0; i < md->blocks[a]; i++) {
    block_t x = md->block[a][i];
    if (b.va < x.va + x.bytes && x.va < b.va + b.bytes) return true;
  }
  return false;
}

static bool unit_resident(const model_t *md, asid_t a, uint64_t unit) {
  return md->frame[a][unit << (md->unit_shift - md->page_shift)] != UNMAPPED;
}

static uint64_t absent_units(const model_t *md, asid_t a, block_t b) {
  uint64_t n = 0;
  for (uint64_t u = first_unit(md, b); u <= last_unit(md, b); u++) n += !unit_resident(md, a, u);
  return n;
}

/* 256 bytes to 8 MB, each magnitude as likely as any other; 256-byte aligned, inside one piece. A
 * third begins at a multiple of 2 MB. */
static block_t random_block(model_t *md) {
  uint64_t bytes = UINT64_C(256) << rng_below(&md->rng, 15);
  bytes += rng_below(&md->rng, (uint32_t)(bytes / 256)) * UINT64_C(256);
  uint64_t piece = rng_below(&md->rng, PIECES);
  uint64_t off = rng_below(&md->rng, (uint32_t)((PIECE - bytes) / 256 + 1)) * UINT64_C(256);
  if (rng_below(&md->rng, 3) == 0) off &= ~(2 * MB - 1);
  return (block_t){address(md, piece * PIECE + off), bytes};
}

/* ---- what the actions say ---- */

static void learn_map(model_t *md, const mm_action_t *x) {
  for (uint64_t i = 0; i < x->pages; i++) {
    uint64_t page = page_of(md, x->vpn.v + i);
    REQUIRE(md, md->frame[x->asid][page] == UNMAPPED);
    md->frame[x->asid][page] = frame_at(md->m, x->asid, (x->vpn.v + i) << md->page_shift);
    REQUIRE(md, md->frame[x->asid][page] != UNMAPPED);
    if (md->ops->whole_large) md->large[x->asid][page] = true;
  }
  REQUIRE(md, md->frame[x->asid][page_of(md, x->vpn.v)] == x->ppn.v);
}

static void learn_unmap(model_t *md, const mm_action_t *x) {
  for (uint64_t i = 0; i < x->pages; i++) {
    uint64_t page = page_of(md, x->vpn.v + i);
    md->frame[x->asid][page] = UNMAPPED;
    md->large[x->asid][page] = false;
  }
}

static uint32_t channel_of(const model_t *md, ppn_t frame) {
  mm_large_t l;
  mm_large_frame(md->m, frame.v >> md->m->geo.large_order, &l);
  return l.channel;
}

static void learn_migrate(model_t *md, const mm_action_t *x) {
  REQUIRE(md, x->copy == md->spec->cac.copy);
  REQUIRE(md, channel_of(md, x->ppn) == channel_of(md, x->to_ppn));
  if (x->asid == MM_OWNER_OTHER) return;
  for (uint64_t i = 0; i < x->pages; i++) {
    uint64_t *frame = &md->frame[x->asid][page_of(md, x->vpn.v + i)];
    REQUIRE(md, *frame == x->ppn.v + i);
    *frame = x->to_ppn.v + i;
  }
}

static void learn_evict(model_t *md, const mm_action_t *x) {
  for (uint64_t i = 0; i < x->pages; i++)
    REQUIRE(md, md->frame[x->asid][page_of(md, x->vpn.v + i)] == x->ppn.v + i);
}

static void learn_large(model_t *md, const mm_action_t *x, bool on) {
  for (uint64_t i = 0; i < x->pages; i++) md->large[x->asid][page_of(md, x->vpn.v + i)] = on;
}

/* A page that a coalesced one gets back is part of it again. */
static void learn_refill(model_t *md, const mm_action_t *x) {
  uint64_t per = pages_per_large(md->m);
  for (uint64_t i = 0; i < x->pages; i++) {
    uint64_t page = page_of(md, x->vpn.v + i), first = page & ~(per - 1);
    bool large = false;
    for (uint64_t p = first; p < first + per; p++)
      large |= md->large[x->asid][p] && md->frame[x->asid][p] != UNMAPPED;
    md->large[x->asid][page] = large;
  }
}

/* Whoever lost or moved a translation must be shot down afterwards in the same list. */
static void require_shootdown(model_t *md, size_t i) {
  const mm_action_t *x = &md->actions.item[i];
  uint64_t done = 0;
  if (x->asid == MM_OWNER_OTHER) return;
  for (size_t j = i + 1; j < md->actions.count && !done; j++) {
    const mm_action_t *s = &md->actions.item[j];
    done = s->kind == MM_SHOOTDOWN && s->asid == x->asid && s->vpn.v <= x->vpn.v &&
           s->vpn.v + s->pages >= x->vpn.v + x->pages;
  }
  REQUIRE(md, done);
}

static void learn(model_t *md) {
  for (size_t i = 0; i < md->actions.count; i++) {
    const mm_action_t *x = &md->actions.item[i];
    if (x->kind == MM_MAP) learn_map(md, x), learn_refill(md, x);
    if (x->kind == MM_UNMAP) learn_unmap(md, x);
    if (x->kind == MM_MIGRATE) learn_migrate(md, x);
    if (x->kind == MM_EVICT) learn_evict(md, x);
    if (x->kind == MM_COALESCE) learn_large(md, x, true);
    if (x->kind == MM_SPLINTER) learn_large(md, x, false);
    if (x->kind == MM_UNMAP || x->kind == MM_MIGRATE || x->kind == MM_SPLINTER)
      require_shootdown(md, i);
  }
  mm_actions_clear(&md->actions);
}

/* ---- operations ---- */

static void note_alloc(model_t *md, asid_t a, block_t b) {
  for (uint64_t u = first_unit(md, b); u <= last_unit(md, b); u++) md->touched[a][u]++;
  md->block[a][md->blocks[a]++] = b;
}

static void note_release(model_t *md, asid_t a, uint32_t i) {
  block_t b = md->block[a][i];
  for (uint64_t u = first_unit(md, b); u <= last_unit(md, b); u++) {
    md->touched[a][u]--;
    REQUIRE(md, md->touched[a][u] || !unit_resident(md, a, u));
  }
  md->block[a][i] = md->block[a][--md->blocks[a]];
}

/* "No space" is only said when the units that are missing, and the nodes they might need, are more
 * than what is free. */
static void require_really_full(model_t *md, asid_t a, uint64_t units, const mm_usage_t *u) {
  uint64_t nodes = 2 * mm_levels(md->m) + (units >> md->m->geo.level[1].shift);
  if (md->unit_shift != md->page_shift)
    REQUIRE(md, units + nodes > u->free_large_frames);
  else
    REQUIRE(md, units + nodes > u->open_frames[a]);
  md->full++;
}

/* A refused call changed nothing. */
static void require_as_before(model_t *md, const mm_usage_t *before) {
  mm_usage_t after = usage_of(md->m);
  REQUIRE(md, !memcmp(before, &after, sizeof after));
  REQUIRE(md, md->actions.count == 0);
}

static int call_once(model_t *md, const call_t *c) {
  vaddr_t va = {c->at};
  vpn_t vpn = {c->at};
  mm_actions_t *out = &md->actions;
  md->calls++;
  switch (c->kind) {
  case ALLOC: return mm_alloc(md->m, c->asid, va, c->size, out, NULL);
  case RESERVE: return mm_reserve(md->m, c->asid, va, c->size, out, NULL);
  case TOUCH: return mm_touch(md->m, c->asid, vpn, out, NULL);
  case EVICT: return mm_evict(md->m, c->asid, vpn, c->size, out, NULL);
  case RELEASE: return mm_release(md->m, c->asid, va, out, NULL);
  case RELEASE_PART: return mm_release_part(md->m, c->asid, va, c->size, out, NULL);
  case RELEASE_ALL: return mm_release_all(md->m, c->asid, out, NULL);
  }
  return GMMU_EINVAL;
}

/* If the host is refusing: its first request, then its second, .., until the call gets through. */
static int call(model_t *md, call_t c) {
  if (!md->refusing) return call_once(md, &c);
  mm_usage_t before = usage_of(md->m);
  for (uint64_t n = 1;; n++) {
    md->count.refuse_at = md->count.requests + n;
    int rc = call_once(md, &c);
    bool refused = md->count.requests >= md->count.refuse_at;
    md->count.refuse_at = 0;
    md->survived += refused;
    if (rc != GMMU_ENOMEM) return rc;
    REQUIRE(md, refused);
    require_as_before(md, &before);
  }
}

static void random_alloc(model_t *md, bool lazy) {
  asid_t a = (asid_t)rng_below(&md->rng, SPACES);
  block_t b = random_block(md);
  if (md->blocks[a] == MAX_ALLOCS) return;
  bool overlap = overlaps(md, a, b);
  mm_usage_t before = usage_of(md->m);
  int rc = call(md, (call_t){lazy ? RESERVE : ALLOC, a, b.va, b.bytes});
  REQUIRE(md, overlap == (rc == GMMU_EINVAL));
  md->refused += overlap;
  if (rc) {
    require_as_before(md, &before);
    if (overlap) return;
    REQUIRE(md, rc == GMMU_ENOSPACE && !lazy);
    require_really_full(md, a, absent_units(md, a, b), &before);
    return;
  }
  REQUIRE(md, !lazy || !md->actions.count);
  learn(md);
  note_alloc(md, a, b);
  REQUIRE(md, lazy || !absent_units(md, a, b));
}

static bool said(const model_t *md, mm_action_kind_t kind) {
  for (size_t i = 0; i < md->actions.count; i++)
    if (md->actions.item[i].kind == kind) return true;
  return false;
}

static bool page_known(const model_t *md, asid_t a, uint64_t off) {
  uint64_t page = UINT64_C(1) << md->page_shift, va = address(md, off) & ~(page - 1);
  return overlaps(md, a, (block_t){va, page});
}

static void touch_page(model_t *md, asid_t a, uint64_t off) {
  bool resident = unit_resident(md, a, off >> md->unit_shift);
  mm_usage_t before = usage_of(md->m);
  int rc = call(md, (call_t){TOUCH, a, address(md, off) >> md->page_shift, 1});
  if (rc) {
    require_as_before(md, &before);
    bool known = page_known(md, a, off);
    REQUIRE(md, known ? rc == GMMU_ENOSPACE : rc == GMMU_EFAULT);
    if (known) require_really_full(md, a, 1, &before);
    return;
  }
  REQUIRE(md, resident == !said(md, MM_TRANSFER) && resident == !md->actions.count);
  learn(md);
  REQUIRE(md, unit_resident(md, a, off >> md->unit_shift));
  md->touches += !resident;
}

/* A page, or a run of them, somewhere in an allocation; now and then anywhere. */
static void random_touch(model_t *md) {
  asid_t a = (asid_t)rng_below(&md->rng, SPACES);
  if (!md->blocks[a]) return;
  block_t b = md->block[a][rng_below(&md->rng, md->blocks[a])];
  uint64_t off = offset(md, b.va), page = UINT64_C(1) << md->page_shift;
  uint64_t at = off + rng_below(&md->rng, (uint32_t)b.bytes);
  uint64_t run = rng_below(&md->rng, 4) ? 1 : b.bytes / page + 1;
  if (rng_below(&md->rng, 50) == 0) at = rng_below(&md->rng, PIECES * PIECE), run = 1;
  if (run > 1) at = off;
  for (uint64_t i = 0; i < run && at < (run > 1 ? off + b.bytes : PIECES * PIECE); i++, at += page)
    if (md->ops->whole_large == false || !unit_resident(md, a, at >> md->unit_shift) || !i)
      touch_page(md, a, at);
}

static void random_release(model_t *md) {
  asid_t a = (asid_t)rng_below(&md->rng, SPACES);
  if (!md->blocks[a]) return;
  uint32_t i = rng_below(&md->rng, md->blocks[a]);
  call_t release = {RELEASE, a, md->block[a][i].va, 0};
  REQUIRE(md, call(md, release) == 0);
  learn(md);
  note_release(md, a, i);
  REQUIRE(md, call(md, release) == GMMU_EINVAL);
}

/* Some whole pages out of an allocation, which stays in one or two parts. */
static void random_release_part(model_t *md) {
  asid_t a = (asid_t)rng_below(&md->rng, SPACES);
  if (!md->blocks[a] || md->blocks[a] == MAX_ALLOCS) return;
  uint32_t i = rng_below(&md->rng, md->blocks[a]);
  block_t b = md->block[a][i];
  uint64_t from = rng_below(&md->rng, (uint32_t)(b.bytes / 256)) * UINT64_C(256);
  uint64_t bytes = 1 + rng_below(&md->rng, (uint32_t)(b.bytes - from));
  block_t left = {b.va, from}, right = {b.va + from + bytes, b.bytes - from - bytes};
  REQUIRE(md, call(md, (call_t){RELEASE_PART, a, b.va + from, bytes}) == 0);
  learn(md);
  if (left.bytes) note_alloc(md, a, left);
  if (right.bytes) note_alloc(md, a, right);
  note_release(md, a, i);
}

/* A large page made of several lazy allocations, touched all over. */
static void random_carpet(model_t *md) {
  asid_t a = (asid_t)rng_below(&md->rng, SPACES);
  uint64_t off = rng_below(&md->rng, PIECES * PIECE / (2 * MB)) * 2 * MB;
  uint32_t n = 1u << rng_below(&md->rng, 5);
  if (md->blocks[a] + n > MAX_ALLOCS) return;
  block_t whole = {address(md, off), 2 * MB};
  if (overlaps(md, a, whole)) return;
  for (uint32_t i = 0; i < n; i++) {
    block_t b = {whole.va + i * (2 * MB / n), 2 * MB / n};
    REQUIRE(md, call(md, (call_t){RESERVE, a, b.va, b.bytes}) == 0);
    note_alloc(md, a, b);
  }
  uint64_t page = UINT64_C(1) << md->page_shift, full = md->full;
  for (uint64_t at = off; at < off + 2 * MB && md->full == full; at += page) touch_page(md, a, at);
}

static void random_evict(model_t *md) {
  asid_t a = (asid_t)rng_below(&md->rng, SPACES);
  uint32_t order = md->unit_shift - md->page_shift, piece = PIECE >> md->page_shift;
  uint64_t n = 1 + rng_below(&md->rng, piece / 4 ? piece / 4 : 1);
  uint64_t page = rng_below(&md->rng, PIECES) * (uint64_t)piece;
  page += rng_below(&md->rng, (uint32_t)(piece - n + 1));
  uint64_t vpn = address(md, page << md->page_shift) >> md->page_shift;
  uint64_t resident = 0, told = 0;
  for (uint64_t p = page >> order << order; p < ((page + n - 1) >> order << order) + (1u << order);
       p++)
    resident += md->frame[a][p] != UNMAPPED;
  REQUIRE(md, call(md, (call_t){EVICT, a, vpn, n}) == 0);
  for (size_t i = 0; i < md->actions.count; i++)
    told += md->actions.item[i].kind == MM_EVICT ? md->actions.item[i].pages : 0;
  REQUIRE(md, told == resident);
  learn(md);
  for (uint64_t p = page; p < page + n; p++) REQUIRE(md, md->frame[a][p] == UNMAPPED);
}

static void release_space(model_t *md, asid_t a) {
  REQUIRE(md, call(md, (call_t){RELEASE_ALL, a, 0, 0}) == 0);
  learn(md);
  while (md->blocks[a]) note_release(md, a, 0);
}

/* New pages of the space keep to some of its colours. */
static void random_colours(model_t *md) {
  asid_t a = (asid_t)rng_below(&md->rng, SPACES);
  const mm_colours_t *c = &md->spec->colours;
  uint64_t some = c->of_space[a] & rng_next(&md->rng), all = c->of_space[a];
  md->calls++;
  REQUIRE(md, mm_use_colours(md->m, a, some ? some : all, NULL) == 0);
  REQUIRE(md, mm_use_colours(md->m, a, ~all, NULL) == GMMU_ERANGE);
}

/* ---- comparison ---- */

/* Is the frame of a colour that the space has? In words of mm_colours_t, one bit at a time. */
static bool has_colour(const mm_colours_t *c, asid_t a, uint64_t frame) {
  uint32_t colour = 0;
  for (uint32_t i = 0; i < c->functions; i++)
    for (uint32_t bit = 0; bit < 64; bit++)
      colour ^= (uint32_t)(c->function[i] >> bit & frame >> bit & 1) << i;
  return c->of_space[a] >> colour & 1;
}

static void compare_colour(model_t *md, asid_t a, const mm_walk_t *w) {
  const mm_colours_t *c = &md->spec->colours;
  if (w->mapped) REQUIRE(md, has_colour(c, a, w->ppn.v));
  for (uint32_t i = 0; i < w->levels; i++) {
    bool own = has_colour(c, a, w->entry[i].v >> md->page_shift);
    REQUIRE(md, own || !c->tables);
    md->strays += !own;
  }
}

/* Of physical memory, made of the dictionary alone. */
typedef struct {
  uint8_t *taken;     /* [frame] by a page */
  uint8_t *coalesced; /* [large frame]: 1 + the space whose large page it is */
} picture_t;

/* A page of several sizes is one run of frames at its own offset, and its walk as long as that
 * says. Which pages are large is for the manager to say. */
static void compare_size(model_t *md, asid_t a, vpn_t vpn, const mm_walk_t *w) {
  const geo_t *g = &md->m->geo;
  uint32_t order = mm_page_order(md->m, a, vpn);
  uint64_t first = vpn.v >> order << order;
  REQUIRE(md, w->large == (g->large_order && order >= g->large_order));
  REQUIRE(md, w->levels == g->levels - (w->large ? g->large_level : 0));
  md->large[a][page_of(md, vpn.v)] = w->large;
  for (uint64_t v = first; v < first + (UINT64_C(1) << order); v++) {
    REQUIRE(md, md->frame[a][page_of(md, v)] == w->ppn.v - vpn.v + v);
    REQUIRE(md, mm_page_order(md->m, a, (vpn_t){v}) == order);
  }
}

static void compare_page(model_t *md, asid_t a, uint64_t page, picture_t *pic) {
  vpn_t vpn = {address(md, page << md->page_shift) >> md->page_shift};
  ppn_t ppn = {0};
  bool large = false;
  bool mapped = mm_translate(md->m, a, vpn, &ppn, &large);
  REQUIRE(md, mapped == (md->frame[a][page] != UNMAPPED));
  mm_walk_t w;
  mm_walk(md->m, a, vpn, &w);
  REQUIRE(md, w.mapped == mapped);
  for (uint32_t i = 0; i < w.levels; i++) {
    ppn_t table = {w.entry[i].v >> md->page_shift};
    uint8_t owner = mm_frame_owner(md->m, table);
    bool hashed = md->m->hashed && (!i || (w.probes && i == 1)); /* of all spaces */
    REQUIRE(md, owner == (hashed ? MM_OWNER_OTHER : MM_OWNER_TABLE + a));
  }
  if (md->spec->colours.functions) compare_colour(md, a, &w);
  if (!md->ops->whole_large) REQUIRE(md, mm_allocated(md->m, a, vpn) == (md->touched[a][page] > 0));
  if (!mapped) return;
  if (md->ops->mixed) compare_size(md, a, vpn, &w);
  REQUIRE(md, ppn.v == md->frame[a][page]);
  REQUIRE(md, large == md->large[a][page]);
  REQUIRE(md, w.ppn.v == ppn.v && w.large == large && w.levels >= 1);
  REQUIRE(md, md->ops->whole_large || md->ops->mixed || w.levels == mm_levels(md->m) ||
                  (md->m->hashed && w.levels == 2 && w.probes));
  REQUIRE(md, mm_frame_owner(md->m, ppn) == a);
  REQUIRE(md, !pic->taken[ppn.v]);
  pic->taken[ppn.v] = 1;
  if (!large) return;
  uint32_t order = md->m->geo.large_order;
  REQUIRE(md, ((ppn.v ^ vpn.v) & ((UINT64_C(1) << order) - 1)) == 0); /* at its own offset */
  pic->coalesced[ppn.v >> order] = (uint8_t)(a + 1);
}

/* Whoever has something in a frame that is one large page is its owner. */
static void compare_coalesced(model_t *md, const picture_t *pic, uint64_t frames) {
  for (uint64_t f = 0; f < frames; f++) {
    uint8_t of = pic->coalesced[f >> md->m->geo.large_order];
    uint8_t owner = mm_frame_owner(md->m, (ppn_t){f});
    REQUIRE(md, !of || owner == of - 1 || owner == MM_OWNER_NONE);
  }
}

static void compare(model_t *md) {
  mm_usage_t u = usage_of(md->m);
  picture_t pic = {calloc(1, u.frames), calloc(1, u.frames)};
  uint64_t used = u.free_frames + u.other_frames;
  for (asid_t a = 0; a < SPACES; a++) {
    uint64_t bytes = 0, large = 0, resident = 0, needed = 0;
    for (uint64_t p = 0; p < (PIECES * PIECE) >> md->page_shift; p++) {
      compare_page(md, a, p, &pic);
      resident += md->frame[a][p] != UNMAPPED;
      large += md->large[a][p] && md->frame[a][p] != UNMAPPED;
      needed += md->touched[a][p] > 0;
    }
    REQUIRE(md, u.data_frames[a] == resident && u.held_frames[a] >= resident);
    REQUIRE(md, md->ops->whole_large || u.needed_frames[a] == needed);
    for (uint32_t i = 0; i < md->blocks[a]; i++) bytes += md->block[a][i].bytes;
    REQUIRE(md, u.allocated_bytes[a] == bytes);
    REQUIRE(md, u.large_frames[a] == large);
    used += u.data_frames[a] + u.table_frames[a];
  }
  REQUIRE(md, used == u.frames);
  compare_coalesced(md, &pic, u.frames);
  free(pic.taken), free(pic.coalesced);
  err_t e = {0};
  if (mm_check(md->m, &e))
    fail_msg("%s, %s: step %u: %s (GMMU_SEED=%llu)", md->ops->name, md->name, md->step, e.text,
             (unsigned long long)test_seed());
}

/* ---- cases ---- */

static void one_step(model_t *md) {
  uint32_t dice = rng_below(&md->rng, 200);
  md->refusing = rng_below(&md->rng, 4) == 0;
  if (dice < 60)
    random_alloc(md, false);
  else if (dice < 85)
    random_alloc(md, true);
  else if (dice < 100)
    random_carpet(md);
  else if (dice < 130)
    random_touch(md);
  else if (dice < 150)
    random_release_part(md);
  else if (dice < 160)
    random_evict(md);
  else if (dice < 199)
    random_release(md);
  else
    release_space(md, (asid_t)rng_below(&md->rng, SPACES));
  if (md->spec->colours.functions && dice % 16 == 0) random_colours(md);
}

static model_t *model_new(const mm_spec_t *spec, const char *name, uint64_t piece_stride) {
  model_t *md = calloc(1, sizeof *md);
  md->host = counting_host(&md->count);
  assert_int_equal(mm_new_on(&md->host, spec, &md->m, NULL), 0);
  md->ops = mm_manager_find(spec->manager), md->name = name, md->spec = spec;
  md->rng.s = test_seed(), md->piece_stride = piece_stride;
  md->page_shift = mm_base_shift(md->m);
  md->unit_shift = md->ops->whole_large ? mm_large_shift(md->m) : md->page_shift;
  for (uint32_t a = 0; a < SPACES; a++)
    for (uint64_t p = 0; p < MAX_PAGES; p++) md->frame[a][p] = UNMAPPED;
  return md;
}

static uint32_t steps(void) {
  const char *text = getenv("GMMU_STEPS");
  return text ? (uint32_t)strtoul(text, NULL, 0) : 800;
}

static bool is_soak(void) { return steps() > 800; }

static uint64_t calls_of[8]; /* of all cases, by manager: for the last test */

static void count_calls(const model_t *md) {
  for (size_t i = 0; mm_manager_all[i]; i++)
    if (mm_manager_all[i] == md->ops) calls_of[i] += md->calls;
}

static void report(const model_t *md) {
  mm_counts_t c = mm_counts(md->m);
  print_message("%s, pages of %llu KB, %s: %llu calls, %llu with a refused request, %llu for which "
                "memory was full; %llu coalesced, %llu splintered, %llu moved, %llu guests\n",
                md->ops->name, (unsigned long long)md->spec->base_bytes >> 10, md->name,
                (unsigned long long)md->calls, (unsigned long long)md->survived,
                (unsigned long long)md->full, (unsigned long long)c.coalesced,
                (unsigned long long)c.splintered, (unsigned long long)c.migrated,
                (unsigned long long)c.guests);
}

static void release_everything(model_t *md) {
  for (asid_t a = 0; a < SPACES; a++) release_space(md, a);
}

static void run(const mm_spec_t *spec, const char *name, uint64_t piece_stride) {
  model_t *md = model_new(spec, name, piece_stride);
  mm_usage_t empty = usage_of(md->m);
  for (md->step = 0; md->step < steps(); md->step++) {
    one_step(md);
    if (rng_below(&md->rng, 150) == 0) release_everything(md);
    if (md->step % (is_soak() ? 128 : 32) == 0) compare(md);
  }
  REQUIRE(md, md->full > 0 && md->refused > 0 && md->touches > 0 && md->survived > 0);
  REQUIRE(md, !md->strays == (!spec->colours.functions || spec->colours.tables));
  if (is_soak()) report(md);
  count_calls(md);
  md->refusing = false;
  release_everything(md);
  for (asid_t a = 0; a < SPACES && spec->colours.functions; a++)
    REQUIRE(md, mm_use_colours(md->m, a, spec->colours.of_space[a], NULL) == 0);
  compare(md);
  mm_usage_t after = usage_of(md->m);
  if (!spec->fragments.index || !spec->cac.compact) /* else data of others has moved */
    REQUIRE(md, !memcmp(&empty, &after, sizeof empty));
  REQUIRE(md, after.free_frames == empty.free_frames);
  mm_actions_fini(&md->actions);
  mm_free(md->m);
  assert_int_equal(md->count.live_bytes, 0);
  free(md);
}

static uint32_t two_channels(const void *ctx, uint64_t large) {
  (void)ctx;
  return (uint32_t)(large * 3 >> 1) % 2;
}

/* One colour to a space, several, and one that two of them have in common. */
static void run_coloured(mm_spec_t spec, uint64_t piece_stride) {
  spec.manager = "coloured";
  spec.colours = (mm_colours_t){
      .functions = 2, .function = {0x5, 0x12a}, .of_space = {0x1, 0x4, 0x8 | 0x2}, .tables = true};
  run(&spec, "four colours", piece_stride);
  spec.colours.tables = false;
  run(&spec, "uncoloured tables", piece_stride);
  spec.colours = (mm_colours_t){.functions = 3,
                                .function = {0x13, 0x2, 0x1c4},
                                .of_space = {0x33, 0x44, 0xc8},
                                .tables = true};
  spec.fragments = (mm_fragments_t){.index = 50, .occupancy = 40, .seed = 7};
  run(&spec, "eight colours, fragmented", piece_stride);
}

static void run_all(mm_spec_t spec, uint64_t piece_stride) {
  spec.spaces = SPACES;
  for (size_t i = 0; mm_manager_all[i]; i++) {
    spec.manager = mm_manager_name(mm_manager_all[i]);
    if (mm_manager_all[i]->by_colour) continue; /* below */
    spec.cac = (mm_cac_t){0}, spec.fragments = (mm_fragments_t){0}, spec.channel = NULL;
    run(&spec, "plain", piece_stride);
    spec.fragments = (mm_fragments_t){.index = 50, .occupancy = 40, .seed = 7};
    run(&spec, "fragmented", piece_stride);
    if (strcmp(spec.manager, "mosaic") != 0) continue;
    spec.cac = (mm_cac_t){.compact = true, .copy = MM_COPY_DRAM, .splinter_below = 50};
    run(&spec, "fragmented and compacted", piece_stride);
    spec.fragments = (mm_fragments_t){0}, spec.cac.copy = MM_COPY_BULK;
    run(&spec, "compacted in bulk", piece_stride);
    spec.channel = two_channels, spec.channels = 2;
    spec.cac.splinter_below = 100, spec.cac.copy = MM_COPY_FREE;
    run(&spec, "compacted for free in channels", piece_stride);
  }
  spec.cac = (mm_cac_t){0}, spec.fragments = (mm_fragments_t){0}, spec.channel = NULL;
  run_coloured(spec, piece_stride);
}

static void four_kb_pages_behave_like_a_dictionary(void **state) {
  (void)state;
  run_all(spec_4k(NULL, 24 * MB, 0), UINT64_C(1) << 41);
}

static void sixty_four_kb_pages_behave_like_a_dictionary(void **state) {
  (void)state;
  mm_spec_t spec = spec_4k(NULL, 24 * MB, 0);
  spec.base_bytes = 64 * KB;
  run_all(spec, UINT64_C(1) << 41);
}

static void two_mb_pages_behave_like_a_dictionary(void **state) {
  (void)state;
  mm_spec_t spec = spec_4k(NULL, 46 * MB, 0);
  spec.base_bytes = 2 * MB;
  run_all(spec, UINT64_C(1) << 41);
}

/* Five levels of 16 entries, 32 nodes to a frame, large pages that are runs of upper entries. */
static void narrow_levels_behave_like_a_dictionary(void **state) {
  (void)state;
  mm_spec_t spec = spec_4k(NULL, 24 * MB, 0);
  spec.va_bits = 32, spec.level_bits = 4;
  run_all(spec, 512 * MB);
}

/* Every format; pages of several sizes, too. */
static void formats_behave_like_a_dictionary(void **state) {
  (void)state;
  for (uint32_t i = 0; mm_format_name(i); i++) {
    mm_spec_t spec = spec_4k("mixed", 24 * MB, SPACES);
    spec.format = mm_format_name(i);
    run(&spec, spec.format, UINT64_C(1) << 41);
    if (i % 2) continue; /* a check is to be short */
    spec.manager = "mosaic";
    spec.cac = (mm_cac_t){.compact = true, .copy = MM_COPY_DRAM, .splinter_below = 50};
    run(&spec, spec.format, UINT64_C(1) << 41);
  }
  mm_spec_t big = spec_4k("large-only", 24 * MB, SPACES);
  big.format = "pascal", big.base_bytes = 64 * KB;
  run(&big, "pascal, 64 KB", UINT64_C(1) << 41);
  big.manager = "gpu-mmu";
  run(&big, "pascal, 64 KB", UINT64_C(1) << 41);
}

/* With a hashed table before the radix tables: large enough for all, and for a few. */
static void hashed_tables_behave_like_a_dictionary(void **state) {
  (void)state;
  static const mm_hashed_spec_t hashed[] = {{150, 8, 14}, {10, 1, 2}, {30, 64, 1}};
  for (uint32_t i = 0; i < 3; i++) {
    mm_spec_t spec = spec_4k("gpu-mmu", 24 * MB, SPACES);
    spec.hashed = hashed[i];
    spec.fragments = (mm_fragments_t){.index = 40, .occupancy = 50, .seed = i};
    run(&spec, "hashed", UINT64_C(1) << 40);
    spec.manager = "large-only";
    run(&spec, "hashed, large", UINT64_C(1) << 40);
  }
}

/* The soak says what it is for. */
static void every_manager_answers_a_million_calls(void **state) {
  (void)state;
  for (size_t i = 0; mm_manager_all[i]; i++) {
    if (is_soak())
      print_message("%s: %llu calls\n", mm_manager_name(mm_manager_all[i]),
                    (unsigned long long)calls_of[i]);
    assert_true(calls_of[i] >= (steps() < 50000 ? 1 : 1000000));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(four_kb_pages_behave_like_a_dictionary),
      cmocka_unit_test(sixty_four_kb_pages_behave_like_a_dictionary),
      cmocka_unit_test(two_mb_pages_behave_like_a_dictionary),
      cmocka_unit_test(narrow_levels_behave_like_a_dictionary),
      cmocka_unit_test(formats_behave_like_a_dictionary),
      cmocka_unit_test(hashed_tables_behave_like_a_dictionary),
      cmocka_unit_test(every_manager_answers_a_million_calls),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
