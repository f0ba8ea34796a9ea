#ifndef GMMU_DAMAGE_H
#define GMMU_DAMAGE_H
/* What is damaged in a store is said by every command that meets it. */
#include "lab/store.h"

#define DAMAGE_LEFT_OUT "is damaged and left out; a sweep runs it again"
#define DAMAGE_MISSING  "is damaged and counts as missing"
#define DAMAGE_AGAIN    "was damaged and counted as missing"
/* On stderr, a line for each, up to ten, with what happens to it. Whether there was any. `s` may be
 * NULL. */
bool damage_warn(const store_t *s, const char *path, const char *then);
#endif
