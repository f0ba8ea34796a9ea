#ifndef GMMU_IMPORT_KLIST_H
#define GMMU_IMPORT_KLIST_H
/* kernelslist.g: copies and kernel launches of a program, in order. */
#include "import/notes.h"
#include "import/text.h"

typedef enum { KLIST_END, KLIST_COPY_IN, KLIST_COPY_OUT, KLIST_KERNEL } klist_kind_t;

typedef struct {
  uint64_t va, bytes; /* of a copy; within 48 bits */
  const char *file;   /* of a kernel, relative to the list; until the next call */
} klist_command_t;

/* The next command, a klist_kind_t, or an error. What is not known is noted and passed over. */
int klist_next(text_t *t, notes_t *notes, klist_command_t *c, err_t *e);
#endif
