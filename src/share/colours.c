/* Who lies where. Invariant, with run.check: applications without a common colour (with
 * map.partition: any two) are never seen in one L2 set or one bank, and so not in one module, which
 * is made of both. Page-table reads are exempt if tables are not coloured, and counted instead.
 *
 * The places come from the address map alone, the colours from the bit lists: a mistake in either
 * shows. */
#include "share/colours.h"
#include <stdlib.h>
#include <string.h>

static bool colours_wanted(const gpu_spec_t *s) {
  return strcmp(s->memory.manager, "coloured") == 0;
}

/* Channels, and so modules, are of one application each. */
static bool divided(const gpu_spec_t *s) { return s->map.partition || mig_wanted(&s->share); }

/* ---- dealing ---- */

static int refuse(err_t *e, const char *key, const char *what) {
  err_set(e, GMMU_ERANGE, "%s", what);
  return err_for_key(e, key);
}

/* Bits above the memory are always 0. */
static bitlist_t clipped(const bitlist_t *l, uint64_t memory_bytes) {
  bitlist_t c = *l;
  for (uint32_t i = 0; i < c.count; i++) c.mask[i] &= memory_bytes - 1;
  return c;
}

static int page_colours(const gpu_spec_t *s, color_pages_t *out, err_t *e) {
  uint64_t memory = s->memory.memory_bytes;
  color_chip_t chip = {.module = clipped(&s->map.module, memory),
                       .bank = clipped(&s->map.bank, memory),
                       .set = clipped(&s->map.set, memory)};
  color_t c;
  if (memory & (memory - 1)) return refuse(e, "mem.bytes", "map.kind=hash needs a power of two");
  int rc = color_init(&c, &chip, e);
  if (rc == 0) color_pages(&c, s->memory.base_bytes, out);
  return rc;
}

/* As mem.colours says. */
static int take_listed(const bitlist_t *l, uint32_t apps, uint32_t colours, mm_colours_t *out,
                       err_t *e) {
  if (l->count != apps) {
    err_set(e, GMMU_ERANGE, "colours of %u applications are listed, but there are %u", l->count,
            apps);
    return err_for_key(e, "mem.colours");
  }
  for (uint32_t a = 0; a < apps; a++) {
    out->of_space[a] = l->mask[a];
    if (63 - (uint32_t)__builtin_clzll(l->mask[a]) < colours) continue;
    err_set(e, GMMU_ERANGE, "application %u: there are only colours 0 .. %u", a, colours - 1);
    return err_for_key(e, "mem.colours");
  }
  return GMMU_OK;
}

static int take_shares(const color_pages_t *p, uint32_t apps, mm_colours_t *out, err_t *e) {
  color_tenant_t tenant[GMMU_MAX_APPS];
  uint32_t shares[GMMU_MAX_APPS];
  for (uint32_t a = 0; a < apps; a++) shares[a] = 1;
  int rc = color_deal(p, shares, apps, tenant, e);
  if (rc < 0) return err_for_key(e, "mem.page");
  for (uint32_t a = 0; a < apps; a++)
    out->of_space[a] = (UINT64_MAX >> (64 - tenant[a].count)) << tenant[a].first;
  return GMMU_OK;
}

int colours_deal(const gpu_spec_t *s, uint32_t apps, mm_colours_t *out, err_t *e) {
  color_pages_t p = {.page_bytes = s->memory.base_bytes, .colors = 1};
  *out = (mm_colours_t){.tables = s->memory.colour_tables};
  if (!colours_wanted(s)) return GMMU_OK;
  bool hashed = strcmp(s->map.kind, "hash") == 0;
  if (s->map.partition)
    return refuse(e, "map.partition", "mem.manager=coloured divides the modules already");
  if (!hashed && apps > 1 && !s->memory.colours.count)
    return refuse(e, "mem.manager",
                  "colours follow from bit lists of banks and L2 sets: coloured needs "
                  "map.kind=hash, as in gtx1080 and v100");
  int rc = hashed ? page_colours(s, &p, e) : GMMU_OK;
  if (rc < 0) return rc;
  out->functions = p.functions.rank;
  for (uint32_t i = 0; i < p.functions.rank && i < MM_MAX_COLOUR_BITS; i++)
    out->function[i] = p.functions.row[i] / s->memory.base_bytes;
  return s->memory.colours.count ? take_listed(&s->memory.colours, apps, p.colors, out, e)
                                 : take_shares(&p, apps, out, e);
}

/* ---- places ---- */

static uint32_t colour_of(const mm_colours_t *c, uint64_t frame) {
  uint32_t colour = 0;
  for (uint32_t i = 0; i < c->functions; i++) colour |= gf2_parity(c->function[i] & frame) << i;
  return colour;
}

/* Both the slice and the colour are linear in the address: what one bit does to the one it does to
 * the other, wherever it is added. */
static void find_slice_colours(colours_t *c) {
  uint8_t *colour = c->slice_colour;
  uint64_t known = 1; /* slices; the first has colour 0, as address 0 */
  for (uint64_t pa = colours_spec(c)->core.line_bytes; pa < colours_spec(c)->memory.memory_bytes;
       pa *= 2) {
    uint32_t slice = addrmap_place(colours_map(c), pa).slice;
    uint32_t own = colour_of(&c->of, pa >> colours_memory(c)->page_shift);
    if (known >> slice & 1) continue;
    for (uint64_t m = known; m; m &= m - 1) {
      uint32_t from = (uint32_t)__builtin_ctzll(m);
      colour[from ^ slice] = (uint8_t)(colour[from] ^ own);
      known |= 1ull << (from ^ slice);
    }
  }
}

static void find_friends(colours_t *c) {
  memset(c->friends, 0, sizeof c->friends);
  for (uint32_t a = 0; a < colours_share(c)->apps; a++)
    for (uint32_t b = 0; b < colours_share(c)->apps; b++) {
      bool common = divided(colours_spec(c)) ? false : (c->used[a] & c->used[b]) != 0;
      if (a == b || common) c->friends[a] |= (uint16_t)(1u << b);
    }
}

static int colours_init(void *block, err_t *e) {
  colours_t *c = block;
  int rc = colours_deal(colours_spec(c), colours_share(c)->apps, &c->of, e);
  if (rc < 0) return rc;
  bool coloured = colours_wanted(colours_spec(c));
  uint32_t sets = colours_l2(c)->slice[0].array.sets;
  c->verify = colours_spec(c)->run.check && (coloured || divided(colours_spec(c)));
  c->strays = coloured && !c->of.tables;
  c->watch = c->verify || c->strays;
  memcpy(c->used, c->of.of_space, sizeof c->used);
  find_friends(c);
  c->slice_colour = calloc(colours_l2(c)->slices, 1);
  c->in_set = calloc((size_t)colours_l2(c)->slices * sets, sizeof *c->in_set);
  c->in_bank =
      calloc((size_t)colours_dram(c)->channels * colours_spec(c)->dram.banks, sizeof *c->in_bank);
  if (coloured) c->stats = calloc(colours_share(c)->apps, sizeof *c->stats);
  if (!c->slice_colour || !c->in_set || !c->in_bank || (coloured && !c->stats))
    return err_set(e, GMMU_ENOMEM, "out of memory for page colours");
  if (!coloured) return GMMU_OK;
  if (c->of.functions) find_slice_colours(c);
  for (uint32_t a = 0; a < colours_share(c)->apps; a++)
    c->stats[a].colours = (uint64_t)__builtin_popcountll(c->of.of_space[a]);
  return GMMU_OK;
}

int colours_use(colours_t *c, uint32_t app, uint64_t colours, err_t *e) {
  mm_usage_t u;
  int rc = mm_use_colours(colours_memory(c)->mm, (asid_t)app, colours, e);
  if (rc < 0) return rc;
  mm_usage(colours_memory(c)->mm, &u);
  if (!u.allocated_bytes[app]) c->used[app] = 0;
  c->used[app] |= colours;
  find_friends(c);
  return GMMU_OK;
}

static void colours_fini(void *block) {
  colours_t *c = block;
  free(c->slice_colour);
  free(c->in_set);
  free(c->in_bank);
  free(c->stats);
}

/* ---- every request ---- */

static void met(colours_t *c, const request_t *r, const char *where, uint32_t number) {
  err_set(&colours_ev(c)->error, GMMU_ECHECK,
          "application %u came to %s %u of L2 slice %u, where one was whose modules are others",
          r->app, where, number, r->slice);
  engine_fail(colours_ev(c), GMMU_ECHECK);
}

static bool outside(const colours_t *c, const request_t *r) {
  return c->strays && !(c->of.of_space[r->app] >> c->slice_colour[r->slice] & 1);
}

void colours_note(colours_t *c, const request_t *r) {
  if (r->kind == REQ_WALK && outside(c, r)) {
    c->stats[r->app].foreign_reads++;
    return;
  }
  if (!c->verify) return;
  uint32_t sets = colours_l2(c)->slice[0].array.sets,
           set = addrmap_set(colours_map(c), r->local, sets), row;
  uint16_t *in_set = &c->in_set[r->slice * sets + set], others = (uint16_t)~c->friends[r->app];
  uint8_t bank;
  addrmap_dram(colours_map(c), r->local, &bank, &row);
  uint32_t channel = addrmap_channel(colours_map(c), r->slice);
  uint16_t *in_bank = &c->in_bank[channel * colours_spec(c)->dram.banks + bank];
  if (*in_set & others) met(c, r, "set", set);
  if (*in_bank & others) met(c, r, "bank", bank);
  *in_set |= (uint16_t)(1u << r->app);
  *in_bank |= (uint16_t)(1u << r->app);
}

/* Nobody evicts lines of those whose sets are others; a stray table does. */
static int colours_check(const void *block, err_t *e) {
  const colours_t *c = block;
  for (uint32_t i = 0;
       c->verify && !c->strays && i < colours_share(c)->apps * colours_share(c)->apps; i++)
    if (colours_l2(c)->evicted_by[i] &&
        !(c->friends[i / colours_share(c)->apps] >> i % colours_share(c)->apps & 1))
      return err_set(e, GMMU_ECHECK, "application %u evicted lines of application %u from L2",
                     i / colours_share(c)->apps, i % colours_share(c)->apps);
  return GMMU_OK;
}
