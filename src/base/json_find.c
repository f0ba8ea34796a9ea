/* One pass over the text, from value to value: what lies beside the path is skipped by counting
 * brackets. Invariant: no step goes beyond the terminating NUL. */
#include "base/json_find.h"
#include <stddef.h>
#include <string.h>

#define MAX_DIGITS 19 /* of a number that fits 64 bits for sure */

static const char *blanks(const char *p) { return p + strspn(p, " \t\r\n"); }

/* Behind the string that begins at p; NULL if it does not end. */
static const char *skip_string(const char *p) {
  for (p++; *p && *p != '"'; p++)
    if (*p == '\\' && p[1]) p++;
  return *p ? p + 1 : NULL;
}

static const char *skip_value(const char *p) {
  uint32_t depth = 0;
  do {
    if (!*p) return NULL;
    if (*p == '"') {
      p = skip_string(p);
      if (!p) return NULL;
      continue;
    }
    if (*p == '{' || *p == '[') depth++;
    if ((*p == '}' || *p == ']') && depth-- == 0) return NULL;
    p++;
  } while (depth || !strchr(",}]", *blanks(p)));
  return blanks(p);
}

/* The member of this name in the object at p. */
static const char *member(const char *p, const char *name, size_t size) {
  if (*p != '{') return NULL;
  for (p = blanks(p + 1); *p == '"'; p = blanks(p + 1)) {
    const char *key = p + 1, *end = skip_string(p);
    if (!end) return NULL;
    p = blanks(end);
    if (*p != ':') return NULL;
    p = blanks(p + 1);
    if ((size_t)(end - 1 - key) == size && memcmp(key, name, size) == 0) return p;
    p = skip_value(p);
    if (!p || *p != ',') return NULL;
  }
  return NULL;
}

/* Element `index` of the array at p. */
static const char *element(const char *p, uint64_t index) {
  if (*p != '[') return NULL;
  for (p = blanks(p + 1); *p && *p != ']'; p = blanks(p + 1)) {
    if (index-- == 0) return p;
    p = skip_value(p);
    if (!p || *p != ',') return NULL;
  }
  return NULL;
}

static bool digits(const char **at, uint64_t *out) {
  size_t size = strspn(*at, "0123456789");
  if (!size || size > MAX_DIGITS) return false;
  for (*out = 0; size--; (*at)++) *out = *out * 10 + (uint64_t)(**at - '0');
  return true;
}

const char *json_find(const char *text, const char *path) {
  const char *p = blanks(text);
  while (p && *path) {
    if (*path == '[') {
      uint64_t index;
      path++;
      if (!digits(&path, &index) || *path++ != ']') return NULL;
      p = element(p, index);
    } else {
      size_t size = strcspn(path, ".[");
      p = member(p, path, size);
      path += size;
    }
    if (*path == '.') path++;
  }
  return p && *p ? p : NULL;
}

bool json_find_u64(const char *text, const char *path, uint64_t *out) {
  const char *p = json_find(text, path);
  return p && digits(&p, out) && *p != '.' && *p != 'e' && *p != 'E';
}

bool json_find_micro(const char *text, const char *path, uint64_t *out) {
  const char *p = json_find(text, path);
  uint64_t whole, scale = 1000000;
  if (!p || !digits(&p, &whole) || whole > UINT64_MAX / scale - 1) return false;
  *out = whole * scale;
  if (*p == '.')
    for (p++; *p >= '0' && *p <= '9' && scale > 1; p++) {
      scale /= 10;
      *out += (uint64_t)(*p - '0') * scale;
    }
  return true;
}

uint32_t json_find_count(const char *text, const char *path) {
  const char *p = json_find(text, path);
  uint32_t count = 0;
  if (!p || *p != '[') return 0;
  for (p = blanks(p + 1); *p && *p != ']'; p = blanks(p + 1)) {
    count++;
    p = skip_value(p);
    if (!p || *p != ',') break;
  }
  return count;
}
