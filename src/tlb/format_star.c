/* STAR (MICRO 2024): two blocks share an entry whose sub-entries one of them leaves empty.
 *
 * An entry has one base, or is shared by two; then each has half of the sub-entries, and two of its
 * pages have one place: page p and p + half (sequential), or pages 2k and 2k + 1 (stride). A base
 * that fills its half has the entry alone again. Here pages are kept by their number in the block,
 * and `present` of a shared entry never has two pages of one place. */
#include "tlb/format.h"
#include <string.h>

static const char *layout_name(uint32_t i) {
  static const char *const names[] = {"both", "sequential", "stride"};
  return i < 3 ? names[i] : NULL;
}

const opt_t star_options[] = {
    {"second", OPT_U32, offsetof(star_spec_t, second_cycles), 0, 1000, 10, "cycles",
     "that a look-up takes longer if it compares second bases (reported: 50 instead of 40)", NULL,
     NULL},
    {"layout", OPT_NAME, offsetof(star_spec_t, layout), 0, 0, 0, "",
     "of a shared entry: by what is used, or always the one", layout_name, "both"},
    {0},
};
static const star_spec_t star_defaults = {10, "both"};

enum { ALONE, SEQUENTIAL, STRIDE };
typedef struct {
  uint64_t key[2];
  uint32_t present[2]; /* a bit for each page of the block */
  uint8_t bases;       /* 0: empty; with one it is the first */
  uint8_t layout;
} star_entry_t;

typedef struct {
  format_env_t env;
  uint32_t half, places; /* log2 of half the sub-entries */
  uint8_t always;        /* a layout, or ALONE: by what is used */
  uint64_t *ppn;         /* [(entry * 2 + base) * reach + page] */
  star_entry_t entry[];  /* [set * ways + way] */
} star_t;

static size_t star_bytes(const format_env_t *e) {
  size_t n = (size_t)e->sets * e->ways;
  return sizeof(star_t) + n * sizeof(star_entry_t) + n * 2 * e->reach * sizeof(uint64_t);
}

static void star_init(void *state, const format_env_t *env) {
  star_t *s = state;
  s->env = *env;
  if (!s->env.star) s->env.star = &star_defaults;
  s->half = env->reach / 2;
  s->places = (uint32_t)__builtin_ctz(s->half);
  const char *layout = s->env.star->layout;
  s->always = strcmp(layout, "sequential") == 0 ? SEQUENTIAL
              : strcmp(layout, "stride") == 0   ? STRIDE
                                                : ALONE;
  s->ppn = (uint64_t *)(void *)(s->entry + (size_t)env->sets * env->ways);
}

static uint32_t used(uint32_t present) { return (uint32_t)__builtin_popcount(present); }
static uint64_t *frame(const star_t *s, const star_entry_t *e, uint32_t base, uint32_t sub) {
  return &s->ppn[((size_t)(e - s->entry) * 2 + base) * s->env.reach + sub];
}
/* The page of the same block that has the same place. */
static uint32_t rival(const star_t *s, uint8_t layout, uint32_t sub) {
  return layout == SEQUENTIAL ? sub ^ s->half : sub ^ 1;
}

/* ---- look-ups ---- */

typedef struct {
  star_entry_t *e; /* NULL: none has the block */
  uint32_t way, base;
  bool second; /* second bases were compared */
} found_base_t;

static found_base_t find(const star_t *s, const format_page_t *p) {
  const star_entry_t *set = &s->entry[(size_t)p->set * s->env.ways];
  found_base_t f = {NULL, 0, 0, false};
  for (uint32_t w = 0; w < s->env.ways; w++) {
    if (set[w].bases && set[w].key[0] == p->key)
      return (found_base_t){(star_entry_t *)&set[w], w, 0, false};
    f.second |= set[w].bases == 2;
  }
  for (uint32_t w = 0; f.second && w < s->env.ways; w++)
    if (set[w].bases == 2 && set[w].key[1] == p->key)
      return (found_base_t){(star_entry_t *)&set[w], w, 1, true};
  return f;
}

static bool star_lookup(void *state, const format_page_t *p, ppn_t *ppn, uint32_t *cycles) {
  star_t *s = state;
  tlb_array_stats_t *st = &s->env.stats[p->key >> 56];
  found_base_t f = find(s, p);
  st->second_looks += f.second;
  *cycles = f.second ? s->env.star->second_cycles : 0;
  if (!f.e || !(f.e->present[f.base] >> p->sub & 1)) return false;
  s->env.repl->hit(s->env.repl_state, p->set, f.way);
  st->second_hits += f.base;
  ppn->v = *frame(s, f.e, f.base, p->sub);
  return true;
}

static format_run_t star_holds(const void *state, const format_page_t *p) {
  found_base_t f = find(state, p);
  bool there = f.e && f.e->present[f.base] >> p->sub & 1;
  return (format_run_t){p->sub, there};
}

/* ---- fills ---- */

/* The first base leaves a shared entry, whose second one is the first then. */
static void move_second(const star_t *s, star_entry_t *e) {
  e->key[0] = e->key[1], e->present[0] = e->present[1];
  memcpy(frame(s, e, 0, 0), frame(s, e, 1, 0), s->env.reach * sizeof(uint64_t));
}

/* `base` has the entry alone from now on. */
static void make_exclusive(star_t *s, star_entry_t *e, uint32_t base, format_victims_t *out) {
  format_left(&s->env, e->key[!base], out);
  tlb_array_stats_t *st = &s->env.stats[e->key[base] >> 56];
  st->exclusive++;
  st->displaced += used(e->present[!base]);
  if (base) move_second(s, e);
  e->bases = 1, e->layout = ALONE;
}

static void put(star_t *s, star_entry_t *e, uint32_t base, const format_page_t *p, ppn_t ppn,
                format_victims_t *out) {
  if (e->layout != ALONE) {
    uint32_t other = 1u << rival(s, e->layout, p->sub);
    s->env.stats[p->key >> 56].displaced += (e->present[base] & other) != 0;
    e->present[base] &= ~other;
  }
  e->present[base] |= 1u << p->sub;
  *frame(s, e, base, p->sub) = ppn.v;
  if (e->layout != ALONE && used(e->present[base]) == s->half) make_exclusive(s, e, base, out);
}

/* An entry of the set with one base that uses less than half of it: of the same address space if
 * there is one, and then the one that uses least. */
static uint32_t partner(const star_t *s, const format_page_t *p) {
  const star_entry_t *set = &s->entry[(size_t)p->set * s->env.ways];
  uint32_t best = s->env.ways, best_rank = UINT32_MAX;
  for (uint32_t w = 0; w < s->env.ways; w++) {
    if (set[w].bases != 1 || used(set[w].present[0]) >= s->half) continue;
    uint32_t rank = used(set[w].present[0]) + (set[w].key[0] >> 56 == p->key >> 56 ? 0 : 64);
    if (rank < best_rank) best = w, best_rank = rank;
  }
  return best;
}

static uint8_t layout_for(const star_t *s, uint32_t present) {
  if (s->always != ALONE) return s->always;
  uint32_t from_first = present >> __builtin_ctz(present);
  return from_first & (from_first + 1) ? STRIDE : SEQUENTIAL;
}

static void share(star_t *s, star_entry_t *e, const format_page_t *p) {
  tlb_array_stats_t *st = &s->env.stats[p->key >> 56];
  uint32_t present = e->present[0];
  e->layout = layout_for(s, present);
  for (uint32_t sub = 0; sub < s->env.reach; sub++) { /* the first of a place stays */
    uint32_t other = rival(s, e->layout, sub);
    if (other > sub && present >> sub & present >> other & 1) present &= ~(1u << other);
  }
  st->displaced += used(e->present[0]) - used(present);
  st->shared++;
  *(e->layout == STRIDE ? &st->stride : &st->sequential) += 1;
  e->present[0] = present;
  e->key[1] = p->key, e->present[1] = 0, e->bases = 2;
}

/* A way for the block that has none: empty, shared, or the victim's. */
static uint32_t way_for(star_t *s, const format_page_t *p, format_victims_t *out) {
  star_entry_t *set = &s->entry[(size_t)p->set * s->env.ways];
  uint32_t w = 0;
  while (w < s->env.ways && set[w].bases) w++;
  if (w < s->env.ways) {
    s->env.repl->fill(s->env.repl_state, p->set, w, 0);
  } else if ((w = partner(s, p)) < s->env.ways) {
    share(s, &set[w], p);
    s->env.repl->hit(s->env.repl_state, p->set, w);
    format_came(&s->env, p->set, w, p->key);
    return w;
  } else {
    w = s->env.repl->victim(s->env.repl_state, p->set, 0);
    for (uint32_t b = 0; b < set[w].bases; b++) format_left(&s->env, set[w].key[b], out);
  }
  set[w] = (star_entry_t){.key = {p->key}, .bases = 1};
  format_came(&s->env, p->set, w, p->key);
  return w;
}

static void star_fill(void *state, const format_page_t *p, ppn_t ppn, format_run_t run,
                      format_victims_t *out) {
  (void)run;
  star_t *s = state;
  found_base_t f = find(s, p);
  if (f.e) {
    s->env.repl->hit(s->env.repl_state, p->set, f.way);
  } else {
    f.e = &s->entry[(size_t)p->set * s->env.ways + way_for(s, p, out)];
    f.base = f.e->bases - 1u;
  }
  put(s, f.e, f.base, p, ppn, out);
}

/* ---- entries that must go ---- */

static uint32_t star_drop(void *state, format_gone_fn gone, const void *ctx) {
  star_t *s = state;
  uint32_t n = 0;
  for (size_t i = 0; i < (size_t)s->env.sets * s->env.ways; i++) {
    star_entry_t *e = &s->entry[i];
    for (uint32_t b = e->bases; b-- > 0;) {
      if (!gone(ctx, e->key[b])) continue;
      if (b == 0 && e->bases == 2) move_second(s, e);
      e->bases--, e->layout = ALONE;
      n++;
    }
  }
  return n;
}

static bool base_is_right(const star_t *s, const star_entry_t *e, uint32_t b) {
  if (!e->present[b] || (e->layout != ALONE && used(e->present[b]) >= s->half)) return false;
  for (uint32_t sub = 0; e->layout != ALONE && sub < s->env.reach; sub++)
    if (e->present[b] >> sub & e->present[b] >> rival(s, e->layout, sub) & 1) return false;
  return true;
}

static bool star_check(const void *state, uint32_t (*set)(const void *ctx, uint64_t key),
                       const void *ctx) {
  const star_t *s = state;
  for (uint32_t at = 0; at < s->env.sets; at++)
    for (uint32_t w = 0; w < s->env.ways; w++) {
      const star_entry_t *e = &s->entry[(size_t)at * s->env.ways + w];
      if (e->bases > 2 || (e->bases == 2) != (e->layout != ALONE)) return false;
      for (uint32_t b = 0; b < e->bases; b++) {
        format_page_t p = {.key = e->key[b], .set = at};
        found_base_t f = find(s, &p); /* the only one that has the block */
        if (f.e != e || f.base != b || set(ctx, e->key[b]) != at || !base_is_right(s, e, b))
          return false;
      }
    }
  return true;
}

const tlb_format_t format_star = {
    .name = "star",
    .help = "two blocks of pages share an entry of the last level (STAR)",
    .sub_entries = true,
    .fewest_pages = 4,
    .state_bytes = star_bytes,
    .init = star_init,
    .lookup = star_lookup,
    .fill = star_fill,
    .holds = star_holds,
    .drop = star_drop,
    .check = star_check,
};
