#ifndef GMMU_PROBE_PLOT_H
#define GMMU_PROBE_PLOT_H
/* What the pictures of all probes have in common. */
#include "base/strbuf.h"
#include <stdint.h>

#define PLOT_WIDTH  960
#define PLOT_HEIGHT 480
#define PLOT_LEFT   70
#define PLOT_RIGHT  180
#define PLOT_TOP    40
#define PLOT_BOTTOM 60

void plot_begin(const char *title, strbuf_t *o);
void plot_end(strbuf_t *o);
void plot_text(strbuf_t *o, int32_t x, int32_t y, const char *anchor, const char *text);
/* The two axes as lines, and what they are. */
void plot_axes(const char *x, const char *y, strbuf_t *o);
/* Labels at the vertical axis; `most` hundredths of a cycle are at its top. */
void plot_cycles(int64_t most, strbuf_t *o);
int32_t plot_y(int64_t hundredths, int64_t most);
const char *plot_colour(uint32_t nth);
void plot_legend(uint32_t nth, const char *text, strbuf_t *o);
#endif
