#ifndef GMMU_PROGRESS_LINE_H
#define GMMU_PROGRESS_LINE_H
/* How far long work is, as a line on the terminal. If stderr is none: nothing, or, where lines are
 * wanted, one every 30 s, or every GMMU_PROGRESS seconds; 0: none. */
#include "base/progress.h"
#include "base/strbuf.h"

extern const progress_listener_t progress_line;
/* What the line would say in so many columns: the least important goes first. */
void progress_text(const progress_t *p, const progress_state_t *s, uint32_t columns, strbuf_t *out);
#endif
