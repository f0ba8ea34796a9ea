#ifndef GMMU_IMPORT_LOCAL_H
#define GMMU_IMPORT_LOCAL_H
/* Local memory. A trace names addresses inside a thread's own window, the same for every thread;
 * hardware spreads them so that a warp's 32 words lie side by side. So does this: each warp that
 * can be resident has a region of 32 times what one thread uses. Stacks grow down from the window's
 * top, so what is used is counted from the lowest offset seen, in each half of the window. */
#include "gmmu/stream.h"

#define LOCAL_WINDOW     (1u << 24)   /* bytes; generic addresses have it, too */
#define LOCAL_THREAD_MAX (512u << 10) /* bytes a thread can have, CUDA's limit */
#define LOCAL_WARPS      5120u /* resident at once: 80 SMs x 64; later ones use their regions */
#define LOCAL_REGION     0x7e8000000000ull /* where they lie; Accel-Sim's own window */

typedef struct {
  uint64_t base; /* of the trace's window */
  struct {
    uint32_t low, end; /* used by the accesses so far; end 0: none */
  } half[2];
} local_t;

/* Notes what the access uses; false if it is not to local memory after all. */
bool local_survey(local_t *m, const inst_t *row, const warp_op_t *op);
/* What one thread uses, rounded up to 512. */
uint64_t local_thread_bytes(const local_t *m);
/* Puts the addresses of warp `warp` (counted over the grid) where they lie. */
void local_place(const local_t *m, const inst_t *row, uint64_t warp, warp_op_t *op);
#endif
