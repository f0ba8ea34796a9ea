#ifndef GMMU_IMPORT_TRACEG_LINE_H
#define GMMU_IMPORT_TRACEG_LINE_H
/* One line of a kernel trace that is an instruction. */
#include "import/traceg.h"

#define TRACEG_ADDRESSES ((1ull << 48) - 1) /* what addresses can be */

/* Fills t->inst and returns TRACEG_INST; 0 if the line is a mark and no instruction; or an error.
 * May look at the next line. */
int traceg_line(traceg_t *t, char *line, err_t *e);
uint64_t traceg_cut(const traceg_t *t, uint64_t address); /* to 48 bits, with a note */
/* Listed addresses that are a base and a stride become one: smaller, and faster to run. */
void traceg_compact(warp_op_t *op);
/* Whether an instruction follows `front` words: PC, mask, registers, an opcode, a number. */
bool traceg_fits(char *p, uint32_t front);
/* "expected `what` at" those characters of the line. */
int traceg_wrong(const traceg_t *t, err_t *e, const char *what, const char *at);
#endif
