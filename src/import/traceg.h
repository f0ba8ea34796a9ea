#ifndef GMMU_IMPORT_TRACEG_H
#define GMMU_IMPORT_TRACEG_H
/* kernel-*.traceg: the trace of one kernel launch, event by event. docs/import.md has the format.
 *
 * Believes nothing: what cannot be is an error with file and line, what does not matter a note. */
#include "gmmu/stream.h"
#include "import/notes.h"
#include "import/sass.h"
#include "import/text.h"

#define TRACEG_OLDEST 20 /* binary versions that can be */
#define TRACEG_NEWEST 130

typedef struct {
  char *name; /* owned by the reader */
  uint32_t grid[3], block[3];
  uint32_t regs, shared_bytes; /* 0: not a limit */
  uint32_t tracer, binary;
  bool line_info;
  uint64_t stream;                  /* of CUDA */
  uint64_t shared_base, local_base; /* of the windows for generic addresses */
} traceg_header_t;

typedef struct {
  inst_t row;
  uint64_t pc;
  warp_op_t op;
} traceg_inst_t;

/* A bulk copy whose addresses are handed out piece by piece. */
typedef struct {
  char *p;       /* the next word of the line */
  uint64_t left; /* addresses in it */
  bool deltas;   /* they are differences to `address` */
  uint64_t address, width;
  uint64_t piece, pieces; /* the next of the element under way, and how many */
  uint64_t last;          /* given last */
} traceg_bulk_t;

typedef enum {
  TRACEG_END,       /* of the file */
  TRACEG_BLOCK,     /* a block begins: cta */
  TRACEG_WARP,      /* a warp of it: warp */
  TRACEG_INST,      /* one of its instructions: inst */
  TRACEG_BLOCK_END, /* the block ends */
} traceg_event_t;

typedef struct {
  text_t *text; /* the caller's */
  sass_ops_t *ops;
  notes_t *notes;
  bool count; /* opcodes are counted */
  traceg_header_t header;
  /* the last event's */
  uint32_t cta, warp;
  traceg_inst_t inst;
  /* private */
  bool in_block, in_warp, has_count;
  bool versioned;     /* the header has the tracer's version */
  bool shaped;        /* the first instruction told what stands in front: */
  uint32_t ids, core; /* words: block and warp; SM and hardware warp */
  uint32_t xyz[3];
  uint64_t wanted, insts; /* of the warp: as `insts =` says, seen */
  traceg_bulk_t bulk;
} traceg_t;

/* Reads the header. `text` and `ops` outlive the reader; `notes` is NULL if nobody wants them, and
 * `count` says whether opcodes are counted (a file may be read twice). */
int traceg_init(traceg_t *t, text_t *text, sass_ops_t *ops, notes_t *notes, bool count, err_t *e);
void traceg_fini(traceg_t *t);
/* The next event, or an error. */
int traceg_next(traceg_t *t, err_t *e);
#endif
