#ifndef GMMU_IMPORT_TRACEG_LINE_H
#define GMMU_IMPORT_TRACEG_LINE_H
/* One line of a kernel trace that is an instruction. */
#include "import/traceg.h"

/* Fills t->inst and returns TRACEG_INST, or an error. May look at the next line. */
int traceg_line(traceg_t *t, char *line, err_t *e);
/* "expected `what` at" those characters of the line. */
int traceg_wrong(const traceg_t *t, err_t *e, const char *what, const char *at);
#endif
