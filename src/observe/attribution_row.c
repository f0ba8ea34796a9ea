/* The row of attribution: whom it listens to, its check, its part of the statistics. */
#include "observe/attribution.h"

static const hooks_t *attribution_hooks(const void *block) {
  static const hooks_t hooks = {.command = command_seen,
                                .app_ended = end_seen,
                                .looked_up = look_up_seen,
                                .early = early_seen,
                                .level_missed = miss_seen,
                                .walked = walked_seen,
                                .far_fault = fault_seen,
                                .l2_wrote = write_seen,
                                .l2_displaced = write_back_seen,
                                .l2_stood_in = stand_in_seen,
                                .dram_counted = bytes_seen,
                                .charged = stall_seen,
                                .blocked = blocked_seen};
  return ((const attribution_t *)block)->on ? &hooks : NULL;
}

static int attribution_check(const void *block, err_t *e) {
  const attribution_t *t = block;
  int rc = GMMU_OK;
  if (!t->on || !attribution_cores(t)->settled) return GMMU_OK;
  for (uint32_t a = 0; a < attribution_share(t)->apps && rc == 0; a++) rc = check_app(t, a, e);
  return rc;
}

static const stat_group_t attribution_stats[] = {
    {"apps[].by_array[], .by_kernel[], .by_line[]",
     "who asked for memory, and `stall` by reason; with observe.origins", origin_list},
    {0},
};

static void attribution_app_json(const void *block, uint32_t app, json_t *j) {
  const attribution_t *t = block;
  if (t->on) attribution_json(t, app, j);
}

static const component_t attribution_row = {.name = "origins",
                                            .stage = STAGE_OBSERVERS,
                                            .init = attribution_init,
                                            .fini = attribution_fini,
                                            .hooks = attribution_hooks,
                                            .check = attribution_check,
                                            .stats = attribution_stats,
                                            .app_json = attribution_app_json};
