#ifndef GMMU_LIVE_H
#define GMMU_LIVE_H
/* gmmu run --watch: a view of the run on the terminal, redrawn in place: how far it is, and for
 * each application IPC, miss rates, walks under way and where its warps' cycles go. Nothing at all
 * if stderr is not a terminal. The terminal's settings are not touched, so there is nothing but the
 * view itself to remove at the end, or after Ctrl-C. */
#include "base/progress.h"
#include "base/strbuf.h"
#include "gmmu/types.h"
#include "gpu/stats.h"

typedef struct {
  progress_t progress;
  bool colours;
  uint32_t lines;                    /* of the view now on the terminal */
  gpu_summary_t last[GMMU_MAX_APPS]; /* as shown there */
} live_t;

typedef struct {
  const char *title; /* "maxwell" */
  progress_state_t progress;
  const char *const *name; /* [apps] */
  const gpu_summary_t *app;
  uint32_t apps;
} live_state_t;

void live_begin(live_t *v);
bool live_due(const live_t *v);
void live_show(live_t *v, const live_state_t *s);
void live_end(live_t *v); /* removes the view */

/* The view for a terminal of this size; lines end with a newline. Returns their number. */
uint32_t live_view(const live_t *v, const live_state_t *s, uint32_t columns, uint32_t rows,
                   strbuf_t *out);
#endif
