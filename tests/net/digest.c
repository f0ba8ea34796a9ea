#include "digest.h"
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#define MAX_PATH  512
#define MAX_VALUE 4096

typedef struct {
  const char *at;
  char path[MAX_PATH], value[MAX_VALUE];
  digest_leaf_fn leaf;
  void *ctx;
} walk_t;

static bool walk_value(walk_t *w, size_t length);

static char next(walk_t *w) {
  while (*w->at == ' ' || *w->at == '\n' || *w->at == '\t' || *w->at == '\r') w->at++;
  return *w->at;
}

static bool take(walk_t *w, char c) {
  if (next(w) != c) return false;
  w->at++;
  return true;
}

/* A string with its quotes, or a word, into `out`. */
static bool walk_word(walk_t *w, char *out, size_t size) {
  const char *from = w->at;
  bool quoted = next(w) == '"';
  if (!quoted)
    from = w->at, w->at += strcspn(w->at, ",:]}[{ \n");
  else
    for (from = w->at++; *w->at && *w->at != '"'; w->at++)
      if (*w->at == '\\' && w->at[1]) w->at++;
  if (quoted && *w->at++ != '"') return false;
  size_t n = (size_t)(w->at - from);
  if (!n || n >= size) return false;
  memcpy(out, from, n), out[n] = 0;
  return true;
}

static bool walk_object(walk_t *w, size_t length) {
  char key[128];
  if (take(w, '}')) return true;
  do {
    if (!walk_word(w, key, sizeof key) || key[0] != '"' || !take(w, ':')) return false;
    int n = snprintf(w->path + length, MAX_PATH - length, "%s%.*s", length ? "." : "",
                     (int)strlen(key) - 2, key + 1);
    if (length + (size_t)n >= MAX_PATH || !walk_value(w, length + (size_t)n)) return false;
  } while (take(w, ','));
  return take(w, '}');
}

static bool walk_array(walk_t *w, size_t length) {
  if (take(w, ']')) return true;
  uint32_t i = 0;
  do {
    int n = snprintf(w->path + length, MAX_PATH - length, "[%u]", i++);
    if (length + (size_t)n >= MAX_PATH || !walk_value(w, length + (size_t)n)) return false;
  } while (take(w, ','));
  return take(w, ']');
}

static bool counts(const char *v) {
  return strcmp(v, "false") && strcmp(v, "null") && strcmp(v, "\"\"") && v[strspn(v, "0.")] != 0;
}

static bool walk_value(walk_t *w, size_t length) {
  if (take(w, '{')) return walk_object(w, length);
  if (take(w, '[')) return walk_array(w, length);
  if (!walk_word(w, w->value, sizeof w->value)) return false;
  w->path[length] = 0;
  if (counts(w->value)) w->leaf(w->ctx, w->path, w->value);
  return true;
}

bool digest_leaves(const char *json, digest_leaf_fn leaf, void *ctx) {
  walk_t w = {.at = json, .leaf = leaf, .ctx = ctx};
  return walk_value(&w, 0) && next(&w) == 0;
}

uint64_t digest_leaf(const char *path, const char *value) {
  return XXH64(value, strlen(value), digest_text(path));
}

uint64_t digest_text(const char *text) { return XXH64(text, strlen(text), 0); }
