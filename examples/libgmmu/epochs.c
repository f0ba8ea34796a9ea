/* Two applications, watched every 5000 cycles, until the second has missed 10 000 times. */
#include <gmmu/gmmu.h>
#include <inttypes.h>
#include <stdio.h>

static bool look(void *ctx, gmmu_t *m, uint64_t cycle) {
  uint64_t *misses = ctx;
  if (gmmu_statistic(m, "apps[1].l2tlb.misses", misses, NULL) < 0) return false;
  printf("cycle %" PRIu64 ": %" PRIu64 " misses\n", cycle, *misses);
  return *misses < 10000;
}

int main(void) {
  gmmu_t *m = NULL;
  err_t e = {0};
  uint64_t misses = 0;
  gmmu_limits_t limits = {.cycles = 60000};
  char entries[32];
  int rc = gmmu_open("maxwell", "sharedtlb", &m, &e);
  if (rc == 0) rc = gmmu_add(m, "stream", 0, &e);
  if (rc == 0) rc = gmmu_add(m, "gather:footprint=256M", 0, &e);
  if (rc == 0) rc = gmmu_on_epoch(m, 5000, look, &misses, &e);
  if (rc == 0) rc = gmmu_run(m, &limits, &e);
  if (rc == 0) rc = gmmu_run(m, &limits, &e) < 0 ? e.code : 0; /* it was stopped, and goes on */
  if (rc >= 0 && gmmu_get(m, "l2tlb.entries", entries, sizeof entries) > 0)
    printf("libgmmu %s, model %s: an L2 TLB of %s entries\n", gmmu_version(), gmmu_model(),
           entries);
  if (rc >= 0 && !gmmu_statistics(m, &e)) rc = e.code;
  if (rc < 0) fprintf(stderr, "%s\n", e.text);
  gmmu_close(m);
  return rc < 0;
}
