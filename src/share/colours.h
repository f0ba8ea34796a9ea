#ifndef GMMU_COLOURS_H
#define GMMU_COLOURS_H
/* Partitions of the memory system: which page colours an application has (mem.manager=coloured),
 * and whether everybody keeps to its own modules, L2 sets and banks (also with map.partition). */
#include "color/color.h"
#include "engine/request.h"
#include "gmmu/mm.h"
#include "gpu/spec.h"

#define COLOUR_STATS(X)                                                                            \
  X(colours, "colours", "page colours the application has")                                        \
  X(foreign_reads, "reads",                                                                        \
    "of its page tables that reached L2 outside its colours: mem.colour_tables=false")
typedef struct {
#define X(n, u, h) uint64_t n;
  COLOUR_STATS(X)
#undef X
} colour_stats_t;

typedef struct {
  bool watch;      /* something of the below is wanted of every request that enters L2 */
  bool verify;     /* run.check: who meets whom */
  bool strays;     /* page tables may lie in anybody's colours */
  mm_colours_t of; /* functions of the frame number, and who has which */
  uint64_t used[GMMU_MAX_APPS];    /* colours it has pages of, at most */
  uint16_t friends[GMMU_MAX_APPS]; /* bit per application that may use the same places */
  uint8_t *slice_colour;           /* [slice] */
  uint16_t *in_set, *in_bank;      /* bit per application that was there: [slice * sets], [channel *
                                      banks]; with verify */
  colour_stats_t *stats;           /* [app]; NULL: no colours */
} colours_t;

/* Deals the colours that pages of mem.page have: as mem.colours lists them, or equally. All zeroes
 * if the manager is another. */
int colours_deal(const gpu_spec_t *s, uint32_t apps, mm_colours_t *out, err_t *e);

/* The application chooses among its colours, for what it allocates from now on. */
int colours_use(colours_t *c, uint32_t app, uint64_t colours, err_t *e);
/* With `watch`: the request enters its L2 slice. */
void colours_note(colours_t *c, const request_t *r);
#endif
