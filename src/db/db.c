/* The operators' options, and what follows from them. */
#include "db/db.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BYTES (16ull << 30) /* positions and slots come from 32 bits */

const char *const db_op_name[DB_OPS] = {"db-sample", "db-groupby"};

static const char *form_name(uint32_t i) {
  static const char *const names[] = {"copy", "naive"};
  return i < 2 ? names[i] : NULL;
}
static const char *input_name(uint32_t i) {
  static const char *const names[] = {"host", "device"};
  return i < 2 ? names[i] : NULL;
}

#define U32(f, n, lo, hi, d, u, h)                                                                 \
  { n, OPT_U32, offsetof(db_spec_t, f), lo, hi, d, u, h, NULL, NULL }
#define U64(f, n, lo, hi, d, u, h)                                                                 \
  { n, OPT_U64, offsetof(db_spec_t, f), lo, hi, d, u, h, NULL, NULL }
#define SIZE(f, n, lo, hi, d, h)                                                                   \
  { n, OPT_SIZE, offsetof(db_spec_t, f), lo, hi, d, "bytes", h, NULL, NULL }
#define NAME(f, n, names, d, h)                                                                    \
  { n, OPT_NAME, offsetof(db_spec_t, f), 0, 0, 0, "", h, names, d }
#define COMMON                                                                                     \
  SIZE(scope_bytes, "scope", 0, MAX_BYTES, 0, "of a pass; 0: one pass over everything"),           \
      U32(threads, "threads", 0, 1u << 20, 0, "threads", "0: as many as the GPU holds"),           \
      U64(seed, "seed", 0, UINT32_MAX, 1, "", "of data and random numbers")

static const opt_t sample_options[] = {
    SIZE(size_bytes, "size", 4096, MAX_BYTES, 1ull << 30, "data that is sampled"),
    U64(accesses, "accesses", 1, UINT32_MAX, 1u << 20, "accesses",
        "of all threads together (the paper: 1024 of each)"),
    COMMON,
    {0},
};
static const opt_t groupby_options[] = {
    SIZE(size_bytes, "size", 4096, MAX_BYTES, 1ull << 30,
         "hash table; half as many groups as buckets of 8 bytes"),
    U64(accesses, "accesses", 1, UINT32_MAX, 1u << 19, "accesses",
        "input values, each inserted once (the paper: 1.6 billion)"),
    SIZE(chunk_bytes, "chunk", 128, 1ull << 30, 128ull << 20,
         "input in host memory at a time (the paper: 128 MB)"),
    NAME(form, "form", form_name, "copy",
         "with a scope: copy puts aside what is for later passes, naive reads the input again"),
    {"filled", OPT_BOOL, offsetof(db_spec_t, filled), 0, 1, 0, "",
     "all groups are in the table before it begins: half of its buckets are taken", NULL, NULL},
    NAME(input, "input", input_name, "host", "mapped host memory, or memory of the device"),
    COMMON,
    {0},
};
const opt_t *const db_op_options[DB_OPS] = {sample_options, groupby_options};

void db_defaults(db_spec_t *s, db_op_t op) {
  *s = (db_spec_t){.op = op, .form = "copy", .input = "host", .chunk_bytes = 4096};
  opt_defaults(
      (const opt_group_t[]){{.prefix = db_op_name[op], .opts = db_op_options[op], .base = s}, {0}});
}

static bool is_op(const char *text, db_op_t op) {
  size_t n = strcspn(text, ":");
  return strlen(db_op_name[op]) == n && strncmp(text, db_op_name[op], n) == 0;
}

bool db_knows(const char *text) { return is_op(text, DB_SAMPLE) || is_op(text, DB_GROUPBY); }

static int set_option(db_spec_t *s, char *pair, err_t *e) {
  const char *name = db_op_name[s->op];
  char *equals = strchr(pair, '='), key[96];
  if (!equals) return err_set(e, GMMU_EINVAL, "%s: \"%.40s\" is not key=value", name, pair);
  *equals = 0;
  snprintf(key, sizeof key, "%s.%.60s", name, pair);
  const opt_group_t groups[] = {{.prefix = name, .opts = db_op_options[s->op], .base = s}, {0}};
  return opt_set(groups, key, equals + 1, e);
}

int db_parse(const char *text, db_spec_t *out, err_t *e) {
  char copy[256], *at = copy;
  if (!db_knows(text)) return err_set(e, GMMU_ENOENT, "\"%.40s\" is no operator", text);
  db_defaults(out, is_op(text, DB_SAMPLE) ? DB_SAMPLE : DB_GROUPBY);
  text += strcspn(text, ":");
  if ((size_t)snprintf(copy, sizeof copy, "%s", *text ? text + 1 : "") >= sizeof copy)
    return err_set(e, GMMU_EINVAL, "%s: its options are too long", db_op_name[out->op]);
  for (char *end; *text && at; at = end) {
    end = strchr(at, ',');
    if (end) *end++ = 0;
    int rc = set_option(out, at, e);
    if (rc < 0) return rc;
  }
  return db_check(out, e);
}

int db_check(const db_spec_t *s, err_t *e) {
  const char *name = db_op_name[s->op];
  if (s->size_bytes % 4096 || s->scope_bytes % 4096 || s->chunk_bytes % 128)
    return err_set(e, GMMU_ERANGE,
                   "%s: size and scope are whole pages of 4 KB, chunks lines of "
                   "128 bytes",
                   name);
  if (s->scope_bytes && db_passes(s) > 65536)
    return err_set(e, GMMU_ERANGE, "%s: more than 65536 passes", name);
  return GMMU_OK;
}

db_form_t db_form(const db_spec_t *s) {
  if (db_passes(s) == 1) return DB_PLAIN;
  return s->op == DB_GROUPBY && strcmp(s->form, "copy") == 0 ? DB_COPY : DB_NAIVE;
}

uint32_t db_passes(const db_spec_t *s) {
  if (!s->scope_bytes || s->scope_bytes >= s->size_bytes) return 1;
  uint64_t n = (s->size_bytes + s->scope_bytes - 1) / s->scope_bytes;
  return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

uint64_t db_chunks(const db_spec_t *s) {
  uint64_t rows = s->chunk_bytes / 4;
  return (s->accesses + rows - 1) / rows;
}

uint32_t db_draws(const db_spec_t *s, uint32_t threads) {
  return (uint32_t)((s->accesses + threads - 1) / threads);
}

void db_list(table_style_t style, strbuf_t *out) {
  static const char *const help[DB_OPS] = {"random sampling", "hash group-by"};
  for (uint32_t i = 0; i < DB_OPS; i++) {
    char heading[64];
    snprintf(heading, sizeof heading, "%s: %s", db_op_name[i], help[i]);
    if (i) strbuf_str(out, "\n");
    opt_describe((const opt_group_t[]){{"", heading, db_op_options[i], NULL}, {0}}, style, out);
  }
}

/* ---- what must come out ---- */

uint64_t db_expected_sum(const db_spec_t *s, uint32_t threads, uint32_t t) {
  uint64_t x = db_thread_seed(s->seed, t), sum = 0;
  for (uint32_t i = 0, draws = db_draws(s, threads); i < draws; i++) {
    x = db_next_draw(x);
    sum += db_word(s->seed, db_position(x, db_words(s)));
  }
  return sum;
}

static uint32_t rotate(uint32_t x, uint32_t n) { return x << n | x >> (32 - n); }

uint32_t db_hash(uint32_t k) {
  k *= 0xcc9e2d51u, k = rotate(k, 15), k *= 0x1b873593u;
  uint32_t h = rotate(k, 13) * 5 + 0xe6546b64u;
  h ^= 4; /* bytes */
  h ^= h >> 16, h *= 0x85ebca6bu;
  h ^= h >> 13, h *= 0xc2b2ae35u;
  return h ^ h >> 16;
}

static uint32_t inverse(uint32_t odd) {
  uint32_t x = odd; /* right in three bits; each step doubles them */
  for (uint32_t i = 0; i < 4; i++) x *= 2 - odd * x;
  return x;
}

uint32_t db_unhash(uint32_t h) {
  h ^= h >> 16, h *= inverse(0xc2b2ae35u);
  h ^= h >> 13 ^ h >> 26, h *= inverse(0x85ebca6bu);
  h ^= h >> 16;
  h ^= 4;
  uint32_t k = rotate((h - 0xe6546b64u) * inverse(5), 19) * inverse(0x1b873593u);
  return rotate(k, 17) * inverse(0xcc9e2d51u);
}

/* ---- tables that are filled ---- */

/* Slots before the first that is asked for: groups that found theirs taken come from there. Half of
 * the slots are empty, so they swallow more of such groups than ever wait; if not, a group would be
 * in the table twice, and the comparison with the reference would say so. */
#define RUN_UP 64

/* The least hash that belongs to the slot. */
static uint64_t first_hash(uint64_t slot, uint64_t slots) {
  return ((slot << 32) + slots - 1) / slots;
}

void db_filled_piece(const db_spec_t *s, uint64_t first, uint64_t count, db_bucket_t out[]) {
  uint64_t slots = db_slots(s), groups = db_group_count(s);
  uint64_t run_up = slots < RUN_UP ? slots : RUN_UP, slot = (first + slots - run_up) % slots;
  uint32_t waiting[RUN_UP], from = 0, until = 0; /* a ring of keys that have no slot yet */
  for (uint64_t i = 0; i < run_up + count; i++, slot = slot + 1 == slots ? 0 : slot + 1) {
    for (uint64_t h = first_hash(slot, slots); h < first_hash(slot + 1, slots); h++) {
      uint32_t value = db_unhash((uint32_t)h);
      if (value < groups && until - from < RUN_UP) waiting[until++ % RUN_UP] = value + 1;
    }
    uint32_t key = from < until ? waiting[from++ % RUN_UP] : 0;
    if (i >= run_up) out[i - run_up] = (db_bucket_t){.key = key};
  }
}

void db_filled_table(const db_spec_t *s, db_bucket_t out[]) {
  uint64_t slots = db_slots(s), groups = db_group_count(s);
  memset(out, 0, slots * sizeof *out);
  for (uint32_t value = 0; value < groups; value++) {
    uint64_t at = db_slot(value, slots);
    while (out[at].key) at = at + 1 == slots ? 0 : at + 1;
    out[at].key = value + 1;
  }
}

static int by_value(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

int db_reference(const db_spec_t *s, db_groups_t *out, err_t *e) {
  *out = (db_groups_t){.value = malloc(s->accesses * sizeof *out->value),
                       .count = calloc(s->accesses, sizeof *out->count)};
  if (!out->value || !out->count) {
    db_groups_fini(out);
    return err_set(e, GMMU_ENOMEM, "no memory for the reference");
  }
  for (uint64_t i = 0; i < s->accesses; i++) out->value[i] = db_row(s, i);
  qsort(out->value, s->accesses, sizeof *out->value, by_value);
  for (uint64_t i = 0; i < s->accesses; i++) {
    if (!i || out->value[i] != out->value[out->groups - 1])
      out->value[out->groups++] = out->value[i];
    out->count[out->groups - 1]++;
  }
  return GMMU_OK;
}

void db_groups_fini(db_groups_t *g) {
  free(g->value), free(g->count);
  *g = (db_groups_t){0};
}

void db_compare_bucket(db_compare_t *c, const db_bucket_t *b) {
  uint32_t value = b->key - 1;
  const uint32_t *at =
      bsearch(&value, c->want->value, c->want->groups, sizeof *c->want->value, by_value);
  uint32_t *count = at ? &c->want->count[at - c->want->value] : NULL;
  if (!b->count) return;
  c->found++;
  c->wrong += !count || *count != b->count;
  if (count) *count = 0;
}

int db_compare_end(const db_compare_t *c, err_t *e) {
  if (!c->wrong && c->found == c->want->groups) return GMMU_OK;
  return err_set(e, GMMU_ECHECK,
                 "group-by is wrong: %llu groups where the reference has %llu, %llu of them with "
                 "another count",
                 (unsigned long long)c->found, (unsigned long long)c->want->groups,
                 (unsigned long long)c->wrong);
}
