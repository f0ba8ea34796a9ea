/* A machine, an application, a counter: cc first.c $(pkg-config --cflags --libs gmmu) */
#include <gmmu/gmmu.h>
#include <inttypes.h>
#include <stdio.h>

int main(void) {
  gmmu_t *m = NULL;
  err_t e = {0};
  uint64_t lookups = 0, misses = 0;
  gmmu_limits_t limits = {.cycles = 20000};
  int rc = gmmu_open("maxwell", "sharedtlb", &m, &e);
  if (rc == 0) rc = gmmu_set(m, "l2tlb.entries", "256", &e);
  if (rc == 0) rc = gmmu_add(m, "gather:footprint=64M", 0, &e);
  if (rc == 0) rc = gmmu_run(m, &limits, &e);
  if (rc >= 0) rc = gmmu_statistic(m, "apps[0].l2tlb.lookups", &lookups, &e);
  if (rc >= 0) rc = gmmu_statistic(m, "apps[0].l2tlb.misses", &misses, &e);
  if (rc >= 0)
    printf("%" PRIu64 " cycles, %" PRIu64 " of %" PRIu64 " look-ups miss the L2 TLB\n",
           gmmu_cycles(m), misses, lookups);
  else
    fprintf(stderr, "%s\n", e.text);
  gmmu_close(m);
  return rc < 0;
}
