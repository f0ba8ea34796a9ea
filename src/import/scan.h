#ifndef GMMU_IMPORT_SCAN_H
#define GMMU_IMPORT_SCAN_H
/* Words and numbers of a line. Each function moves *p behind what it took; false, and *p where it
 * was, if it is not there. A word ends at a blank or at the line's end. */
#include <stdbool.h>
#include <stdint.h>

static inline void scan_blanks(char **p) {
  while (**p == ' ' || **p == '\t') ++*p;
}
static inline bool scan_at_end(const char *p) { return *p == 0 || *p == ' ' || *p == '\t'; }

static inline uint32_t scan_digit(char c) {
  if (c >= '0' && c <= '9') return (uint32_t)(c - '0');
  uint32_t letter = (uint32_t)(c | 32) - 'a';
  return letter < 6 ? letter + 10 : 16;
}

/* Digits of `base`, at least one; more than 64 bits is false. */
static inline bool scan_digits(char **p, uint32_t base, uint64_t *v) {
  char *q = *p;
  uint64_t x = 0, top = UINT64_MAX / base;
  for (uint32_t d; (d = scan_digit(*q)) < base; q++) {
    if (x > top || x * base > UINT64_MAX - d) return false;
    x = x * base + d;
  }
  if (q == *p) return false;
  *v = x;
  *p = q;
  return true;
}
/* A whole word. */
static inline bool scan_number(char **p, uint32_t base, uint64_t *v) {
  char *q = *p;
  scan_blanks(&q);
  if (base == 16 && q[0] == '0' && (q[1] | 32) == 'x') q += 2;
  if (!scan_digits(&q, base, v) || !scan_at_end(q)) return false;
  *p = q;
  return true;
}
/* A signed decimal, as two's complement. */
static inline bool scan_signed(char **p, uint64_t *v) {
  char *q = *p;
  scan_blanks(&q);
  bool minus = *q == '-';
  q += minus || *q == '+';
  if (!scan_digits(&q, 10, v) || !scan_at_end(q)) return false;
  if (minus) *v = 0 - *v;
  *p = q;
  return true;
}
/* A word of any kind: its first character and its length; false at the line's end. */
static inline bool scan_word(char **p, char **word, uint32_t *size) {
  char *q = *p;
  scan_blanks(&q);
  *word = q;
  while (!scan_at_end(q)) q++;
  *size = (uint32_t)(q - *word);
  if (!*size) return false;
  *p = q;
  return true;
}
/* How many words are left. */
static inline uint32_t scan_count(char *p) {
  char *word;
  uint32_t n = 0, size;
  while (scan_word(&p, &word, &size)) n++;
  return n;
}
#endif
