#include "import/notes.h"
#include <stdio.h>

const char *note_text(note_t kind) {
  static const char *const text[NOTES] = {
#define X(n, t) [NOTE_##n] = t,
      IMPORT_NOTES(X)
#undef X
  };
  return text[kind];
}

void note_add(notes_t *n, note_t kind, const text_t *t) {
  if (!n) return;
  note_count_t *c = &n->of[kind];
  if (!c->count++) text_where(t, c->where);
}
