/* How fast the memory manager maps, unmaps and translates, and what it costs the host.
 * Prints lines of name, value and unit with tabs between. */
#include "../tests/mm/counting_host.h"
#include "base/rng.h"
#include "mm/manager.h"
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#define KB       UINT64_C(1024)
#define MB       (KB * 1024)
#define GB       (MB * 1024)
#define SPACES   2
#define DATA     (4 * GB) /* of each space */
#define START    (UINT64_C(0x7f00) << 32)
#define LOOK_UPS 20000000u

typedef struct {
  mm_t *m;
  const char *manager;
  counting_t count;
  mm_host_t host;
  rng_t rng;
} bench_t;

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

static void bench_create(bench_t *b) {
  mm_spec_t spec = {.manager = b->manager,
                    .memory_bytes = 80 * GB,
                    .base_bytes = 4 * KB,
                    .large_bytes = 2 * MB,
                    .va_bits = 48,
                    .level_bits = 9,
                    .spaces = SPACES,
                    .cac = {.compact = true, .splinter_below = 50}};
  err_t e = {0};
  double t = seconds();
  must(mm_new_on(&b->host, &spec, &b->m, &e), &e);
  row(b, "create_80GB", (seconds() - t) * 1e3, "ms");
  row(b, "create_80GB_host", (double)b->count.live_bytes / 1e6, "MB");
}

/* The allocations of a program: few and large. */
static void bench_map(bench_t *b) {
  err_t e = {0};
  uint64_t empty = b->count.live_bytes;
  double t = seconds();
  for (uint64_t off = 0; off < DATA; off += 64 * MB)
    for (asid_t a = 0; a < SPACES; a++)
      must(mm_alloc(b->m, a, (vaddr_t){START + off}, 64 * MB, NULL, &e), &e);
  row(b, "map", SPACES * (double)(DATA / (4 * KB)) / (seconds() - t), "pages/s");
  mm_usage_t u;
  mm_usage(b->m, &u);
  row(b, "host_bytes", (double)(b->count.live_bytes - empty) / (double)(u.frames - u.free_frames),
      "bytes/frame");
}

static void bench_unmap(bench_t *b) {
  err_t e = {0};
  double t = seconds();
  for (asid_t a = 0; a < SPACES; a++) must(mm_release_all(b->m, a, NULL, &e), &e);
  row(b, "unmap", SPACES * (double)(DATA / (4 * KB)) / (seconds() - t), "pages/s");
}

/* One page at a time, in and out, among thousands of others. */
static void bench_small(bench_t *b) {
  enum { SLOTS = 4096, OPS = 1000000 };
  static uint8_t used[SLOTS];
  err_t e = {0};
  double t = seconds();
  for (uint32_t i = 0; i < OPS; i++) {
    uint32_t slot = rng_below(&b->rng, SLOTS);
    vaddr_t va = {START + slot * 4 * KB};
    must(used[slot] ? mm_release(b->m, 0, va, NULL, &e) : mm_alloc(b->m, 0, va, 4 * KB, NULL, &e),
         &e);
    used[slot] ^= 1;
  }
  row(b, "small", OPS / (seconds() - t), "operations/s");
  must(mm_release_all(b->m, 0, NULL, &e), &e);
  for (uint32_t i = 0; i < SLOTS; i++) used[i] = 0;
}

/* Demand paging: every page of a space faults once, in a scattered order. */
static void bench_touch(bench_t *b) {
  err_t e = {0};
  uint64_t pages = DATA / (4 * KB);
  must(mm_reserve(b->m, 0, (vaddr_t){START}, DATA, NULL, &e), &e);
  double t = seconds();
  for (uint64_t i = 0; i < pages; i++) {
    uint64_t page = (i & ~UINT64_C(0xffff)) | (i * 40503 & 0xffff); /* within 256 MB at a time */
    must(mm_touch(b->m, 0, (vpn_t){START / (4 * KB) + page}, NULL, &e), &e);
  }
  row(b, "touch", (double)pages / (seconds() - t), "pages/s");
  must(mm_release_all(b->m, 0, NULL, &e), &e);
}

/* A third of each large page is given back; what remains is splintered and moves together. */
static void bench_compact(bench_t *b) {
  err_t e = {0};
  uint64_t ops = 0;
  must(mm_alloc(b->m, 0, (vaddr_t){START}, DATA, NULL, &e), &e);
  double t = seconds();
  for (uint64_t off = 0; off < DATA; off += 2 * MB, ops += 300)
    must(mm_release_part(b->m, 0, (vaddr_t){START + off}, 300 * 4 * KB, NULL, &e), &e);
  uint64_t moved = mm_counts(b->m).migrated;
  double s = seconds() - t;
  row(b, "release_part", (double)(ops + moved) / s, "pages/s");
  row(b, "release_part_moved", (double)moved, "pages");
  must(mm_release_all(b->m, 0, NULL, &e), &e);
}

static vpn_t page(const bench_t *b, uint64_t i) {
  (void)b;
  return (vpn_t){(START >> 12) + i % (DATA >> 12)};
}

static void bench_translate(bench_t *b) {
  uint64_t sum = 0;
  ppn_t ppn = {0};
  bool large = false;
  double t = seconds();
  for (uint64_t i = 0; i < LOOK_UPS; i++)
    sum += mm_translate(b->m, i & 1, page(b, i), &ppn, &large) ? ppn.v : 0;
  row(b, "translate_sequential", (seconds() - t) / LOOK_UPS * 1e9, "ns");
  t = seconds();
  for (uint64_t i = 0; i < LOOK_UPS; i++)
    sum += mm_translate(b->m, i & 1, page(b, rng_next(&b->rng)), &ppn, &large) ? ppn.v : 0;
  row(b, "translate_random", (seconds() - t) / LOOK_UPS * 1e9, "ns");
  if (sum == 0) printf("# nothing was mapped\n");
}

static void bench_walk(bench_t *b) {
  mm_walk_t w;
  uint64_t sum = 0;
  double t = seconds();
  for (uint64_t i = 0; i < LOOK_UPS / 4; i++) {
    mm_walk(b->m, i & 1, page(b, rng_next(&b->rng)), &w);
    sum += w.levels;
  }
  row(b, "walk_random", (seconds() - t) / (LOOK_UPS / 4) * 1e9, "ns");
  row(b, "walk_levels", (double)sum / (LOOK_UPS / 4), "entries");
}

int main(void) {
  for (size_t i = 0; mm_manager_all[i]; i++) {
    bench_t b = {.manager = mm_manager_name(mm_manager_all[i]), .rng = {1}};
    b.host = counting_host(&b.count);
    bench_create(&b);
    bench_small(&b);
    bench_touch(&b);
    bench_compact(&b);
    bench_map(&b);
    bench_translate(&b);
    bench_walk(&b);
    bench_unmap(&b);
    mm_free(b.m);
  }
  return 0;
}
