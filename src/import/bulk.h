#ifndef GMMU_IMPORT_BULK_H
#define GMMU_IMPORT_BULK_H
/* Bulk copies of Hopper's TMA unit. A line has the addresses of the elements, up to thousands; here
 * each becomes the 16-byte pieces it lies in, and 32 of them an instruction that bypasses L1, as
 * the unit does, and that nobody waits for. */
#include "import/traceg.h"

/* Whether the opcode is one, and what it does to global memory (an iclass_t). */
bool bulk_opcode(const char *text, uint32_t size, uint8_t *cls);
/* Whether what follows the sources is a bulk copy's: tracers before Accel-Sim 2 wrote nothing of
 * the kind. */
bool bulk_follows(char *p);
/* Reads what follows the sources and makes t->inst the first piece, or an integer operation if
 * there is no address. Returns TRACEG_INST or an error. */
int bulk_begin(traceg_t *t, char *p, uint8_t cls, err_t *e);
/* The next one, while t->bulk has any. */
int bulk_next(traceg_t *t, err_t *e);
#endif
