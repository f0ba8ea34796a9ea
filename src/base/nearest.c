#include "base/nearest.h"
#include <stddef.h>
#include <string.h>

/* The classic table of edit distances between prefixes, of which three rows are kept: a swap of
 * neighbours looks two rows back. At most 64 x 64 steps, whatever the input. */

static char fold(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }
static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

void nearest_init(nearest_t *n, const char *name) {
  size_t size = strnlen(name, NEAREST_MAX_CHARS + 1);
  bool usable = size > 0 && size <= NEAREST_MAX_CHARS;
  /* A third of the letters may be wrong, but not many of a long name. */
  uint32_t near = size < 6 ? 1 : least((uint32_t)size / 3, NEAREST_MAX_EDITS);
  *n = (nearest_t){.name = name, .best = usable ? near + 1 : 0};
}

static uint32_t edits(const char *a, size_t na, const char *b, size_t nb) {
  uint32_t row[3][NEAREST_MAX_CHARS + 1];
  for (uint32_t j = 0; j <= nb; j++) row[0][j] = j;
  for (uint32_t i = 1; i <= na; i++) {
    uint32_t *now = row[i % 3], *up = row[(i + 2) % 3], *up2 = row[(i + 1) % 3];
    now[0] = i;
    for (uint32_t j = 1; j <= nb; j++) {
      char ca = fold(a[i - 1]), cb = fold(b[j - 1]);
      now[j] = least(least(up[j], now[j - 1]) + 1, up[j - 1] + (ca != cb));
      if (i > 1 && j > 1 && ca == fold(b[j - 2]) && cb == fold(a[i - 2]))
        now[j] = least(now[j], up2[j - 2] + 1);
    }
  }
  return row[na % 3][nb];
}

bool nearest_offer(nearest_t *n, const char *candidate) {
  size_t size = strnlen(candidate, NEAREST_MAX_CHARS + 1);
  if (n->best == 0 || size > NEAREST_MAX_CHARS) return false;
  /* One edit makes almost any short name of another: the first letter at least is typed right. */
  if (strlen(n->name) < NEAREST_SHORT && fold(*n->name) != fold(*candidate)) return false;
  uint32_t distance = edits(n->name, strlen(n->name), candidate, size);
  if (distance >= n->best) return false;
  n->best = distance;
  return true;
}
