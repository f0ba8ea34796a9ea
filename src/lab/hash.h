#ifndef GMMU_LAB_HASH_H
#define GMMU_LAB_HASH_H
/* What a result depends on, as numbers. */
#include "gmmu/err.h"
#include <stdint.h>

/* Of a file's bytes. */
int hash_file(const char *path, uint64_t seed, uint64_t *out, err_t *e);

/* Of the sources that decide what a run measures, made when gmmu was built
 * (scripts/model-version.sh). Option values are told apart by what they are, and recordings by
 * their names, which hold the program's bytes and lab_recorder_version: so presets and what records
 * are not in it. */
extern const char lab_model_version[];
/* Of the sources that decide what a recording of a program holds. */
extern const uint64_t lab_recorder_version;
/* Of the sources of what runs live on a simulated GPU: operators and probes. */
extern const uint64_t lab_live_version;
#endif
