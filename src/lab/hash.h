#ifndef GMMU_LAB_HASH_H
#define GMMU_LAB_HASH_H
/* What a result depends on, as numbers. */
#include "gmmu/err.h"
#include <stdint.h>

/* Of a file's bytes. */
int hash_file(const char *path, uint64_t seed, uint64_t *out, err_t *e);

/* Of the sources that decide what a run measures, made when gmmu was built. Option values and
 * recordings are told apart by what they are, so presets and what records are not in it. */
extern const char lab_model_version[];
#endif
