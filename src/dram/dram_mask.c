/* MASK's address-space-aware scheduler (its section 5.4): three queues. Golden has the reads of
 * page walks, Silver the data of the one application whose turn it is, Normal all other data.
 * Golden goes before Silver before Normal, command by command; within Silver and Normal row hits go
 * first.
 *
 * Golden is a FIFO: its column accesses come in order of arrival. While the first one waits for its
 * bank, rows are opened for those behind it, and other queues use what they leave of the buses.
 * Silver yields to data of Normal that DRAM_HIT_LEAD accesses have overtaken: an application
 * without a quota, and so without turns, would else wait for as long as another fills Silver.
 *
 * An application's quota is that of its last access here; for a turn it is the one it has when the
 * turn begins. A turn ends when that many have gone into Silver, or when thresh_max data reads of
 * others have come since its last: it does not hang on one that is silent. The next turn is that of
 * the next application with a quota.
 *
 * Invariants: the state changes with accesses only, in order of arrival. `asking` has the bits of
 * the applications whose quota is not 0. Unless it is nobody's turn, sent < limit. */
#include "dram/dram.h"

enum { GOLDEN, SILVER, NORMAL };

#define NOBODY GMMU_MAX_APPS

typedef struct {
  uint32_t thresh_max;  /* as in the spec */
  uint32_t asking;      /* bit per application */
  uint32_t turn;        /* application, or NOBODY */
  uint32_t sent, limit; /* its accesses of this turn, and as many as it may send */
  uint32_t silent;      /* data reads of others since its last */
  uint16_t quota[GMMU_MAX_APPS];
} mask_t;

static size_t mask_bytes(const dram_spec_t *s) {
  (void)s;
  return sizeof(mask_t);
}

static void mask_init(void *state, const dram_spec_t *s) {
  *(mask_t *)state = (mask_t){.thresh_max = s->thresh_max, .turn = NOBODY};
}

static uint32_t mask_capacity(const dram_spec_t *s, uint32_t queue) {
  return queue == GOLDEN ? s->golden : queue == SILVER ? s->silver : s->normal;
}

/* ---- turns ---- */

/* The next of those that ask, behind the one whose turn it was, which may be the next again. */
static void next_turn(mask_t *m) {
  uint32_t later = m->asking & ~(UINT32_MAX >> (31 - m->turn));
  uint32_t from = later ? later : m->asking;
  m->turn = from ? (uint32_t)__builtin_ctz(from) : NOBODY;
  m->sent = m->silent = 0;
  m->limit = from ? m->quota[m->turn] : 0;
}

static void note_quota(mask_t *m, const dram_access_t *a) {
  uint32_t bit = 1u << a->app;
  m->asking = a->quota ? m->asking | bit : m->asking & ~bit;
  m->quota[a->app] = a->quota;
}

/* Is it nobody's turn, or that of one that has been silent for too long? */
static bool turn_over(mask_t *m, const dram_access_t *a) {
  if (m->turn == NOBODY) return true;
  m->silent = a->app == m->turn ? 0 : m->silent + 1;
  return m->silent >= m->thresh_max;
}

static uint32_t mask_enqueue(void *state, const dram_access_t *a) {
  mask_t *m = state;
  if (a->cls == DRAM_WALK) return GOLDEN;
  note_quota(m, a);
  if (turn_over(m, a)) next_turn(m);
  if (a->app != m->turn) return NORMAL;
  uint32_t first = m->sent ? 0 : DRAM_TURN;
  if (++m->sent == m->limit) next_turn(m);
  return SILVER | first;
}

/* ---- choosing ---- */

/* Silver before Normal; or writes alone, which are all of one queue. */
static int choose_data(const dram_candidates_t *c, uint32_t ready) {
  uint32_t silver = ready & c->of[SILVER], rest = ready & ~silver;
  if (!silver || !rest) return dram_frfcfs.choose(NULL, c, ready);
  int first = dram_frfcfs.choose(NULL, c, silver);
  dram_order_t waits = dram_oldest(c, rest);
  return c->order[first] <= waits + DRAM_HIT_LEAD * DRAM_BANKS_MAX ? first : dram_bank_of(waits);
}

/* A bank with a golden request has it as its candidate, the oldest of them: so the oldest of all is
 * among the candidates. */
static int mask_choose(void *state, const dram_candidates_t *c, uint32_t ready) {
  (void)state;
  uint32_t golden = c->of[GOLDEN];
  if (!golden) return choose_data(c, ready);
  uint32_t first = 1u << dram_bank_of(dram_oldest(c, golden));
  uint32_t behind = golden & c->hits & ~first; /* only column accesses have to wait */
  uint32_t may = ready & golden & ~behind;
  if (may) return dram_bank_of(dram_oldest(c, may));
  ready &= ~golden;
  return ready ? choose_data(c, ready) : -1;
}

const dram_sched_ops_t dram_mask = {
    .name = "mask",
    .help = "MASK: page walks, then the application whose turn it is, then the others",
    .queues = 3,
    .queue_name = {"golden", "silver", "normal"},
    .capacity = mask_capacity,
    .row_first = {false, true, true},
    .yields = {false, true, false},
    .may_pass = true,
    .wants_quota = true,
    .state_bytes = mask_bytes,
    .init = mask_init,
    .enqueue = mask_enqueue,
    .choose = mask_choose,
};
