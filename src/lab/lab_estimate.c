/* What the missing runs will take on this machine. Pieces of a run are run now: its begin and, of
 * recordings, whose kernels differ, some from the middle. How long all of it takes follows from its
 * limits or from the warp instructions of its applications (source_work()), and from the rates of
 * the pieces' later halves, when caches and TLBs are warm. Of a plan with many different runs some
 * are measured so, and the others take the mean rates of those under the same design. */
#include "base/stop.h"
#include "gpu/stats.h"
#include "lab/apps.h"
#include "lab/front.h"
#include "lab/lab_own.h"
#include "lab/probing.h"
#include "lab/reuse.h"
#include "trace/gmt.h"
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MILLISECOND   UINT64_C(1000000)
#define SECOND_NS     (1000 * MILLISECOND)
#define PLAN_NS       (8 * SECOND_NS)     /* of processor time, about, for a whole plan; ... */
#define STRETCH_LEAST (40 * MILLISECOND)  /* ... for a stretch of a run at least, ... */
#define STRETCH_MOST  (250 * MILLISECOND) /* ... and at most */
#define PIECES_OF_RUN 4
#define LOOK_CYCLES   500 /* between two looks at the clock */
#define MOST_PIECES   64

/* What a child tells of its piece. */
typedef struct {
  uint64_t ns;        /* the whole run; 0: nobody knows its end */
  uint64_t set_up_ns; /* of that, before its first cycle */
  uint64_t rate_ns, rate_cycles,
      rate_instructions; /* of the later half, or of a run that is over */
} piece_t;

/* Runs that differ in nothing but the division of the SMs, one of them for all. */
typedef struct {
  char key[STORE_KEY_BYTES];
  missing_t *run;
  piece_t piece;
} alike_t;

typedef struct {
  alike_t *group;
  uint32_t groups, pieces;
  uint64_t stretch_ns;
} plan_t;

static uint64_t processor_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (uint64_t)t.tv_sec * 1000 * MILLISECOND + (uint64_t)t.tv_nsec;
}

/* ---- pieces of one run, in a process of its own
 * -------------------------------------------------- */

/* What happened between two looks at a machine. */
typedef struct {
  uint64_t ns, cycles, all, app[GMMU_MAX_APPS]; /* processor time, cycles, warp instructions */
} stretch_t;

static void look(const lab_setup_t *s, stretch_t *x) {
  *x = (stretch_t){processor_ns(), gpu_cycles(s->gpu), gpu_instructions(s->gpu), {0}};
  for (uint32_t a = 0; a < s->apps; a++) {
    gpu_summary_t sum;
    gpu_summary(s->gpu, a, &sum);
    x->app[a] = sum.instructions;
  }
}

static void subtract(stretch_t *x, const stretch_t *from) {
  x->ns -= from->ns, x->cycles -= from->cycles, x->all -= from->all;
  for (uint32_t a = 0; a < GMMU_MAX_APPS; a++) x->app[a] -= from->app[a];
}

/* Runs on for about `ns` of processor time; *x is the later half of that, or all of a run that ends
 * within it. Returns as gpu_run(). */
static int run_stretch(const lab_setup_t *s, const gpu_limits_t *l, uint64_t ns, stretch_t *x,
                       err_t *e) {
  stretch_t begin, half;
  int rc = 0;
  look(s, &begin);
  half = *x = begin;
  while (rc == 0 && !stop_asked() && x->ns - begin.ns < ns) {
    rc = gpu_run(s->gpu, l, gpu_cycles(s->gpu) + LOOK_CYCLES, e);
    look(s, x);
    if (x->ns - begin.ns < ns / 2) half = *x;
  }
  subtract(x, rc > 0 ? &begin : &half);
  return rc;
}

__extension__ typedef unsigned __int128 wide_t;

#define MOST (UINT64_MAX / 16) /* some of them can be added */

/* amount * num / den; 0 if there is nothing to divide by. */
static uint64_t scale(uint64_t amount, uint64_t num, uint64_t den) {
  wide_t v = den ? (wide_t)amount * num / den : 0;
  return v > MOST ? MOST : (uint64_t)v;
}

/* Stretches at equal distances in the work of the applications. */
typedef struct {
  stretch_t at[PIECES_OF_RUN], sum;
  uint32_t count;
  uint64_t work[GMMU_MAX_APPS]; /* of one execution; 0: not known */
} walk_t;

static void add_stretch(walk_t *w, const stretch_t *x) {
  w->at[w->count++] = *x;
  w->sum.ns += x->ns, w->sum.cycles += x->cycles, w->sum.all += x->all;
}

/* The first execution of application `a`: its cycles, and the time of all in them. Each stretch
 * stands for an equal part of its work. False if that is not known. */
static bool first_execution(const walk_t *w, uint32_t a, uint64_t *cycles, uint64_t *ns) {
  uint32_t count = 0;
  *cycles = *ns = 0;
  for (uint32_t i = 0; i < w->count; i++) count += w->at[i].app[a] != 0;
  for (uint32_t i = 0; i < w->count && count; i++) {
    *cycles += scale(w->work[a] / count, w->at[i].cycles, w->at[i].app[a]);
    *ns += scale(w->work[a] / count, w->at[i].ns, w->at[i].app[a]);
  }
  return count && w->work[a];
}

/* The whole run; 0: nobody knows when it ends. */
static uint64_t whole_ns(const walk_t *w, const lab_run_t *r) {
  const gpu_limits_t *l = &r->limits;
  uint64_t by_cycles = scale(l->cycles, w->sum.ns, w->sum.cycles), last = l->min_cycles;
  uint64_t by_work = scale(l->instructions, w->sum.ns, w->sum.all);
  if (l->cycles && l->instructions) return by_cycles < by_work ? by_cycles : by_work;
  if (l->cycles || l->instructions) return by_cycles + by_work;
  uint64_t total = scale(l->min_cycles, w->sum.ns, w->sum.cycles);
  for (uint32_t a = 0; a < (l->wait_for ? l->wait_for : r->apps); a++) {
    uint64_t cycles, ns;
    if (!first_execution(w, a, &cycles, &ns)) return 0;
    if (cycles > last) last = cycles, total = ns;
  }
  return total;
}

/* One more stretch, of a machine whose recordings begin at `permille` of their work. */
static int visit(const lab_run_t *r, const gpu_spec_t *spec, uint32_t permille, uint64_t stretch_ns,
                 walk_t *w, err_t *e) {
  lab_setup_t s;
  stretch_t x;
  int rc = lab_set_up(r, spec, &s, e);
  if (rc < 0) return rc;
  for (uint32_t a = 0; a < s.apps; a++) gmt_begin_at(s.app[a].source, permille);
  rc = run_stretch(&s, &(gpu_limits_t){0}, stretch_ns, &x, e);
  if (rc >= 0) add_stretch(w, &x);
  lab_take_down(&s);
  return rc;
}

/* The begin of the run, which may be all of it. If an application is a recording, what comes later
 * may be of another kind, and is visited; generators go on as they begin. */
static int run_pieces(const lab_run_t *r, uint64_t stretch_ns, piece_t *out, err_t *e) {
  walk_t w = {0};
  lab_setup_t s;
  gpu_spec_t spec;
  stretch_t x;
  bool recorded = false;
  uint64_t start = processor_ns();
  int rc = lab_spec(r, &spec, e);
  if (rc >= 0) rc = lab_set_up(r, &spec, &s, e);
  if (rc < 0) return rc;
  uint64_t set_up_ns = processor_ns() - start;
  for (uint32_t a = 0; a < s.apps; a++) {
    w.work[a] = source_work(s.app[a].source);
    recorded |= gmt_begin_at(s.app[a].source, 0);
  }
  rc = run_stretch(&s, &r->limits, stretch_ns, &x, e);
  bool over = rc > 0;
  uint64_t begin_ns = processor_ns() - start;
  lab_take_down(&s);
  if (!recorded || over) add_stretch(&w, &x);
  for (uint32_t i = 0; i < PIECES_OF_RUN && recorded && !over && rc >= 0; i++)
    rc = visit(r, &spec, (2 * i + 1) * 1000 / (2 * PIECES_OF_RUN), stretch_ns, &w, e);
  uint64_t ns = over ? begin_ns : whole_ns(&w, r);
  *out = (piece_t){ns && !over ? ns + set_up_ns : ns, set_up_ns, w.sum.ns, w.sum.cycles, w.sum.all};
  return rc < 0 ? rc : GMMU_OK;
}

static int piece_job(void *ctx, uint32_t job, strbuf_t *result, err_t *e) {
  piece_t x = {0};
  const plan_t *p = ctx;
  int rc = run_pieces(&p->group[job].run->run, p->stretch_ns, &x, e);
  strbuf_add(result, (const char *)&x, sizeof x);
  return rc;
}

/* A run that fails here will fail there: it has no estimate. */
static int piece_done(void *ctx, uint32_t job, const strbuf_t *result, err_t *e) {
  alike_t *g = &((plan_t *)ctx)->group[job];
  if (result && result->size == sizeof g->piece) memcpy(&g->piece, result->buf, sizeof g->piece);
  return !result && e->code == GMMU_EINTERRUPTED ? e->code : GMMU_OK;
}

/* ---- the plan ----------------------------------------------------------------------------------
 */

/* Whether its applications can be opened without recording one. */
static bool is_recorded(const lab_run_t *r) {
  for (uint32_t a = 0; a < r->apps; a++) {
    char path[PATH_MAX];
    bool cached = false;
    err_t e = {0};
    const front_t *f = front_of(r->app[a]);
    if (f->recording && (f->recording(r->app[a], path, sizeof path, &cached, &e) < 0 || !cached))
      return false;
  }
  return true;
}

static void group_key(const lab_run_t *r, char key[STORE_KEY_BYTES]) {
  lab_run_t copy = *r;
  strbuf_t text;
  err_t ignored = {0};
  memset(copy.sms, 0, sizeof copy.sms);
  strbuf_init(&text);
  lab_text_write(&copy, "", &text, &ignored);
  store_key(strbuf_text(&text), key);
  strbuf_fini(&text);
}

static int by_key(const void *a, const void *b) {
  return strcmp(((const alike_t *)a)->key, ((const alike_t *)b)->key);
}

/* All that can be measured, in the order of their keys, which is as good as chance: the first ones
 * are a fair choice. */
static int make_groups(lab_t *l, plan_t *p, err_t *e) {
  uint32_t count = 0;
  p->group = calloc(l->missing_count + 1, sizeof *p->group);
  if (!p->group) return err_set(e, GMMU_ENOMEM, "out of memory");
  for (uint32_t i = 0; i < l->missing_count; i++) {
    missing_t *m = l->missing[i];
    if (m->price_ms || probing_knows(m->run.app[0]) || reuse_knows(m->run.app[0])) continue;
    if (!is_recorded(&m->run)) continue;
    group_key(&m->run, p->group[count].key);
    p->group[count++].run = m;
  }
  qsort(p->group, count, sizeof *p->group, by_key);
  for (uint32_t i = 0; i < count; i++)
    if (!p->groups || by_key(&p->group[p->groups - 1], &p->group[i]))
      p->group[p->groups++] = p->group[i];
  p->pieces = p->groups < MOST_PIECES ? p->groups : MOST_PIECES;
  p->stretch_ns = PLAN_NS / (PIECES_OF_RUN + 1) / (p->pieces ? p->pieces : 1);
  if (p->stretch_ns < STRETCH_LEAST) p->stretch_ns = STRETCH_LEAST;
  if (p->stretch_ns > STRETCH_MOST) p->stretch_ns = STRETCH_MOST;
  return GMMU_OK;
}

static bool same_design(const lab_run_t *a, const lab_run_t *b) {
  return strcmp(a->gpu, b->gpu) == 0 && strcmp(a->design, b->design) == 0;
}

/* Sums over pieces. */
typedef struct {
  piece_t sum;
  uint32_t pieces;
} rates_t;

static void add_piece(rates_t *to, const piece_t *x) {
  to->sum.set_up_ns += x->set_up_ns;
  to->sum.rate_ns += x->rate_ns;
  to->sum.rate_cycles += x->rate_cycles;
  to->sum.rate_instructions += x->rate_instructions;
  to->pieces++;
}

/* The rates of all pieces under the design of `r`; of all there are if it has none. */
static rates_t mean_rate(const plan_t *p, const lab_run_t *r) {
  rates_t own = {0}, all = {0};
  for (uint32_t i = 0; i < p->pieces; i++) {
    const piece_t *x = &p->group[i].piece;
    if (!x->rate_ns) continue;
    add_piece(&all, x);
    if (same_design(r, &p->group[i].run->run)) add_piece(&own, x);
  }
  return own.pieces ? own : all;
}

/* By the mean rates of its design: the cycles it must have, or its warp instructions, after the
 * time to set it up, which is most of a short run. */
static uint64_t guess_ns(const plan_t *p, const lab_run_t *r) {
  rates_t rates = mean_rate(p, r);
  piece_t rate = rates.sum;
  if (!rates.pieces) return 0;
  uint64_t cycles = r->limits.cycles ? r->limits.cycles : r->limits.min_cycles;
  uint64_t by_cycles = scale(cycles, rate.rate_ns, rate.rate_cycles);
  uint64_t work = r->limits.instructions < MOST ? r->limits.instructions : MOST;
  for (uint32_t a = 0; a < r->apps && !r->limits.cycles && !r->limits.instructions; a++) {
    source_t *s = NULL;
    uint64_t own = app_open(r->app[a], &s, NULL) < 0 ? 0 : source_work(s);
    if (s) s->ops->free(s);
    if (!own) return 0;
    work = own > MOST - work ? MOST : work + own;
  }
  uint64_t by_work = scale(work, rate.rate_ns, rate.rate_instructions);
  bool first_ends = r->limits.cycles && r->limits.instructions;
  uint64_t ns = (by_work > by_cycles) != first_ends ? by_work : by_cycles;
  return ns + rate.set_up_ns / rates.pieces;
}

static void set_prices(lab_t *l, const plan_t *p) {
  for (uint32_t i = 0; i < l->missing_count; i++) {
    missing_t *m = l->missing[i];
    alike_t wanted;
    if (m->price_ms) continue;
    group_key(&m->run, wanted.key);
    const alike_t *g = bsearch(&wanted, p->group, p->groups, sizeof *p->group, by_key);
    if (!g) continue;
    uint64_t ns = g < p->group + p->pieces ? g->piece.ns : guess_ns(p, &m->run);
    if (ns) m->price_ms = ns / MILLISECOND + 1;
  }
}

int lab_estimate(lab_t *l, err_t *e) {
  plan_t p = {0};
  int rc = make_groups(l, &p, e);
  jobs_t jobs = {.run = piece_job,
                 .done = piece_done,
                 .ctx = &p,
                 .jobs = p.pieces,
                 .parallel = l->parallel,
                 .what = "estimating"};
  if (rc == 0 && p.pieces) rc = jobs_run(&jobs, e);
  if (rc == 0) set_prices(l, &p);
  free(p.group);
  return rc;
}

/* No run takes less for the processors beside it. */
lab_outlook_t lab_outlook(const lab_t *l) {
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  uint64_t longest_ms = 0;
  lab_outlook_t o = {.finished = lab_found(l), .missing = lab_missing(l)};
  o.processor_ms = lab_price_ms(l, &o.unpriced);
  o.parallel = l->parallel ? l->parallel : cores > 0 ? (uint64_t)cores : 1;
  for (uint32_t i = 0; i < l->missing_count; i++)
    if (l->missing[i]->price_ms > longest_ms) longest_ms = l->missing[i]->price_ms;
  uint64_t ms = (o.processor_ms + o.parallel - 1) / o.parallel;
  o.seconds = ((ms > longest_ms ? ms : longest_ms) + 999) / 1000;
  return o;
}

void lab_outlook_text(const lab_outlook_t *o, strbuf_t *out) {
  uint32_t priced = o->missing - o->unpriced;
  if (priced)
    strbuf_printf(out, "About %" PRIu64 " s with %" PRIu64 " at once", o->seconds, o->parallel);
  if (priced && o->unpriced) strbuf_printf(out, " for %u of them", priced);
  if (priced) strbuf_str(out, ", by what such runs or pieces of them took.\n");
  if (o->unpriced)
    strbuf_printf(out,
                  "No estimate yet for %u of them: their applications are not recorded, or it is "
                  "not known how long they run.\n",
                  o->unpriced);
}

void lab_outlook_json(const lab_outlook_t *o, json_t *j) {
  json_key(j, "unpriced"), json_u64(j, o->unpriced);
  json_key(j, "parallel"), json_u64(j, o->parallel);
  json_key(j, "processor_ms"), json_u64(j, o->processor_ms);
  json_key(j, "seconds"), json_u64(j, o->seconds);
}
