/* How fast the memory manager maps, unmaps and translates, and what it costs the host.
 *
 *   bench_mm                  everything: lines of name, value, unit (and kind), tabs between
 *   bench_mm MANAGER KIND     one kind of operation once, and how many there were; for profilers
 *
 * Rates are of this process's time and depend on the host. Host instructions per operation are
 * callgrind's, of measured() alone, on an eighth of the operations; they repeat exactly with the
 * same compiler. */
#include "../tests/mm/counting_host.h"
#include "base/rng.h"
#include "mm/manager.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define KB     UINT64_C(1024)
#define MB     (KB * 1024)
#define GB     (MB * 1024)
#define PAGE   (4 * KB)
#define SPACES 2
#define START  (UINT64_C(0x7f00) << 32)
#define SLOTS  4096u /* of single pages */

typedef struct {
  mm_t *m;
  const char *manager;
  counting_t count;
  mm_host_t host;
  rng_t rng;
  uint64_t data;        /* bytes of each space */
  uint64_t look_ups;    /* and operations on single pages, a twentieth of that */
  uint64_t empty_bytes; /* of the host, before anything is mapped */
  uint64_t sum;         /* of results, so that nothing is optimised away */
  uint8_t used[SLOTS];
} bench_t;

/* One kind of operation: what comes before, the operations (their number is returned), and what
 * comes after. */
typedef struct {
  const char *name, *unit;
  bool rate; /* operations per second; else nanoseconds of each */
  void (*before)(bench_t *b);
  uint64_t (*run)(bench_t *b);
  void (*after)(bench_t *b);
} kind_t;

/* Of this process: the machine may be busy with others. */
static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void row(const bench_t *b, const char *what, double value, const char *unit) {
  printf("%s_%s\t%.4g\t%s\n", b->manager, what, value, unit);
}

static void must(int rc, const err_t *e) {
  if (!rc) return;
  fprintf(stderr, "bench_mm: %s\n", e->text);
  exit(1);
}

/* ---- kinds of operations --------------------------------------------------------------------- */

static void release_all(bench_t *b) {
  err_t e = {0};
  for (asid_t a = 0; a < SPACES; a++) must(mm_release_all(b->m, a, NULL, &e), &e);
}

/* One page at a time, in and out, among thousands of others. */
static uint64_t run_small(bench_t *b) {
  err_t e = {0};
  for (uint64_t i = 0; i < b->look_ups / 20; i++) {
    uint32_t slot = rng_below(&b->rng, SLOTS);
    vaddr_t va = {START + slot * PAGE};
    must(b->used[slot] ? mm_release(b->m, 0, va, NULL, &e) : mm_alloc(b->m, 0, va, PAGE, NULL, &e),
         &e);
    b->used[slot] ^= 1;
  }
  return b->look_ups / 20;
}

static void after_small(bench_t *b) {
  release_all(b);
  memset(b->used, 0, sizeof b->used);
}

static void before_touch(bench_t *b) {
  err_t e = {0};
  must(mm_reserve(b->m, 0, (vaddr_t){START}, b->data, NULL, &e), &e);
}

/* Demand paging: every page of a space faults once, in a scattered order. */
static uint64_t run_touch(bench_t *b) {
  err_t e = {0};
  uint64_t pages = b->data / PAGE;
  for (uint64_t i = 0; i < pages; i++) {
    uint64_t page = (i & ~UINT64_C(0xffff)) | (i * 40503 & 0xffff); /* within 256 MB at a time */
    must(mm_touch(b->m, 0, (vpn_t){START / PAGE + page}, NULL, &e), &e);
  }
  return pages;
}

static void before_part(bench_t *b) {
  err_t e = {0};
  must(mm_alloc(b->m, 0, (vaddr_t){START}, b->data, NULL, &e), &e);
}

/* More than half of each large page is given back; the rest is splintered and moves together. */
static uint64_t run_part(bench_t *b) {
  err_t e = {0};
  uint64_t moved = mm_counts(b->m).migrated;
  for (uint64_t off = 0; off < b->data; off += 2 * MB)
    must(mm_release_part(b->m, 0, (vaddr_t){START + off}, 300 * PAGE, NULL, &e), &e);
  return b->data / (2 * MB) * 300 + mm_counts(b->m).migrated - moved;
}

static void after_part(bench_t *b) {
  row(b, "release_part_moved", (double)mm_counts(b->m).migrated, "pages");
  release_all(b);
}

/* The allocations of a program: few and large. */
static uint64_t run_map(bench_t *b) {
  err_t e = {0};
  for (uint64_t off = 0; off < b->data; off += 64 * MB)
    for (asid_t a = 0; a < SPACES; a++)
      must(mm_alloc(b->m, a, (vaddr_t){START + off}, 64 * MB, NULL, &e), &e);
  return SPACES * (b->data / PAGE);
}

static void before_map(bench_t *b) { b->empty_bytes = b->count.live_bytes; }

static void after_map(bench_t *b) {
  mm_usage_t u;
  mm_usage(b->m, &u);
  uint64_t bytes = b->count.live_bytes - b->empty_bytes;
  row(b, "host_bytes", (double)bytes / (double)(u.frames - u.free_frames), "bytes/frame");
  release_all(b);
}

static uint64_t run_unmap(bench_t *b) {
  release_all(b);
  return SPACES * (b->data / PAGE);
}

static vpn_t page(const bench_t *b, uint64_t i) {
  return (vpn_t){(START >> 12) + i % (b->data >> 12)};
}

static uint64_t look_up(bench_t *b, uint64_t i, vpn_t vpn) {
  ppn_t ppn = {0};
  bool large = false;
  return mm_translate(b->m, i & 1, vpn, &ppn, &large) ? ppn.v : 0;
}

static uint64_t run_sequential(bench_t *b) {
  for (uint64_t i = 0; i < b->look_ups; i++) b->sum += look_up(b, i, page(b, i));
  return b->look_ups;
}

static uint64_t run_random(bench_t *b) {
  for (uint64_t i = 0; i < b->look_ups; i++) b->sum += look_up(b, i, page(b, rng_next(&b->rng)));
  return b->look_ups;
}

static uint64_t run_walk(bench_t *b) {
  mm_walk_t w;
  for (uint64_t i = 0; i < b->look_ups / 4; i++) {
    mm_walk(b->m, i & 1, page(b, rng_next(&b->rng)), &w);
    b->sum += w.levels;
  }
  return b->look_ups / 4;
}

static void fill(bench_t *b) { run_map(b); }

static const kind_t kinds[] = {
    {"small", "operations/s", true, NULL, run_small, after_small},
    {"touch", "pages/s", true, before_touch, run_touch, release_all},
    {"release_part", "pages/s", true, before_part, run_part, after_part},
    {"map", "pages/s", true, before_map, run_map, after_map},
    {"translate_sequential", "ns", false, fill, run_sequential, release_all},
    {"translate_random", "ns", false, fill, run_random, release_all},
    {"walk_random", "ns", false, fill, run_walk, release_all},
    {"unmap", "pages/s", true, fill, run_unmap, NULL},
};
#define KINDS (sizeof kinds / sizeof *kinds)

/* ---- one of them ----------------------------------------------------------------------------- */

/* What profilers look at. */
__attribute__((noinline)) static double measured(bench_t *b, const kind_t *k, uint64_t *count) {
  double t = seconds();
  *count = k->run(b);
  return seconds() - t;
}

static double one_kind(bench_t *b, const kind_t *k, uint64_t *count) {
  if (k->before) k->before(b);
  double s = measured(b, k, count);
  if (k->after) k->after(b);
  return s;
}

static double create(bench_t *b) {
  mm_spec_t spec = {.manager = b->manager,
                    .memory_bytes = 80 * GB,
                    .base_bytes = PAGE,
                    .large_bytes = 2 * MB,
                    .va_bits = 48,
                    .level_bits = 9,
                    .spaces = SPACES,
                    .cac = {.compact = true, .splinter_below = 50}};
  err_t e = {0};
  b->host = counting_host(&b->count);
  double t = seconds();
  must(mm_new_on(&b->host, &spec, &b->m, &e), &e);
  return seconds() - t;
}

static int run_one(const char *manager, const char *name) {
  bench_t b = {.manager = manager, .rng = {1}, .data = GB / 2, .look_ups = 2500000};
  for (size_t i = 0; mm_manager_find(manager) && i < KINDS; i++)
    if (!strcmp(kinds[i].name, name)) {
      uint64_t count;
      create(&b);
      double s = one_kind(&b, &kinds[i], &count);
      mm_free(b.m);
      printf("# operations: %" PRIu64 " in %.4f s\n", count, s);
      return 0;
    }
  fprintf(stderr, "bench_mm: no such manager, or no such kind of operation\n");
  return 1;
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* Host instructions per operation; 0 if there is no valgrind. */
static double instructions(const char *self, const char *manager, const char *kind) {
  char line[512];
  double count = 0, host = 0;
  snprintf(line, sizeof line,
           "valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=measured "
           "'%s' %s %s 2>&1",
           self, manager, kind);
  FILE *p = popen(line, "r");
  while (p && fgets(line, sizeof line, p)) {
    const char *ops = strstr(line, "# operations: "), *found = strstr(line, "Collected : ");
    if (ops) count = strtod(ops + strlen("# operations: "), NULL);
    if (found) host = strtod(found + strlen("Collected : "), NULL);
  }
  return p && !pclose(p) && count > 0 ? host / count : 0;
}

static void report(const char *self, bench_t *b, const kind_t *k) {
  uint64_t count;
  double s = one_kind(b, k, &count), n = (double)count;
  row(b, k->name, k->rate ? n / s : s / n * 1e9, k->unit);
  double host = instructions(self, b->manager, k->name);
  if (host > 0)
    printf("%s_%s_host\t%.1f\thost instructions/operation\tcount\n", b->manager, k->name, host);
}

static void run_all(const char *self, const char *manager) {
  bench_t b = {.manager = manager, .rng = {1}, .data = 4 * GB, .look_ups = 20000000};
  row(&b, "create_80GB", create(&b) * 1e3, "ms");
  row(&b, "create_80GB_host", (double)b.count.live_bytes / 1e6, "MB");
  for (size_t i = 0; i < KINDS; i++) report(self, &b, &kinds[i]);
  mm_free(b.m);
  if (!b.sum) printf("# nothing was mapped\n");
}

int main(int argc, char **argv) {
  if (argc == 3) return run_one(argv[1], argv[2]);
  for (size_t i = 0; mm_manager_all[i]; i++) run_all(argv[0], mm_manager_name(mm_manager_all[i]));
  return 0;
}
