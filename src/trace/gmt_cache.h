#ifndef GMMU_TRACE_GMT_CACHE_H
#define GMMU_TRACE_GMT_CACHE_H
/* Decompressed frames of the current launch, least recently used first out. */
#include "trace/gmt_index.h"

typedef struct {
  uint32_t frame; /* whose content it holds; NO_SLOT: none */
  uint32_t older, newer;
} slot_t;

typedef struct {
  uint8_t *bytes; /* [slots * GMT_MAX_FRAME] */
  slot_t *slot;
  uint32_t slots, used; /* used: slots that ever held a frame */
  uint32_t oldest, newest;
  uint64_t frames_read;
} cache_t;

int gmt_cache_init(cache_t *c, uint64_t budget_bytes, err_t *e);
void gmt_cache_fini(cache_t *c);
void gmt_cache_clear(cache_t *c); /* another launch: frame numbers mean something else */
/* The frame's content, valid until the next call; NULL on failure. Allocates nothing. */
const uint8_t *gmt_cache_get(cache_t *c, index_t *x, file_t *f, uint32_t frame, err_t *e);
/* The frame will not be asked for again soon: reuse its slot, whose memory is warm, first. */
void gmt_cache_done(cache_t *c, const index_t *x, uint32_t frame);
#endif
