#ifndef GMMU_TRACE_GMT_TABLE_H
#define GMMU_TRACE_GMT_TABLE_H
/* A kernel's static table on either side: its rows, and what the codes derive from them. */
#include "trace/gmt_format.h"

#define JUMP_NONE UINT32_MAX

typedef struct {
  char *name;
  inst_t *inst;
  uint32_t *jump; /* per instruction: the successor coded as SUCC_JUMP, or JUMP_NONE */
  uint8_t *slot;  /* per instruction: its prediction entry */
  uint8_t *plain; /* per instruction: so many from it on are inst_is_plain(), of those that are not
                     the last one; up to 255 */
  uint32_t inst_count;
  inst_where_t *where; /* [inst_count]; NULL: unknown */
  char *file_text;     /* names of source files, one behind the other, each with its NUL */
  const char **file;   /* [files] in it */
  uint32_t files;
  uint32_t preds;        /* entries in use, a power of two, 1 .. PRED_MAX */
  pred_t init[PRED_MAX]; /* a warp's entries when its block begins */
} table_t;

/* NULL, or what is wrong with the row. */
const char *gmt_inst_flaw(const inst_t *i);
/* NULL, or which limit of the format the launch exceeds. Does not look at name and rows. */
const char *gmt_dims_flaw(const launch_t *l);
/* gmt_dims_flaw(), and the lengths of name and table. */
const char *gmt_launch_flaw(const launch_t *l);
/* Allocates an empty table for `count` rows. The caller owns it and calls gmt_table_fini(). */
int gmt_table_init(table_t *t, uint32_t name_bytes, uint32_t count);
void gmt_table_fini(table_t *t); /* a zeroed table is allowed */
/* Numbers the memory instructions, once inst[] is filled. */
void gmt_table_number(table_t *t);

/* Copies where instructions were written, if the launch knows; files beyond the limit are unknown.
 */
int gmt_table_places(table_t *t, const launch_t *l);

/* The table's section of a file, of this version. gmt_table_write() fills gmt_table_bytes() bytes.
 * gmt_table_read() makes a table of `bytes` bytes or names the flaw in *why, with its place in *at;
 * on failure *t is zeroed. */
uint64_t gmt_table_bytes(const table_t *t);
void gmt_table_write(const table_t *t, uint8_t *p);
int gmt_table_read(table_t *t, const uint8_t *p, uint64_t bytes, uint32_t version, const char **why,
                   uint64_t *at);
#endif
