#ifndef GMMU_MAPPED_H
#define GMMU_MAPPED_H
/* Mapped host memory (zero-copy): allocations that lie in the host's memory. Their pages are in the
 * page tables and are translated like all others; behind L1 their lines go over the link, not to L2
 * and DRAM. The memory manager knows no other frames than those of the GPU, so each such page holds
 * one of them, as its name: nothing is ever read from it.
 *
 *   load:   crossbar -> link_ask -> host -> link_answer -> crossbar
 *   store:  crossbar -> link_post; it is done when the link has it
 *   atomic: as a store and, if somebody waits for the old value, a load behind it */
#include "gmmu/err.h"
#include "gmmu/types.h"
#include <stdbool.h>
#include <stdint.h>

typedef struct {
  asid_t asid;
  vaddr_t va;
  uint64_t first, pages; /* base pages that it touches */
  uint32_t *frame;       /* owned; [pages]: the frame of each, MAPPED_NONE if it has none */
} mapped_range_t;
#define MAPPED_NONE UINT32_MAX

typedef struct {
  uint64_t *frames;      /* bit per frame that stands for host memory; owned */
  mapped_range_t *range; /* owned */
  uint32_t count, room;
} mapped_t;

/* The range, which is allocated, is the host's. */
int mapped_add(mapped_t *m, asid_t asid, vaddr_t va, uint64_t bytes, err_t *e);
void mapped_drop(mapped_t *m, asid_t asid, vaddr_t va); /* released; passes over others */
void mapped_drop_all(mapped_t *m, asid_t asid);
/* The manager's actions say that pages came, went or moved; to be told of each, in order. */
void mapped_changed(mapped_t *m, asid_t asid, vpn_t vpn, uint64_t pages);

/* A request is behind the crossbar, at the link; at the host. */
void mapped_ask(mapped_t *m, uint32_t request);
void mapped_answer(mapped_t *m, uint32_t request);
#endif
