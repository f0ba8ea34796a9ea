/* The order of the search, and addresses for it. */
#include "solver/solver.h"
#include "solver/internal.h"
#include <string.h>

const char *solver_verdict_text(solver_verdict_t v) {
  static const char *const text[] = {
      [SOLVED] = "solved",
      [NO_SIGNAL] = "no signal: times do not fall into two groups",
      [NOT_LINEAR] = "not linear: no XOR of address bits explains the times",
      [NOT_POWER_OF_2] = "not a power of two: XORs of address bits explain only a part",
  };
  return text[v];
}

static uint64_t anywhere(search_t *s) {
  uint64_t a;
  do a = rng_next(&s->rng) & s->width;
  while (a >= s->o->bytes);
  return a;
}

/* Random pages: enough of them that every address bit differs between some, few enough that their
 * translations stay in TLBs. */
static void choose_pages(search_t *s) {
  for (uint32_t i = 0; i < PAGES && s->o->page_bytes; i++)
    s->page[i] = anywhere(s) & -s->o->page_bytes;
}

uint64_t any_address(search_t *s) {
  if (!s->o->page_bytes) return anywhere(s);
  uint64_t inside = rng_next(&s->rng) & s->width & (s->o->page_bytes - 1);
  return s->page[rng_below(&s->rng, PAGES)] | inside;
}

/* A pivot is in one function only, so it makes that one even and leaves the others. */
uint64_t any_in_bank(search_t *s, uint64_t a) {
  const gf2_space_t *f = &s->r->bank.space;
  uint64_t b;
  do {
    b = any_address(s);
    for (uint32_t i = 0; i < f->rank; i++)
      if (gf2_parity(f->row[i] & (a ^ b))) b ^= f->row[i] & -f->row[i];
  } while (b >= s->o->bytes);
  return b;
}

bool any_pair(search_t *s, uint64_t d, oracle_pair_t *p) {
  p->a = any_address(s);
  p->b = p->a ^ d;
  return p->b < s->o->bytes && d;
}

uint64_t any_of(search_t *s, const gf2_space_t *space) {
  uint64_t x = 0, pick = rng_next(&s->rng);
  for (uint32_t i = 0; i < space->rank; i++) x ^= pick >> i & 1 ? space->row[i] : 0;
  return x;
}

/* Modules are what banks and sets share. */
static void find_modules(solver_report_t *r) {
  if (r->bank.verdict != SOLVED || r->set.verdict != SOLVED) return;
  uint32_t sure = r->bank.confidence < r->set.confidence ? r->bank.confidence : r->set.confidence;
  gf2_meet(&r->bank.space, &r->set.space, &r->module);
  r->modules = (finding_t){1ull << r->module.rank, sure, r->bank.samples + r->set.samples};
}

static int check(const oracle_t *o, err_t *e) {
  uint64_t g = o->granule_bytes, page = o->page_bytes;
  if (page & (page - 1) || (page && (page < 4096 || page > o->bytes)))
    return err_set(e, GMMU_ERANGE, "pages of %llu bytes: a power of two, at least 4 KB",
                   (unsigned long long)page);
  if (!g || (g & (g - 1)) || o->bytes < 1u << 20 || o->bytes > 1ull << 48)
    return err_set(e, GMMU_ERANGE,
                   "a device of %llu bytes in granules of %u: at least 1 MB, and a power of two",
                   (unsigned long long)o->bytes, o->granule_bytes);
  return GMMU_OK;
}

int solver_run(const oracle_t *o, uint64_t seed, solver_report_t *r, err_t *e) {
  int rc = check(o, e);
  if (rc < 0) return rc;
  memset(r, 0, sizeof *r);
  uint32_t bits = 64 - (uint32_t)__builtin_clzll(o->bytes - 1);
  search_t s = {.o = o,
                .rng = {seed},
                .width = (1ull << bits) - o->granule_bytes,
                .bits = bits,
                .r = r,
                .e = e};
  choose_pages(&s);
  rc = find_banks(&s);
  if (rc == 0) rc = find_sets(&s);
  if (rc == 0) find_modules(r);
  return rc == 0 ? find_mshrs(&s) : rc;
}
