/* Operators on host memory. With one thread there are no atomic operations; with several, a pass is
 * done by all of them, each on its part of the rows, and buckets are taken and counted atomically,
 * as on a GPU. Invariant: a pass begins when every thread has ended the one before. */
#include "db/host.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define MAX_THREADS 256u

/* ---- group-by -------------------------------------------------------------------------------- */

static inline void insert(db_table_t *t, uint64_t s, uint32_t value) {
  uint32_t key = value + 1;
  while (t->bucket[s].key && t->bucket[s].key != key)
    if (++s == t->slots) s = 0;
  t->bucket[s].key = key;
  t->bucket[s].count++;
}

static inline void insert_atomic(db_table_t *t, uint64_t s, uint32_t value) {
  uint32_t key = value + 1;
  for (;;) {
    uint32_t there = __atomic_load_n(&t->bucket[s].key, __ATOMIC_RELAXED);
    if (!there && __atomic_compare_exchange_n(&t->bucket[s].key, &there, key, false,
                                              __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      break;
    if (there == key) break; /* the exchange leaves there what somebody else wrote */
    if (++s == t->slots) s = 0;
  }
  __atomic_fetch_add(&t->bucket[s].count, 1, __ATOMIC_RELAXED);
}

void db_group_rows(db_table_t *t, const uint32_t *in, uint64_t rows) {
  for (uint64_t i = 0; i < rows; i++) insert(t, db_slot(in[i], t->slots), in[i]);
}

void db_group_scope(db_table_t *t, const uint32_t *in, uint64_t rows, uint64_t first,
                    uint64_t count) {
  for (uint64_t i = 0; i < rows; i++) {
    uint64_t s = db_slot(in[i], t->slots);
    if (s - first < count) insert(t, s, in[i]);
  }
}

uint64_t db_group_copy(db_table_t *t, const uint32_t *in, uint64_t rows, uint64_t first,
                       uint64_t count, uint32_t *aside) {
  uint64_t left = 0;
  for (uint64_t i = 0; i < rows; i++) {
    uint64_t s = db_slot(in[i], t->slots);
    if (s - first < count)
      insert(t, s, in[i]);
    else
      aside[left++] = in[i];
  }
  return left;
}

void db_group_chunk(db_table_t *t, const uint32_t *in, uint64_t rows, db_form_t form,
                    uint64_t scope_slots, uint32_t *aside) {
  if (form == DB_PLAIN) {
    db_group_rows(t, in, rows);
    return;
  }
  uint64_t first = 0;
  if (form == DB_COPY) {
    rows = db_group_copy(t, in, rows, 0, scope_slots, aside);
    in = aside, first = scope_slots;
  }
  for (; first < t->slots; first += scope_slots) db_group_scope(t, in, rows, first, scope_slots);
}

/* ---- several threads ------------------------------------------------------------------------- */

typedef struct {
  db_table_t *table;
  const uint32_t *in;
  uint64_t rows, first, count;
  uint32_t *aside; /* NULL: nothing is put aside */
  uint64_t left;   /* put aside */
  /* sampling */
  const uint32_t *data;
  uint64_t words, stream, draws, sum;
} part_t;

static void *group_part(void *arg) {
  part_t *p = arg;
  for (uint64_t i = 0; i < p->rows; i++) {
    uint64_t s = db_slot(p->in[i], p->table->slots);
    if (s - p->first < p->count)
      insert_atomic(p->table, s, p->in[i]);
    else if (p->aside)
      p->aside[p->left++] = p->in[i];
  }
  return NULL;
}

static void *sample_part(void *arg) {
  part_t *p = arg;
  p->sum += db_sample_scope(p->data, p->words, p->stream, p->draws, p->first, p->count);
  return NULL;
}

static int run_parts(part_t *part, uint32_t n, void *(*work)(void *), err_t *e) {
  pthread_t id[MAX_THREADS];
  uint32_t started = 0;
  while (started < n && pthread_create(&id[started], NULL, work, &part[started]) == 0) started++;
  for (uint32_t i = 0; i < started; i++) pthread_join(id[i], NULL);
  return started == n ? GMMU_OK : err_set(e, GMMU_ENOMEM, "cannot start %u threads", n);
}

/* Each thread keeps what it has put aside for itself; its next pass goes over that. */
static int group_chunk_threads(db_table_t *t, const uint32_t *in, uint64_t rows, db_form_t form,
                               uint64_t scope_slots, uint32_t *aside, uint32_t threads, err_t *e) {
  part_t part[MAX_THREADS] = {0};
  int rc = GMMU_OK;
  for (uint32_t i = 0; i < threads; i++) {
    uint64_t from = rows * i / threads, to = rows * (i + 1) / threads;
    part[i] = (part_t){.table = t, .in = in + from, .rows = to - from};
    part[i].aside = form == DB_COPY ? aside + from : NULL;
  }
  if (form == DB_PLAIN) scope_slots = t->slots;
  for (uint64_t first = 0; first < t->slots && rc == 0; first += scope_slots) {
    for (uint32_t i = 0; i < threads; i++) part[i].first = first, part[i].count = scope_slots;
    rc = run_parts(part, threads, group_part, e);
    for (uint32_t i = 0; first == 0 && form == DB_COPY && i < threads; i++) {
      part[i].in = part[i].aside, part[i].rows = part[i].left;
      part[i].aside = NULL;
    }
  }
  return rc;
}

/* ---- memory and time ------------------------------------------------------------------------- */

static uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void *take(uint64_t bytes, err_t *e) {
  void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p != MAP_FAILED) return p;
  err_set(e, GMMU_ENOMEM, "the host has no room for %llu MB", (unsigned long long)bytes >> 20);
  return NULL;
}

static void give(void *p, uint64_t bytes) {
  if (p) munmap(p, bytes);
}

/* ---- whole operators ------------------------------------------------------------------------- */

static int check_groups(const db_spec_t *s, const db_table_t *t, db_result_t *out, err_t *e) {
  db_groups_t want;
  int rc = db_reference(s, &want, e);
  if (rc < 0) return rc;
  db_compare_t c = {.want = &want};
  for (uint64_t i = 0; i < t->slots; i++)
    if (t->bucket[i].key) db_compare_bucket(&c, &t->bucket[i]);
  out->groups = c.found;
  rc = db_compare_end(&c, e);
  db_groups_fini(&want);
  return rc;
}

static int group_chunks(const db_spec_t *s, db_table_t *t, uint32_t *in, uint32_t *aside,
                        db_result_t *out, err_t *e) {
  uint64_t chunk = s->chunk_bytes / 4, scope_slots = s->scope_bytes / sizeof(db_bucket_t);
  int rc = GMMU_OK;
  for (uint64_t from = 0; from < s->accesses && rc == 0; from += chunk) {
    uint64_t rows = s->accesses - from < chunk ? s->accesses - from : chunk;
    for (uint64_t i = 0; i < rows; i++) in[i] = db_row(s, from + i);
    uint64_t start = now_ns();
    if (out->threads == 1)
      db_group_chunk(t, in, rows, db_form(s), scope_slots, aside);
    else
      rc = group_chunk_threads(t, in, rows, db_form(s), scope_slots, aside, out->threads, e);
    out->ns += now_ns() - start;
    out->launches += out->passes;
  }
  return rc;
}

static int run_groupby(const db_spec_t *s, db_result_t *out, err_t *e) {
  db_table_t t = {.bucket = take(s->size_bytes, e), .slots = db_slots(s)};
  uint32_t *in = t.bucket ? take(s->chunk_bytes, e) : NULL;
  uint32_t *aside = in ? take(s->chunk_bytes, e) : NULL;
  int rc = aside ? GMMU_OK : GMMU_ENOMEM;
  if (rc == 0) {
    memset(t.bucket, 0, s->size_bytes); /* the first touch is not the operator's */
    if (s->filled) db_filled_table(s, t.bucket);
    rc = group_chunks(s, &t, in, aside, out, e);
  }
  if (rc == 0) rc = check_groups(s, &t, out, e);
  give(aside, s->chunk_bytes), give(in, s->chunk_bytes), give(t.bucket, s->size_bytes);
  return rc;
}

uint64_t db_sample_scope(const uint32_t *data, uint64_t words, uint64_t stream, uint64_t draws,
                         uint64_t first, uint64_t count) {
  uint64_t x = stream, sum = 0;
  for (uint64_t i = 0; i < draws; i++) {
    x = db_next_draw(x);
    uint64_t at = db_position(x, words);
    if (at - first < count) sum += data[at];
  }
  return sum;
}

static int sample_passes(const db_spec_t *s, const uint32_t *data, db_result_t *out, err_t *e) {
  part_t part[MAX_THREADS] = {0};
  uint64_t words = db_words(s), scope = db_passes(s) > 1 ? s->scope_bytes / 4 : words;
  int rc = GMMU_OK;
  for (uint32_t i = 0; i < out->threads; i++)
    part[i] = (part_t){.data = data,
                       .words = words,
                       .stream = db_thread_seed(s->seed, i),
                       .draws = db_draws(s, out->threads)};
  uint64_t start = now_ns();
  for (uint64_t first = 0; first < words && rc == 0; first += scope) {
    for (uint32_t i = 0; i < out->threads; i++) part[i].first = first, part[i].count = scope;
    if (out->threads == 1)
      sample_part(&part[0]);
    else
      rc = run_parts(part, out->threads, sample_part, e);
    out->launches++;
  }
  out->ns = now_ns() - start;
  for (uint32_t i = 0; i < out->threads && rc == 0; i++) {
    out->sum += part[i].sum;
    if (part[i].sum != db_expected_sum(s, out->threads, i))
      rc = err_set(e, GMMU_ECHECK, "sampling is wrong: the sum of thread %u", i);
  }
  return rc;
}

static int run_sample(const db_spec_t *s, db_result_t *out, err_t *e) {
  uint32_t *data = take(s->size_bytes, e);
  if (!data) return GMMU_ENOMEM;
  for (uint64_t i = 0; i < db_words(s); i++) data[i] = db_word(s->seed, i);
  int rc = sample_passes(s, data, out, e);
  give(data, s->size_bytes);
  return rc;
}

int db_host_run(const db_spec_t *s, db_result_t *out, err_t *e) {
  uint32_t threads = s->threads ? s->threads : 1;
  *out = (db_result_t){.threads = threads, .passes = db_passes(s)};
  if (threads > MAX_THREADS)
    return err_set(e, GMMU_ERANGE, "%u threads; on a processor at most %u", threads, MAX_THREADS);
  out->accesses = s->op == DB_SAMPLE ? (uint64_t)db_draws(s, threads) * threads : s->accesses;
  out->chunks = s->op == DB_SAMPLE ? 0 : db_chunks(s);
  return s->op == DB_SAMPLE ? run_sample(s, out, e) : run_groupby(s, out, e);
}
