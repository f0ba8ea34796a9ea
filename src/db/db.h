#ifndef GMMU_DB_DB_H
#define GMMU_DB_DB_H
/* Random sampling and hash group-by, plain and TLB-conscious: what they are, whatever runs them.
 *
 * Sampling adds up 32-bit words at random positions of `size` bytes. Group-by counts equal values
 * (SELECT value, count(*) GROUP BY value) in a hash table of `size` bytes with linear probing, of
 * which half is meant to be filled. With a scope, memory is accessed one range of so many bytes
 * after the other, in as many passes: accesses outside a pass's range are left to their own pass.
 *
 * The words, the input and the random numbers are functions of the seed, so a result can be checked
 * anywhere. kernels/db/db.cu has the same rules for GPUs. */
#include "base/opt.h"
#include "base/rng.h"

typedef enum { DB_SAMPLE, DB_GROUPBY, DB_OPS } db_op_t;
typedef enum {
  DB_PLAIN, /* one pass */
  DB_NAIVE, /* every pass reads the input again */
  DB_COPY   /* the first pass puts aside what is for later ones */
} db_form_t;

typedef struct {
  db_op_t op;
  uint64_t size_bytes;  /* of the data, of the table */
  uint64_t scope_bytes; /* 0: none */
  const char *form;     /* group-by with a scope: "naive" or "copy" */
  uint32_t threads;     /* 0: as many as the device holds */
  uint64_t accesses;    /* random ones: words sampled, input values inserted */
  uint64_t chunk_bytes; /* group-by: input that is there at a time */
  const char *input;    /* where: "host" memory, mapped, or memory of the "device" */
  bool filled;          /* group-by: all groups are in the table before it begins, counts 0 */
  uint64_t seed;
} db_spec_t;

extern const char *const db_op_name[DB_OPS]; /* "db-sample", "db-groupby" */
extern const opt_t *const db_op_options[DB_OPS];
void db_defaults(db_spec_t *s, db_op_t op);
/* "db-groupby:size=4G,scope=2G": whether the text names an operator, and what it says. */
bool db_knows(const char *text);
int db_parse(const char *text, db_spec_t *out, err_t *e);
/* Ranges that options alone do not tell: whole pages, a scope that is smaller than the size. */
int db_check(const db_spec_t *s, err_t *e);
/* Both operators with their options, for `gmmu list` and the docs. */
void db_list(table_style_t style, strbuf_t *out);

db_form_t db_form(const db_spec_t *s);
uint32_t db_passes(const db_spec_t *s);
uint64_t db_chunks(const db_spec_t *s);
/* Sampling: of each of so many threads; rounded up. */
uint32_t db_draws(const db_spec_t *s, uint32_t threads);

/* ---- sampling ---- */

/* Word i of the data. */
static inline uint32_t db_word(uint64_t seed, uint64_t i) {
  return (uint32_t)rng_mix(i + (seed + 1) * 0x9e3779b97f4a7c15u);
}
static inline uint64_t db_thread_seed(uint64_t seed, uint32_t thread) {
  return rng_mix(thread ^ (seed << 32));
}
static inline uint64_t db_next_draw(uint64_t x) {
  return x * 6364136223846793005u + 1442695040888963407u;
}
static inline uint64_t db_position(uint64_t x, uint64_t words) { return (x >> 32) * words >> 32; }
static inline uint64_t db_words(const db_spec_t *s) { return s->size_bytes / 4; }
/* What thread `t` of so many adds up, by the words' rule. */
uint64_t db_expected_sum(const db_spec_t *s, uint32_t threads, uint32_t t);

/* ---- group-by ---- */

typedef struct {
  uint32_t key; /* value + 1; 0: empty */
  uint32_t count;
} db_bucket_t;

uint32_t db_hash(uint32_t value); /* Murmur3, 32 bits, seed 0, of the value's four bytes */
static inline uint64_t db_slots(const db_spec_t *s) { return s->size_bytes / sizeof(db_bucket_t); }
static inline uint64_t db_slot(uint32_t value, uint64_t slots) {
  return (uint64_t)db_hash(value) * slots >> 32;
}
/* Groups, all that there may be: half of the slots. */
static inline uint64_t db_group_count(const db_spec_t *s) { return db_slots(s) / 2; }
/* Row i of the input: uniform in [0, groups), half as many groups as slots. */
static inline uint32_t db_row(const db_spec_t *s, uint64_t i) {
  return (uint32_t)((rng_mix(i + (s->seed + 7) * 0xd1342543de82ef95u) >> 32) * db_group_count(s) >>
                    32);
}

/* The value with this hash: db_hash() backwards. */
uint32_t db_unhash(uint32_t hash);
/* Buckets first .. first + count - 1 of a table that has all groups, each with a count of 0: what
 * linear probing gives when they are inserted in the order of their hashes. A piece costs the
 * hashes of its slots and of 64 before them, so it is for large tables. */
void db_filled_piece(const db_spec_t *s, uint64_t first, uint64_t count, db_bucket_t out[]);
/* All of such a table; the groups come in the order of their values. */
void db_filled_table(const db_spec_t *s, db_bucket_t out[]);

/* The plain reference: the rows sorted, and runs of equal ones counted. */
typedef struct {
  uint32_t *value, *count; /* [groups], ascending values; owned */
  uint64_t groups;
} db_groups_t;
int db_reference(const db_spec_t *s, db_groups_t *out, err_t *e);
void db_groups_fini(db_groups_t *g);
/* Compares a result, every occupied bucket once and in any order, with the reference, which is used
 * up by that: a value that comes twice is wrong the second time. Groups without a row are no part
 * of the result: a table that was filled before has them. */
typedef struct {
  db_groups_t *want;
  uint64_t found; /* buckets so far */
  uint64_t wrong; /* of them, with another count than the reference, or with a value it lacks */
} db_compare_t;
void db_compare_bucket(db_compare_t *c, const db_bucket_t *b);
int db_compare_end(const db_compare_t *c, err_t *e);
#endif
