#ifndef GMMU_MM_H
#define GMMU_MM_H
/* The GPU memory manager: physical frames, address spaces and their radix page tables.
 *
 * A library of its own: it decides and returns *actions*; whoever calls it carries them out and
 * pays for them. It knows nothing of the simulator. docs/mm.md shows a program that uses it. */
#include "gmmu/err.h"
#include "gmmu/types.h"
#include <stdbool.h>
#include <stddef.h>

typedef struct mm mm_t;

#define MM_MAX_LEVELS   6
#define MM_MAX_CHANNELS 256

/* How Mosaic's compaction (CAC) moves data: MM_MIGRATE says it in `copy`. */
typedef enum {
  MM_COPY_DRAM, /* read and written through the memory channel, 64 bits at a time */
  MM_COPY_BULK, /* inside the DRAM (RowClone, LISA): about 80 ns a page (Mosaic, section 4.4) */
  MM_COPY_FREE  /* without cost: the ideal to compare with */
} mm_copy_t;

/* What the manager `mosaic` does about fragmentation; the others ignore it. As zeroes: no CAC. */
typedef struct {
  bool compact;            /* CAC is applied: it splinters and compacts */
  mm_copy_t copy;          /* how its pages move */
  uint32_t splinter_below; /* percent of a large page, 0 .. 100: with less than that allocated it is
                              splintered (the paper gives no number) */
} mm_cac_t;

/* Frames that hold data of nobody here from the beginning on, as in Mosaic's section 6.4. */
typedef struct {
  uint32_t index;     /* percent of the large frames that have some */
  uint32_t occupancy; /* percent of their base frames that are taken, rounded up */
  uint64_t seed;      /* which */
} mm_fragments_t;

/* Page colours, of the manager `coloured`; the others ignore it. Bit i of a frame's colour is the
 * XOR of those bits of its number that are in function[i]; so there are 2^functions colours. As
 * zeroes: one colour, which everybody has. */
#define MM_MAX_COLOUR_BITS 6
typedef struct {
  uint32_t functions;
  uint64_t function[MM_MAX_COLOUR_BITS];
  uint64_t of_space[GMMU_MAX_APPS]; /* bit per colour; two spaces may have one in common */
  bool tables; /* page tables, too, lie in the space's colours; else anywhere in memory */
} mm_colours_t;

/* A part of physical memory, of the manager `mixed`: frames of a space, of data and of tables, come
 * from it alone. Multiples of large_bytes; as zeroes: all of memory. */
typedef struct {
  uint64_t first, bytes;
} mm_zone_t;

/* A hashed page table of fixed size beside the radix tables (docs/mm.md); managers gpu-mmu and
 * large-only. As zeroes: none. */
typedef struct {
  uint32_t percent; /* entries, of the pages that memory holds */
  uint32_t cluster; /* adjacent pages whose entries lie together: a power of two, at most 64 */
  uint32_t probes;  /* places for such a cluster, 1 to 14; without one it is in the radix table */
} mm_hashed_spec_t;

/* Geometry of physical memory and of the page tables. Plain data, copied at creation.
 *
 * How the levels follow: a virtual page number has n = va_bits - log2(base_bytes) bits. The leaf
 * level is indexed by the lowest level_bits of them, the level above by the next level_bits, and so
 * on; there are ceil(n / level_bits) levels, and the root is indexed by what remains
 * (n - (levels - 1) * level_bits bits). At 48-bit addresses and level_bits = 9:
 *   4 KB pages: n = 36, 4 levels of 9;   64 KB: n = 32, root 5 + 3 x 9;   2 MB: n = 27, 3 levels
 * of 9. An entry has 8 bytes, so a node has 8 << level_bits bytes, the root included. A node is a
 * whole base frame if that is its size; if a frame is larger, nodes of one space share it as
 * aligned slices. Table frames come from the top of memory and go back with the last entry they
 * hold.
 *
 * A native large page (manager large-only) is one entry k = (log2(large_bytes) - log2(base_bytes))
 * / level_bits levels above the leaf (4 KB and 2 MB: k = 1, so its walk reads one entry less). If
 * the quotient is not whole, a large page is a run of 2^remainder such entries (64 KB and 2 MB: 32
 * leaf entries), each marked large. A coalesced large page (manager mosaic) keeps its leaf entries:
 * the large bit is set k levels above, and the walk goes on from there to the first leaf entry
 * below instead of its own. */
typedef struct {
  const char *manager;   /* a name of mm_manager_all[] */
  uint64_t memory_bytes; /* physical memory; a multiple of large_bytes, at most 2^28 base pages */
  uint64_t base_bytes;   /* base page: a power of two, 4 KB .. 2 MB */
  uint64_t large_bytes;  /* large frame: a power of two >= base_bytes, 2 MB by default */
  uint32_t va_bits;      /* width of a virtual address, 48 by default, at most 63 */
  uint32_t level_bits; /* index bits of a level below the root, 9 by default; a node fits a page */
  uint32_t spaces;     /* address spaces, 1 .. GMMU_MAX_APPS */
  /* Memory channel of a large frame, below `channels` (1 .. MM_MAX_CHANNELS): data migrates inside
   * one only. NULL where a large frame lies in all channels at once: then any will do. Asked for
   * every large frame during mm_new() only. */
  uint32_t (*channel)(const void *ctx, uint64_t large_frame);
  const void *channel_ctx;
  uint32_t channels;
  mm_cac_t cac;
  mm_fragments_t fragments;
  mm_colours_t colours;
  const char *format;  /* of page tables: a name of mm_format_name(); NULL: x86-4, the rules above,
                          which va_bits and level_bits are for */
  uint64_t huge_bytes; /* manager mixed: a page above the large one that may be used; 0: none */
  mm_zone_t zone[GMMU_MAX_APPS];
  mm_hashed_spec_t hashed;
  uint64_t align_bytes; /* manager mixed: the alignment that is asked for; pages are no larger. A
                           power of two from base_bytes on; 0: any */
} mm_spec_t;

/* What a call wants done, in order. Ranges are in base pages; frames are physical page numbers. The
 * tables are as they say already: the caller moves data and tells TLBs. */
typedef enum {
  MM_MAP,       /* vpn .. vpn+pages-1 are now mapped, their entries written; vpn maps to ppn, the
                   others where mm_translate says: the frames need not be contiguous */
  MM_UNMAP,     /* the range's entries were cleared; pages without one may be among them */
  MM_COALESCE,  /* the large page at vpn got its large bit, its leaf entries their disabled bits:
                   translations in TLBs stay true, no flush */
  MM_SPLINTER,  /* the large page at vpn lost them; a MM_SHOOTDOWN of it follows */
  MM_MIGRATE,   /* `pages` base pages at vpn move from ppn .. to to_ppn .., as `copy` says; a
                   MM_SHOOTDOWN that covers them follows. asid MM_OWNER_OTHER: of no space */
  MM_SHOOTDOWN, /* invalidate the range in every TLB, entries of large pages around it included */
  MM_EVICT,     /* take `pages` base pages at vpn, which lie in ppn .., back over the link before
                   their frames are used again */
  MM_TRANSFER   /* bring `pages` base pages at vpn over the link (ppn as in MM_MAP): until they are
                   there the range must not be used, though the tables have it already */
} mm_action_kind_t;

typedef struct {
  uint8_t kind; /* mm_action_kind_t */
  uint8_t copy; /* mm_copy_t, of MM_MIGRATE */
  asid_t asid;
  uint64_t pages;
  vpn_t vpn;
  ppn_t ppn, to_ppn;
} mm_action_t;

/* A list of actions, appended to by the calls below; owned by the caller, reused between calls.
 * Starts as zeroes. Every call takes NULL for a list nobody wants. */
typedef struct {
  mm_action_t *item;
  size_t count, capacity;
} mm_actions_t;
void mm_actions_clear(mm_actions_t *a);
void mm_actions_fini(mm_actions_t *a);

/* One page-table walk: the physical address of each entry read, root first, and what the leaf says.
 */
typedef struct {
  uint32_t levels; /* entries read: fewer than the depth for a large leaf or where the path ends;
                      0 in a space without mappings, which has no root */
  paddr_t entry[MM_MAX_LEVELS];
  bool mapped;
  bool large;     /* the translation holds for the whole large page around the address */
  ppn_t ppn;      /* of the base page asked for, large or not */
  uint8_t probes; /* with a hashed table only: places that would have been looked at there without
                     steps; 0: the walk went on to the radix table, or there is no entry */
} mm_walk_t;

int mm_new(const mm_spec_t *spec, mm_t **out, err_t *e); /* on success the caller owns *out */
void mm_free(mm_t *m);                                   /* NULL is allowed */

/* On failure of any of these calls nothing has changed: GMMU_EINVAL or GMMU_ERANGE for wrong
 * arguments, GMMU_ENOSPACE if simulated memory is exhausted, GMMU_ENOMEM if the host's is.
 *
 * Reserve [va, va+bytes) in the space, back it with frames and map it (data resident, no paging).
 * Allocations of a space may not overlap (GMMU_EINVAL). The range is widened to whole base pages
 * (large pages, if the manager knows no others); a page that a neighbour already uses is shared,
 * and stays mapped until the last allocation that touches it is released. */
int mm_alloc(mm_t *m, asid_t asid, vaddr_t va, uint64_t bytes, mm_actions_t *out, err_t *e);
/* The same for demand paging: pages become resident when touched. */
int mm_reserve(mm_t *m, asid_t asid, vaddr_t va, uint64_t bytes, mm_actions_t *out, err_t *e);
/* A page fault: makes the page resident, or the large page around it if the manager knows no
 * others. Nothing to do and no action if it is. GMMU_EFAULT if no allocation touches the page. */
int mm_touch(mm_t *m, asid_t asid, vpn_t vpn, mm_actions_t *out, err_t *e);
/* The opposite: pages vpn .. vpn+pages-1, widened as in mm_touch(), are resident no longer, and
 * come back when touched. Which to evict when memory is full is for the caller to say. */
int mm_evict(mm_t *m, asid_t asid, vpn_t vpn, uint64_t pages, mm_actions_t *out, err_t *e);
/* Pages of the space that come from now on have these of its colours, a bit each; those it has
 * stay. GMMU_EINVAL from a manager without colours, GMMU_ERANGE if one is not among those it was
 * given. */
int mm_use_colours(mm_t *m, asid_t asid, uint64_t colours, err_t *e);
/* Undo the allocation that starts at va, however it was made. */
int mm_release(mm_t *m, asid_t asid, vaddr_t va, mm_actions_t *out, err_t *e);
/* Give back a part of one allocation, which shrinks or falls into two; pages that only lose a part
 * of their bytes stay. */
int mm_release_part(mm_t *m, asid_t asid, vaddr_t va, uint64_t bytes, mm_actions_t *out, err_t *e);
/* Undo every allocation of the space (an application ended). */
int mm_release_all(mm_t *m, asid_t asid, mm_actions_t *out, err_t *e);

/* Does an allocation of the space touch the page, resident or not? */
bool mm_allocated(const mm_t *m, asid_t asid, vpn_t vpn);

/* Hot: neither allocates. mm_translate returns false if unmapped, and leaves *ppn and *large. */
bool mm_translate(const mm_t *m, asid_t asid, vpn_t vpn, ppn_t *ppn, bool *large);
void mm_walk(const mm_t *m, asid_t asid, vpn_t vpn, mm_walk_t *out);
/* log2 of the base pages of the page that vpn is mapped by, of whatever size; 0 if unmapped. */
uint32_t mm_page_order(const mm_t *m, asid_t asid, vpn_t vpn);

/* Formats of page tables; NULL behind the last. docs/mm.md has their levels. */
const char *mm_format_name(uint32_t i);
const char *mm_format_help(uint32_t i);
/* Bits of a virtual address: its own, or of x86-4 those given. */
uint32_t mm_format_va_bits(const char *format, uint32_t va_bits);

uint32_t mm_levels(const mm_t *m);      /* page-table depth: the most entries of a walk */
uint32_t mm_base_shift(const mm_t *m);  /* log2(base_bytes) */
uint32_t mm_large_shift(const mm_t *m); /* log2(large_bytes) */
/* Who owns a frame: an asid; MM_OWNER_TABLE + asid for a page-table frame; MM_OWNER_OTHER for data
 * of no space (mm_fragments_t); MM_OWNER_NONE. */
#define MM_OWNER_NONE  255
#define MM_OWNER_OTHER 254
#define MM_OWNER_TABLE 128
uint8_t mm_frame_owner(const mm_t *m, ppn_t ppn);

/* How the large frame with this number is used, for pictures of memory. */
typedef struct {
  uint8_t owner;   /* of the large frame: as mm_frame_owner(), MM_OWNER_TABLE for tables of anybody;
                      MM_OWNER_NONE if it is free, or its manager deals in base frames only */
  bool coalesced;  /* mapped as one large page */
  uint32_t used;   /* base frames in use */
  uint32_t guests; /* of those, frames whose owner is another: the soft guarantee was broken */
  uint32_t channel;
} mm_large_t;
void mm_large_frame(const mm_t *m, uint64_t large_frame, mm_large_t *out);

typedef struct {
  uint64_t frames, free_frames;            /* base-page frames */
  uint64_t free_large_frames;              /* large frames without a used base frame */
  uint64_t other_frames;                   /* data of no space */
  uint64_t data_frames[GMMU_MAX_APPS];     /* mapped, per space */
  uint64_t large_frames[GMMU_MAX_APPS];    /* of those, mapped through large pages */
  uint64_t needed_frames[GMMU_MAX_APPS];   /* base pages the allocations touch; the rest of
                                              data_frames is bloat */
  uint64_t held_frames[GMMU_MAX_APPS];     /* data_frames, and those free ones that are set aside
                                              for this space: the bloat of mosaic */
  uint64_t table_frames[GMMU_MAX_APPS];    /* holding page tables, per space */
  uint64_t open_frames[GMMU_MAX_APPS];     /* free frames that its data may lie in: with the manager
                                              coloured those of its colours, else all */
  uint64_t allocated_bytes[GMMU_MAX_APPS]; /* asked for and not yet released, per space */
} mm_usage_t;
void mm_usage(const mm_t *m, mm_usage_t *out);

/* What happened since mm_new(). */
#define MM_COUNTS(X)                                                                               \
  X(touched, "pages", "pages made resident by a touch")                                            \
  X(coalesced, "large pages", "coalesced in place")                                                \
  X(splintered, "large pages", "splintered")                                                       \
  X(emergencies, "large pages", "of those, from the emergency list")                               \
  X(compacted, "large frames", "emptied by compaction")                                            \
  X(migrated, "pages", "moved by compaction")                                                      \
  X(dissolved, "large frames", "reserved for a large page, given up for lack of memory")           \
  X(guests, "frames", "given out in a large frame of another owner: the soft guarantee broken")
typedef struct {
#define X(name, unit, help) uint64_t name;
  MM_COUNTS(X)
#undef X
} mm_counts_t;
mm_counts_t mm_counts(const mm_t *m);

int mm_check(const mm_t *m, err_t *e); /* walks every invariant; slow, for tests and --check */

/* Managers: how frames are chosen. */
typedef struct mm_manager_ops mm_manager_ops_t;
extern const mm_manager_ops_t *const mm_manager_all[]; /* NULL-terminated */
const mm_manager_ops_t *mm_manager_find(const char *name);
const char *mm_manager_name(const mm_manager_ops_t *m);
const char *mm_manager_help(const mm_manager_ops_t *m);
bool mm_manager_large(const mm_manager_ops_t *m); /* does it map large pages? */
bool mm_manager_mixed(const mm_manager_ops_t *m); /* pages of all sizes of the format? */
#endif
