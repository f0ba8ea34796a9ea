/* Every function of the memory manager, in the order in which a driver would use them. */
#include <gmmu/mm.h>
#include <stdio.h>
#include <string.h>

#define MB       (UINT64_C(1) << 20)
#define PAGES(m) ((m)*MB / 4096) /* base pages */

static void choose_a_manager(void) {
  for (uint32_t i = 0; mm_manager_all[i]; i++)
    printf("%-12s %s%s%s\n", mm_manager_name(mm_manager_all[i]), mm_manager_help(mm_manager_all[i]),
           mm_manager_large(mm_manager_all[i]) ? ", large pages" : "",
           mm_manager_mixed(mm_manager_all[i]) ? ", pages of all sizes" : "");
  for (uint32_t i = 0; mm_format_name(i); i++)
    printf("%-12s %s: %u bits\n", mm_format_name(i), mm_format_help(i),
           mm_format_va_bits(mm_format_name(i), 48));
}

static const char *owner(const mm_t *m, ppn_t ppn) {
  uint8_t who = mm_frame_owner(m, ppn);
  return who == MM_OWNER_NONE ? "nobody" : who >= MM_OWNER_TABLE ? "a table" : "a space";
}

/* A resident allocation of 4 MB: who has its frames, and what a walk reads. */
static int resident(mm_t *m, mm_actions_t *list, err_t *e) {
  const vaddr_t buffer = {UINT64_C(1) << 32};
  const vpn_t page = {buffer.v >> mm_base_shift(m)};
  ppn_t ppn = {0};
  bool large = false;
  mm_walk_t walk;
  mm_large_t frame;
  int rc = mm_alloc(m, 0, buffer, 4 * MB, list, e);
  if (rc < 0) return rc;
  mm_translate(m, 0, page, &ppn, &large);
  mm_walk(m, 0, page, &walk);
  mm_large_frame(m, ppn.v >> (mm_large_shift(m) - mm_base_shift(m)), &frame);
  printf("resident: %u of %u levels read, %s, order %u, frame of %s, %u base frames in use\n",
         walk.levels, mm_levels(m), large ? "large" : "small", mm_page_order(m, 0, page),
         owner(m, ppn), frame.used);
  rc = mm_release_part(m, 0, buffer, MB, list, e); /* the first quarter of it */
  if (rc == 0) rc = mm_release(m, 0, (vaddr_t){buffer.v + MB}, list, e);
  return rc;
}

/* Demand paging: a page comes when it is touched, and goes when it is evicted. */
static int on_demand(mm_t *m, mm_actions_t *list, err_t *e) {
  const vaddr_t buffer = {UINT64_C(2) << 32};
  const vpn_t page = {buffer.v >> mm_base_shift(m)};
  ppn_t ppn = {0};
  bool large;
  mm_actions_clear(list);
  int rc = mm_reserve(m, 1, buffer, MB, list, e);
  bool before = rc == 0 && mm_translate(m, 1, page, &ppn, &large);
  if (rc == 0) rc = mm_touch(m, 1, page, list, e);
  bool there = rc == 0 && mm_translate(m, 1, page, &ppn, &large);
  if (rc == 0) rc = mm_evict(m, 1, page, 1, list, e);
  if (rc < 0) return rc;
  printf(
      "on demand: mapped before %d, when touched %d, touched so far %u; evicted, still allocated "
      "%d\n",
      before, there, (unsigned)mm_counts(m).touched, mm_allocated(m, 1, page));
  return mm_release_all(m, 1, list, e);
}

/* Two tenants, two colours: each has frames of its own. */
static int coloured(mm_spec_t spec, err_t *e) {
  mm_t *m = NULL;
  mm_actions_t none = {0};
  mm_usage_t usage;
  spec.manager = "coloured";
  spec.colours =
      (mm_colours_t){.functions = 1, .function = {1}, .of_space = {1, 3}, .tables = true};
  int rc = mm_new(&spec, &m, e);
  if (rc == 0) rc = mm_use_colours(m, 1, 2, e); /* of its two, the one that space 0 has not */
  if (rc == 0) rc = mm_alloc(m, 1, (vaddr_t){UINT64_C(1) << 32}, MB, &none, e);
  if (rc == 0) {
    mm_usage(m, &usage);
    printf("coloured: %u of %u pages\n", (unsigned)usage.data_frames[1], (unsigned)PAGES(1));
  }
  mm_actions_fini(&none);
  mm_free(m);
  return rc;
}

int main(void) {
  mm_t *m = NULL;
  mm_actions_t list = {0};
  err_t e = {0};
  mm_spec_t spec = {.manager = mm_manager_name(mm_manager_find("mosaic")),
                    .memory_bytes = 64 * MB,
                    .base_bytes = 4096,
                    .large_bytes = 2 * MB,
                    .va_bits = 48,
                    .level_bits = 9,
                    .spaces = 2};
  choose_a_manager();
  int rc = mm_new(&spec, &m, &e);
  if (rc == 0) rc = resident(m, &list, &e);
  if (rc == 0) rc = on_demand(m, &list, &e);
  if (rc == 0) rc = mm_check(m, &e); /* its invariants */
  if (rc == 0) rc = coloured(spec, &e);
  if (rc < 0) fprintf(stderr, "%s\n", e.text);
  mm_actions_fini(&list);
  mm_free(m);
  return rc < 0;
}
