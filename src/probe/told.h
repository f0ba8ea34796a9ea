#ifndef GMMU_PROBE_TOLD_H
#define GMMU_PROBE_TOLD_H
/* What a processor tells of its own data TLBs, to be set beside what the probe finds. */
#include <stdbool.h>
#include <stdint.h>

#define TOLD_LEVELS 4

typedef struct {
  uint32_t level, entries, ways; /* ways 0: fully associative, or not told */
} told_level_t;

typedef enum { TOLD_NOTHING, TOLD_CPUID, TOLD_PUBLISHED } told_by_t;

typedef struct {
  told_by_t by;
  uint32_t levels;
  told_level_t at[TOLD_LEVELS]; /* ascending, one of each level */
} told_t;

/* CPUID: fills r[] with eax, ebx, ecx, edx of a leaf and a sub-leaf. */
typedef void (*cpuid_fn)(void *ctx, uint32_t leaf, uint32_t sub, uint32_t r[4]);

/* For loads from pages of so many bytes (4 KB or 2 MB). Intel's leaf 18H, AMD's leaves 8000_0005H
 * and 8000_0006H; where a hypervisor hides these, what the makers' manuals say of the model. */
told_t told_tlbs(cpuid_fn cpuid, void *ctx, uint64_t page_bytes);
told_t told_host(uint64_t page_bytes); /* of this computer */
#endif
