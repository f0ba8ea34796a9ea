#include "assoc/repl.h"
#include <string.h>

const repl_ops_t *const repl_all[] = {&repl_lru, &repl_fifo, &repl_random, &repl_lru_writes, NULL};

const repl_ops_t *repl_find(const char *name) {
  for (const repl_ops_t *const *p = repl_all; *p; p++)
    if (strcmp((*p)->name, name) == 0) return *p;
  return NULL;
}

const char *repl_name(uint32_t i) {
  return i < sizeof repl_all / sizeof *repl_all - 1 ? repl_all[i]->name : NULL;
}
