#include "base/bitlist.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* A list is an array of masks. Invariant: every function has at least one bit, so an empty one
 * (two semicolons, or one at the end) is an error and never a function that is always 0. */

static int wrong(err_t *e, uint32_t function, const char *why) {
  return err_set(e, GMMU_EINVAL, "function %u: %s; write \"10 12 16; 11 12 13\"", function + 1,
                 why);
}

static int take_bit(const char **text, uint32_t function, uint64_t *mask, err_t *e) {
  uint32_t bit = 0;
  const char *s = *text;
  if (*s < '0' || *s > '9') return wrong(e, function, "a bit number was expected");
  for (; *s >= '0' && *s <= '9'; s++) bit = bit < 64 ? bit * 10 + (uint32_t)(*s - '0') : bit;
  if (bit > 63) return err_set(e, GMMU_ERANGE, "list %u: a number above 63", function + 1);
  if (*mask >> bit & 1)
    return err_set(e, GMMU_EINVAL, "function %u: bit %u is there twice and would cancel",
                   function + 1, bit);
  *mask |= 1ull << bit;
  *text = s;
  return GMMU_OK;
}

static int take_function(const char **text, uint32_t function, uint64_t *mask, err_t *e) {
  for (*mask = 0;;) {
    *text += strspn(*text, " \t\n");
    if (**text == ';' || !**text) break;
    int rc = take_bit(text, function, mask, e);
    if (rc < 0) return rc;
  }
  return *mask ? GMMU_OK : wrong(e, function, "it has no bits");
}

int bitlist_parse(const char *text, bitlist_t *out, err_t *e) {
  bitlist_t l = {0};
  text += strspn(text, " \t\n");
  for (bool more = *text && strcmp(text, "none") != 0; more;) {
    if (l.count == BITLIST_MAX)
      return err_set(e, GMMU_ERANGE, "more than %d functions", BITLIST_MAX);
    int rc = take_function(&text, l.count, &l.mask[l.count], e);
    if (rc < 0) return rc;
    l.count++;
    more = *text == ';';
    text += more;
  }
  *out = l;
  return GMMU_OK;
}

int bitlist_text(const bitlist_t *l, char *buf, size_t size) {
  char text[BITLIST_TEXT];
  size_t n = 0;
  text[0] = 0;
  for (uint32_t i = 0; i < l->count; i++) {
    const char *gap = i ? "; " : "";
    for (uint64_t m = l->mask[i]; m; m &= m - 1, gap = " ")
      n += (size_t)snprintf(text + n, sizeof text - n, "%s%d", gap, __builtin_ctzll(m));
  }
  return snprintf(buf, size, "%s", l->count ? text : "none");
}
