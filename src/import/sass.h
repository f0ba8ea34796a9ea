#ifndef GMMU_IMPORT_SASS_H
#define GMMU_IMPORT_SASS_H
/* SASS opcodes: what class an instruction belongs to, which memory it accesses and how wide. */
#include "gmmu/stream.h"
#include <stddef.h>

#define SPACE_GENERIC SPACE_COUNT /* global, shared or local: its address tells */

typedef struct {
  uint8_t cls, space; /* iclass_t; space_t or SPACE_GENERIC */
  uint8_t width;      /* bytes per lane of an access, 1 .. 16; 0 for other classes */
  uint8_t flags;      /* INST_* */
  uint8_t results;    /* registers a load writes, if the width does not tell; else 0 */
  bool known;         /* the name is in the table; else an integer operation */
  bool odd_width;     /* the size it names is none of 1, 2, 4, 8, 16 bytes */
} sass_op_t;

/* "LDG.E.128.SYS": name and modifiers. */
void sass_decode(const char *text, size_t size, sass_op_t *out);

/* ---- the opcodes of a program: each is decoded once, and counted ---- */

#define SASS_MAX_NAME 63u    /* characters */
#define SASS_MAX_OPS  65536u /* distinct ones; a program has a few hundred */

typedef struct {
  char name[SASS_MAX_NAME + 1];
  sass_op_t op;
  uint64_t count;
} sass_entry_t;

typedef struct {
  sass_entry_t *at;
  uint32_t *slot; /* hash table of entry numbers + 1 */
  uint32_t count, capacity, mask;
} sass_ops_t;

int sass_ops_init(sass_ops_t *s, err_t *e);
void sass_ops_fini(sass_ops_t *s);
/* The entry of an opcode; NULL and *rc if it cannot be (too long, too many, no memory). The pointer
 * holds until the next call. */
sass_entry_t *sass_ops_get(sass_ops_t *s, const char *text, uint32_t size, int *rc);
#endif
