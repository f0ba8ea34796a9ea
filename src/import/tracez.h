#ifndef GMMU_IMPORT_TRACEZ_H
#define GMMU_IMPORT_TRACEZ_H
/* .tracez, the container of Accel-Sim 2 for the trace of one kernel: the header as text, a zstd
 * dictionary, the instruction lines of each warp in zstd frames of their own, an index at the end.
 * docs/import.md has the bytes.
 *
 * Gives the grouped text again: lines that name blocks and warps, and between them the bytes of the
 * instruction lines. Memory is fixed, whatever the file says: index and frames pass through a
 * window each. */
#include "gmmu/err.h"
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define TRACEZ_LINE_BYTES 64u

typedef struct tracez tracez_t;

typedef enum {
  TRACEZ_OVER, /* the end of the file */
  TRACEZ_LINE, /* a line of the grouped text */
  TRACEZ_TEXT, /* instruction lines, which tracez_read() gives */
} tracez_step_t;

/* `f` and `name` outlive it; `body` is the offset of the byte behind the header's NUL. */
int tracez_open(FILE *f, const char *name, uint64_t body, tracez_t **out, err_t *e);
void tracez_close(tracez_t *z); /* NULL is allowed */
/* What comes next, a tracez_step_t or an error; `lines` is how many lines the instructions had that
 * were given last. */
int tracez_step(tracez_t *z, uint64_t lines, char line[TRACEZ_LINE_BYTES], err_t *e);
/* Up to `room` of the bytes of instruction lines; *size 0 at their end. */
int tracez_read(tracez_t *z, char *to, size_t room, size_t *size, err_t *e);
/* "block 1,0,0, warp 3": whose instructions were given last. */
void tracez_place(const tracez_t *z, char *buf, size_t size);
uint32_t tracez_permille(const tracez_t *z); /* of its instructions that have been read */
#endif
