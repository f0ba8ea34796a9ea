#include "gmmu/mm.h"
#include <stdio.h>

#define PAGE UINT64_C(4096)
#define VPN  UINT64_C(0x7f0000000) /* where the program's buffer begins */

int main(void) {
  mm_spec_t spec = {"mosaic", 1 << 30, PAGE, 512 * PAGE, 48, 9, .spaces = 2};
  spec.cac = (mm_cac_t){.compact = true, .copy = MM_COPY_DRAM, .splinter_below = 50};
  mm_actions_t todo = {0}; /* what a driver has to do: move data, tell TLBs */
  mm_walk_t walk;
  err_t e = {0};
  mm_t *m;
  if (mm_new(&spec, &m, &e) < 0) return 1;

  /* Two buffers of 1 MB that nobody has touched yet; then 512 page faults. */
  int rc = mm_reserve(m, 0, (vaddr_t){VPN * PAGE}, 256 * PAGE, &todo, &e);
  if (rc == 0) rc = mm_reserve(m, 0, (vaddr_t){(VPN + 256) * PAGE}, 256 * PAGE, &todo, &e);
  for (uint64_t i = 0; rc == 0 && i < 512; i++) rc = mm_touch(m, 0, (vpn_t){VPN + i}, &todo, &e);
  mm_walk(m, 0, (vpn_t){VPN + 5}, &walk); /* the last fault made a large page of them */
  printf("%zu actions; a walk reads %u entries, large: %d\n", todo.count, walk.levels, walk.large);
  mm_actions_clear(&todo);
  if (rc == 0) rc = mm_release_part(m, 0, (vaddr_t){VPN * PAGE}, 255 * PAGE, &todo, &e);
  if (rc == 0) rc = mm_release(m, 0, (vaddr_t){(VPN + 256) * PAGE}, &todo, &e); /* 1 page is left */
  for (size_t i = 0; i < todo.count; i++)
    printf("action %d: %llu pages\n", todo.item[i].kind, (unsigned long long)todo.item[i].pages);
  mm_actions_fini(&todo);
  mm_free(m);
  return rc < 0;
}
