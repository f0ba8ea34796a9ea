#ifndef GMMU_PROGRESS_H
#define GMMU_PROGRESS_H
/* How far long work is. Whoever works tells it here; a command that wants to show it listens
 * (tools/progress_line.c), and without a listener nothing happens. Nothing is told in the first
 * second. Host time is used for this and for nothing else. */
#include <stdbool.h>
#include <stdint.h>

typedef struct {
  bool terminal, shown;
  uint64_t line_ns;           /* no terminal, but a line so often is wanted; 0: none */
  uint64_t start_ns, last_ns; /* of the work; of what was told last */
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

/* The part of a tool that shows progress. `begin` says whether there is a terminal, and, if
 * `lines`, how often a line is wanted without one. */
typedef struct {
  void (*begin)(progress_t *p, bool lines);
  void (*show)(progress_t *p, const progress_state_t *s);
  void (*end)(progress_t *p);
} progress_listener_t;
/* Of the whole process; NULL: nobody. The listener outlives all work. */
void progress_listen(const progress_listener_t *l);

uint64_t progress_now_ns(void); /* on a clock that only goes forward */
void progress_begin(progress_t *p);
void progress_begin_lines(progress_t *p); /* without a terminal: in lines, now and then */
bool progress_due(const progress_t *p);   /* it is to be told again */
void progress_show(progress_t *p, const progress_state_t *s);
void progress_end(progress_t *p);
/* For those who draw themselves: whether it is time, `quiet_ns` after the begin; and that they do
 * so now. */
bool progress_due_after(const progress_t *p, uint64_t quiet_ns);
void progress_shown(progress_t *p);
#endif
