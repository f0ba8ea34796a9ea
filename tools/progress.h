#ifndef GMMU_PROGRESS_H
#define GMMU_PROGRESS_H
/* A line on the terminal that tells how far long work is. Says nothing in the first second, and
 * nothing at all if stderr is not a terminal. Host time is used for this and for nothing else. */
#include "base/strbuf.h"
#include <stdbool.h>
#include <stdint.h>

typedef struct {
  bool terminal, shown;
  uint64_t line_ns;           /* no terminal, but a line so often is wanted; 0: none */
  uint64_t start_ns, last_ns; /* of the work; of the line now on the terminal */
} progress_t;

typedef struct {
  const char *what;      /* "sharedtlb (2 of 3)" */
  uint64_t cycles;       /* simulated; 0: there are none */
  uint64_t instructions; /* warp instructions since progress_begin() */
  uint64_t runs;         /* ended since then; 0: none, or it is not about runs */
  uint32_t permille;     /* share done; above 1000: not known */
  uint64_t kernel;       /* not 0: the share is of this kernel launch alone */
  uint64_t left_ms;      /* 0: what share and time so far tell */
} progress_state_t;

uint64_t progress_now_ns(void); /* on a clock that only goes forward */
void progress_begin(progress_t *p);
/* Without a terminal: a line on stderr every 30 s, or every GMMU_PROGRESS seconds; 0: none. */
void progress_begin_lines(progress_t *p);
bool progress_due(const progress_t *p); /* the line is to be renewed */
void progress_show(progress_t *p, const progress_state_t *s);
/* For those who draw themselves: whether it is time, `quiet_ns` after the begin; that they do so
 * now; and what the line would say in so many columns: the least important goes first. */
bool progress_due_after(const progress_t *p, uint64_t quiet_ns);
void progress_shown(progress_t *p);
void progress_text(const progress_t *p, const progress_state_t *s, uint32_t columns, strbuf_t *out);
void progress_end(progress_t *p); /* removes the line */
#endif
