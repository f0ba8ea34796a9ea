/* This computer's processor as a device: its data TLBs. One "SM", one sample per pass (a clock
 * around each access would cost more than a miss), in cycles of the time stamp counter. The buffer
 * is reserved and costs memory only where links were written; pages are asked to be of the size
 * that is looked at. */
#include "probe/device.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#else
#include <time.h>
#endif

typedef struct {
  device_t base;
  uint8_t *map, *buffer;
  size_t map_bytes;
} cpu_t;

static uint64_t cycles_now(void) {
#if defined(__x86_64__)
  _mm_lfence();
  uint64_t t = __rdtsc();
  _mm_lfence();
  return t;
#else
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
#endif
}

static void write_links(uint8_t *buffer, const chase_t *c) {
  for (uint32_t i = 0; i < c->count; i++) {
    const void *next = buffer + c->at[i + 1 < c->count ? i + 1 : 0];
    memcpy(buffer + c->at[i], &next, sizeof next);
  }
}

static void *const *go_round(void *const *p, uint32_t accesses) {
  while (accesses--) p = *(void *const *const volatile *)p;
  return p;
}

/* Short rings are gone round many times per sample: the clock has a cost of its own. */
#define SAMPLE_ACCESSES 4096u
#define REPEATS         6u

static void run_chase(const cpu_t *d, const chase_t *c) {
  uint32_t rounds = c->count < SAMPLE_ACCESSES ? SAMPLE_ACCESSES / c->count : 1;
  void *const *p = (void *const *)(void *)(d->buffer + c->at[0]);
  write_links(d->buffer, c);
  for (uint32_t i = 0; i < c->warm; i++) p = go_round(p, c->count * rounds);
  for (uint32_t i = 0; i < c->timed; i++) {
    uint64_t least = UINT64_MAX;
    for (uint32_t k = 0; k < REPEATS; k++) { /* others only ever make it longer */
      uint64_t t = cycles_now();
      p = go_round(p, c->count * rounds);
      t = cycles_now() - t;
      if (t < least) least = t;
    }
    c->time[i] = (int64_t)(least / rounds);
  }
}

static int cpu_run(device_t *d, const chase_t *c, uint32_t chases, err_t *e) {
  (void)e;
  for (uint32_t i = 0; i < chases; i++) run_chase((const cpu_t *)(void *)d, &c[i]);
  return GMMU_OK;
}

static void cpu_free(device_t *d) {
  cpu_t *c = (cpu_t *)(void *)d;
  if (c->map) munmap(c->map, c->map_bytes);
  free(c);
}

static const device_ops_t cpu_ops = {.name = "cpu",
                                     .help = "this computer's data TLBs: cpu (4 KB pages), cpu:2M",
                                     .run = cpu_run,
                                     .free = cpu_free};

#define CPU_BYTES_4K (64ull << 20)  /* 16384 pages of 4 KB */
#define CPU_BYTES_2M (256ull << 20) /* 128 pages of 2 MB; they cost all of their bytes */

int device_cpu_new(uint64_t page_bytes, uint64_t bytes, device_t **out, err_t *e) {
  cpu_t *c = calloc(1, sizeof *c);
  uint64_t align = 2ull << 20, want = page_bytes > 4096 ? CPU_BYTES_2M : CPU_BYTES_4K;
  *out = NULL;
  if (!c) return err_set(e, GMMU_ENOMEM, "no memory for a device");
  if (bytes && bytes < want) want = bytes / align * align;
  c->map_bytes = want + align;
  c->map = mmap(NULL, c->map_bytes, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (!want || c->map == MAP_FAILED) {
    free(c);
    return err_set(e, GMMU_ENOMEM, "no address space of %llu MB", (unsigned long long)want >> 20);
  }
  c->buffer = c->map + (align - (uintptr_t)c->map % align);
  madvise(c->buffer, want, page_bytes > 4096 ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  c->base = (device_t){.ops = &cpu_ops,
                       .info = {.sms = 1,
                                .bytes = want,
                                .line_bytes = 64,
                                .grain = 0,
                                .step_bytes = (uint32_t)page_bytes,
                                .told = told_host(page_bytes)}};
  snprintf(c->base.info.name, sizeof c->base.info.name, "cpu, %s pages",
           page_bytes > 4096 ? "2 MB" : "4 KB");
  *out = &c->base;
  return GMMU_OK;
}
