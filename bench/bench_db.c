/* Group-by on this computer: TLB-conscious (copy form) against plain, from tables that fit a cache
 * up to 4 GB, with pages of 4 KB and of 2 MB. For each size the best of several scopes stands for
 * the TLB-conscious form; every table is checked. The crossover is the smallest size from which on
 * scopes are ahead at all larger ones; "none" if there is no such size.
 * Prints lines of name, value and unit with tabs between. bench_db [LARGEST_BYTES]. */
#include "db/host.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define KB        UINT64_C(1024)
#define MB        (KB * 1024)
#define GB        (MB * 1024)
#define SMALLEST  (64 * KB)
#define ROWS      (UINT64_C(1) << 21)
#define REPEATS   3u /* others on this computer only ever make it longer: the least counts */
#define MAX_SIZES 32u

typedef struct {
  db_spec_t spec;
  db_table_t table;
  uint32_t *in, *aside;
} bench_t;

static void must(bool ok, const char *what) {
  if (ok) return;
  fprintf(stderr, "bench_db: %s\n", what);
  exit(1);
}

/* Of this process: the machine may be busy with others. */
static uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void open_table(bench_t *b, uint64_t bytes, bool large_pages) {
  db_defaults(&b->spec, DB_GROUPBY);
  b->spec.size_bytes = bytes, b->spec.accesses = ROWS;
  b->table.slots = db_slots(&b->spec);
  b->table.bucket = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  must(b->table.bucket != MAP_FAILED, "no memory for the table");
  madvise(b->table.bucket, bytes, large_pages ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  for (uint64_t i = 0; i < ROWS; i++) b->in[i] = db_row(&b->spec, i);
}

static void check(const bench_t *b) {
  db_groups_t want;
  err_t e = {0};
  must(db_reference(&b->spec, &want, &e) == 0, "no memory for the reference");
  db_compare_t c = {.want = &want};
  for (uint64_t i = 0; i < b->table.slots; i++)
    if (b->table.bucket[i].key) db_compare_bucket(&c, &b->table.bucket[i]);
  must(db_compare_end(&c, &e) == 0, "a wrong result");
  db_groups_fini(&want);
}

/* Picoseconds of a row; scope 0: plain. */
static uint64_t measure(bench_t *b, uint64_t scope) {
  uint64_t least = UINT64_MAX;
  for (uint32_t i = 0; i < REPEATS; i++) {
    memset(b->table.bucket, 0, b->spec.size_bytes);
    uint64_t start = now_ns();
    db_group_chunk(&b->table, b->in, ROWS, scope ? DB_COPY : DB_PLAIN, scope / sizeof(db_bucket_t),
                   b->aside);
    uint64_t ns = now_ns() - start;
    if (ns < least) least = ns;
  }
  check(b);
  return least * 1000 / ROWS;
}

static void row(const char *pages, const char *what, uint64_t bytes, uint64_t ps) {
  printf("groupby_%s_%s_%" PRIu64 "K\t%" PRIu64 ".%02u\tns/row\n", pages, what, bytes / KB,
         ps / 1000, (unsigned)(ps % 1000 / 10));
}

#define MARGIN_PERCENT 2 /* what is nearer than this is noise, and not ahead */

/* Whether scopes are ahead, with the best of them; against as many measurements of the plain form,
 * for the best of many is the luckier one. */
static bool one_size(bench_t *b, const char *pages, uint64_t bytes, bool large_pages) {
  uint64_t plain = UINT64_MAX, best = UINT64_MAX, best_scope = 0;
  open_table(b, bytes, large_pages);
  for (uint64_t scope = bytes / 2; scope >= bytes / 16 && scope >= 4 * KB; scope /= 2) {
    uint64_t p = measure(b, 0), t = measure(b, scope);
    if (p < plain) plain = p;
    if (t < best) best = t, best_scope = scope;
  }
  munmap(b->table.bucket, bytes);
  row(pages, "plain", bytes, plain);
  row(pages, "scoped", bytes, best);
  printf("groupby_%s_scope_%" PRIu64 "K\t%" PRIu64 "\tKB\n", pages, bytes / KB, best_scope / KB);
  fflush(stdout);
  return best < plain - plain * MARGIN_PERCENT / 100;
}

static void all_sizes(bench_t *b, const char *pages, bool large_pages, uint64_t largest) {
  bool ahead[MAX_SIZES];
  uint32_t n = 0, from;
  for (uint64_t bytes = SMALLEST; bytes <= largest && n < MAX_SIZES; bytes *= 4)
    ahead[n++] = one_size(b, pages, bytes, large_pages);
  for (from = n; from && ahead[from - 1];) from--;
  if (from == n)
    printf("groupby_%s_crossover\tnone\tup to %" PRIu64 " MB\n", pages, largest / MB);
  else
    printf("groupby_%s_crossover\t%" PRIu64 "\tKB\n", pages, (SMALLEST << 2 * from) / KB);
}

int main(int argc, char **argv) {
  uint64_t largest = argc > 1 ? strtoull(argv[1], NULL, 10) : 4 * GB;
  bench_t b = {.in = malloc(ROWS * 4), .aside = malloc(ROWS * 4)};
  must(b.in && b.aside, "no memory for the input");
  all_sizes(&b, "4K", false, largest);
  all_sizes(&b, "2M", true, largest);
  free(b.in), free(b.aside);
  return 0;
}
