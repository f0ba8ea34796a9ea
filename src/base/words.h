#ifndef GMMU_WORDS_H
#define GMMU_WORDS_H
/* A list of owned strings that ends with NULL, as exec() wants it. */
#include <stdbool.h>
#include <stdint.h>

typedef struct {
  char **at; /* [count], then NULL; NULL while empty */
  uint32_t count, room;
  bool failed; /* memory ran out: what was added since is missing */
} words_t;

void words_fini(words_t *w);
void words_add(words_t *w, const char *text);
void words_addf(words_t *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void words_append(words_t *w, const words_t *more);
/* Each piece of `text` between commas, without the empty ones. */
void words_split(words_t *w, const char *text);
#endif
