/* One row per large frame in use. It is worked out when it is asked for, from the manager's own
 * books, so a run that nobody looks at keeps nothing. */
#include "observe/frames.h"

static void count(const mm_t *m, uint64_t number, uint32_t pages, frame_row_t *out) {
  for (uint32_t i = 0; i < pages; i++) {
    uint8_t owner = mm_frame_owner(m, (ppn_t){number * pages + i});
    if (owner < GMMU_MAX_APPS)
      out->data[owner]++;
    else if (owner == MM_OWNER_OTHER)
      out->other++;
    else if (owner != MM_OWNER_NONE)
      out->tables++;
  }
}

static void row_json(const frame_row_t *r, uint32_t apps, json_t *j) {
  json_begin_object(j);
#define X(n, u, h) json_key(j, #n), json_u64(j, r->n);
  FRAME_FIELDS(X)
#undef X
  json_key(j, "data"), json_u64s(j, r->data, apps);
  json_end_object(j);
}

void frames_json(const mm_t *m, uint64_t memory_bytes, uint32_t apps, json_t *j) {
  uint64_t frames = memory_bytes >> mm_large_shift(m), used = 0;
  uint32_t pages = 1u << (mm_large_shift(m) - mm_base_shift(m));
  json_key(j, "memory_map");
  json_begin_object(j);
  json_key(j, "large_bytes"), json_u64(j, 1ull << mm_large_shift(m));
  json_key(j, "base_bytes"), json_u64(j, 1ull << mm_base_shift(m));
  json_key(j, "frames"), json_u64(j, frames);
  json_key(j, "rows");
  json_begin_array(j);
  for (uint64_t i = 0; i < frames; i++) {
    mm_large_t large;
    mm_large_frame(m, i, &large);
    if (!large.used || ++used > FRAMES_SHOWN) continue;
    frame_row_t row = {.number = i, .coalesced = large.coalesced};
    count(m, i, pages, &row);
    row_json(&row, apps, j);
  }
  json_end_array(j);
  json_key(j, "left_out"), json_u64(j, used > FRAMES_SHOWN ? used - FRAMES_SHOWN : 0);
  json_end_object(j);
}
