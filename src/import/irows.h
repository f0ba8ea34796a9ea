#ifndef GMMU_IMPORT_IROWS_H
#define GMMU_IMPORT_IROWS_H
/* The static table of a launch, found from what its warps executed: one row per PC and decoded
 * instruction (functions of one kernel may share PCs), in order of PC. */
#include "gmmu/stream.h"

typedef struct {
  uint64_t *pc;   /* [count] */
  inst_t *row;    /* [count] in order of first sight until irows_sort(), then of PC */
  uint32_t *slot; /* hash table of row numbers + 1 */
  uint32_t count, capacity, mask;
} irows_t;

int irows_init(irows_t *r, err_t *e);
void irows_fini(irows_t *r);
void irows_clear(irows_t *r); /* empty, but keeps its memory */
/* Adds the row if it is new. */
int irows_add(irows_t *r, uint64_t pc, const inst_t *row, err_t *e);
int irows_sort(irows_t *r, err_t *e); /* after the last irows_add() */
/* Its number, or UINT32_MAX. */
uint32_t irows_find(const irows_t *r, uint64_t pc, const inst_t *row);
#endif
