/* The memory manager alone, without a machine: what an allocation does to the page table. */
#include <gmmu/mm.h>
#include <stdio.h>

int main(void) {
  mm_t *m = NULL;
  mm_actions_t actions = {0};
  err_t e = {0};
  mm_usage_t usage;
  mm_spec_t spec = {.manager = "mosaic",
                    .memory_bytes = UINT64_C(64) << 20,
                    .base_bytes = 4096,
                    .large_bytes = UINT64_C(2) << 20,
                    .va_bits = 48,
                    .level_bits = 9,
                    .spaces = 1};
  int rc = mm_new(&spec, &m, &e);
  if (rc == 0) rc = mm_alloc(m, 0, (vaddr_t){UINT64_C(1) << 32}, UINT64_C(4) << 20, &actions, &e);
  if (rc == 0) {
    mm_usage(m, &usage);
    printf("%s: %u actions, %u levels\n", spec.manager, (unsigned)actions.count, mm_levels(m));
  } else {
    fprintf(stderr, "%s\n", e.text);
  }
  mm_actions_fini(&actions);
  mm_free(m);
  return rc < 0;
}
