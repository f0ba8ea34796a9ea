#ifndef GMMU_IMPORT_NOTES_H
#define GMMU_IMPORT_NOTES_H
/* What was odd in the files and what was assumed, counted by kind; the first place of each kind is
 * kept. */
#include "import/text.h"

#define IMPORT_NOTES(X)                                                                            \
  X(LIST_LINE, "lines of the list that are not known: ignored")                                    \
  X(STREAMS, "kernels of so many streams that their order is not kept: each waits for all before") \
  X(CONTEXT, "kernels of another context than the one asked for: left out")                        \
  X(RAW, "raw traces: grouped by block and warp")                                                  \
  X(COPY, "copies of nothing, or beyond 48-bit addresses: ignored")                                \
  X(HEADER, "header lines that are not known: ignored")                                            \
  X(VERSION, "no tracer version: the lines tell")                                                  \
  X(FRONT, "instructions that begin otherwise than their tracer version says: the lines tell")     \
  X(CORE, "SM and hardware warp in front of instructions: passed over")                            \
  X(BINARY, "a binary version outside 20 .. 130: opcodes are found by name anyway")                \
  X(REGISTERS, "-nregs that no kernel can have: the highest register used counts instead")         \
  X(SHARED, "-shmem that no kernel can have: taken for 0")                                         \
  X(COUNT, "warps with another number of instructions than insts says: those there count")         \
  X(OWNER, "instructions that name another block or warp than the one they are in: left there")    \
  X(MISSING, "thread blocks that are not in the file: they do nothing")                            \
  X(CLUSTER, "blocks of a cluster: placed one by one")                                             \
  X(REPLAY, "marks of a loop that waits: passed over")                                             \
  X(TMA, "bulk copies: loads and stores of up to 512 bytes that nobody waits for")                 \
  X(TMA_LOST, "bulk copies whose addresses the tracer lost: integer operations")                   \
  X(TMA_SHORT, "bulk copies with fewer addresses than they announce: those there count")           \
  X(EXTRA, "instructions with more at their end than is known: ignored")                           \
  X(REGISTER, "registers that are not R0 .. R255: ignored")                                        \
  X(SOURCES, "instructions with more than 4 sources: the first 4 count")                           \
  X(RESULTS, "instructions with results that are no row of registers: the first counts")           \
  X(NO_ADDRESS, "memory instructions without addresses: integer operations")                       \
  X(MEMORY, "other instructions with addresses: these are ignored")                                \
  X(WIDTH, "access sizes that are not 1, 2, 4, 8 or 16 bytes: the next of them")                   \
  X(GAPS, "base and stride for lanes that are no run: counted by lane number")                     \
  X(WIDE, "addresses beyond 48 bits: their low 48 count")                                          \
  X(NOT_LOCAL, "local addresses beyond 512 KB of a thread: taken as they are")

typedef enum {
#define X(n, t) NOTE_##n,
  IMPORT_NOTES(X)
#undef X
      NOTES
} note_t;

typedef struct {
  uint64_t count;
  char where[TEXT_MAX_WHERE]; /* of the first, as text_where() says; empty: a note of no line */
} note_count_t;

typedef struct {
  note_count_t of[NOTES];
} notes_t;

const char *note_text(note_t kind);
/* One more, in the line that `t` returned last; `n` may be NULL: nobody counts. */
void note_add(notes_t *n, note_t kind, const text_t *t);
#endif
