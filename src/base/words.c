/* The array is kept with room for the NULL behind the last word. */
#include "base/words.h"
#include "base/strbuf.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void words_fini(words_t *w) {
  for (uint32_t i = 0; i < w->count; i++) free(w->at[i]);
  free(w->at);
  *w = (words_t){0};
}

/* Takes `text` over. */
static void push(words_t *w, char *text) {
  if (text && w->count + 1 >= w->room) {
    uint32_t room = w->room ? 2 * w->room : 16;
    char **at = realloc(w->at, room * sizeof *at);
    if (at)
      w->at = at, w->room = room;
    else
      free(text), text = NULL;
  }
  if (!text) {
    w->failed = true;
    return;
  }
  w->at[w->count++] = text;
  w->at[w->count] = NULL;
}

void words_add(words_t *w, const char *text) { push(w, strdup(text)); }

void words_addf(words_t *w, const char *fmt, ...) {
  strbuf_t text;
  strbuf_init(&text);
  va_list args;
  va_start(args, fmt);
  strbuf_vprintf(&text, fmt, args);
  va_end(args);
  push(w, text.failed ? NULL : strdup(strbuf_text(&text)));
  strbuf_fini(&text);
}

void words_append(words_t *w, const words_t *more) {
  for (uint32_t i = 0; i < more->count; i++) words_add(w, more->at[i]);
  w->failed |= more->failed;
}

void words_split(words_t *w, const char *text) {
  while (*text) {
    size_t n = strcspn(text, ",");
    if (n) push(w, strndup(text, n));
    text += n + (text[n] == ',');
  }
}
