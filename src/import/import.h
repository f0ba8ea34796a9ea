#ifndef GMMU_IMPORT_H
#define GMMU_IMPORT_H
/* Accel-Sim / NVBit traces become a .gmt file: a list with the traces that it names, or one trace.
 *
 * Each kernel's file is read twice: once to find its instructions and the memory it touches, once
 * to write. So whatever the files' sizes, memory holds one kernel's static table, one block
 * (spool.h) and the ranges of the program's memory. */
#include "import/notes.h"
#include "import/sass.h"

typedef struct {
  uint64_t kernel;       /* number of the kernel being read, from 1 */
  uint64_t instructions; /* warp instructions read, both times */
  uint32_t permille;     /* of its file, both times */
} import_progress_t;

typedef struct {
  uint64_t first, last; /* kernels of the list to take, from 1; last 0: all */
  const char *context;  /* "0x55c28dad19e0": only kernels of this one; NULL: there is but one */
  /* Called now and then; false ends the import with GMMU_EINTERRUPTED. NULL: nobody asks. */
  bool (*tick)(void *ctx, const import_progress_t *p);
  void *ctx;
} import_opts_t;

typedef struct {
  uint64_t kernels, blocks, warp_insts, mem_insts; /* written */
  uint64_t listed;                                 /* kernels in the list */
  uint64_t copies, allocations, allocated_bytes;
  uint32_t machine; /* SM version of the first kernel's code (90: Hopper); 0: unknown */
  sass_ops_t ops;   /* every opcode with its count */
  notes_t notes;
} import_summary_t;

/* Reads the list and the traces beside it, writes `path` (which appears when it is complete). The
 * summary is filled as far as it got, and freed by import_summary_fini() in every case. */
int import_run(const char *list, const char *path, const import_opts_t *o, import_summary_t *s,
               err_t *e);
void import_summary_fini(import_summary_t *s);

/* Calls `take` with the path of each file that import_run() would read: the list, then its traces,
 * as far as they are there. Ends with the first result of it that is not 0. */
int import_files(const char *list, int (*take)(void *ctx, const char *path, err_t *e), void *ctx,
                 err_t *e);

/* The CUDA contexts that the names of a list's traces tell, each once, in their order, as far as
 * there is room. Returns how many there are: 0 in one trace by itself, or if names tell none. */
enum { CONTEXT_CHARS = 32 };
int import_contexts(const char *list, char name[][CONTEXT_CHARS], uint32_t room, err_t *e);

/* What the importer makes of a trace changes with this number. */
#define IMPORT_VERSION "4"
#endif
