/* SVG by hand. All numbers come from integers, so that every machine prints the same digits. */
#include "probe/plot.h"
#include <stdio.h>

void plot_text(strbuf_t *o, int32_t x, int32_t y, const char *anchor, const char *text) {
  strbuf_printf(o, "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">%s</text>\n", x, y, anchor, text);
}

void plot_begin(const char *title, strbuf_t *o) {
  strbuf_printf(o,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
                "font-family=\"sans-serif\" font-size=\"12\">\n"
                "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
                PLOT_WIDTH, PLOT_HEIGHT);
  plot_text(o, PLOT_WIDTH / 2, 18, "middle", title);
}

void plot_end(strbuf_t *o) { strbuf_str(o, "</svg>\n"); }

void plot_axes(const char *x, const char *y, strbuf_t *o) {
  strbuf_printf(o, "<path d=\"M%d %dV%dH%d\" fill=\"none\" stroke=\"#333\"/>\n", PLOT_LEFT,
                PLOT_TOP, PLOT_HEIGHT - PLOT_BOTTOM, PLOT_WIDTH - PLOT_RIGHT);
  plot_text(o, (PLOT_LEFT + PLOT_WIDTH - PLOT_RIGHT) / 2, PLOT_HEIGHT - 14, "middle", x);
  plot_text(o, PLOT_LEFT, PLOT_TOP - 12, "start", y);
}

int32_t plot_y(int64_t hundredths, int64_t most) {
  if (hundredths < 0) hundredths = 0;
  return PLOT_HEIGHT - PLOT_BOTTOM -
         (int32_t)(hundredths * (PLOT_HEIGHT - PLOT_TOP - PLOT_BOTTOM) / most);
}

void plot_cycles(int64_t most, strbuf_t *o) {
  for (int64_t i = 0; i <= 5; i++) {
    char label[32];
    snprintf(label, sizeof label, "%lld", (long long)(most * i / 500));
    plot_text(o, PLOT_LEFT - 8, plot_y(most * i / 5, most) + 4, "end", label);
  }
}

const char *plot_colour(uint32_t nth) {
  static const char *const colours[] = {"#1b6ca8", "#c4512d", "#3a7d44",
                                        "#7a4f9a", "#8a6d1f", "#444"};
  return colours[nth % (sizeof colours / sizeof *colours)];
}

void plot_legend(uint32_t nth, const char *text, strbuf_t *o) {
  strbuf_printf(o, "<g fill=\"%s\">", plot_colour(nth));
  plot_text(o, PLOT_WIDTH - PLOT_RIGHT + 12, PLOT_TOP + 20 * (int32_t)nth, "start", text);
  strbuf_str(o, "</g>\n");
}
