#include "sm/sched.h"
#include <stddef.h>
#include <string.h>

const sched_ops_t *const sched_all[] = {&sched_gto, &sched_lrr, NULL};

const sched_ops_t *sched_find(const char *name) {
  for (const sched_ops_t *const *p = sched_all; *p; p++)
    if (strcmp((*p)->name, name) == 0) return *p;
  return NULL;
}

const char *sched_name(uint32_t i) {
  return i < sizeof sched_all / sizeof *sched_all - 1 ? sched_all[i]->name : NULL;
}
