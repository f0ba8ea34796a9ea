#ifndef GMMU_GPU_MAPPED_H
#define GMMU_GPU_MAPPED_H
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

typedef struct gpu gpu_t;

typedef struct {
  asid_t asid;
  vaddr_t va;
  uint64_t first, pages; /* base pages that it touches */
  uint32_t *frame;       /* owned; [pages]: the frame of each, MAPPED_NONE if it has none */
} mapped_range_t;
#define MAPPED_NONE UINT32_MAX

typedef struct {
  bool on;               /* there are such pages: the one thing that others look at */
  uint64_t *frames;      /* bit per frame that stands for host memory; owned */
  mapped_range_t *range; /* owned */
  uint32_t count, room;
} mapped_t;

void mapped_fini(mapped_t *m);
/* The range, which is allocated, is the host's. */
int mapped_add(gpu_t *g, asid_t asid, vaddr_t va, uint64_t bytes, err_t *e);
void mapped_drop(gpu_t *g, asid_t asid, vaddr_t va); /* released; passes over others */
void mapped_drop_all(gpu_t *g, asid_t asid);
/* The manager's actions say that pages came, went or moved; to be told of each, in order. */
void mapped_changed(gpu_t *g, asid_t asid, vpn_t vpn, uint64_t pages);
int mapped_check(const gpu_t *g, err_t *e);

bool mapped_is(const gpu_t *g, uint64_t pa); /* a line of the host's memory? */
/* A request leaves the SM; behind the crossbar it is at the link; at the host. */
void mapped_send(gpu_t *g, uint32_t sm, uint32_t request, uint32_t latency);
void mapped_ask(gpu_t *g, uint32_t request);
void mapped_answer(gpu_t *g, uint32_t request);
#endif
