/* Is stdin one JSON document (RFC 8259)? Says where not, and exits with 1.
 *
 * A recursive reader over the whole text, which ends with a NUL; `at` is the next byte. Each
 * function consumes one thing and returns whether it was there. */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *at;
  int depth;
} reader_t;

static bool value(reader_t *r);

/* No strspn(): a sanitizer looks at all of its argument each time. */
static void blanks(reader_t *r) {
  while (*r->at == ' ' || *r->at == '\t' || *r->at == '\r' || *r->at == '\n') r->at++;
}

static bool one(reader_t *r, char c) {
  blanks(r);
  if (*r->at != c) return false;
  r->at++;
  return true;
}

static bool word(reader_t *r, const char *text) {
  const char *at = r->at;
  for (; *text; text++)
    if (*at++ != *text) return false;
  r->at = at;
  return true;
}

static bool digits(reader_t *r) {
  const char *start = r->at;
  while (isdigit((unsigned char)*r->at)) r->at++;
  return r->at > start;
}

static bool number(reader_t *r) {
  if (*r->at == '-') r->at++;
  bool zero = *r->at == '0';
  const char *start = r->at;
  if (!digits(r) || (zero && r->at > start + 1)) return false;
  if (*r->at == '.' && (r->at++, !digits(r))) return false;
  if (*r->at != 'e' && *r->at != 'E') return true;
  r->at++;
  if (*r->at == '+' || *r->at == '-') r->at++;
  return digits(r);
}

static bool escape(reader_t *r) {
  char c = *r->at++;
  if (c && strchr("\"\\/bfnrt", c)) return true;
  if (c != 'u') return false;
  for (int i = 0; i < 4; i++)
    if (!isxdigit((unsigned char)*r->at++)) return false;
  return true;
}

static bool string(reader_t *r) {
  if (!one(r, '"')) return false;
  while (*r->at != '"') {
    if ((unsigned char)*r->at < 0x20) return false;
    if (*r->at++ == '\\' && !escape(r)) return false;
  }
  r->at++;
  return true;
}

static bool member(reader_t *r) { return string(r) && one(r, ':') && value(r); }

static bool list(reader_t *r, char end, bool (*item)(reader_t *)) {
  r->at++;
  if (++r->depth > 100) return false;
  if (one(r, end)) return r->depth--, true;
  do
    if (!item(r)) return false;
  while (one(r, ','));
  r->depth--;
  return one(r, end);
}

static bool value(reader_t *r) {
  blanks(r);
  switch (*r->at) {
  case '{': return list(r, '}', member);
  case '[': return list(r, ']', value);
  case '"': return string(r);
  case 't': return word(r, "true");
  case 'f': return word(r, "false");
  case 'n': return word(r, "null");
  default: return number(r);
  }
}

static char *read_all(void) {
  size_t size = 0, room = 1 << 16;
  char *text = malloc(room);
  while (text) {
    size += fread(text + size, 1, room - size - 1, stdin);
    if (size + 1 < room) break;
    room *= 2;
    char *more = realloc(text, room);
    if (!more) free(text);
    text = more;
  }
  if (text) text[size] = 0;
  return text;
}

int main(void) {
  char *text = read_all();
  if (!text) return 2;
  reader_t r = {.at = text};
  bool good = value(&r);
  blanks(&r);
  good &= *r.at == 0;
  if (!good) printf("not JSON at byte %zu: %.20s\n", (size_t)(r.at - text), r.at);
  free(text);
  return good ? 0 : 1;
}
