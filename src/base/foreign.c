/* A character at a time: shown as it is, or as the bytes it is made of. */
#include "base/foreign.h"
#include <stdio.h>
#include <string.h>

#define PIECE_BYTES 17 /* four bytes as \xNN, and NUL */

size_t utf8_decode(const char *text, uint32_t *c) {
  const unsigned char *s = (const unsigned char *)text;
  *c = s[0];
  if (s[0] < 0x80) return 1;
  if (s[0] < 0xc2 || s[0] > 0xf4) return 0;
  size_t size = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
  unsigned low = s[0] == 0xe0 ? 0xa0 : s[0] == 0xf0 ? 0x90 : 0x80;
  unsigned high = s[0] == 0xed ? 0x9f : s[0] == 0xf4 ? 0x8f : 0xbf;
  if (s[1] < low || s[1] > high) return 0;
  *c = s[0] & (0x7fu >> size);
  for (size_t i = 1; i < size; i++) {
    if ((s[i] & 0xc0) != 0x80) return 0;
    *c = *c << 6 | (s[i] & 0x3fu);
  }
  return size;
}

bool utf8_unsafe(uint32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) ||       /* C0, DEL, C1 */
         c == 0x61c || c == 0x200e || c == 0x200f ||  /* marks of direction */
         (c >= 0x2028 && c <= 0x202e) ||              /* line breaks, embeddings, overrides */
         (c >= 0x2066 && c <= 0x2069) || c == 0xfeff; /* isolates; byte-order mark */
}

/* How the character at `s` is shown. Returns the bytes of `s` that it takes. */
static size_t piece_of(const char *s, const char *keep, char piece[PIECE_BYTES]) {
  uint32_t c;
  size_t size = utf8_decode(s, &c);
  bool plain = size && (!utf8_unsafe(c) || (size == 1 && *s && strchr(keep, *s)));
  if (!size) size = 1;
  if (plain) {
    memcpy(piece, s, size);
    piece[size] = 0;
    return size;
  }
  for (size_t i = 0; i < size; i++)
    snprintf(piece + 4 * i, PIECE_BYTES - 4 * i, "\\x%02x", (unsigned char)s[i]);
  return size;
}

void strbuf_foreign(strbuf_t *out, const char *text, size_t size, const char *keep) {
  size_t from = 0; /* what lies between it and i needs no change */
  for (size_t i = 0; i < size;) {
    char piece[PIECE_BYTES];
    size_t taken = piece_of(text + i, keep, piece);
    if (piece[0] != text[i] || piece[taken]) {
      strbuf_add(out, text + from, i - from);
      strbuf_str(out, piece);
      from = i + taken;
    }
    i += taken;
  }
  if (from < size) strbuf_add(out, text + from, size - from);
}

size_t foreign_copy(char *to, size_t room, const char *text, size_t size, const char *keep) {
  size_t wanted = 0, used = 0;
  for (size_t i = 0; i < size;) {
    char piece[PIECE_BYTES];
    i += piece_of(text + i, keep, piece);
    size_t n = strlen(piece);
    if (used == wanted && used + n < room) {
      memcpy(to + used, piece, n);
      used += n;
    }
    wanted += n;
  }
  if (room) to[used] = 0;
  return wanted;
}
